"""Where Tripbook is and whose token to send: from the environment, else from a file only its owner can read."""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from clients.http import clean_token, clean_url

URL_VARIABLE = "TRIPBOOK_URL"
TOKEN_VARIABLE = "TRIPBOOK_TOKEN"  # noqa: S105 - the name of a variable
FILE_VARIABLE = "TRIPBOOK_CONFIG"


class ConfigError(Exception):
    """What is missing or wrong, and the remedy; never the token."""


@dataclass(frozen=True, slots=True)
class Config:
    url: str
    token: str


def load_config(environment: Mapping[str, str] = os.environ) -> Config:
    """Each value from its variable, else from the file. Raises ConfigError."""
    path = config_path(environment)
    from_file = _read_file(path) if path.is_file() and not _both_set(environment) else {}
    url = environment.get(URL_VARIABLE, "").strip() or from_file.get("url", "")
    token = environment.get(TOKEN_VARIABLE, "").strip() or from_file.get("token", "")
    for name, value in ((URL_VARIABLE, url), (TOKEN_VARIABLE, token)):
        if not value:
            raise ConfigError(f"{name} is missing: set it, or write url and token into {path} (mode 0600).")
    try:
        return Config(clean_url(url), clean_token(token))
    except ValueError as error:
        raise ConfigError(f"{error}.") from None


def config_path(environment: Mapping[str, str] = os.environ) -> Path:
    """TRIPBOOK_CONFIG, else `tripbook/config.toml` in the user's configuration folder."""
    if given := environment.get(FILE_VARIABLE, "").strip():
        return Path(given)
    home = environment.get("XDG_CONFIG_HOME", "").strip() or Path(environment.get("HOME", "~")).expanduser() / ".config"
    return Path(home) / "tripbook" / "config.toml"


def _both_set(environment: Mapping[str, str]) -> bool:
    return all(environment.get(name, "").strip() for name in (URL_VARIABLE, TOKEN_VARIABLE))


def _read_file(path: Path) -> dict[str, str]:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise ConfigError(f"Others can read {path} (mode {mode:04o}), and it holds a token: run chmod 600 {path}")
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise ConfigError(f'{path} cannot be read; it should hold two lines: url = "…" and token = "…"') from None
    return {name: value.strip() for name, value in values.items() if isinstance(value, str)}
