"""A connection of HTTP: what is asked of the kernel once, and holds for every request on it."""

import resource
from asyncio import TimerHandle, Transport
from typing import Any

import h11
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from kaiju_server.peer import attested
from kaiju_server.settings import MIB

KEY = "kaiju.connection"
"""Where the scope of a request has its connection."""
HEAD_SECONDS = 15.0
"""The head of a request must be there so long after the connection, or after its own first byte."""
BODY_SECONDS = 60.0
"""The whole body must be there so long after the head."""
DISCARDED_BYTES = 16 * MIB
"""So much of a body that was answered before its end is read on, for clients that listen only then."""
READ_SECONDS = 60.0
"""A client that takes nothing of an answer for so long is cut off."""
CONNECTIONS = 2_000
"""At once, and never more than a half of the descriptors that the process may have."""


def most_connections() -> int:
    return min(CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)


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

    uvicorn waits for ever for the head of a request, for its body, and for a client to read; and it takes as
    many sockets as there are descriptors, which the sandboxes of gradings need, too.
    """

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(*args, **options)
        self.app = _Connected(self.app)
        self._made = self.loop.time()
        self._patience: TimerHandle | None = None
        self._awaited: float | None = None
        """The seconds that `_patience` was set to."""
        self._stalled: TimerHandle | None = None
        self._discarded = 0

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        self._wait_for(HEAD_SECONDS)
        if len(self.connections) > most_connections():
            self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look(begun=True)
        if self.conn.our_state is h11.DONE and self.conn.their_state is h11.SEND_BODY:
            self._discarded += len(data)
            if self._discarded > DISCARDED_BYTES:
                self.transport.abort()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look(begun=False)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stalled is None:
            # What a client does not read lies in memory, and a close would wait for it.
            self._stalled = self.loop.call_later(READ_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._go_on()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_for(None)
        self._go_on()
        super().connection_lost(exc)

    def _look(self, *, begun: bool) -> None:
        """Wait for what is still to come of a request. `begun`: a byte of it is there."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._wait_for(BODY_SECONDS if self.cycle.more_body else None)
        elif begun:
            self._wait_for(HEAD_SECONDS)
        elif self._awaited == BODY_SECONDS:
            self._wait_for(None)

    def _wait_for(self, seconds: float | None) -> None:
        """From the first byte on, and not again for every other one."""
        if seconds == self._awaited:
            return
        if self._patience is not None:
            self._patience.cancel()
        self._patience = self.loop.call_later(seconds, self.transport.close) if seconds else None
        self._awaited = seconds

    def _go_on(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _make_room(self) -> None:
        """One connection too many: the oldest goes that never had a request, which may be this one."""
        ours = [each for each in self.connections if isinstance(each, ConnectionProtocol)]
        there = [each for each in ours if not each.transport.is_closing()]
        if len(there) > most_connections():
            silent = [each for each in there if each.cycle is None]
            min(silent, key=lambda each: each._made).transport.abort()


class _Connected:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._connection = Connection()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, KEY: self._connection}, receive, send)
