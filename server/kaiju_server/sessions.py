"""Protocol sessions: so many for each subject, so that none takes the room of the others.

The SDK has one limit for all, and a session of ours may idle for a day. Whoever opens one session too many
loses the one it has not used for longest, as if it had ended that itself.
"""

from collections import OrderedDict, defaultdict

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kaiju_server.caller import subject_of_token

FOR_ONE = 1_000
"""Sessions of one subject."""
SESSION = b"mcp-session-id"
TOKEN = b"authorization"
OPENED, UNKNOWN = 200, 404


class SessionApp:
    """An ASGI app that knows who opened which session of the app inside, which checks tokens."""

    def __init__(self, app: ASGIApp, for_one: int = FOR_ONE) -> None:
        self._app = app
        self._for_one = for_one
        self._sessions: defaultdict[str, OrderedDict[bytes, list[bytes]]] = defaultdict(OrderedDict)
        """By subject; the one that was used last is the last. With the token headers it was opened with."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def note(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._note(scope, message)
            await send(message)

        await self._app(scope, receive, note)
        mine = self._sessions.get(subject_of(scope), OrderedDict())
        while len(mine) > self._for_one:
            await self._end(scope, *mine.popitem(last=False))

    def _note(self, scope: Scope, head: Message) -> None:
        """What an answer says of a session."""
        opened = dict(head.get("headers", [])).get(SESSION)
        mine = self._sessions[subject_of(scope)]
        if head["status"] == OPENED and opened is not None:
            mine.setdefault(opened, values_of(scope, TOKEN))
            mine.move_to_end(opened)
        elif head["status"] == UNKNOWN:
            for asked in values_of(scope, SESSION):
                mine.pop(asked, None)

    async def _end(self, scope: Scope, session: bytes, tokens: list[bytes]) -> None:
        """Ask the app inside, as the client itself would."""
        headers = [(b"host", host) for host in values_of(scope, b"host")]
        headers += [(SESSION, session), *((TOKEN, token) for token in tokens)]

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_: Message) -> None:
            """Nobody waits for the answer."""

        await self._app({**scope, "method": "DELETE", "headers": headers}, receive, send)


def subject_of(scope: Scope) -> str:
    """Whom the app inside has found the token to stand for."""
    user = scope.get("user")
    return subject_of_token(user.access_token if isinstance(user, AuthenticatedUser) else None)


def values_of(scope: Scope, name: bytes) -> list[bytes]:
    return [value for known, value in scope["headers"] if known == name]
