"""Which consumers there are, and how each is run: its environment, its probe, and whether it needs a service."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.consumers.environments import HERE, ROOT, node_modules_of, python_of
from tests.processes import environment, running
from tests.qwen import count_tokens, count_tools

PROBE_SECONDS = 180
Result = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Consumer:
    """`command` gives the probe's command line, and makes its environment where that is missing."""

    name: str
    command: Callable[[], list[str]]
    serves: bool = True


def python_probe(name: str, probe: str, *unresolved: str) -> Consumer:
    return Consumer(probe, lambda: [str(python_of(name, *unresolved)), str(HERE / "probes" / f"{probe}.py")])


def node_probe(name: str, probe: str, *, serves: bool = True) -> Consumer:
    return Consumer(
        probe,
        lambda: [sys.executable, str(HERE / "probes" / f"{probe}.py"), str(node_modules_of(name))],
        serves=serves,
    )


CONSUMERS = (
    python_probe("openwebui", "open_webui", "openwebui-wheel"),
    python_probe("fastmcp", "fastmcp_openapi"),
    python_probe("mcp2", "mcp_sdk2"),
    python_probe("mcp1", "mcp_sdk1"),
    python_probe("langchain", "langchain_tools"),
    python_probe("adapters", "langchain_adapters"),
    python_probe("llamaindex", "llamaindex_spec"),
    python_probe("generators", "generated_python"),
    node_probe("npm", "generated_typescript"),
    node_probe("npm", "linters", serves=False),
    node_probe("node-red", "node_red"),
)


def run_consumer(consumer: Consumer) -> list[Result]:
    """The results of one probe, against a demo of its own. Raises RuntimeError with the probe's output."""
    command = consumer.command()
    with tempfile.TemporaryDirectory(prefix="tripbook-consumer-") as folder:
        if not consumer.serves:
            return _probe(command, Path(folder))
        with running(["service", "demo", "--port", "0", "--json"], Path(folder)) as demo:
            return _probe(command, Path(folder), TRIPBOOK_URL=demo.ready["url"], TRIPBOOK_TOKEN=demo.ready["token"])


def _probe(command: list[str], folder: Path, **extra: str) -> list[Result]:
    given = environment(
        PYTHONPATH=f"{HERE / 'probes'}{os.pathsep}{ROOT}", TRIPBOOK_PYTHON=sys.executable, TRIPBOOK_ROOT=str(ROOT),
        PROBE_FOLDER=str(folder), **extra,
    )  # fmt: skip
    done = subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, check=False,
                          timeout=PROBE_SECONDS)  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{done.stdout}\n{done.stderr}"[-6_000:])
    return [_measure(json.loads(line)) for line in done.stdout.splitlines() if line.startswith('{"client"')]


def _measure(result: Result) -> Result:
    """Tokens instead of the texts they were counted in."""
    tools, text = result.pop("tools", None), result.pop("text", None)
    if tools is not None:
        return result | {"seen": len(tools), "tokens": count_tools(tools)}
    return result | ({"tokens": count_tokens(text)} if text else {})
