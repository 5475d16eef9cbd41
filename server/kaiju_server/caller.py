"""A caller: who is on the other end of one call, and which episode the call is bound to."""

from dataclasses import dataclass
from typing import Any

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.server.mcpserver import Context
from starlette.requests import Request

from kaiju_grading.grade import Isolation
from kaiju_server.connection import KEY, Connection

HEADER = "x-kaiju-episode"
QUERY = "episode"
EPISODE_CLAIM = "episode"
LOCAL = "local"
"""The subject of every stdio process of this account."""
ANONYMOUS = "anonymous"
"""The subject of HTTP without tokens."""


@dataclass(frozen=True, slots=True)
class Caller:
    subject: str
    isolation: Isolation
    stdio: bool = False
    claim: str | None = None
    """The only episode that the caller's token may use."""
    named: str | None = None
    """The episode in the header, else in the address."""


def at_once(context: Context[Any, Any]) -> bool:
    """Whether `caller_of` does not block."""
    request = context.request_context.request
    return not isinstance(request, Request) or request.scope[KEY].known


def caller_of(context: Context[Any, Any]) -> Caller:
    """Read a caller from its request; every value in it but the token is only a wish.

    Blocks unless `at_once`.
    """
    request = context.request_context.request
    if not isinstance(request, Request):
        return Caller(LOCAL, Isolation.UNATTESTED, stdio=True)
    connection: Connection = request.scope[KEY]
    token = get_access_token()
    claim = (token.claims or {}).get(EPISODE_CLAIM) if token else None
    return Caller(
        subject=subject_of_token(token),
        isolation=Isolation.ATTESTED if connection.attested(request.scope) else Isolation.UNATTESTED,
        claim=claim if isinstance(claim, str) else None,
        named=request.headers.get(HEADER) or request.query_params.get(QUERY),
    )


def subject_of_token(token: AccessToken | None) -> str:
    """Whom a bearer token stands for; one subject for all calls without any."""
    return (token.subject or token.client_id) if token else ANONYMOUS
