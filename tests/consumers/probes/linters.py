"""spectral and redocly on openapi.json: not one finding."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import contract

MODULES = Path(sys.argv[1]) / "node_modules"
DOCUMENT = Path(os.environ["TRIPBOOK_ROOT"]) / "openapi.json"


def lint(tool: str, *arguments: str) -> str:
    done = subprocess.run(
        [str(MODULES / ".bin" / tool), "lint", str(DOCUMENT), *arguments], capture_output=True, text=True, check=False,
        env=os.environ | {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"},
    )  # fmt: skip
    assert done.returncode == 0, f"{tool}: {done.stdout}\n{done.stderr}"
    return done.stdout


def version_of(package: str) -> str:
    return str(json.loads((MODULES / package / "package.json").read_text())["version"])


Path(".spectral.yaml").write_text('extends: ["spectral:oas"]\n')
assert "No results" in lint("spectral", "--fail-severity=hint", "--ruleset", ".spectral.yaml")
totals = json.loads(lint("redocly", "--format=json"))["totals"]
assert (totals["errors"], totals["warnings"]) == (0, 0), totals
contract.report("spectral (`spectral:oas`)", version_of("@stoplight/spectral-cli"), loses=[])
contract.report("redocly (recommended)", version_of("@redocly/cli"), loses=[])
