"""Attacks on gradings of Rust libraries."""
