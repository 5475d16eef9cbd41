"""The yardstick for tool calls: a bare echo tool on the same SDK, over stdio, or HTTP on a port."""

import sys

from mcp.server import MCPServer


def build() -> MCPServer:
    server = MCPServer("echo", log_level="ERROR")

    @server.tool()
    async def echo(text: str) -> str:
        """Give back the text."""
        return text

    return server


if __name__ == "__main__":
    if len(sys.argv) > 1:
        build().run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        build().run("stdio")
