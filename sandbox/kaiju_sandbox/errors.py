"""Faults outside a sandbox: the machine's or ours, never the command's.

::

    SandboxError
    ├── BackendUnavailable   the backend cannot work here; `remedy` is the command that helps
    └── SandboxFault         a run could not be carried out or observed
"""


class SandboxError(Exception):
    """A fault seen outside the sandbox. Never a verdict on what ran inside."""


class BackendUnavailable(SandboxError):
    """This machine cannot run this backend. `remedy` tells a person what to do."""

    def __init__(self, backend: str, reason: str, remedy: str = "") -> None:
        super().__init__(
            f"backend {backend!r} is not available: {reason}" + (f"; {remedy}" if remedy else "")
        )
        self.backend = backend
        self.reason = reason
        self.remedy = remedy


class SandboxFault(SandboxError):
    """The run was not carried out, or its outcome could not be observed."""
