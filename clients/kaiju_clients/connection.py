"""A connection to a Kaiju server: a stdio process of our own, or a server reached over HTTP."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

READ_TIMEOUT_S = 180.0
"""Longest silence of one call. Tools answer within 45 s, so this is a server that hangs."""


class Server(Protocol):
    """Where trials are played."""

    @property
    def kind(self) -> str:
        """`stdio` or `http`."""
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

    @asynccontextmanager
    async def connect(self, log: Path) -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        timeout = httpx2.Timeout(30, read=READ_TIMEOUT_S)
        async with (
            httpx2.AsyncClient(headers=headers, timeout=timeout, follow_redirects=True) as http,
            Client(
                streamable_http_client(self.url, http_client=http), read_timeout_seconds=READ_TIMEOUT_S
            ) as client,
        ):
            yield client
