"""Node-RED imports the example flow and runs it: an HTTP request to the flow becomes one to Tripbook."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import contract

MODULES = Path(sys.argv[1]) / "node_modules"
FLOW = Path(os.environ["TRIPBOOK_ROOT"]) / "docs/examples/node-red-flow.json"
SETTINGS = """module.exports = {{ uiHost: "127.0.0.1", uiPort: {port}, httpAdminRoot: false, flowFile: "flow.json",
  credentialSecret: false, logging: {{ console: {{ level: "warn" }} }}, telemetry: {{ enabled: false }} }};
"""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port


def ask(port: int, state: str) -> dict[str, Any]:
    """The flow's answer; it passes Tripbook's status on."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/photos-of?state={state}", timeout=30) as answer:
            found: dict[str, Any] = json.load(answer)
    except urllib.error.HTTPError as error:
        found = json.load(error)
    return found


def ask_when_ready(port: int) -> dict[str, Any]:
    for _ in range(150):
        try:
            return ask(port, "Maine")
        except (OSError, ValueError):  # not listening, or listening without its flows
            time.sleep(0.2)
    raise AssertionError("Node-RED did not start")


def main() -> None:
    folder, port = Path(os.environ["PROBE_FOLDER"]) / "node-red", free_port()
    folder.mkdir()
    shutil.copy(FLOW, folder / "flow.json")
    (folder / "settings.js").write_text(SETTINGS.format(port=port))
    places = ["--userDir", str(folder), "--settings", str(folder / "settings.js")]
    process = subprocess.Popen(["node", str(MODULES / "node-red" / "red.js"), *places],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    try:
        assert ask_when_ready(port)["total"] == 398
        assert ask(port, "Mane")["error"] == "unknown_place"
    finally:
        process.terminate()
        process.wait(30)
    version = json.loads((MODULES / "node-red" / "package.json").read_text())["version"]
    contract.report("Node-RED (importable flow)", version, seen=1, played="search", loses=[])


main()
