"""The commands as a new user runs them: real processes, real sockets, real signals."""

from __future__ import annotations

import stat
from pathlib import Path

import httpx
import pytest

from tests.harness import PATHS
from tests.processes import Running, command, running


def search(url: str, token: str) -> httpx.Response:
    headers = {"authorization": f"Bearer {token}"}
    return httpx.post(url + PATHS["search_photos"], json={"state": "maine"}, headers=headers, timeout=30)


@pytest.mark.parametrize("version", ["2.5.6", "3.1.0", "3.3.1"])
def test_the_demo_answers_and_ends(tmp_path: Path, version: str) -> None:
    with running(["service", "demo", "--port", "0", "--json", "--immich-version", version], tmp_path) as demo:
        ready = demo.ready
        assert set(ready) == {
            "url", "docs_url", "review_url", "token", "approve_token", "immich_url", "immich_api_key", "data_dir",
        }  # fmt: skip
        assert search(ready["url"], ready["token"]).json()["total"] == 398
        assert httpx.get(ready["docs_url"]).status_code == 200
        folder = Path(ready["data_dir"])
        assert stat.S_IMODE((folder / "secret.key").stat().st_mode) == 0o600
        assert demo.stop() == 0
        assert not folder.exists()
        for url in (ready["url"], ready["immich_url"]):
            with pytest.raises(httpx.ConnectError):
                httpx.get(url)
        assert ready["token"] not in demo.log.read_text()


def serving(demo: Running, tmp_path: Path, **extra: str) -> dict[str, str]:
    return {
        "IMMICH_URL": demo.ready["immich_url"],
        "IMMICH_API_KEY": demo.ready["immich_api_key"],
        "DATA_DIR": str(tmp_path / "data"),
        "ENABLE_WRITES": "true",
    } | extra


def test_serve_in_front_of_a_real_address_with_a_client_of_its_own(tmp_path: Path) -> None:
    with running(["service", "demo", "--port", "0", "--json"], tmp_path) as demo:
        env = serving(demo, tmp_path, LOG_FORMAT="json")
        added = command("clients", "add", "agent", "--scope", "read", "--scope", "write", **env)
        token = added.stdout.strip()
        assert added.returncode == 0
        assert token.startswith("tb_")
        assert "agent\tread,write" in command("clients", "list", **env).stdout
        with running(["service", "serve", "--port", "0", "--json"], tmp_path, **env) as service:
            assert search(service.ready["url"], token).json()["total"] == 398
            rotated = command("clients", "rotate", "agent", **env).stdout.strip()
            assert search(service.ready["url"], token).status_code == 401
            assert search(service.ready["url"], rotated).status_code == 200
            assert command("clients", "revoke", "agent", **env).returncode == 0
            assert search(service.ready["url"], rotated).status_code == 401
            assert service.stop() == 0
            log = service.log.read_text()
        for secret in (token, rotated, demo.ready["immich_api_key"]):
            assert secret not in log
        assert token.encode() not in (tmp_path / "data" / "tripbook.db").read_bytes()


def test_a_wrong_environment_stops_the_start_with_one_line_per_variable(tmp_path: Path) -> None:
    failed = command("serve", IMMICH_API_KEY="k3y-SECRET-9", MAX_WRITE="many", DATA_DIR=str(tmp_path))
    assert failed.returncode == 1
    lines = failed.stderr.splitlines()
    assert lines[0] == "Tripbook cannot start:"
    assert [line.partition(":")[0] for line in lines[1:]] == ["IMMICH_URL", "MAX_WRITE"]
    assert "SECRET" not in failed.stderr
    assert "Traceback" not in failed.stderr


def test_clients_are_refused_in_plain_words(tmp_path: Path) -> None:
    env = {"IMMICH_URL": "http://127.0.0.1:9", "IMMICH_API_KEY": "x", "DATA_DIR": str(tmp_path / "data")}
    both = command("clients", "add", "both", "--scope", "write", "--scope", "approve", **env)
    assert (both.returncode, both.stdout) == (1, "")
    assert "never go on one token" in both.stderr
    assert command("clients", "add", "a b", "--scope", "read", **env).returncode == 1
    assert command("clients", "add", "a", "--scope", "everything", **env).returncode == 1
    assert command("clients", "revoke", "nobody", **env).returncode == 1
    assert "No clients yet" in command("clients", "list", **env).stdout


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with running(["service", "demo", "--port", "0", "--json"], tmp_path) as demo:
        port = demo.ready["url"].rpartition(":")[2]
        failed = command("demo", "--port", port)
        assert failed.returncode == 1
        assert f"Cannot listen on 127.0.0.1:{port}" in failed.stderr


def test_openapi_json_is_current() -> None:
    checked = command("openapi", "--check")
    assert checked.returncode == 0, checked.stderr


def test_the_demo_needs_nothing_and_takes_nothing_from_the_environment(tmp_path: Path) -> None:
    failed = command("demo", "--immich-version", "x.y")
    assert (failed.returncode, "Traceback" in failed.stderr) == (1, False)
    assert "write one like 2.5.6" in failed.stderr
    with running(["service", "demo", "--port", "0", "--json"], tmp_path, MAX_SCAN="abc", ENABLE_WRITES="no") as demo:
        assert search(demo.ready["url"], demo.ready["token"]).json()["truncated"] is False
