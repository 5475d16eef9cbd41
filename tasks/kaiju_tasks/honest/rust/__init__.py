"""Odd but honest trees in Rust."""
