"""Names: whoever works by the specification has to learn every name that held-out tests will ask for."""

import re

from kaiju_grading.assay import Assay
from kaiju_grading.files import Files
from kaiju_tasks.claim import Claim
from kaiju_tasks.trust.evidence import NOT_APPLICABLE, Evidence

NAME = "names that tests use are specified"
SHOWN = 5


def names_claim(evidence: Evidence) -> Claim:
    """Of the library's own names: those of other packages are theirs to explain."""
    assay = evidence.assay
    if assay is None:
        return Claim(name=NAME, holds=True, detail=NOT_APPLICABLE)
    used = used_names(evidence, assay)
    words = {word for page in evidence.pages.values() for word in re.findall(r"\w+", page)}
    missing = {name: path for name, path in used.items() if name not in words}
    shown = ", ".join(f"{name} ({path})" for name, path in sorted(missing.items())[:SHOWN])
    return Claim(
        name=NAME,
        holds=not missing,
        detail=f"{len(missing)} of {len(used)} are missing: {shown}" if missing else f"{len(used)} names",
    )


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
