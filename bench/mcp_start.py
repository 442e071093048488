"""How long until `python -m clients mcp` answers: `initialize`, then `tools/list` of a running service.

    python bench/mcp_start.py [RUNS]

Starts the demo, then the stdio server RUNS times (default 7), and prints the median and worst in seconds. With
bytecode compiled, as installed; a client that waits longer than a second starts its first turn without tools.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
HELLO: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}
REST: tuple[dict[str, Any], ...] = (
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)


def start_once(environment: dict[str, str]) -> tuple[float, float]:
    """Seconds from the start of the process to each of the two answers."""
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "clients", "mcp"], cwd=ROOT, env=environment, text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(HELLO) + "\n")
    process.stdin.flush()
    process.stdout.readline()
    ready = time.perf_counter() - started
    process.stdin.writelines(json.dumps(message) + "\n" for message in REST)
    process.stdin.flush()
    assert len(json.loads(process.stdout.readline())["result"]["tools"]) == 7
    listed = time.perf_counter() - started
    process.stdin.close()
    process.wait(30)
    return ready, listed


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    demo = subprocess.Popen([sys.executable, "-m", "service", "demo", "--port", "0", "--json"], cwd=ROOT, env=kept,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)  # fmt: skip
    assert demo.stdout is not None
    try:
        ready = json.loads(demo.stdout.readline())
        environment = kept | {"TRIPBOOK_URL": ready["url"], "TRIPBOOK_TOKEN": ready["token"]}
        start_once(environment)  # compiles
        times = [start_once(environment) for _ in range(runs)]
    finally:
        demo.terminate()
        demo.wait(30)
        demo.stdout.close()
    for name, column in zip(("initialize", "tools/list"), zip(*times, strict=True), strict=True):
        print(f"{name:<11} median {statistics.median(column):.2f} s, worst {max(column):.2f} s of {runs} starts")


if __name__ == "__main__":
    main()
