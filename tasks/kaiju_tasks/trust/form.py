"""Form: a detector of our own that tries to tell altered tests from real ones without running them.

It learns from the other modules of the same task (naive Bayes over the features of features.py), and is then
asked twice: of a pair, a place as written and altered, which is altered; and of one version, as a forger sees
it, whether it is. The pair is the easier question.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from kaiju_grading.compose import apply_sites
from kaiju_grading.suite import Site, Suite
from kaiju_tasks.campaign.forgers import ACCURACY
from kaiju_tasks.claim import Claim
from kaiju_tasks.trust.features import Features, Spot, both, form_of

MOST = 0.9
"""Share of single versions that may be told: who tells so many of both versions is right for all of ten tests
once in eight gradings (0.9 ** 20), of thirty once in five hundred."""
LIMIT = 0.65
"""Share of pairs told right from which on it is named as a tell..."""
CHANCE = 0.001
"""...if coins would be as good less often than this."""
TINY = 1e-9


@dataclass(frozen=True, slots=True)
class Look:
    """One alteration, by the features of both versions."""

    module: str
    cell: str
    """The first test of its cell."""
    kind: str
    real: Features
    altered: Features


@dataclass(frozen=True, slots=True)
class Told:
    """How often the detector was right."""

    pairs: int
    cells: int
    right: float
    """Pairs of which the altered version was named; a draw is half."""
    alone: float
    """Versions of which it was said, without the other one, whether they are altered."""
    by_kind: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    """Share of pairs and their number, by kind of assertion."""

    @property
    def share(self) -> float:
        return self.right / self.pairs if self.pairs else 0.5

    @property
    def share_alone(self) -> float:
        return self.alone / (2 * self.pairs) if self.pairs else 0.5

    @property
    def tells(self) -> bool:
        """Whether pairs are told better than coins would."""
        return self.share >= LIMIT and self.beyond(self.share, 0.5)

    def beyond(self, share: float, expected: float) -> bool:
        """Whether so good a share is no luck. Alternatives of one cell look alike: each cell counts once."""
        return at_least(round(share * self.cells), self.cells, expected) < CHANCE


def at_least(right: int, of: int, each: float) -> float:
    """The chance of so many successes or more, each of which comes with probability `each`."""
    return sum(math.comb(of, some) * each**some * (1 - each) ** (of - some) for some in range(right, of + 1))


def form_claim(suite: Suite) -> Claim:
    """Fails where a forger could live on what one version alone tells; names what tells, and whether that is
    more than the simulated forger knows (`kaiju tasks forge`)."""
    shape, whole = detect(looks(suite, form_of)), detect(looks(suite, both))
    told = ", ".join(f"{kind} {share:.0%}" for kind, (share, _) in whole.by_kind.items())
    named = " and ".join(name for name, seen in (("form", shape), ("context", whole)) if seen.tells)
    return Claim(
        name="altered tests look like real ones",
        holds=not whole.beyond(whole.share_alone, MOST),
        detail=f"one version alone told for {whole.share_alone:.0%}, at most {MOST:.0%} allowed;"
        f" of {whole.pairs} pairs by form {shape.share:.0%}, with context {whole.share:.0%} ({told})"
        + (f"; tells: {named}" if named else "")
        + (f"; more than the {ACCURACY:.0%} of `forge`" if whole.beyond(whole.share_alone, ACCURACY) else ""),
    )


def looks(suite: Suite, features: Callable[[Spot], Features]) -> tuple[Look, ...]:
    """Every alteration of every module."""
    homes = {test.id: module.name for module in suite.modules for test in module.tests}
    found = []
    for cell in suite.cells:
        home = homes.get(cell.tests[0])
        for site in cell.sites if home else ():
            real, altered = _spots(suite, site)
            if home and real.token != altered.token:
                found.append(Look(home, cell.tests[0], site.kind, features(real), features(altered)))
    return tuple(found)


def _spots(suite: Suite, site: Site) -> tuple[Spot, Spot]:
    file = suite.heldout[site.path]
    real = Spot.at(file.data.decode(errors="replace"), *_characters(file.data, site.start, site.end))
    if site.choice is not None:
        # The file never changes: a table says both values.
        return real.reading(site.choice.real), real.reading(site.choice.altered)
    changed = apply_sites({site.path: file}, (site,))[site.path].data
    end = site.start + len(site.replacement.encode())
    there = Spot.at(changed.decode(errors="replace"), *_characters(changed, site.start, end))
    return real, Spot(there.token, real.token, there.line, real.near, real.file)


def _characters(data: bytes, start: int, end: int) -> tuple[int, int]:
    return len(data[:start].decode(errors="replace")), len(data[:end].decode(errors="replace"))


def detect(seen: Iterable[Look]) -> Told:
    """Each module's alterations by what the other modules teach."""
    by_module: dict[str, list[Look]] = defaultdict(list)
    for look in seen:
        by_module[look.module].append(look)
    scores: dict[str, list[float]] = defaultdict(list)
    alone = 0.0
    for name, held in by_module.items():
        reader = Reader([look for other, group in by_module.items() if other != name for look in group])
        for look in held:
            real, altered = reader.score(look.kind, look.real), reader.score(look.kind, look.altered)
            scores[look.kind].append(_above_zero(altered - real))
            alone += _above_zero(altered) + _above_zero(-real)
    flat = [score for group in scores.values() for score in group]
    return Told(
        pairs=len(flat),
        cells=len({look.cell for group in by_module.values() for look in group}),
        right=sum(flat),
        alone=alone,
        by_kind={str(kind): (sum(group) / len(group), len(group)) for kind, group in sorted(scores.items())},
    )


class Reader:
    """Naive Bayes: how much more often each bucket was seen altered than real, for its kind and at all."""

    def __init__(self, taught: list[Look]) -> None:
        self.real: Counter[tuple[str, ...]] = Counter()
        self.altered: Counter[tuple[str, ...]] = Counter()
        for look in taught:
            self.real.update(_keys(look.kind, look.real))
            self.altered.update(_keys(look.kind, look.altered))

    def score(self, kind: str, features: Features) -> float:
        """Above zero for what looks altered."""
        return sum(
            math.log((self.altered[key] + 0.5) / (self.real[key] + 0.5)) for key in _keys(kind, features)
        )


def _keys(kind: str, features: Features) -> list[tuple[str, ...]]:
    pairs = list(features.items())
    return [*pairs, *((kind, *pair) for pair in pairs)]


def _above_zero(score: float) -> float:
    return 0.5 if abs(score) < TINY else float(score > 0)
