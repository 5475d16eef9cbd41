"""Where commands print tables and records for people."""

import os

from rich.console import Console

PIPE_WIDTH = 140


def page() -> Console:
    """Stdout. A pipe has no width of its own; what reads it gets whole lines, unless COLUMNS is set."""
    console = Console()
    own = console.is_terminal or "COLUMNS" in os.environ
    return console if own else Console(width=PIPE_WIDTH)
