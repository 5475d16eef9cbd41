"""Stubs: a body that was taken out must fail loudly. One that answers with a default could pass tests."""

from kaiju_grading.outcome import Outcome
from kaiju_grading.runs import Runs
from kaiju_tasks.claim import Claim
from kaiju_tasks.trust.evidence import NOT_APPLICABLE, Evidence

NAME = "stub bodies fail loudly"
SHOWN = 5


async def loud_claim(evidence: Evidence, *, full: bool) -> Claim:
    """Reads every body; with `full`, says as well how many tests pass on the stub: they need no body."""
    assay = evidence.assay
    if assay is None:
        return Claim(name=NAME, holds=True, detail=NOT_APPLICABLE)
    quiet = [
        f"{path}:{name}"
        for path, file in sorted(evidence.sources(assay).items())
        if path in evidence.stub
        for name in assay.quiet(file.data, evidence.stub[path].data)
    ]
    shown = f"{len(quiet)} do not: {', '.join(quiet[:SHOWN])}" if quiet else "all that were taken out"
    return Claim(name=NAME, holds=not quiet, detail=shown + (await _passing(evidence) if full else ""))


async def _passing(evidence: Evidence) -> str:
    runs = Runs.of(evidence.suite, evidence.stub, evidence.backend)
    passed, tests = 0, 0
    for module in evidence.suite.modules:
        report = await runs.report(module, module.tests)
        passed += sum(outcome is Outcome.PASSED for outcome in report.outcomes.values())
        tests += len(module.tests)
    return f"; {passed} of {tests} tests pass without any"
