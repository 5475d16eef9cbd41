"""Bearer tokens: a file of our own that says whom each one stands for."""

import hashlib
import hmac
import os
import secrets
from pathlib import Path

import structlog
from mcp.server.auth.provider import AccessToken
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kaiju_server.app import SCOPE
from kaiju_server.caller import EPISODE_CLAIM
from kaiju_server.errors import ServerError

FIRST_SUBJECT = "owner"

log = structlog.get_logger("kaiju.tokens")


class Token(BaseModel):
    """One entry. `episode` limits the token to that episode."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    token: str = Field(min_length=16, repr=False)
    subject: str = Field(min_length=1, max_length=200)
    episode: str | None = None


class TokenFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    tokens: tuple[Token, ...]


class Tokens:
    """Verifies tokens against the file, which is read again when it changes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp = 0
        self._known: dict[bytes, Token] = {}

    async def verify_token(self, token: str) -> AccessToken | None:
        try:
            self.load()
        except ServerError as error:
            # Half-written by an editor, say: the tokens that were read last go on counting.
            log.error("tokens not read", reason=str(error))
        offered = _digest(token)
        # Digests, all of them compared: the time tells nothing about a token.
        found = [known for digest, known in self._known.items() if hmac.compare_digest(digest, offered)]
        if not found:
            return None
        known = found[0]
        claims = {EPISODE_CLAIM: known.episode} if known.episode else None
        return AccessToken(
            token=token, client_id=known.subject, subject=known.subject, scopes=[SCOPE], claims=claims
        )

    def load(self) -> None:
        """Read the file when it is new. Raises ServerError for one that others can read, or a broken one."""
        try:
            status = self._path.stat()
            if status.st_mtime_ns == self._stamp:
                return
            if status.st_mode & 0o077:
                raise ServerError(f"tokens file {self._path}: expected mode 0600; run chmod 600 on it")
            entries = TokenFile.model_validate_json(self._path.read_bytes()).tokens
        except (OSError, ValidationError) as error:
            raise ServerError(f"tokens file {self._path}: {_reason(error)}") from error
        self._known = {_digest(entry.token): entry for entry in entries}
        self._stamp = status.st_mtime_ns


def open_tokens(path: Path) -> tuple[Tokens, bool]:
    """The tokens of a file; a first one is made when there is no file yet. Tells whether it was."""
    made = False
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        pass
    else:
        first = TokenFile(tokens=(Token(token=secrets.token_urlsafe(32), subject=FIRST_SUBJECT),))
        with os.fdopen(descriptor, "w") as file:
            file.write(first.model_dump_json(indent=2, exclude_none=True) + "\n")
        made = True
    tokens = Tokens(path)
    tokens.load()
    return tokens, made


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


def _reason(error: OSError | ValidationError) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_input=False)[0]
        return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    return error.strerror or type(error).__name__
