"""A file that the compiler reads and Go's own parser does not: whoever looks for directives finds none."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import in_packages, payload

DEPTH = 100_100
"""The parser of Go's library goes to 100,000."""
DEEP = f"\nvar deep = {'(' * DEPTH}1{')' * DEPTH}\n"

ATTACK = Attack(
    name="38-nested-deep",
    summary="embeds test files from a file that nests deeper than Go's parser reads",
    apply=in_packages({"zz_attack.go": "package {package}\n\n" + payload("nested_deep") + DEEP}),
    family=Family.SMUGGLING,
)
