"""The other end of an HTTP connection: which account of this machine owns it, if any.

The kernel lists every TCP socket of this machine with the account that opened it. A client on this machine
has a row there, on whichever of our addresses it came in; a client elsewhere has none.
"""

import ipaddress
import os
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))

Endpoint = tuple[str, int]


def attested(scope: Mapping[str, Any]) -> bool:
    """Whether the peer of an ASGI connection cannot read this server's store.

    It is somebody on another machine, or an account of this one that is neither root nor ours.
    """
    client, server = _endpoint(scope.get("client")), _endpoint(scope.get("server"))
    if client is None or server is None:
        return False
    uid = peer_uid(client, server)
    if uid is not None:
        return uid not in {0, os.geteuid()}
    return not ipaddress.ip_address(client[0]).is_loopback


def peer_uid(client: Endpoint, server: Endpoint) -> int | None:
    """The account that owns the client's end of this connection; None when no socket here has it."""
    for table in TABLES:
        for local, remote, uid in _sockets(table):
            if local == client and remote == server:
                return uid
    return None


def _endpoint(value: object) -> Endpoint | None:
    match value:
        case [str(host), int(port), *_]:
            try:
                return _plain(ipaddress.ip_address(host)), port
            except ValueError:
                return None
    return None


def _sockets(table: Path) -> Iterator[tuple[Endpoint, Endpoint, int]]:
    try:
        lines = table.read_text().splitlines()[1:]
    except FileNotFoundError:
        return
    for line in lines:
        fields = line.split()
        yield _parse(fields[1]), _parse(fields[2]), int(fields[7])


def _parse(text: str) -> Endpoint:
    """`0100007F:1F90`: 32-bit words in the byte order of the machine, then the port."""
    address, _, port = text.partition(":")
    words = [int(address[start : start + 8], 16) for start in range(0, len(address), 8)]
    packed = struct.pack(f"={len(words)}I", *words)
    return _plain(ipaddress.ip_address(packed)), int(port, 16)


def _plain(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str:
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped or address)
