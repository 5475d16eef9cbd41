"""The seccomp profile of a container: the namespace backend's tables in the form that Docker reads."""

import errno
import json
import platform
from collections.abc import Iterable
from typing import Any

from kaiju_sandbox.namespace.seccomp import (
    ABSENT,
    COUNTED,
    COUNTED_OPTIONS,
    DENIED,
    LASTING_ADVICES,
    MARKS,
    NAMESPACE_FLAGS,
    PASS_PROCESS,
    PROCESS_HANDLE,
    READ_WITHOUT_WAIT,
    SOCKET_FAMILIES,
    SOCKET_LEVEL,
    TERMINAL_REQUESTS,
)

ARCHITECTURES = {"x86_64": ["SCMP_ARCH_X86_64", "SCMP_ARCH_X32"], "aarch64": ["SCMP_ARCH_AARCH64"]}
"""The doors that the tables guard. A process that calls through another one (32 bit) dies."""
INT = 0xFFFFFFFF
"""The kernel looks at the low half of an int argument only, and so must the filter."""


def profile(machine: str | None = None) -> str:
    """As the security option `seccomp=` takes it. What is not refused is allowed."""
    highest = max(SOCKET_FAMILIES)
    families = [value for value in range(highest) if value not in SOCKET_FAMILIES]
    bits = [1 << bit for bit in range(32) if (NAMESPACE_FLAGS | PROCESS_HANDLE) >> bit & 1]
    calls = [
        refuse([*DENIED, *MARKS], errno.EPERM),
        refuse([*ABSENT, *COUNTED], errno.ENOSYS),
        refuse(["socket"], errno.EAFNOSUPPORT, {"index": 0, "op": "SCMP_CMP_GT", "value": highest}),
        *(refuse(["socket"], errno.EAFNOSUPPORT, equal(0, value)) for value in families),
        *(refuse(["clone"], errno.EPERM, equal(0, bit, mask=bit)) for bit in bits),
        *(refuse(["ioctl"], errno.EPERM, equal(1, value)) for value in TERMINAL_REQUESTS),
        *(refuse(["madvise"], errno.EINVAL, equal(2, value)) for value in LASTING_ADVICES),
        refuse(["preadv2"], errno.EPERM, equal(5, READ_WITHOUT_WAIT, mask=READ_WITHOUT_WAIT)),
        *(socket_option("getsockopt", value) for value in COUNTED_OPTIONS),
        *(socket_option("setsockopt", value) for value in PASS_PROCESS),
        # Limits of another process, the first one's above all. 0 means oneself.
        refuse(["prlimit64"], errno.EPERM, {"index": 0, "op": "SCMP_CMP_NE", "value": 0}),
    ]
    return json.dumps(
        {
            "defaultAction": "SCMP_ACT_ALLOW",
            "architectures": ARCHITECTURES.get(machine or platform.machine(), []),
            "syscalls": calls,
        }
    )


def refuse(names: Iterable[str], error: int, *conditions: dict[str, Any]) -> dict[str, Any]:
    """These calls fail with `error` when the condition holds."""
    return {
        "names": sorted(names),
        "action": "SCMP_ACT_ERRNO",
        "errnoRet": error,
        "args": list(conditions),
    }


def socket_option(call: str, value: int) -> dict[str, Any]:
    return refuse([call], errno.ENOPROTOOPT, equal(1, SOCKET_LEVEL), equal(2, value))


def equal(index: int, value: int, *, mask: int = INT) -> dict[str, Any]:
    """Argument `index` has `value` in the bits of `mask`."""
    return {"index": index, "op": "SCMP_CMP_MASKED_EQ", "value": mask, "valueTwo": value}
