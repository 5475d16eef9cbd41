"""Attacks in Python: 22 cheats that fool careless graders, and two forgers made against altered runs."""
