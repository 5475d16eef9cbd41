"""A connection to a Kaiju server: a stdio process of our own, or a server reached over HTTP."""

import shlex
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from kaiju_clients.errors import ServerFault

READ_TIMEOUT_S = 180.0
"""Longest silence of one call. Tools answer within 45 s, so this is a server that hangs."""
REMEDIES = {
    401: "it wants a bearer token; set KAIJU_TOKEN to one of the server's tokens file ({})",
    403: "it refuses this Origin header",
    421: "it is not served under this name; set KAIJU_ALLOWED_HOSTS where it runs",
}
"""By status: what the SDK would report as an error response, without a word about which."""


class Server(Protocol):
    """Where trials are played."""

    @property
    def kind(self) -> str:
        """`stdio` or `http`."""
        ...

    @property
    def place(self) -> str:
        """For errors: the address, or the command."""
        ...

    def connect(self, log: Path) -> AbstractAsyncContextManager[Client]:
        """A client of its own for one trial; what a server process says on stderr goes to `log`."""
        ...


@dataclass(frozen=True, slots=True)
class StdioServer:
    """One server process for each connection, ended with it."""

    command: tuple[str, ...]
    environ: Mapping[str, str] = field(default_factory=dict)
    """Variables that the process gets beside the harmless ones that every MCP client passes on."""

    @property
    def kind(self) -> str:
        return "stdio"

    @property
    def place(self) -> str:
        return shlex.join(self.command)

    @asynccontextmanager
    async def connect(self, log: Path) -> AsyncIterator[Client]:
        parameters = StdioServerParameters(
            command=self.command[0], args=list(self.command[1:]), env=dict(self.environ)
        )
        # A file and no pipe: nobody has to drain it for the server to go on.
        with log.open("a", encoding="utf-8") as errors:
            async with Client(
                stdio_client(parameters, errlog=errors), read_timeout_seconds=READ_TIMEOUT_S
            ) as client:
                yield client


@dataclass(frozen=True, slots=True)
class HttpServer:
    """A running server; every connection has the same token."""

    url: str
    token: str | None = field(default=None, repr=False)

    @property
    def kind(self) -> str:
        return "http"

    @property
    def place(self) -> str:
        return self.url

    @asynccontextmanager
    async def connect(self, log: Path) -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        timeout = httpx2.Timeout(30, read=READ_TIMEOUT_S)
        async with (
            httpx2.AsyncClient(
                headers=headers,
                timeout=timeout,
                follow_redirects=True,
                event_hooks={"response": [self._look]},
            ) as http,
            Client(
                streamable_http_client(self.url, http_client=http), read_timeout_seconds=READ_TIMEOUT_S
            ) as client,
        ):
            yield client

    async def _look(self, response: httpx2.Response) -> None:
        """Raises ServerFault for a refusal that trying again would not change."""
        remedy = REMEDIES.get(response.status_code)
        if remedy is not None:
            given = "the one given is none of them" if self.token else "none is given"
            raise ServerFault(f"{self.url} answered {response.status_code}: {remedy.format(given)}")
