"""Text of files: what the arguments of a tool and the bytes on the disk have to do with each other."""

from kaiju_server.errors import WorkspaceError, shown


def encode(text: str, argument: str) -> bytes:
    """UTF-8 of an argument; lone surrogates have none."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise WorkspaceError(
            f"argument {argument!r} has a lone surrogate at character {error.start}"
        ) from error


def decode(data: bytes, path: str) -> str:
    """Text of a file, byte order mark and line ends included."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise WorkspaceError(
            f"{shown(path)} is not UTF-8 text (byte {error.start}); it can be replaced or deleted, not shown"
        ) from error


def spelling(data: bytes, old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """As given; in a file with CRLF also with these line ends, when only so it is found."""
    if data.count(old) == 0 and b"\r\n" in data and b"\n" in old:
        wide = old.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        if wide in data:
            return wide, new.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    return old, new
