"""The system calls that are refused, as a classic BPF program for `bwrap --seccomp`.

A list of what is refused, since the code under test is arbitrary. It closes doors that namespaces leave
open: sockets outside any network namespace, tracing, keys, kernel programs, memory that no limit counts.
"""

import errno
import platform
import struct
from dataclasses import dataclass
from functools import cache

LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_BITS, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
NUMBER, ARCHITECTURE, FIRST_ARGUMENT, SECOND_ARGUMENT, THIRD_ARGUMENT, SIXTH_ARGUMENT = 0, 4, 16, 24, 32, 56
"""Offsets in struct seccomp_data; of arguments the low half, both machines being little-endian."""

NAMESPACE_FLAGS = 0x7E020080
"""CLONE_NEW* of clone(2)."""
SOCKET_FAMILIES = (1, 2, 10)
"""AF_UNIX, AF_INET, AF_INET6. vsock, netlink, packet and the rest reach past the network namespace."""
SOCKET_LEVEL = 1
COUNTED_OPTIONS = (57, 71, 77)
"""SO_COOKIE and SO_NETNS_COOKIE count all sockets and networks since the machine started. SO_PEERPIDFD."""
PASS_PROCESS = (76,)
"""SO_PASSPIDFD: messages bring handles of processes."""
PROCESS_HANDLE = 0x1000
"""CLONE_PIDFD. The inode of a process's handle counts all processes since the machine started."""
TERMINAL_REQUESTS = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX put input into a terminal."""
READ_WITHOUT_WAIT = 0x8
"""RWF_NOWAIT of preadv2(2): tells whether a page is in memory without reading it."""
LASTING_ADVICES = (14, 20, 21, 25)
"""MADV_HUGEPAGE, MADV_COLD, MADV_PAGEOUT, MADV_COLLAPSE: what they do to shared pages, others see later.

The kernel may lack each of them, and says EINVAL then."""
X32 = 0x40000000

# Name: (x86_64, aarch64); None where the machine has no such call.
DENIED: dict[str, tuple[int, int | None]] = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "acct": (163, 89),
    "syslog": (103, 116),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "fanotify_init": (300, 262),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "iopl": (172, None),
    "ioperm": (173, None),
}
ABSENT: dict[str, tuple[int, int | None]] = {
    "clone3": (435, 435),  # its flags lie in memory, where a filter cannot look; the C library falls back
    "memfd_create": (319, 279),  # memory that counts as nobody's
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
}
"""Answered as if the kernel did not have them."""
MARKS: dict[str, tuple[int, int | None]] = {
    "mincore": (27, 232),
    "cachestat": (451, 451),
    "fadvise64": (221, 223),
}
"""What is in memory, and dropping it from there, is news that other sandboxes could leave behind."""
COUNTED: dict[str, tuple[int, int | None]] = {"pidfd_open": (434, 434)}
"""See PROCESS_HANDLE. Programs do without where a kernel is too old."""


@dataclass(frozen=True, slots=True)
class Machine:
    """One processor architecture."""

    audit: int
    column: int
    clone: int
    socket: int
    setsockopt: int
    getsockopt: int
    ioctl: int
    madvise: int
    preadv2: int


MACHINES = {
    "x86_64": Machine(0xC000003E, 0, 56, 41, setsockopt=54, getsockopt=55, ioctl=16, madvise=28, preadv2=327),
    "aarch64": Machine(
        0xC00000B7, 1, 220, 198, setsockopt=208, getsockopt=209, ioctl=29, madvise=233, preadv2=286
    ),
}


@cache
def program(machine: str | None = None, *, marks: bool = False) -> bytes | None:
    """The filter for this (or that) machine; None for one without a table.

    `marks` allows what only serves sandboxes to leave marks for each other.
    """
    name = machine or platform.machine()
    found = MACHINES.get(name)
    if found is None:
        return None
    handles = 0 if marks else PROCESS_HANDLE
    lines = instructions(found, NAMESPACE_FLAGS | handles)
    return b"".join([*lines, *([] if marks else mark_rules(found)), line(RETURN, ALLOW)])


def instructions(machine: Machine, clone_flags: int) -> list[bytes]:
    """What keeps a sandbox in; `clone_flags` are refused."""
    lines = [
        line(LOAD, ARCHITECTURE),
        line(JUMP_EQUAL, machine.audit, 1, 0),
        line(RETURN, KILL),
        line(LOAD, NUMBER),
        # A second table of calls on x86_64. aarch64 has no numbers that large.
        line(JUMP_AT_LEAST, X32, 0, 1),
        line(RETURN, ERROR | errno.ENOSYS),
    ]
    lines += [*named(machine, DENIED, errno.EPERM), *named(machine, ABSENT, errno.ENOSYS)]
    lines += when(machine.clone, [line(LOAD, FIRST_ARGUMENT), *refuse_bits(clone_flags)])
    lines += when(machine.socket, [line(LOAD, FIRST_ARGUMENT), *only(SOCKET_FAMILIES, errno.EAFNOSUPPORT)])
    lines += when(machine.ioctl, [line(LOAD, SECOND_ARGUMENT), *refuse(TERMINAL_REQUESTS, errno.EPERM)])
    return lines


def mark_rules(machine: Machine) -> list[bytes]:
    """Whatever outlives a sandbox and can be seen in another, or counts what all of them did."""
    return [
        *named(machine, MARKS, errno.EPERM),
        *named(machine, COUNTED, errno.ENOSYS),
        *when(machine.madvise, [line(LOAD, THIRD_ARGUMENT), *refuse(LASTING_ADVICES, errno.EINVAL)]),
        *when(machine.preadv2, [line(LOAD, SIXTH_ARGUMENT), *refuse_bits(READ_WITHOUT_WAIT)]),
        *when(machine.getsockopt, socket_options(COUNTED_OPTIONS)),
        *when(machine.setsockopt, socket_options(PASS_PROCESS)),
    ]


def named(machine: Machine, table: dict[str, tuple[int, int | None]], error: int) -> list[bytes]:
    """The calls of a table fail, whatever their arguments."""
    numbers = (entry[machine.column] for entry in table.values())
    return [
        part
        for number in numbers
        if number is not None
        for part in (line(JUMP_EQUAL, number, 0, 1), line(RETURN, ERROR | error))
    ]


def socket_options(options: tuple[int, ...]) -> list[bytes]:
    return [
        *(line(LOAD, SECOND_ARGUMENT), line(JUMP_EQUAL, SOCKET_LEVEL, 1, 0), line(RETURN, ALLOW)),
        *(line(LOAD, THIRD_ARGUMENT), *refuse(options, errno.ENOPROTOOPT)),
    ]


def when(number: int, body: list[bytes]) -> list[bytes]:
    """`body` for one call only; it must leave the filter."""
    body = [*body, line(RETURN, ALLOW)]
    return [line(JUMP_EQUAL, number, 0, len(body)), *body]


def refuse_bits(bits: int) -> list[bytes]:
    return [line(JUMP_BITS, bits, 0, 1), line(RETURN, ERROR | errno.EPERM)]


def refuse(values: tuple[int, ...], error: int) -> list[bytes]:
    return [part for value in values for part in (line(JUMP_EQUAL, value, 0, 1), line(RETURN, ERROR | error))]


def only(values: tuple[int, ...], error: int) -> list[bytes]:
    allowed = [part for value in values for part in (line(JUMP_EQUAL, value, 0, 1), line(RETURN, ALLOW))]
    return [*allowed, line(RETURN, ERROR | error)]


def line(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One struct sock_filter."""
    return struct.pack("=HBBI", code, if_true, if_false, value)
