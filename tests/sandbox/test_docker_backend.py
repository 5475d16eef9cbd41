"""What is true of the docker backend alone; the contract suite covers what both backends promise."""

import os
import re
import secrets
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from docker.api import APIClient

from kaiju_sandbox.backend import Backend
from kaiju_sandbox.backends import create
from kaiju_sandbox.command import Command, Layer, Tree
from kaiju_sandbox.errors import BackendUnavailable
from kaiju_sandbox.limits import MIB, LimitName, Limits
from kaiju_sandbox.result import Result
from kaiju_sandbox.settings import Settings

PYTHON = "/usr/bin/python3"
SHELL = "/bin/sh"
SECONDS = 60
SERVER = """
import anyio, os, sys
from kaiju_sandbox.backends import create
from kaiju_sandbox.command import Command
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.settings import Settings

async def main():
    command = Command(("/bin/sh", "-c", sys.argv[1]))
    print(await create(Settings.load(os.environ)).run(command, Limits()))

anyio.run(main)
"""
"""A server of its own: what one test ends and another hides files from."""


@pytest.fixture
def settings(docker_host: str, tmp_path: Path) -> Settings:
    image = os.environ.get("KAIJU_DOCKER_IMAGE", "kaiju-python:local")
    return Settings(
        state_dir=tmp_path, backend="docker", docker_host=docker_host, docker_image=image, slots=2
    )


@pytest.fixture
def backend(settings: Settings) -> Backend:
    return create(settings)


@pytest.fixture
def engine(docker_host: str) -> Iterator[APIClient]:
    client = APIClient(docker_host, version="auto")
    yield client
    client.close()


def run(backend: Backend, *argv: str, limits: Limits | None = None, **more: Any) -> Result:  # noqa: ANN401
    async def main() -> Result:
        with anyio.fail_after(SECONDS):
            return await backend.run(Command(argv, **more), limits or Limits())

    return anyio.run(main)


def containers(engine: APIClient, settings: Settings) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = engine.containers(
        all=True, filters={"label": f"kaiju.state={settings.state_dir}"}
    )
    return found


def server(
    settings: Settings, script: str, *before: str, python: str = sys.executable
) -> "subprocess.Popen[str]":
    environment = {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "KAIJU_STATE_DIR": str(settings.state_dir),
        "KAIJU_BACKEND": "docker",
        "KAIJU_DOCKER_HOST": str(settings.docker_host),
        "KAIJU_DOCKER_IMAGE": settings.docker_image,
    }
    return subprocess.Popen(
        [*before, python, "-c", SERVER, script],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


async def until(true: Callable[[], bool]) -> None:
    """What another process brings about."""
    with anyio.fail_after(SECONDS):
        while not true():  # noqa: ASYNC110 - the daemon's state has no event here
            await anyio.sleep(0.05)


def test_nothing_is_left_of_a_run(backend: Backend, engine: APIClient, settings: Settings) -> None:
    volumes = {volume["Name"] for volume in engine.volumes()["Volumes"] or ()}
    result = run(backend, SHELL, "-c", "echo hello", inputs=(Tree("/kaiju/work", {}),))
    assert (result.exit_code, result.stdout) == (0, b"hello\n")
    assert containers(engine, settings) == []
    assert {volume["Name"] for volume in engine.volumes()["Volumes"] or ()} == volumes
    assert list(settings.staging_dir.iterdir()) == []


def test_a_cancelled_run_leaves_no_container(backend: Backend, engine: APIClient, settings: Settings) -> None:
    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(backend.run, Command((SHELL, "-c", "sleep 100")), Limits())
            await until(lambda: any(entry["State"] == "running" for entry in containers(engine, settings)))
            tasks.cancel_scope.cancel()

    anyio.run(main)
    assert containers(engine, settings) == []
    assert list(settings.staging_dir.iterdir()) == []


class Relay(socketserver.StreamRequestHandler):
    """Stands before the daemon; refuses each container's first two removals, as if it had just ended."""

    server: "RelayServer"

    def handle(self) -> None:
        lines = [self.rfile.readline()]
        while lines[-1] not in (b"\r\n", b""):
            lines.append(self.rfile.readline())
        head = b"".join(lines).replace(b"keep-alive", b"close")
        found = re.match(rb"DELETE \S*/containers/([^?]+)", head)
        if found and self.server.refused[found[1]] < 2:
            self.server.refused[found[1]] += 1
            text = b'{"message": "Could not kill running container, cannot remove - it is not running"}'
            self.wfile.write(b"HTTP/1.1 500 Error\r\nContent-Type: application/json\r\n")
            self.wfile.write(b"Connection: close\r\nContent-Length: %d\r\n\r\n%b" % (len(text), text))
            return
        length = re.search(rb"(?i)content-length: (\d+)", head)
        with socket.socket(socket.AF_UNIX) as daemon:
            daemon.connect(self.server.daemon_path)
            daemon.sendall(head + self.rfile.read(int(length[1]) if length else 0))
            while answer := daemon.recv(65536):
                self.wfile.write(answer)


class RelayServer(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, path: Path, host: str) -> None:
        super().__init__(str(path), Relay)
        self.daemon_path = host.removeprefix("unix://")
        self.refused: Counter[bytes] = Counter()


def test_a_container_that_ends_while_it_is_removed_is_removed_again(
    settings: Settings, engine: APIClient, docker_host: str
) -> None:
    with tempfile.TemporaryDirectory() as folder, RelayServer(Path(folder) / "relay", docker_host) as relay:
        threading.Thread(target=relay.serve_forever, daemon=True).start()
        relayed = create(settings.model_copy(update={"docker_host": f"unix://{folder}/relay"}))
        assert run(relayed, SHELL, "-c", "echo hello").stdout == b"hello\n"
        relay.shutdown()
    assert set(relay.refused.values()) == {2}
    assert containers(engine, settings) == []


def test_an_exit_code_is_not_taken_for_a_signal(backend: Backend) -> None:
    assert run(backend, SHELL, "-c", "exit 137").exit_code == 137
    killed = run(backend, SHELL, "-c", "kill -KILL $$")
    assert (killed.exit_code, killed.signal) == (None, signal.SIGKILL)


def test_a_program_that_does_not_exist_is_the_fault_of_the_command(backend: Backend) -> None:
    result = run(backend, "/work/program")
    assert result.exit_code == 127
    assert b"/work/program: No such file or directory" in result.stderr


def test_the_first_process_cannot_be_read_limited_or_killed(backend: Backend) -> None:
    script = """
import os, resource
for number in range(1, 65):
    os.kill(1, number)
for name in ("mem", "environ", "maps"):
    try:
        open("/proc/1/" + name, "rb").read(1)
        print("read", name)
    except PermissionError:
        pass
try:
    resource.prlimit(1, resource.RLIMIT_CPU, (0, 0))
    print("limited")
except PermissionError:
    pass
print(os.listdir("/kaiju/channel"))
"""
    result = run(backend, PYTHON, "-c", script)
    assert (result.exit_code, result.stdout) == (0, b"[]\n")


def test_many_small_processes_that_fill_the_memory_are_a_limit_and_no_fault(backend: Backend) -> None:
    script = """
import os, time
for _ in range(60):
    if os.fork() == 0:
        held = bytearray(3 << 20)
        time.sleep(2)
        os._exit(0)
time.sleep(2)
"""
    result = run(backend, PYTHON, "-c", script, limits=Limits(memory=100 * MIB))
    assert result.limit is not None
    assert result.limit.name is LimitName.MEMORY


def test_a_socket_family_that_namespaces_do_not_cover_is_refused(backend: Backend) -> None:
    script = """
import socket
for family in (socket.AF_VSOCK, socket.AF_NETLINK, socket.AF_PACKET):
    try:
        socket.socket(family, socket.SOCK_RAW)
        print("opened", family)
    except OSError:
        pass
"""
    result = run(backend, PYTHON, "-c", script)
    assert (result.exit_code, result.stdout) == (0, b"")


def test_a_daemon_that_is_not_local_is_refused(settings: Settings) -> None:
    remote = create(settings.model_copy(update={"docker_host": "tcp://127.0.0.1:2375"}))
    with pytest.raises(BackendUnavailable, match=r"tcp://127\.0\.0\.1:2375"):
        run(remote, "/bin/true")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can hide a folder from the daemon")
def test_a_daemon_that_does_not_see_our_files_is_refused(settings: Settings) -> None:
    hidden = (
        "unshare",
        "--mount",
        SHELL,
        "-c",
        f'mount -t tmpfs none "{settings.state_dir}" && exec "$@"',
        "sh",
    )
    with server(settings, "true", *hidden) as process:
        output, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 1
    assert "BackendUnavailable" in output
    assert "use the daemon of this machine" in output


def test_a_missing_image_is_told_with_the_command_that_builds_it(settings: Settings) -> None:
    build = "docker build --tag kaiju-absent:local sandbox/docker"
    backend = create(settings.model_copy(update={"docker_image": "kaiju-absent:local"}))
    with pytest.raises(BackendUnavailable, match=re.escape(build)):
        run(backend, "/bin/true")
    engine, image = anyio.run(backend.check)
    assert engine.ok
    assert (image.name, image.ok) == ("docker image", False)
    assert image.remedy == build


def test_each_system_has_an_image_of_its_own(settings: Settings) -> None:
    backend = create(settings.model_copy(update={"docker_image": "kaiju-{system}:local"}))
    build = "docker build --tag kaiju-cobol:local grading/kaiju_grading/languages/cobol/image"
    with pytest.raises(BackendUnavailable, match=re.escape(build)):
        run(backend, "/bin/true", system="cobol")
    assert run(backend, "/bin/true", system="python").ok
    with pytest.raises(ValueError, match="system"):
        run(backend, "/bin/true", system="../host")


def test_an_image_with_a_volume_is_refused(settings: Settings, engine: APIClient) -> None:
    name = f"kaiju-volume-{secrets.token_hex(4)}"
    container = engine.create_container(settings.docker_image, "true", name=name)
    try:
        engine.commit(container, name, "local", changes=["VOLUME /data"])
        with pytest.raises(BackendUnavailable, match="VOLUME"):
            run(create(settings.model_copy(update={"docker_image": f"{name}:local"})), "/bin/true")
    finally:
        engine.remove_container(container, force=True, v=True)
        engine.remove_image(f"{name}:local", force=True)


def test_a_daemon_that_does_not_run_is_told(settings: Settings, tmp_path: Path) -> None:
    backend = create(settings.model_copy(update={"docker_host": f"unix://{tmp_path}/absent.sock"}))
    with pytest.raises(BackendUnavailable, match=r"no daemon answers .*absent\.sock.* start it"):
        run(backend, "/bin/true")
    (check,) = anyio.run(backend.check)
    assert (check.ok, check.remedy != "") == (False, True)


def test_the_doctor_has_nothing_to_say_where_all_is_well(backend: Backend) -> None:
    assert [check.ok for check in anyio.run(backend.check)] == [True, True, True]


def test_the_folder_of_the_first_process_is_not_a_target(backend: Backend, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="/kaiju/channel"):
        run(backend, "/bin/true", inputs=(Layer("/kaiju/channel", tmp_path),))


def test_a_killed_server_leaves_no_process_and_the_next_sweep_removes_the_rest(
    backend: Backend, engine: APIClient, settings: Settings
) -> None:
    def states() -> list[str]:
        """Of the commands; a server's first container is its proof that the daemon is local."""
        return sorted(
            entry["State"]
            for entry in containers(engine, settings)
            if any(mount["Destination"] == "/etc" for mount in entry["Mounts"])
        )

    async def main() -> None:
        with server(settings, "sleep 50") as dead, server(settings, "sleep 50") as alive:
            try:
                await until(lambda: states() == ["running", "running"])
                dead.kill()
                dead.wait()
                await until(lambda: states() == ["exited", "running"])
                swept = await backend.sweep()
                # Its container and the folder of its pipes.
                assert swept == 2
                assert states() == ["running"]
                assert len(list(settings.staging_dir.iterdir())) == 1
            finally:
                dead.kill()
                alive.kill()

    anyio.run(main)
    anyio.run(until, lambda: states() == ["exited"])
    assert anyio.run(backend.sweep) == 2
    assert containers(engine, settings) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become an ordinary user")
def test_an_ordinary_user_in_the_group_of_the_socket_can_use_it(settings: Settings, docker_host: str) -> None:
    group = Path(docker_host.removeprefix("unix://")).stat().st_gid
    user = ("setpriv", "--reuid=65534", f"--regid={group}", "--clear-groups")
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    trial = [*user, PYTHON, "-c", "import kaiju_sandbox.settings"]
    if group == 0 or subprocess.run(trial, env=path, capture_output=True, check=False).returncode:
        pytest.skip("an ordinary user can reach neither this socket nor this checkout")
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, 65534, group)
        own = settings.model_copy(update={"state_dir": Path(folder)})
        with server(own, "id -u; touch /tmp/file && ls /tmp", *user, python=PYTHON) as process:
            output, _ = process.communicate(timeout=SECONDS)
        assert process.returncode == 0, output
        assert "exit_code=0" in output
