"""Calls: how many requests of one subject are answered at once. Each one that waits costs memory."""

from collections import Counter
from typing import Any

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, TextContent

from kaiju_server.caller import subject_of_token

AT_ONCE = 512
"""Requests of one subject, those that wait for a run included."""
BUSY = -32000
TOOL_CALL = "tools/call"
REFUSED = f"{AT_ONCE} requests of yours are not answered yet; wait for an answer, then try again"


class Calls:
    """A middleware of the server that counts the requests under way, and answers one too many at once."""

    def __init__(self) -> None:
        self._running: Counter[str] = Counter()

    @property
    def running(self) -> int:
        """Requests of everybody."""
        return self._running.total()

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if ctx.request_id is None:
            return await call_next(ctx)
        subject = subject_of_token(get_access_token())
        if self._running[subject] >= AT_ONCE:
            return _refusal(ctx.method)
        self._running[subject] += 1
        try:
            return await call_next(ctx)
        finally:
            self._running[subject] -= 1
            if not self._running[subject]:
                del self._running[subject]


def _refusal(method: str) -> CallToolResult:
    """An error that a model reads where it is a tool that was called."""
    if method != TOOL_CALL:
        raise MCPError(BUSY, REFUSED)
    return CallToolResult(content=[TextContent(type="text", text=REFUSED)], is_error=True)
