"""Open WebUI: its own converter and caller, taken out of the installed wheel; the module itself needs a server.

What its chat middleware does before a call, dropping arguments that the schema does not know, is done here too.
"""

from __future__ import annotations

import ast
import asyncio
import base64
import copy
import json
import logging
from importlib.metadata import files, version
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import aiohttp
import contract

WANTED = {"resolve_schema", "convert_openapi_to_tool_payload", "clean_properties", "clean_openai_tool_schema",
          "execute_tool_server", "OPENAPI_HTTP_METHODS"}  # fmt: skip


def load() -> dict[str, Any]:
    """The wanted definitions, run with what they refer to."""
    source = next(file for file in files("open-webui") or () if str(file) == "open_webui/utils/tools.py")
    tree = ast.parse(Path(str(source.locate())).read_text())
    taken = [node for node in tree.body if _name(node) in WANTED]
    assert {_name(node) for node in taken} == WANTED
    names: dict[str, Any] = {
        "aiohttp": aiohttp, "asyncio": asyncio, "base64": base64, "copy": copy, "quote": quote,
        "urlencode": urlencode, "Any": Any, "log": logging.getLogger("open_webui"), "ENABLE_TOOL_SERVERS": True,
        "AIOHTTP_CLIENT_TIMEOUT_TOOL_SERVER": None, "AIOHTTP_CLIENT_SESSION_TOOL_SERVER_SSL": True,
        "AIOHTTP_CLIENT_ALLOW_REDIRECTS": False,
    }  # fmt: skip
    exec(compile(ast.Module(taken, type_ignores=[]), str(source), "exec"), names)
    return names


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return node.name
    return node.targets[0].id if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) else ""


async def main() -> None:
    logging.getLogger("open_webui").setLevel(logging.ERROR)
    webui, document = load(), contract.fetch_document()
    payload = webui["convert_openapi_to_tool_payload"](document)
    specs = {spec["name"]: webui["clean_openai_tool_schema"](spec) for spec in payload}
    headers = {"Authorization": f"Bearer {contract.TOKEN}", "Content-Type": "application/json"}

    async def call(name: str, arguments: dict[str, Any]) -> tuple[bool, str]:
        known = specs[name]["parameters"]["properties"]
        body, _ = await webui["execute_tool_server"](
            url=contract.URL, headers=headers, cookies={}, name=name, server_data={"openapi": document},
            params={key: value for key, value in arguments.items() if key in known},
        )  # fmt: skip
        assert body, "Open WebUI drops an empty result"
        return "error" not in body, body["error"] if "error" in body else json.dumps(body)

    for empty in ("", None, "null"):
        ok, text = await call("search_photos", {"state": "Maine", "city": empty, "person": empty})
        assert ok, text
    tools = [contract.tool(spec["name"], spec["description"], spec["parameters"]) for spec in specs.values()]
    await contract.probe("Open WebUI (OpenAPI tool server)", version("open-webui"), tools, call)


contract.run(main)
