"""A reward: the number that module verdicts earn."""

from collections.abc import Iterable
from dataclasses import dataclass

from kaiju_grading.grade import ModuleGrade, ModuleVerdict


@dataclass(frozen=True, slots=True)
class Score:
    """What a graded stage earns."""

    modules_passed: int
    """0 when a contradiction repeated: nothing of that submission is paid."""
    modules_total: int

    @property
    def reward(self) -> float:
        """Modules passed / modules, in [0, 1]."""
        return self.modules_passed / self.modules_total


@dataclass(frozen=True, slots=True)
class PassRate:
    """Real slots: tests as written, in the runs of the series."""

    passed: int
    measured: int

    @property
    def rate(self) -> float | None:
        """None when nothing ran."""
        return self.passed / self.measured if self.measured else None


def score(modules: Iterable[ModuleGrade], *, believed: bool) -> Score:
    """Count the modules that passed. Raises ValueError without any module: such a task is invalid."""
    verdicts = [module.verdict for module in modules]
    if not verdicts:
        raise ValueError("modules: got none; expected at least one in a suite")
    passed = sum(verdict is ModuleVerdict.PASSED for verdict in verdicts)
    return Score(passed if believed else 0, len(verdicts))


def pass_rate(modules: Iterable[ModuleGrade]) -> PassRate:
    """Sum the real slots of all modules."""
    listed = tuple(modules)
    return PassRate(sum(module.real_passed for module in listed), sum(module.real_run for module in listed))
