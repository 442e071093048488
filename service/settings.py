"""Every environment variable of the service, one description each. Nothing else reads the environment."""

from __future__ import annotations

import os
import re
import ssl
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

REQUIRED = "is missing"
WordList = Annotated[tuple[str, ...], NoDecode]


class SettingsError(Exception):
    """One line per wrong variable; never a value of a secret."""


class Settings(BaseSettings):
    """Names are the environment's, in capitals. Times are seconds unless the name says otherwise."""

    model_config = SettingsConfigDict(extra="ignore", str_strip_whitespace=True, frozen=True)

    immich_url: str = Field(
        description="Address of the Immich server as this service reaches it; `/`, `/api` and sub-paths are fine."
    )
    immich_api_key: SecretStr = Field(
        description="API key with album.read, asset.read, asset.statistics, person.read; for writing also "
        "album.create and albumAsset.create."
    )
    immich_public_url: str = Field("", description="Address people open Immich at, for links; default IMMICH_URL.")
    immich_timezone: str = Field("", description="Time zone of assets without a local time; default TZ, then UTC.")
    tz: str = Field("", description="Used when IMMICH_TIMEZONE is not set.")
    immich_api_style: Literal["", "legacy", "filter"] = Field(
        "", description="Search style: `legacy` below Immich 3.2, `filter` from 3.2 on; default by version."
    )
    immich_ca_file: Path | None = Field(None, description="PEM file of the authority that signed Immich's certificate.")
    immich_timeout: float = Field(20.0, gt=0, le=300, description="Longest wait for one answer of Immich.")
    immich_concurrency: int = Field(4, ge=1, le=16, description="Requests to Immich side by side.")
    request_deadline: float = Field(25.0, gt=0, le=600, description="Longest time one request may read.")
    enable_writes: bool = Field(False, description="`true` allows previews and confirms.")
    max_scan: int = Field(50_000, ge=1, le=1_000_000, description="Most assets read for one summary.")
    max_write: int = Field(2_000, ge=1, le=100_000, description="Most photos in one preview.")
    write_chunk: int = Field(500, ge=1, le=1_000, description="Photos added to an album per Immich request.")
    preview_ttl: int = Field(3_600, ge=10, le=604_800, description="How long a preview can be confirmed.")
    data_dir: Path = Field(Path("data"), description="Folder of the database and the key file.")
    database_url: str = Field("", description="SQLite file as an SQLAlchemy URL; default one under DATA_DIR.")
    secret_key: SecretStr = Field(
        SecretStr(""),
        description="Keys that sign preview tokens, comma separated, newest first, each at least 16 characters; "
        "default a file under DATA_DIR made at first start.",
    )
    public_base_url: str = Field("", description="Address callers reach this service at, for links.")
    allowed_hosts: WordList = Field((), description="Host names to answer for, comma separated; default any.")
    cors_origins: WordList = Field((), description="Browser origins to allow, comma separated; default none.")
    trusted_proxies: WordList = Field(
        (), description="Addresses or networks of proxies whose X-Forwarded-For is believed, comma separated."
    )
    rate_limit: str = Field("1200/minute", description="Requests per client, like `1200/minute`.")
    log_format: Literal["text", "json"] = Field("text", description="`text` for people, `json` for machines.")

    @field_validator("allowed_hosts", "cors_origins", "trusted_proxies", mode="before")
    @classmethod
    def _split_words(cls, value: Any) -> Any:
        return tuple(word for word in value.replace(",", " ").split()) if isinstance(value, str) else value

    @field_validator("immich_ca_file", mode="before")
    @classmethod
    def _blank_is_none(cls, value: Any) -> Any:
        return None if isinstance(value, str) and not value.strip() else value

    @field_validator("immich_ca_file")
    @classmethod
    def _file_exists(cls, value: Path | None) -> Path | None:
        if value is not None and not value.is_file():
            raise ValueError("is no file")
        try:
            ssl.create_default_context(cafile=str(value) if value else None)
        except ssl.SSLError as error:
            raise ValueError("is no PEM file of certificates") from error
        return value

    @field_validator("data_dir")
    @classmethod
    def _folder_usable(cls, value: Path) -> Path:
        there = next((one for one in (value, *value.absolute().parents) if one.exists()), None)
        if there is None or not there.is_dir() or not os.access(there, os.W_OK):
            raise ValueError("is no folder that can be written to")
        return value

    @field_validator("database_url")
    @classmethod
    def _database_known(cls, value: str) -> str:
        if value and not value.startswith("sqlite+aiosqlite:///"):
            raise ValueError("must look like sqlite+aiosqlite:////data/tripbook.db")
        return value

    @field_validator("immich_url", "immich_public_url", "public_base_url")
    @classmethod
    def _clean_url(cls, value: str) -> str:
        url = value.strip().rstrip("/")
        if not url:
            return ""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("must look like http://host:2283")
        if parts.username or parts.password:
            raise ValueError("must not hold a user name or password")
        return url

    @field_validator("immich_url", "immich_public_url")
    @classmethod
    def _without_api(cls, value: str) -> str:
        return value.removesuffix("/api").rstrip("/")

    @field_validator("immich_url")
    @classmethod
    def _url_given(cls, value: str) -> str:
        if not value:
            raise ValueError(REQUIRED)
        return value

    @field_validator("immich_api_key")
    @classmethod
    def _key_given(cls, value: SecretStr) -> SecretStr:
        key = value.get_secret_value().strip()
        if not key:
            raise ValueError(REQUIRED)
        if key[0] in "\"'" or key[-1] in "\"'":
            raise ValueError("has quotes around it; remove them")
        if not key.isascii() or not key.isprintable() or " " in key:
            raise ValueError("has characters that no API key has")
        return SecretStr(key)

    @field_validator("secret_key")
    @classmethod
    def _keys_long_enough(cls, value: SecretStr) -> SecretStr:
        if any(len(key) < 16 for key in split_keys(value)):
            raise ValueError("needs at least 16 characters per key")
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for word in value:
            try:
                ip_network(word, strict=False)
            except ValueError as error:
                raise ValueError("must be addresses or networks like 10.0.0.1 or 172.16.0.0/12") from error
        return value

    @field_validator("rate_limit")
    @classmethod
    def _rate_readable(cls, value: str) -> str:
        if not re.fullmatch(r"[1-9][0-9]{0,6}/(second|minute|hour)", value):
            raise ValueError("must look like 1200/minute")
        return value

    @field_validator("immich_timezone")
    @classmethod
    def _zone_known(cls, value: str) -> str:
        if value and not is_time_zone(value):
            raise ValueError("is no time zone, write one like Europe/Berlin")
        return value

    @field_validator("tz")
    @classmethod
    def _system_zone(cls, value: str) -> str:
        """TZ belongs to the system and may hold a path or a POSIX rule; those are passed over."""
        return value if is_time_zone(value) else ""

    @model_validator(mode="after")
    def _deadline_fits(self) -> Settings:
        if self.request_deadline >= self.preview_ttl:
            raise ValueError("PREVIEW_TTL must be longer than REQUEST_DEADLINE")
        return self

    @property
    def public_url(self) -> str:
        """Base of links to albums and photos."""
        return self.immich_public_url or self.immich_url

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.immich_timezone or self.tz or "UTC")

    @property
    def preview_lifetime(self) -> timedelta:
        return timedelta(seconds=self.preview_ttl)

    @property
    def database(self) -> str:
        return self.database_url or f"sqlite+aiosqlite:///{self.data_dir / 'tripbook.db'}"

    @property
    def signing_keys(self) -> tuple[str, ...]:
        return split_keys(self.secret_key)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be seen in a log, an answer or a page."""
        return (self.immich_api_key.get_secret_value(), *self.signing_keys)


class DemoSettings(Settings):
    """Settings of the demo: it needs nothing, so nothing of the environment reaches it."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)


def is_time_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        return False
    return True


def split_keys(value: SecretStr) -> tuple[str, ...]:
    return tuple(key.strip() for key in value.get_secret_value().split(",") if key.strip())


def load_settings(kind: type[Settings] = Settings, **overrides: Any) -> Settings:
    """The settings from the environment. Raises SettingsError with one line per wrong variable."""
    try:
        return kind(**overrides)
    except ValidationError as error:
        lines = sorted({_line(item["loc"], item["msg"], item["type"]) for item in error.errors(include_input=False)})
        raise SettingsError("\n".join(lines)) from None


def _line(loc: tuple[int | str, ...], message: str, kind: str) -> str:
    text = REQUIRED if kind == "missing" else message.removeprefix("Value error, ")
    return f"{str(loc[0]).upper()}: {text}" if loc else text
