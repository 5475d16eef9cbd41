"""What a task claims of itself, beside its grades."""

from collections.abc import Callable

from anyio import to_thread

from kaiju_tasks.claim import Claim
from kaiju_tasks.trust.evidence import Evidence
from kaiju_tasks.trust.form import form_claim
from kaiju_tasks.trust.mutation import mutation_claim
from kaiju_tasks.trust.names import names_claim
from kaiju_tasks.trust.shaking import shaking_claim
from kaiju_tasks.trust.stubs import loud_claim
from kaiju_tasks.trust.telling import telling_claim


async def trust_claims(
    evidence: Evidence, note: Callable[[str], None], *, full: bool, repeats: int = 1
) -> list[Claim]:
    """What can be read, and a run or two; `full` adds what takes minutes. Raises SandboxError."""
    note("reading tests and sources")
    read = [
        await to_thread.run_sync(names_claim, evidence),
        await to_thread.run_sync(telling_claim, evidence.suite),
        await to_thread.run_sync(form_claim, evidence.suite),
    ]
    made = [
        await loud_claim(evidence, full=full),
        await shaking_claim(evidence, note, full=full, repeats=repeats),
    ]
    return [*read, *made, *([await mutation_claim(evidence, note)] if full else [])]
