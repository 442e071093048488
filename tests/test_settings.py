"""Settings: forgiving addresses, one line per wrong variable, and never a secret in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from service.settings import SettingsError, load_settings

GOOD: dict[str, Any] = {"immich_url": "http://h:2283", "immich_api_key": "k3y-SECRET-9"}


def test_missing_variables_are_named_one_per_line() -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert str(caught.value).splitlines() == ["IMMICH_API_KEY: is missing", "IMMICH_URL: is missing"]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("IMMICH_URL", "h:2283", "must look like http://host:2283"),
        ("IMMICH_URL", "ftp://h", "must look like"),
        ("IMMICH_URL", "http://me:pw@h", "must not hold a user name or password"),
        ("IMMICH_API_KEY", "  ", "is missing"),
        ("IMMICH_API_KEY", '"k3y-SECRET-9"', "has quotes"),
        ("IMMICH_API_KEY", "k3y SECRET 9", "no API key has"),
        ("IMMICH_TIMEZONE", "Mars/Olympus", "is no time zone"),
        ("IMMICH_API_STYLE", "modern", "legacy"),
        ("IMMICH_CA_FILE", "/nowhere/ca.pem", "is no file"),
        ("ENABLE_WRITES", "perhaps", "boolean"),
        ("MAX_WRITE", "0", "greater than or equal to 1"),
        ("PREVIEW_TTL", "10", "longer than REQUEST_DEADLINE"),
        ("SECRET_KEY", "short-SECRET", "at least 16 characters"),
        ("LOG_FORMAT", "xml", "text"),
        ("DATABASE_URL", "nonsense", "sqlite+aiosqlite"),
        ("DATABASE_URL", "postgresql://me:SECRET@h/db", "sqlite+aiosqlite"),
        ("IMMICH_CA_FILE", __file__, "no PEM file"),
        ("DATA_DIR", __file__, "no folder"),
        ("TRUSTED_PROXIES", "proxy.example", "addresses or networks"),
        ("RATE_LIMIT", "many", "1200/minute"),
    ],
)
def test_a_wrong_value_is_one_line(monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str) -> None:
    for key, good in GOOD.items():
        monkeypatch.setenv(key.upper(), good)
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    (line,) = str(caught.value).splitlines()
    assert said in line
    assert line.startswith(f"{name}: ") or name == "PREVIEW_TTL"
    assert "SECRET" not in line.removeprefix(name)


def test_defaults_and_derived_values() -> None:
    settings = load_settings(**GOOD, tz="Europe/Berlin")
    assert settings.public_url == "http://h:2283"
    assert settings.zone.key == "Europe/Berlin"
    assert not settings.enable_writes
    assert settings.database == "sqlite+aiosqlite:///data/tripbook.db"
    assert load_settings(**GOOD, tz=":/etc/localtime").zone.key == "UTC"
    assert load_settings(**GOOD, immich_timezone="Asia/Tokyo", tz="UTC").zone.key == "Asia/Tokyo"


def test_a_key_with_a_line_end_is_stripped() -> None:
    assert load_settings(immich_url="http://h", immich_api_key="abc\n").immich_api_key.get_secret_value() == "abc"


def test_lists_and_keys() -> None:
    settings = load_settings(**GOOD, allowed_hosts="a.example, b.example", secret_key="x" * 16 + " , " + "y" * 16)
    assert settings.allowed_hosts == ("a.example", "b.example")
    assert settings.signing_keys == ("x" * 16, "y" * 16)


def test_secrets_are_not_in_the_text_of_settings() -> None:
    assert "SECRET" not in repr(load_settings(**GOOD, secret_key="SECRET" * 4))


def test_every_variable_is_in_the_docs() -> None:
    from service.settings import Settings

    page = (Path(__file__).parents[1] / "docs" / "configuration.md").read_text()
    missing = [name.upper() for name in Settings.model_fields if f"`{name.upper()}`" not in page]
    assert missing == []
