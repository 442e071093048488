"""Signing and reading the two kinds of token: a preview's, and a caller's. No storage, no clock.

A preview token is 32 lower-case base32 characters: 10 random bytes that are the preview's id, and an 80-bit keyed
BLAKE2b MAC over everything the preview promises. 20 bytes fill 32 characters exactly, so each token has one
spelling. The purpose is the MAC's `person`, so that no other signature of the same key can pass.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from service.errors import InvalidToken

TOKEN_CHARS = 32
ID_CHARS = 16
ID_BYTES = 10
MAC_BYTES = 10
PURPOSE_PREVIEW = b"tripbook-preview"
KEY_FILE = "secret.key"
CALLER_PREFIX = "tb_"


@dataclass(frozen=True, slots=True)
class Promise:
    """What a preview token vouches for. `expires` is the instant as text, `audience` as stored."""

    preview_id: str
    action: str
    caller_id: str
    album_id: str
    album_name: str
    description: str
    count: int
    digest: str
    audience: dict[str, Any]
    expires: str


def new_id() -> str:
    """16 random characters, 80 bits."""
    return _encode(secrets.token_bytes(ID_BYTES))


def sign_preview(keys: Sequence[str], promise: Promise) -> str:
    """The token of a preview, signed with the newest key."""
    return promise.preview_id + _encode(_mac(keys[0], promise))


def read_preview_id(token: str) -> str:
    """The preview's id in a token of canonical spelling. Raises InvalidToken for any other text."""
    if len(token) == TOKEN_CHARS and token.isascii():
        try:
            raw = base64.b32decode(token.upper())
        except binascii.Error:
            raw = b""
        if raw and _encode(raw) == token:
            return token[:ID_CHARS]
    raise InvalidToken("The preview token is not complete; copy all 32 characters exactly, or make a new preview.")


def check_preview(keys: Sequence[str], token: str, promise: Promise) -> None:
    """Raises InvalidToken unless one of the keys signed exactly this promise."""
    given = base64.b32decode(token[ID_CHARS:].upper())
    if not any(hmac.compare_digest(given, _mac(key, promise)) for key in keys):
        raise forged()


def forged() -> InvalidToken:
    """One answer for unknown, forged, foreign and misused tokens: it tells a guesser nothing."""
    return InvalidToken("This preview token is not valid here; make a new preview and use its token.")


def _mac(key: str, promise: Promise) -> bytes:
    message = json.dumps(asdict(promise), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    derived = hashlib.blake2b(key.encode(), digest_size=32).digest()
    return hashlib.blake2b(message.encode(), key=derived, digest_size=MAC_BYTES, person=PURPOSE_PREVIEW).digest()


def _encode(raw: bytes) -> str:
    return base64.b32encode(raw).decode().lower()


def new_caller_token() -> str:
    """A caller's bearer token: `tb_` and 256 random bits."""
    return CALLER_PREFIX + secrets.token_urlsafe(32)


def hash_caller_token(token: str) -> str:
    """What is stored of a caller's token. It has 256 random bits, so a plain SHA-256 is enough."""
    return hashlib.sha256(token.encode()).hexdigest()


def load_keys(configured: Sequence[str], data_dir: Path) -> tuple[str, ...]:
    """SECRET_KEY's keys, or the one in DATA_DIR, made at first start and readable by its owner only."""
    if configured:
        return tuple(configured)
    path = data_dir / KEY_FILE
    if not path.exists():
        _write_once(path, secrets.token_urlsafe(32))
    return (path.read_text().strip(),)


def _write_once(path: Path, key: str) -> None:
    """Written aside and linked into place: of simultaneous starters one wins, and none reads half a key."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    aside = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(key + "\n")
    try:
        os.link(aside, path)
    except FileExistsError:
        pass
    finally:
        aside.unlink()
