"""Names: whoever works by the specification has to learn every name that held-out tests will ask for."""

import re
from collections.abc import Iterable

from kaiju_grading.assay import Assay
from kaiju_grading.files import Files
from kaiju_tasks.claim import Claim
from kaiju_tasks.trust.evidence import NOT_APPLICABLE, Evidence

NAME = "names that tests use are told"
SHOWN = 5


def names_claim(evidence: Evidence) -> Claim:
    """Of the library's own names: those of other packages are theirs to explain.

    Fails for a name that stands nowhere. One that only the stub declares is listed: who keeps the stub's
    structure has it, who does not cannot know that it is asked for.
    """
    assay = evidence.assay
    if assay is None:
        return Claim(name=NAME, holds=True, detail=NOT_APPLICABLE)
    used = used_names(evidence, assay)
    unspecified = used.keys() - _words(evidence.pages.values())
    stub = _words(file.data.decode(errors="replace") for file in evidence.stub.values())
    nowhere = sorted(unspecified - stub)
    detail = f"{len(used)} names"
    if unspecified & stub:
        detail += f", of which only the stub has {_some(sorted(unspecified & stub))}"
    if nowhere:
        detail = f"told nowhere: {_some([f'{name} ({used[name]})' for name in nowhere])}"
    return Claim(name=NAME, holds=not nowhere, detail=detail)


def used_names(evidence: Evidence, assay: Assay) -> dict[str, str]:
    """Names of the library that held-out files use and do not declare, and one file of each."""
    suite = evidence.suite
    declared = _declared(assay, evidence.sources(assay))
    own = _declared(assay, {**suite.heldout, **suite.shared, **suite.visible})
    return {
        name: path
        for path, file in sorted(suite.heldout.items())
        if assay.is_source(path)
        for name in assay.names(file.data).used & (declared - own)
    }


def _declared(assay: Assay, files: Files) -> frozenset[str]:
    sources = (file.data for path, file in files.items() if assay.is_source(path))
    return frozenset().union(*(assay.names(data).declared for data in sources))


def _words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in re.findall(r"\w+", text))


def _some(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
