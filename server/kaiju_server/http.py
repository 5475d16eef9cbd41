"""MCP over streamable HTTP: our own uvicorn, bearer tokens, a bounded way to stop."""

import ipaddress
import socket
import sys

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kaiju_server.app import KaijuServer
from kaiju_server.errors import ServerError
from kaiju_server.settings import MIB, ServerSettings
from kaiju_server.wire import escape_bytes

PATH = "/mcp"
BODY_BYTES = 8 * MIB
SESSIONS = 2_000
GRACE_SECONDS = 5
"""Running calls get so long to end when the server is stopped."""


async def serve_http(server: KaijuServer, settings: ServerSettings) -> None:
    """Serve until SIGTERM or SIGINT."""
    listener = _listen(settings)
    host, port = listener.getsockname()[:2]
    server.custom_route("/healthz", methods=["GET"])(_healthz)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        # A protocol session is no episode: it may idle as long as an episode may.
        session_idle_timeout=settings.idle_seconds,
        max_sessions=SESSIONS,
        max_request_body_size=BODY_BYTES,
        transport_security=_security(settings, port),
    )
    config = uvicorn.Config(
        EscapedApp(app),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=75,
    )
    print(f"kaiju: serving http://{_bracketed(host)}:{port}{PATH}", file=sys.stderr, flush=True)  # noqa: T201
    await uvicorn.Server(config).serve(sockets=[listener])


class EscapedApp:
    """An ASGI app whose JSON has no line separators but line feeds."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        held: list[Message] = []

        async def escaped(message: Message) -> None:
            # The head waits for the first part of the body: its length may change.
            if message["type"] == "http.response.start":
                held.append(message)
                return
            if message["type"] == "http.response.body":
                message = {**message, "body": escape_bytes(message.get("body", b""))}
            if held:
                await send(_with_length(held.pop(), message))
            await send(message)

        await self._app(scope, receive, escaped)


def _with_length(head: Message, body: Message) -> Message:
    if body.get("more_body"):
        return head
    length = str(len(body.get("body", b""))).encode()
    headers = [
        (name, length if name.lower() == b"content-length" and value != b"0" else value)
        for name, value in head.get("headers", [])
    ]
    return {**head, "headers": headers}


async def _healthz(_: Request) -> Response:
    return JSONResponse({"ok": True})


def _listen(settings: ServerSettings) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        return socket.create_server((settings.host, settings.port), family=family, backlog=512)
    except OSError as error:
        raise ServerError(f"cannot listen on {settings.host}:{settings.port}: {error.strerror}") from error


def _security(settings: ServerSettings, port: int) -> TransportSecuritySettings:
    """Which Host and Origin headers are served: localhost, our own address, and what the settings add."""
    names = ["127.0.0.1", "localhost", "[::1]"]
    if not _any_address(settings.host):
        names.append(_bracketed(settings.host))
    hosts = [f"{name}:{port}" for name in names] + list(settings.allowed_hosts)
    origins = [f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True, allowed_hosts=hosts, allowed_origins=origins
    )


def _any_address(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
