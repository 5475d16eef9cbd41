"""The MCP server: one app for stdio and HTTP."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version
from typing import Any

from mcp.server import MCPServer
from mcp.server.auth.provider import TokenVerifier
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, InputRequiredResult
from pydantic import AnyHttpUrl, ValidationError

from kaiju_server import resources
from kaiju_server.calls import Calls
from kaiju_server.errors import argument_text, readable, shown
from kaiju_server.service import Service
from kaiju_server.tools import episodes, files, runs, search, spec, tasks

NAME = "kaiju"
INSTRUCTIONS = (
    "Implement real libraries from their specification. list_tasks, then start_task; read_spec says what to "
    "build; write the files; submit each stage (draft, lint, test) when it is ready. Grading uses tests that "
    "you do not see. Calls never take longer than a minute: a run_id is polled with get_run."
)
SCOPE = "episodes"
GROUPS = (tasks, spec, files, search, runs, episodes)

OpenService = Callable[[], AbstractAsyncContextManager[Service]]


class KaijuServer(MCPServer[Service]):
    """An MCPServer whose errors are written for the agent: ours as they are, crashes without any detail."""

    calls: Calls
    """What is under way."""
    service: Service | None = None
    """Set as soon as the server runs."""
    _arguments: dict[str, tuple[str, ...]] | None = None

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Service, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        known = await self._known_arguments(name)
        unknown = sorted(set(arguments) - set(known)) if known is not None else []
        if unknown:
            raise ToolError(
                f"{name} has no argument {shown(unknown[0])}; it takes {', '.join(known or ()) or 'none'}"
            )
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                raise ToolError(argument_text(name, cause)) from cause
            text = readable(cause)
            if text is not None:
                raise ToolError(text) from cause
            raise

    def running(self) -> Service:
        """The service. Raises LookupError before the server runs."""
        if self.service is None:
            raise LookupError("the server does not run yet")
        return self.service

    async def _known_arguments(self, name: str) -> tuple[str, ...] | None:
        """The names of a tool's arguments; None for a tool that is not there."""
        if self._arguments is None:
            # Once: the SDK makes its records of all tools anew for every list.
            self._arguments = {
                tool.name: tuple(tool.input_schema.get("properties", {})) for tool in await self.list_tools()
            }
        return self._arguments.get(name)


def build(open_service: OpenService, verifier: TokenVerifier | None = None) -> KaijuServer:
    """The server with all tools; `verifier` makes HTTP ask for a bearer token. Configure logging first."""

    @asynccontextmanager
    async def lifespan(_: MCPServer[Service]) -> AsyncIterator[Service]:
        async with open_service() as service:
            server.service = service
            yield service

    # No resource address: nothing here issues tokens, so no client is sent to look for an issuer.
    auth = AuthSettings(
        issuer_url=AnyHttpUrl("http://localhost/"), resource_server_url=None, required_scopes=[SCOPE]
    )
    calls = Calls()
    server = KaijuServer(
        NAME,
        title="Kaiju",
        version=version("kaiju"),
        instructions=INSTRUCTIONS,
        lifespan=lifespan,
        token_verifier=verifier,
        auth=auth if verifier else None,
        log_level="WARNING",
        middleware=[calls],
    )
    server.calls = calls
    for group in GROUPS:
        group.register(server)
    resources.register(server, server.running)
    return server
