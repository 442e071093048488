"""What a model server and its token budget demand of the slim schemas: ceilings, and llama.cpp's grammar rules."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.utils.function_calling import convert_to_openai_tool

from clients.http import compact
from clients.langchain_toolkit import load_tools
from clients.spec import ALL_TOOLS, Operation, read_operations
from service.demo.household import household
from tests.clients.documents import OURS
from tests.harness import tripbook
from tests.qwen import count_tokens, count_tools

OPERATIONS = read_operations(OURS)
PROMISED = 1_500
MEASURED = 1_375  # December 2026; whoever adds a word takes one away, or raises this knowingly
SUMMARY, WRITTEN = 600, 160


def test_the_tokenizer_is_qwens() -> None:
    assert count_tokens("hello world") == 2
    assert count_tokens("2026-08-02") == 10


async def test_all_seven_tools_fit_the_budget() -> None:
    tools = [convert_to_openai_tool(tool) for tool in await load_tools("http://x", "tb", allow=ALL_TOOLS, spec=OURS)]
    assert len(tools) == 7
    assert count_tools(tools) <= MEASURED <= PROMISED


def walk(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
        for value in node.values():
            yield from walk(value)
    elif isinstance(node, list):
        for value in node:
            yield from walk(value)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_llama_cpp_can_make_a_grammar_of_it(operation: Operation) -> None:
    """S3, S4, S11: one schema that its converter refuses answers 400 to the whole chat."""
    forbidden = {"$ref", "$defs", "anyOf", "oneOf", "allOf", "not", "pattern", "nullable", "minLength", "maxLength",
                 "minItems", "maxItems", "title", "default", "additionalProperties"}  # fmt: skip
    for field in operation.schema["properties"].values():
        for node in walk(field):
            assert not forbidden & set(node)
        assert field["type"] in ("string", "integer", "boolean", "array")
        assert field.get("items", {"type": "string"})["type"] == "string"
    assert operation.schema["type"] == "object"
    assert operation.schema["properties"]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_required_come_first_because_the_grammar_forces_the_order(operation: Operation) -> None:
    required = list(operation.schema.get("required", []))
    assert list(operation.schema["properties"])[: len(required)] == required


def test_the_whole_document_stays_below_the_repetitions_that_break_grammars() -> None:
    """Open WebUI and fastmcp pass the document's own bounds on."""
    for schema in walk(OURS["components"]["schemas"]):
        assert schema.get("minLength", 0) in (0, 1)
        assert schema.get("maxLength", 0) <= 500
        assert schema.get("maxItems", 0) <= 500
        assert "pattern" not in schema or isinstance(schema["pattern"], dict)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_names_fit_behind_every_clients_prefix(operation: Operation) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]{2,39}", operation.name)
    assert len(f"mcp__tripbook__{operation.name}") <= 64
    assert len(operation.description) <= 300


AUGUST = {"taken_after": "2026-08-02", "taken_before": "2026-08-09"}


async def test_the_summary_of_a_trip_is_small() -> None:
    async with tripbook(household()) as box:
        summary = await box.call("search_photos", state="Maine")
    assert (len(summary["clusters"]), len(summary["samples"])) == (2, 3)
    assert count_tokens(compact(summary)) <= SUMMARY


async def test_a_model_writes_little_to_make_an_album() -> None:
    """Both calls as Qwen's template has them; what a model writes is what a person waits for."""
    async with tripbook(household()) as box:
        preview = {"album_name": "Maine 2026"} | AUGUST
        shown = await box.call("preview_album", **preview)
        confirm = {"preview_token": shown["preview_token"], "expected_count": 455, "album_name": "Maine 2026"}
        await box.call("create_album", **confirm)
    calls = [("immich_preview_album", preview), ("immich_create_album", confirm)]
    written = "\n".join(json.dumps({"name": name, "arguments": arguments}) for name, arguments in calls)
    assert count_tokens(written) <= WRITTEN
