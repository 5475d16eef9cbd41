"""Odd but honest trees in Go."""
