"""`kaiju client-config`: how to connect a client, as a snippet to paste."""

import json
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import click

from kaiju_server.settings import MCP_PATH

CLIENTS = ("claude-code", "claude-desktop", "cursor", "vscode")
NAME = "kaiju"
TOKEN_VARIABLE = "KAIJU_TOKEN"  # noqa: S105 - the name of a variable
FILE = "kaiju-mcp.json"


@click.command("client-config")
@click.argument("client", type=click.Choice(CLIENTS))
@click.option("--http", "url", help="Connect to this address, such as http://127.0.0.1:8734/mcp.")
@click.option("--state-dir", type=click.Path(resolve_path=True), help="State folder of a server on stdio.")
def client_config(client: str, url: str | None, state_dir: str | None) -> None:
    """Print what CLIENT needs to use this server, and no other tool where it can be told so.

    Without --http the client starts `kaiju serve` itself, as the same account: its grades are unattested.
    """
    if client == "claude-desktop" and url is not None:
        raise click.BadParameter("claude-desktop starts servers itself; leave it out", param_hint="--http")
    server = _over_stdio(client, state_dir) if url is None else _over_http(client, _address(url))
    click.echo({"claude-code": _claude_code, "vscode": _vscode}.get(client, _servers)(client, server))


def _address(url: str) -> str:
    """The address with its path, which is added where there is none. Raises click.BadParameter."""
    parts = urlsplit(url)
    path = MCP_PATH if parts.path in {"", "/"} else parts.path
    if parts.scheme not in {"http", "https"} or not parts.netloc or not path.endswith(MCP_PATH):
        expected = f"expected http://HOST:PORT{MCP_PATH}"
        raise click.BadParameter(f"{url!r} is no address of a server; {expected}", param_hint="--http")
    return urlunsplit(parts._replace(path=path))


def _program() -> Path:
    """The program that runs: another installation may be on the PATH, or none."""
    running = Path(sys.argv[0])
    found = running if running.name == NAME and running.is_file() else shutil.which(NAME)
    return Path(found or running).absolute()


def _over_stdio(client: str, state_dir: str | None) -> dict[str, Any]:
    server: dict[str, Any] = {"command": str(_program()), "args": ["serve"]}
    if state_dir:
        server["env"] = {"KAIJU_STATE_DIR": state_dir}
    return server if client in {"claude-desktop", "cursor"} else {"type": "stdio", **server}


def _over_http(client: str, url: str) -> dict[str, Any]:
    token = {"cursor": f"${{env:{TOKEN_VARIABLE}}}", "vscode": "${input:kaiju-token}"}.get(
        client, f"${{{TOKEN_VARIABLE}}}"
    )
    server = {"url": url, "headers": {"Authorization": f"Bearer {token}"}}
    return server if client == "cursor" else {"type": "http", **server}


def _claude_code(client: str, server: dict[str, Any]) -> str:
    """Only our server and only its tools: the built-in ones would reach the machine beside it."""
    run = ["claude", "--mcp-config", FILE, "--strict-mcp-config", "--tools", ""]
    run += ["--allowedTools", f"mcp__{NAME}__*"]
    return "\n".join(
        [
            f"# Save as {FILE}:",
            _servers(client, server),
            "",
            "# Run with this server's tools and no others:",
            shlex.join(run),
            "",
            "# Or add it for good (then other tools of yours stay in the agent's reach):",
            _claude_add(server),
        ]
    )


def _claude_add(server: dict[str, Any]) -> str:
    if "url" in server:
        header = f"Authorization: {server['headers']['Authorization']}"
        return f'claude mcp add --transport http {NAME} {shlex.quote(server["url"])} --header "{header}"'
    variables = [part for name, value in server.get("env", {}).items() for part in ("-e", f"{name}={value}")]
    return shlex.join(["claude", "mcp", "add", NAME, *variables, "--", server["command"], *server["args"]])


def _vscode(_: str, server: dict[str, Any]) -> str:
    config: dict[str, Any] = {"servers": {NAME: server}}
    if "url" in server:
        config["inputs"] = [
            {"type": "promptString", "id": "kaiju-token", "description": "Kaiju token", "password": True}
        ]
    return json.dumps(config, indent=2)


def _servers(_: str, server: dict[str, Any]) -> str:
    return json.dumps({"mcpServers": {NAME: server}}, indent=2)
