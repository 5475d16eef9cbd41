"""A calibration: durations and limits measured at preparation; outside every digest."""

from pydantic import Field

from kaiju_sandbox.limits import Limits
from kaiju_tasks.format import Part

FILE = "calibration.json"


class LimitsEntry(Part):
    """Limits for one run of the slowest module."""

    wall: float = Field(gt=0)
    cpu: float = Field(gt=0)
    memory: int = Field(gt=0)

    def as_limits(self) -> Limits:
        return Limits(wall=self.wall, cpu=self.cpu, memory=self.memory)


class Measurement(Part):
    """What was measured in one environment."""

    seconds: dict[str, float]
    """Wall time of one run on the reference, by module."""
    limits: LimitsEntry
    repeats: int = Field(ge=1)
    mixes: int = Field(ge=0)
    backend: str


class Calibration(Part):
    """calibration.json."""

    environments: dict[str, Measurement]
    """By environment digest."""
