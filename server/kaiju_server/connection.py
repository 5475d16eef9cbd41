"""A connection of HTTP: what is asked of the kernel once, and holds for every request on it."""

from asyncio import TimerHandle, Transport
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from kaiju_server.peer import attested

KEY = "kaiju.connection"
"""Where the scope of a request has its connection."""
HEAD_SECONDS = 15.0
"""The head of a request must be there so long after the connection, or after its own first byte."""


class Connection:
    """One socket. Who opened the other end cannot change as long as it is the same socket."""

    def __init__(self) -> None:
        self._attested: bool | None = None

    @property
    def known(self) -> bool:
        """Whether `attested` answers without asking the kernel."""
        return self._attested is not None

    def attested(self, scope: Scope) -> bool:
        """See `kaiju_server.peer.attested`. Blocks for the first request."""
        if self._attested is None:
            self._attested = attested(scope)
        return self._attested


class ConnectionProtocol(H11Protocol):
    """uvicorn's protocol, one object a socket, whose requests know their connection.

    uvicorn waits for ever for the head of a request, token or not, and each socket costs a descriptor.
    """

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(*args, **options)
        self.app = _Connected(self.app)
        self._patience: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._wait_for_head()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        """From its first byte on, and not again for every other one."""
        if self._patience is None:
            self._patience = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None


class _Connected:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._connection = Connection()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, KEY: self._connection}, receive, send)
