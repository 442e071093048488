"""Schemathesis against the running demo, all checks; the two relaxed ones stand in tests/schemathesis.toml."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Figure
from tests.processes import ROOT, environment, running

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


@pytest.mark.parametrize("document", ["openapi.json", "openapi-full.json"])
def test_generated_requests_find_no_undocumented_answer(tmp_path: Path, document: str, figure: Figure) -> None:
    with running(["service", "demo", "--port", "0", "--json"], tmp_path) as demo:
        report = generate(demo.ready["url"], document, demo.ready["token"], tmp_path, 15)
    found = re.search(r"(\d+) generated, (\d+) passed", report)
    assert found is not None
    assert found.group(1) == found.group(2)
    assert int(found.group(1)) > 400
    figure(f"schemathesis, {document}: {found.group(0)}")
