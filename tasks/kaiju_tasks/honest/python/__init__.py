"""Odd but honest trees in Python."""
