"""The claim that visible tests are no held-out ones, and tell none."""

from collections import Counter

from kaiju_grading.suite import Suite
from kaiju_tasks.claim import Claim
from kaiju_tasks.telling import is_told, told_tests


def telling_claim(suite: Suite) -> Claim:
    """No test is both; no module is told for the most part."""
    visible = {test.unit for test in suite.visible_tests}
    both = sorted({test.unit for module in suite.modules for test in module.tests} & visible)
    homes = {test.id: module.name for module in suite.modules for test in module.tests}
    altered = Counter(homes[test] for cell in suite.cells for test in cell.tests if test in homes)
    told = Counter(
        homes[test]
        for test in told_tests(suite.cells, suite.heldout, suite.visible, suite.shared)
        if test in homes
    )
    open_modules = [name for name, count in told.items() if is_told(count, altered[name])]
    detail = f"{told.total()} of {altered.total()} altered tests expect what visible tests expect too"
    if both:
        detail = f"visible and held out: {', '.join(both[:3])}"
    elif told:
        detail += f": {', '.join(f'{count} in {name}' for name, count in told.most_common(3))}"
    return Claim(name="visible tests tell no module", holds=not (both or open_modules), detail=detail)
