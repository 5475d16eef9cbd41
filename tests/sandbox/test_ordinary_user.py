"""The namespace backend keeps its contract when the server is an ordinary user."""

import os
import subprocess
from pathlib import Path

import pytest

from kaiju_sandbox import interpreter
from kaiju_sandbox.settings import Settings

NOBODY = "65534"
CHECKOUT = Path(__file__).parents[2]
SITE_PACKAGES = Path(pytest.__file__).parents[1]
PARTS = ("files", "limits", "isolation", "cleanup")


def as_nobody(*argv: str, **variables: str) -> subprocess.CompletedProcess[str]:
    drop = ("/usr/bin/setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--")
    return subprocess.run(
        [*drop, *argv], cwd=CHECKOUT, env=variables, capture_output=True, text=True, check=False, timeout=500
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user runs the whole suite as one anyway")
@pytest.mark.parametrize("part", ["outcome", *(pytest.param(part, marks=pytest.mark.slow) for part in PARTS)])
def test_the_contract_holds(settings: Settings, part: str) -> None:
    found = interpreter.locate(settings)
    python = str(found.layer.path / "bin" / found.host.name) if found.layer else str(found.host)
    packages = f"{CHECKOUT / 'sandbox'}:{SITE_PACKAGES}"
    probe = as_nobody(python, "-c", "import kaiju_sandbox.backends.namespace, pytest", PYTHONPATH=packages)
    if probe.returncode != 0:
        pytest.skip(f"another user cannot import this checkout: {probe.stderr[-200:]}")
    command = (python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"tests/sandbox/test_{part}.py")
    answer = as_nobody(*command, "-k", "not docker", PYTHONPATH=packages, PYTHONDONTWRITEBYTECODE="1")
    assert answer.returncode == 0, answer.stdout[-6000:] + answer.stderr[-2000:]
    assert " passed" in answer.stdout
