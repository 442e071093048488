"""Schemathesis against the running demo, all checks; the two relaxed ones stand in tests/schemathesis.toml."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Figure
from tests.processes import ROOT, command, environment, running

CONFIG = ROOT / "tests" / "schemathesis.toml"


def generate(url: str, document: str, token: str, folder: Path, examples: int) -> str:
    """Runs schemathesis; its whole report."""
    done = subprocess.run(
        [
            str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(CONFIG), "run",
            f"{url}/{document}", "-H", f"Authorization: Bearer {token}", "-n", str(examples), "--seed", "1",
        ],
        cwd=folder, env=environment(NO_COLOR="1"), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]
    return done.stdout


def reader_token(ready: dict[str, str]) -> str:
    """A token for the running demo that may only read."""
    needed = {name.upper(): ready[name] for name in ("immich_url", "immich_api_key", "data_dir")}
    made = command("clients", "add", "reader", "--scope", "read", **needed)
    return re.search(r"tb_\S+", made.stdout + made.stderr).group()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("document", "scope"), [("openapi.json", "write"), ("openapi.json", "read"), ("openapi-full.json", "write")]
)
def test_generated_requests_find_no_undocumented_answer(
    tmp_path: Path, document: str, scope: str, figure: Figure
) -> None:
    with running(["service", "demo", "--port", "0", "--json"], tmp_path) as demo:
        token = demo.ready["token"] if scope == "write" else reader_token(demo.ready)
        report = generate(demo.ready["url"], document, token, tmp_path, 15)
    found = re.search(r"(\d+) generated, (\d+) passed", report)
    assert found is not None
    assert found.group(1) == found.group(2)
    assert int(found.group(1)) > 400
    figure(f"schemathesis, {document}, token with {scope}: {found.group(0)}")
