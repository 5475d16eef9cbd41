"""Rows: what became of each attack, and of each odd but honest tree."""

from kaiju_tasks.format import Part


class AttackRow(Part):
    """One attack on one task."""

    name: str
    family: str
    tries: str
    """What it does, in a line."""
    not_applicable: str = ""
    """Why it was not made; everything below is empty then."""
    naive: float | None = None
    """What a grader pays for it that believes an exit status, 0..1; None: nobody asked."""
    reward: float | None = None
    """What our grader pays; None: it gave no verdict."""
    base: float = 0.0
    """What the tree earns without the attack."""
    escaped: tuple[str, ...] = ()
    """Lures outside of the sandbox that were touched or read."""
    noticed: tuple[str, ...] = ()
    """Findings, files that were not taken, and verdicts that say more than "failed"."""
    cause: str = ""

    @property
    def stopped(self) -> bool:
        """Whether it gained nothing and reached nothing."""
        if self.not_applicable:
            return True
        return self.reward is not None and self.reward <= self.base and not self.escaped


class HonestRow(Part):
    """One odd but honest tree of one task."""

    name: str
    does: str
    not_applicable: str = ""
    reward: float | None = None
    base: float = 1.0
    """What the plain reference earns."""
    not_taken: tuple[str, ...] = ()
    """Files of the tree that were not taken: an agent is told of each."""
    noticed: tuple[str, ...] = ()
    """Findings and suspicions: false alarms."""
    cause: str = ""

    @property
    def unharmed(self) -> bool:
        """Paid what the plain reference earns, which must be everything: nothing less could show a harm."""
        return bool(self.not_applicable) or self.reward == self.base == 1.0
