"""Nothing of the host is in reach of what runs in a sandbox."""

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.sandbox.conftest import Box

ATTEMPT = """
import errno, json, os, socket, sys, ctypes
libc = ctypes.CDLL(None, use_errno=True)
def attempt(call):
    try:
        return ["done", repr(call())]
    except OSError as error:
        return ["refused", errno.errorcode.get(error.errno, str(error))]
def syscall(number, *arguments):
    ctypes.set_errno(0)
    value = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) for a in arguments])
    if value < 0:
        raise OSError(ctypes.get_errno(), "")
    return value
"""


def attempts(box: Box, program: str, *arguments: str) -> Any:  # noqa: ANN401 - JSON
    result = box.python(ATTEMPT + program, *arguments)
    assert result.exit_code == 0, result.stderr.decode()
    return json.loads(result.stdout)


def refused(outcomes: dict[str, list[str]]) -> None:
    assert {name: outcome for name, outcome in outcomes.items() if outcome[0] != "refused"} == {}


def test_no_network_of_the_host(box: Box) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        program = """
port = int(sys.argv[1])
def tcp(address):
    return lambda: socket.create_connection((address, port), timeout=3)
def udp():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 53))
print(json.dumps({
    "loopback of the host": attempt(tcp("127.0.0.1")),
    "outside": attempt(tcp("192.0.2.1")),
    "outside 6": attempt(tcp("2001:db8::1")),
    "datagram": attempt(udp),
    "names": attempt(lambda: socket.getaddrinfo("example.org", 80)),
}))
"""
        refused(attempts(box, program, str(port)))


def test_its_own_loopback_works(box: Box) -> None:
    program = """
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(("localhost", server.getsockname()[1]), timeout=3)
server.accept()[0].sendall(b"hello")
print(json.dumps(client.recv(5).decode()))
"""
    assert attempts(box, program) == "hello"


def test_no_abstract_socket_of_the_host(box: Box) -> None:
    name = f"\0kaiju-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        program = """
def connect():
    client = socket.socket(socket.AF_UNIX); client.settimeout(3); client.connect(chr(0) + sys.argv[1])
print(json.dumps({"abstract": attempt(connect)}))
"""
        refused(attempts(box, program, name[1:]))


def test_no_sockets_that_a_network_namespace_does_not_hold(box: Box) -> None:
    program = """
families = {"vsock": 40, "netlink": 16, "packet": 17, "alg": 38, "bluetooth": 31, "key": 15, "xdp": 44}
kinds = {"packet": socket.SOCK_RAW, "netlink": socket.SOCK_RAW, "alg": socket.SOCK_SEQPACKET}
print(json.dumps({
    name: attempt(lambda: socket.socket(family, kinds.get(name, socket.SOCK_STREAM)))
    for name, family in families.items()
}))
"""
    outcomes = attempts(box, program)
    if box.backend.name == "docker":  # netlink reaches its own network namespace only
        del outcomes["netlink"]
    refused(outcomes)


def test_no_system_call_that_reaches_past_the_sandbox(box: Box) -> None:
    """By number, because the C library has no name for some."""
    if os.uname().machine != "x86_64":
        pytest.skip("the numbers are those of x86_64")
    program = """
calls = {
    "ptrace": (101, 0), "process_vm_readv": (310, 1, 0, 0, 0, 0, 0), "keyctl": (250, 0, -3, 1),
    "add_key": (248,),
    "bpf": (321, 0, 0, 0), "perf_event_open": (298, 0, 0, -1, -1, 0), "userfaultfd": (323, 1),
    "io_uring_setup": (425, 1, 0), "mount": (165, 0, 0, 0, 0, 0), "unshare user": (272, 0x10000000),
    "unshare mount": (272, 0x20000), "setns": (308, 0, 0), "kexec_load": (246, 0, 0, 0, 0),
    "init_module": (175, 0, 0, 0), "swapon": (167, 0, 0), "reboot": (169, 0, 0, 0),
    "open_by_handle_at": (304, -1, 0, 0), "fsopen": (430, 0, 0), "open_tree": (428, -100, 0, 1),
    "clone3 user": (435, 0, 0), "clone user": (56, 0x10000011, 0, 0, 0, 0), "settimeofday": (164, 0, 0),
    "x32 getpid": (0x40000000 + 39,),
}
print(json.dumps({name: attempt(lambda: syscall(*call)) for name, call in calls.items()}))
"""
    outcomes = attempts(box, program)
    refused(outcomes)
    assert {outcome[1] for outcome in outcomes.values()} <= {"EPERM", "ENOSYS", "EFAULT", "EINVAL"}
    for name in ("ptrace", "keyctl", "bpf", "userfaultfd", "io_uring_setup", "unshare user", "setns"):
        assert outcomes[name][1] in {"EPERM", "ENOSYS"}, name


def test_no_place_outside_scratch_is_writable(box: Box) -> None:
    program = """
places = ["/", "/usr", "/usr/bin", "/etc", "/dev", "/bin", "/lib", "/proc", "/sys"]
places += ["/proc/sys/kernel", "/kaiju", "/home", "/root", "/var"]
outcomes = {}
for place in places:
    if os.path.isdir(place):
        outcomes[place] = attempt(lambda: os.mkdir(place + "/planted"))
files = ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/etc/passwd", "/proc/sys/vm/drop_caches"]
for path in files:
    outcomes[path] = attempt(lambda: os.open(path, os.O_WRONLY))
print(json.dumps(outcomes))
"""
    refused(attempts(box, program))


def test_scratch_is_the_only_memory_filesystem_that_can_be_filled(box: Box) -> None:
    program = """
writable = []
for line in open("/proc/self/mounts"):
    target, kind, options = line.split()[1:4]
    if not os.path.isdir(target):  # docker masks files of /proc with /dev/null
        continue
    if kind == "tmpfs" and "rw" in options.split(",") and os.access(target, os.W_OK):
        writable.append([target, any(o.startswith("size=") for o in options.split(","))])
print(json.dumps(sorted(writable)))
"""
    assert attempts(box, program) == [["/dev/shm", True], ["/tmp", True]]


def test_the_servers_files_and_secrets_are_not_there(box: Box, state_dir: Path) -> None:
    (state_dir / "store").mkdir(exist_ok=True)
    secret = state_dir / "store" / "secret"
    secret.write_text("held-out")
    program = """
paths = sys.argv[1:] + ["/root", "/home", "/var/lib/kaiju", "/run/docker.sock", "/etc/shadow"]
def content(path):
    return os.listdir(path) if os.path.isdir(path) else open(path).read()
outcomes = {path: attempt(lambda: content(path)) for path in paths}
print(json.dumps({path: o for path, o in outcomes.items() if o not in (["done", "[]"],)}))
"""
    here = str(Path(__file__).parent)
    refused(attempts(box, program, str(secret), str(state_dir), here, str(Path.home())))


def test_no_environment_of_the_server_is_readable(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAIJU_TEST_SECRET", "held-out-secret")
    program = """
found = {}
for pid in os.listdir("/proc"):
    if pid.isdigit():
        try:
            found[pid] = open(f"/proc/{pid}/environ").read()
        except OSError:
            found[pid] = ""
print(json.dumps(found))
"""
    found = attempts(box, program)
    assert "1" in found
    assert not any("held-out-secret" in text for text in found.values())


def test_only_its_own_processes_are_visible(box: Box) -> None:
    program = 'print(json.dumps([int(p) for p in os.listdir("/proc") if p.isdigit()]))'
    assert len(attempts(box, program)) <= 4


def test_it_is_nobody_special(box: Box) -> None:
    program = """
lines = open("/proc/self/status").read().splitlines()
status = dict(line.split(":\\t", 1) for line in lines if ":\\t" in line)
wanted = ("CapEff", "CapPrm", "CapBnd", "NoNewPrivs", "Seccomp")
print(json.dumps({name: status[name] for name in wanted} | {"uid": os.getuid()}))
"""
    status = attempts(box, program)
    assert status.pop("uid") != 0
    assert int(status.pop("CapEff"), 16) == int(status.pop("CapPrm"), 16) == 0
    assert int(status.pop("CapBnd"), 16) == 0
    assert status == {"NoNewPrivs": "1", "Seccomp": "2"}


def test_setuid_programs_raise_nobody(box: Box) -> None:
    program = """
import shutil
shutil.copy("/usr/bin/id", "/tmp/id")
os.chmod("/tmp/id", 0o4755)
import subprocess
effective = int(subprocess.run(["/tmp/id", "-u"], capture_output=True).stdout)
print(json.dumps([os.getuid(), effective, attempt(lambda: os.setuid(0))]))
"""
    uid, effective, becoming_root = attempts(box, program)
    assert uid == effective
    assert becoming_root[0] == "refused"


def test_no_devices_and_no_hard_links_out(box: Box) -> None:
    program = """
import stat
print(json.dumps({
    "mknod": attempt(lambda: os.mknod("/tmp/disk", 0o600 | stat.S_IFBLK, os.makedev(254, 0))),
    "mem": attempt(lambda: os.open("/dev/mem", os.O_RDONLY)),
    "kvm": attempt(lambda: os.open("/dev/kvm", os.O_RDWR)),
    "fuse": attempt(lambda: os.open("/dev/fuse", os.O_RDWR)),
    "hard link": attempt(lambda: os.link("/usr/bin/env", "/tmp/env")),
    "nice": attempt(lambda: os.nice(-5)),
    "clock": attempt(lambda: __import__("time").clock_settime(0, 0)),
    "priority": attempt(lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))),
    "host name": attempt(lambda: socket.sethostname("x")),
}))
"""
    refused(attempts(box, program))


def test_limits_cannot_be_raised(box: Box) -> None:
    program = """
import resource
def higher(kind):
    soft, hard = resource.getrlimit(kind)
    return lambda: resource.setrlimit(kind, (hard + 1, hard + 1))
def raised(kind):
    try:
        higher(kind)()
    except (ValueError, OSError):
        return False
    return True
kinds = (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE, resource.RLIMIT_NOFILE)
print(json.dumps([raised(kind) for kind in kinds]))
"""
    assert attempts(box, program) == [False, False, False]


def test_packages_of_the_host_are_not_importable(box: Box) -> None:
    if box.backend.name != "namespace":
        pytest.skip("an image has its own packages")
    program = """
import glob
found = []
for prefix in ("/usr", "/usr/local", sys.prefix):
    found += glob.glob(prefix + "/lib/python3*/*-packages/*")
print(json.dumps(found))
"""
    assert attempts(box, program) == []


def test_a_signal_to_every_process_stays_inside(box: Box) -> None:
    canary = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        result = box.shell("kill -9 -1; kill -9 1; kill -STOP 1; echo alive", limits=None)
        assert result.stdout in {b"alive\n", b""}
        assert canary.poll() is None
    finally:
        canary.kill()
        canary.wait()


def test_threads_of_this_process_do_not_matter(box: Box) -> None:
    """A sandbox started while other threads run is as isolated as any."""
    stop = threading.Event()
    worker = threading.Thread(target=stop.wait)
    worker.start()
    try:
        assert box.run("/bin/true").ok
    finally:
        stop.set()
        worker.join()
