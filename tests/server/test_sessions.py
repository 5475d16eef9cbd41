"""Protocol sessions of several tokens, over the real session keeper of the SDK."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import httpx2
import pytest
from mcp.server import MCPServer
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from pydantic import AnyHttpUrl

from kaiju_server.sessions import SessionApp

pytestmark = pytest.mark.anyio

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}


class Names:
    """Every token counts, and is the name of its subject."""

    async def verify_token(self, token: str) -> AccessToken:
        return AccessToken(token=token, client_id=token, subject=token, scopes=[])


@asynccontextmanager
async def web(for_one: int) -> AsyncIterator[httpx2.AsyncClient]:
    auth = AuthSettings(issuer_url=AnyHttpUrl("http://localhost/"), resource_server_url=None)
    server: MCPServer[None] = MCPServer("any", token_verifier=Names(), auth=auth)
    app = SessionApp(server.streamable_http_app(), for_one)
    transport = httpx2.ASGITransport(app)
    headers = {"Accept": "application/json, text/event-stream"}
    async with (
        server.session_manager.run(),
        httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000", headers=headers) as client,
    ):
        yield client


async def opened(client: httpx2.AsyncClient, token: str) -> str:
    answer = await client.post("/mcp", json=HELLO, headers={"Authorization": token})
    assert answer.status_code == 200
    return str(answer.headers["mcp-session-id"])


async def alive(client: httpx2.AsyncClient, token: str, session: str) -> bool:
    headers = {"Authorization": token, "Mcp-Session-Id": session}
    return (await client.post("/mcp", json=PING, headers=headers)).status_code == 200


async def test_whoever_opens_too_many_sessions_loses_its_own_and_nobody_elses() -> None:
    with anyio.fail_after(30):
        async with web(for_one=2) as client:
            hers = await opened(client, "Bearer alice")
            first, second = [await opened(client, "Bearer bob") for _ in range(2)]
            assert await alive(client, "Bearer bob", first)
            third = await opened(client, "Bearer bob")
            found = [await alive(client, "Bearer bob", session) for session in (first, second, third)]
            assert found == [True, False, True]
            assert await alive(client, "Bearer alice", hers)
            for spelling in ("Bearer bob", "bearer bob", "BEARER bob"):
                await opened(client, spelling)
            assert not await alive(client, "Bearer bob", first)
            assert await alive(client, "Bearer alice", hers)
