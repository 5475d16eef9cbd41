"""A connection of HTTP: what is asked of the kernel once, and holds for every request on it."""

from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from kaiju_server.peer import attested

KEY = "kaiju.connection"
"""Where the scope of a request has its connection."""


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
    """uvicorn's protocol, one object a socket, whose requests know their connection."""

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(*args, **options)
        self.app = _Connected(self.app)


class _Connected:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._connection = Connection()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, KEY: self._connection}, receive, send)
