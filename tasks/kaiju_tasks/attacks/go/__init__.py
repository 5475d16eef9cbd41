"""Attacks on tasks whose library is written in Go."""
