"""A library with tests of its own."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import in_packages

_CODE = """package {package}

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(3) }

func TestThatFails(t *testing.T) { t.Fatal("no") }
"""

CASE = Case(
    name="18-own-tests",
    summary="brings tests that fail, a TestMain and test data",
    apply=in_packages(
        {"zz_test.go": _CODE, "testdata/x.txt": "x\n", "export_test.go": "package {package}\n\nnonsense\n"}
    ),
)
