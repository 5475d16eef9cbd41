"""The Docker engine as this backend uses it: a local daemon, asked from worker threads."""

import os
import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import anyio
import anyio.to_thread
from docker.api import APIClient
from docker.errors import APIError, DockerException, NotFound
from requests.exceptions import RequestException

from kaiju_sandbox.errors import BackendUnavailable, SandboxFault

DEFAULT_SOCKET = "unix:///var/run/docker.sock"
REQUEST_SECONDS = 60
DEATH_SECONDS = 10
AGAIN_SECONDS = 0.05
OLDEST_API = (1, 41)
CALLS = 16
"""Requests to the daemon at once."""

Answer = TypeVar("Answer")


class Gone(SandboxFault):
    """The daemon does not know this container or image."""


class Refused(SandboxFault):
    """The daemon answered, and did not do it."""


class Engine:
    """One daemon. Nothing is asked before the first call."""

    def __init__(self, host: str | None) -> None:
        self.host = host or DEFAULT_SOCKET
        self._limiter = anyio.CapacityLimiter(CALLS)
        self._client: APIClient | None = None
        self._lock = threading.Lock()

    async def call(self, method: str, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - docker-py's types
        """One method of docker-py's low-level client.

        Raises SandboxFault; BackendUnavailable without a daemon; Gone when there is no such thing.
        """
        return await self.thread(lambda: getattr(self.client(), method)(*arguments, **options))

    async def thread(self, work: Callable[[], Answer]) -> Answer:
        """Blocking work, off the event loop. A cancelled caller still waits for its end."""
        try:
            return await anyio.to_thread.run_sync(work, limiter=self._limiter)
        except NotFound as error:
            raise Gone(f"docker engine at {self.host}: {error}") from error
        except APIError as error:
            raise Refused(f"docker engine at {self.host}: {error}") from error
        except (DockerException, RequestException) as error:
            raise SandboxFault(f"docker engine at {self.host}: {error}") from error

    @asynccontextmanager
    async def container(self, creation: dict[str, Any]) -> AsyncIterator[str]:
        """A started container, by the name in `creation`; dead and removed afterwards, whatever happens."""
        name: str = creation["name"]
        try:
            await self.call("create_container", **creation)
            await self.call("start", name)
            yield name
        finally:
            with anyio.CancelScope(shield=True):
                await self.remove(name)

    async def remove(self, name: str) -> None:
        """Kill it and remove it with its volumes. Nothing happens when it is gone.

        A container that ends by itself at that moment makes the daemon refuse ("could not kill", "removal in
        progress"), so it is asked again, for up to DEATH_SECONDS.
        """
        patience = anyio.current_time() + DEATH_SECONDS
        while True:
            try:
                return await self._remove_once(name)
            except Refused:
                if anyio.current_time() > patience:
                    raise
            await anyio.sleep(AGAIN_SECONDS)

    async def _remove_once(self, name: str) -> None:
        with suppress(Gone):
            await self.call("remove_container", name, force=True, v=True)

    async def state(self, name: str) -> dict[str, Any]:
        """The daemon's word on a container that ended by itself."""
        await self.call("wait", name, timeout=DEATH_SECONDS)
        description = await self.call("inspect_container", name)
        state: dict[str, Any] = description["State"]
        return state

    def client(self) -> APIClient:
        """The connection. Blocking. Raises BackendUnavailable."""
        with self._lock:
            if self._client is None:
                self._client = self._connect()
            return self._client

    def _connect(self) -> APIClient:
        if not self.host.startswith("unix://"):
            raise BackendUnavailable(
                "docker",
                f"KAIJU_DOCKER_HOST is {self.host!r}, and only a daemon of this machine can share folders",
                "name its socket: unix:///path/docker.sock",
            )
        try:
            # First by hand: docker-py leaves the socket of a failed connection open.
            with socket.socket(socket.AF_UNIX) as trial:
                trial.connect(self.host.removeprefix("unix://"))
            client = APIClient(self.host, version="auto", timeout=REQUEST_SECONDS, max_pool_size=CALLS)
            # docker-py keeps connections apart by path, and each container has its own paths: keep none.
            client.headers["Connection"] = "close"
            version = client.version(api_version=False)
        except (OSError, DockerException, RequestException) as error:
            raise BackendUnavailable(
                "docker", f"no daemon answers at {self.host} ({error})", self._start()
            ) from error
        if tuple(int(part) for part in version["ApiVersion"].split(".")) < OLDEST_API:
            raise BackendUnavailable(
                "docker",
                f"the daemon speaks API {version['ApiVersion']}, 1.41 is needed",
                "install Docker 20.10 or newer",
            )
        return client

    def _start(self) -> str:
        path = Path(self.host.removeprefix("unix://"))
        if path.exists() and not os.access(path, os.W_OK):
            return "sudo usermod --append --groups docker $USER, then log in again"
        return "start it: sudo systemctl start docker (or, from a checkout of Kaiju, sudo .ci/docker-up)"
