"""Exact amounts, units, periods, expressions, text tables and a small double-entry ledger."""

from tally.amounts import Amount, AmountError, total
from tally.expressions import Expression, ExpressionError, evaluate, postfix, tokens
from tally.journal import JournalError, dump, load
from tally.ledger import Entry, Ledger, LedgerError, Posting
from tally.periods import Period, PeriodError
from tally.tables import Column, Grid, Markdown, Plain, Style, Table, TableError, wrap
from tally.units import Quantity, Unit, UnitError, parse_unit

__all__ = [
    "Amount",
    "AmountError",
    "Column",
    "Entry",
    "Expression",
    "ExpressionError",
    "Grid",
    "JournalError",
    "Ledger",
    "LedgerError",
    "Markdown",
    "Period",
    "PeriodError",
    "Plain",
    "Posting",
    "Quantity",
    "Style",
    "Table",
    "TableError",
    "Unit",
    "UnitError",
    "dump",
    "evaluate",
    "load",
    "parse_unit",
    "postfix",
    "tokens",
    "total",
    "wrap",
]

__version__ = "1.0.0"
