"""MCP over streamable HTTP: our own uvicorn, bearer tokens, a bounded way to stop."""

import ipaddress
import resource
import socket
import sys

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kaiju_server.app import KaijuServer
from kaiju_server.bodies import BODY_BYTES, BodyApp
from kaiju_server.connection import ConnectionProtocol
from kaiju_server.errors import ServerError
from kaiju_server.sessions import SessionApp
from kaiju_server.settings import MCP_PATH, ServerSettings
from kaiju_server.wire import escape_bytes

DESCRIPTORS = 8_192
SESSIONS = 10_000
"""Of all tokens together: about 40 KB each."""
GRACE_SECONDS = 5
"""Running calls get so long to end when the server is stopped."""


async def serve_http(server: KaijuServer, settings: ServerSettings) -> None:
    """Serve until SIGTERM or SIGINT."""
    if _any_address(settings.host) and not settings.allowed_hosts:
        raise ServerError(
            f"host {settings.host}: expected KAIJU_ALLOWED_HOSTS with the names that clients use, "
            f"such as name:{settings.port}"
        )
    _raise_descriptors()
    listener = listen(settings)
    host, port = listener.getsockname()[:2]

    async def healthz(_: Request) -> Response:
        """For whoever runs the server: whether it does, and how many gradings grader.log tells of."""
        return JSONResponse({"ok": True, "grading_faults": server.running().gradings.faults})

    server.custom_route("/healthz", methods=["GET"])(healthz)

    app = server.streamable_http_app(
        streamable_http_path=MCP_PATH,
        # A protocol session is no episode: it may idle as long as an episode may.
        session_idle_timeout=settings.idle_seconds,
        max_sessions=SESSIONS,
        max_request_body_size=BODY_BYTES,
        transport_security=_security(settings, port),
    )
    config = uvicorn.Config(
        WireApp(SessionApp(BodyApp(app))),
        http=ConnectionProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=75,
    )
    print(f"kaiju: serving http://{_bracketed(host)}:{port}{MCP_PATH}", file=sys.stderr, flush=True)  # noqa: T201
    await uvicorn.Server(config).serve(sockets=[listener])


class WireApp:
    """An ASGI app whose answers have no line separators but line feeds.

    It also ignores Last-Event-ID: no event is kept, so whoever resumes gets a fresh stream.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = [header for header in scope["headers"] if header[0] != b"last-event-id"]
        await self._app({**scope, "headers": headers}, receive, _Escaping(send))


class _Escaping:
    """Sends an answer with escaped bodies. A head with a length waits for its body: it may change."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._head: Message | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _length(message) is not None:
            self._head = message
            return
        if message["type"] == "http.response.body":
            message = {**message, "body": escape_bytes(message.get("body", b""))}
            if self._head is not None:
                await self._send(_with_length(self._head, message))
                self._head = None
        await self._send(message)


def _length(head: Message) -> int | None:
    """The announced length of a body; None for a stream."""
    found = [value for name, value in head.get("headers", []) if name.lower() == b"content-length"]
    return int(found[0]) if found else None


def _with_length(head: Message, body: Message) -> Message:
    if body.get("more_body"):
        return head
    others = [(name, value) for name, value in head["headers"] if name.lower() != b"content-length"]
    return {**head, "headers": [*others, (b"content-length", str(len(body["body"])).encode())]}


def _raise_descriptors() -> None:
    """Connections and the sandboxes beside them need more descriptors than a shell gives by default."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(now, min(most, DESCRIPTORS)), most))


def listen(settings: ServerSettings) -> socket.socket:
    """A listening socket. Raises ServerError."""
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        listener = socket.create_server((settings.host, settings.port), family=family, backlog=512)
    except OSError as error:
        raise ServerError(f"cannot listen on {settings.host}:{settings.port}: {error.strerror}") from error
    # Connections inherit it. asyncio sets it only on sockets that it made, and an answer of several small
    # parts would wait 40 ms for the client's acknowledgement.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


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
