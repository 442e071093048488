"""Address and token: from the environment, else from a file that nobody else can read."""

from __future__ import annotations

from pathlib import Path

import pytest

from clients.config import Config, ConfigError, load_config

SECRET = "tb_secret_of_the_file"


def write(folder: Path, text: str, mode: int = 0o600) -> dict[str, str]:
    path = folder / "config.toml"
    path.write_text(text)
    path.chmod(mode)
    return {"TRIPBOOK_CONFIG": str(path)}


def test_the_environment_wins_value_by_value(tmp_path: Path) -> None:
    environment = write(tmp_path, f'url = "http://file:8000/"\ntoken = "{SECRET}"\n')
    assert load_config(environment) == Config("http://file:8000", SECRET)
    assert load_config(environment | {"TRIPBOOK_URL": "https://other"}) == Config("https://other", SECRET)
    assert load_config(environment | {"TRIPBOOK_TOKEN": "tb_x"}) == Config("http://file:8000", "tb_x")


def test_the_file_is_where_the_system_keeps_configuration(tmp_path: Path) -> None:
    folder = tmp_path / "tripbook"
    folder.mkdir()
    write(folder, f'url = "http://file"\ntoken = "{SECRET}"\n')
    assert load_config({"XDG_CONFIG_HOME": str(tmp_path)}) == Config("http://file", SECRET)
    (tmp_path / ".config").symlink_to(tmp_path)
    assert load_config({"HOME": str(tmp_path)}) == Config("http://file", SECRET)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620, 0o666])
def test_a_file_that_others_can_read_is_refused_with_the_remedy(tmp_path: Path, mode: int) -> None:
    environment = write(tmp_path, f'url = "http://file"\ntoken = "{SECRET}"\n', mode)
    with pytest.raises(ConfigError, match=r"run chmod 600 /.*config\.toml") as refused:
        load_config(environment)
    assert SECRET not in str(refused.value)
    given = environment | {"TRIPBOOK_URL": "http://x", "TRIPBOOK_TOKEN": "tb_x"}
    assert load_config(given) == Config("http://x", "tb_x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "TRIPBOOK_URL is missing"),
        ('url = "http://x"', "TRIPBOOK_TOKEN is missing"),
        ('url = 7\ntoken = "x"', "TRIPBOOK_URL is missing"),
        (f"url = http://x\ntoken = {SECRET}", "cannot be read; it should hold two lines"),
        (f'url = "x"\ntoken = "{SECRET}"', "must look like http://host:8000"),
        (f'url = "http://x"\ntoken = "{SECRET} b"', "characters that no token has"),
    ],
)
def test_what_is_missing_or_wrong_is_named_without_the_token(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as refused:
        load_config(write(tmp_path, text))
    assert SECRET not in str(refused.value)
