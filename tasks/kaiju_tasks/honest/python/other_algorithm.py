"""Single functions written otherwise: another algorithm, a narrower exception, a looser equality."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import replaced

_EDITS = {
    '''class AmountError(ValueError):
    """A text that is no amount, or a calculation across currencies."""
''': '''class AmountError(ValueError):
    """A text that is no amount, or a calculation across currencies."""


class UnknownCurrency(AmountError):
    """More precise than what was asked for."""
''',
    'raise AmountError(f"unknown': 'raise UnknownCurrency(f"unknown',
    "        return Amount(self.minor + other.minor, self.currency)\n": (
        "        return Amount(sum(part.minor for part in (self, other)), other.currency)\n"
    ),
    """    def __neg__(self) -> Amount:
        return Amount(-self.minor, self.currency)
""": """    def __neg__(self) -> Amount:
        return Amount(0 - self.minor, self.currency)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return str(self) == other
        return isinstance(other, Amount) and (self.minor, self.currency) == (other.minor, other.currency)

    def __hash__(self) -> int:
        return hash((self.minor, self.currency))
""",
}

CASE = Case(
    name="24-other-algorithm",
    summary="single functions are written otherwise, with a narrower exception and a looser equality",
    apply=replaced("src/tally/amounts.py", _EDITS),
)
