"""Bodies of requests: an app that lets one subject have only a few large ones in memory at once."""

from contextlib import AsyncExitStack

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kaiju_server.sessions import subject_of, values_of
from kaiju_server.settings import KIB, MIB
from kaiju_server.share import Shares

BODY_BYTES = 8 * MIB
FOR_ONE = 4 * BODY_BYTES
"""Bodies of one subject at once. JSON of empty objects takes twenty times as much when it has been read."""
SMALL = 64 * KIB
"""A body up to this size waits for nobody."""


class BodyApp:
    """An ASGI app whose inner one checks tokens before it asks for a body.

    A body's room is kept until the request is answered: what was read of it lives as long.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._shares = Shares(FOR_ONE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        size = _announced(scope) if scope["type"] == "http" else 0
        if size <= SMALL:
            await self._app(scope, receive, send)
            return
        async with AsyncExitStack() as held:
            asked = False

            async def receive_in_turn() -> Message:
                nonlocal asked
                if not asked:
                    asked = True
                    await held.enter_async_context(self._shares.hold(subject_of(scope), size))
                return await receive()

            await self._app(scope, receive_in_turn, send)


def _announced(scope: Scope) -> int:
    """How large a body may become: a length that the inner app refuses counts nothing."""
    if values_of(scope, b"transfer-encoding"):
        return BODY_BYTES
    lengths = values_of(scope, b"content-length")
    size = int(lengths[0]) if lengths and lengths[0].isdigit() else 0
    return size if size <= BODY_BYTES else 0
