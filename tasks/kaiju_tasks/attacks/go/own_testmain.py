"""A test file of its own whose TestMain leaves with status 0."""

from kaiju_tasks.attacks.attack import Attack, Family
from kaiju_tasks.attacks.go.planting import in_packages

TESTMAIN = """package {package}

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(0) }
"""

ATTACK = Attack(
    name="02-testmain",
    summary="a test file of its own whose TestMain leaves with status 0",
    apply=in_packages({"zz_test.go": TESTMAIN}),
    family=Family.RUNNER,
)
