"""Documents become operations: ours whole, hostile ones only as far as they are harmless."""

from __future__ import annotations

from typing import Any

import pytest

from clients.spec import ALL_TOOLS, READ_TOOLS, WRITE_TOOLS, read_operations
from tests.clients.documents import OURS, TEXT, document, operation

READS = ["find_albums", "search_photos", "smart_search", "album_gaps"]
WRITES = ["preview_album", "create_album", "add_to_album"]
REQUESTS = "#/components/schemas/"


def names(found: dict[str, Any]) -> list[str]:
    return [operation.name for operation in read_operations(found)]


def test_our_document_has_four_reads_and_three_writes() -> None:
    assert [operation.name for operation in read_operations(OURS, READ_TOOLS)] == READS
    assert [operation.name for operation in read_operations(OURS, WRITE_TOOLS)] == WRITES
    assert [operation.name for operation in read_operations(OURS, ALL_TOOLS)] == READS + WRITES
    assert [operation.name for operation in read_operations(OURS) if operation.reads] == READS
    assert [operation.name for operation in read_operations(OURS, ["smart_search", "nothing"])] == ["smart_search"]


def test_slim_schemas_keep_names_types_enums_and_texts() -> None:
    for found in read_operations(OURS):
        reference = OURS["paths"][found.path]["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        whole = OURS["components"]["schemas"][reference.removeprefix(REQUESTS)]
        assert list(found.schema["properties"]) == list(whole["properties"])
        assert found.schema.get("required", []) == whole.get("required", [])
        for name, value in found.schema["properties"].items():
            kept = {key: whole["properties"][name].get(key) for key in value}
            assert value == kept
            assert set(value) <= {"type", "format", "enum", "description"}
        assert found.description == OURS["paths"][found.path]["post"]["description"]


@pytest.mark.parametrize("name", [None, "", "Look", "a__b", "ab", "9look", "x" * 41, "lo ok", "lo-ok", 7])
def test_an_operation_without_a_usable_name_is_left_out(name: Any) -> None:
    assert names(document({"/bad": operation(name), "/good": {"post": operation("good")}})) == ["good"]
    assert names(document({"/bad": {"post": operation(name)}, "/good": {"post": operation("good")}})) == ["good"]


@pytest.mark.parametrize(
    "path",
    ["//evil.example/x", "http://evil.example/x", "/../admin", "/v1/{id}", "/a?b=c", "/a#b", "@evil", "", "/a//b"],
)
def test_a_path_that_could_lead_elsewhere_is_left_out(path: str) -> None:
    assert names(document({path: {"post": operation()}})) == []


@pytest.mark.parametrize("method", ["get", "put", "delete", "patch", "trace", "POST"])
def test_only_post_is_a_tool(method: str) -> None:
    assert names(document({"/x": {method: operation()}})) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/components/schemas/Loop"},
        {"$ref": "#/components/schemas/Ping"},
        {"$ref": "#/nowhere"},
        {"$ref": "https://evil.example/schema.json"},
        {"$ref": 7},
        {"type": "object", "properties": {"x": {"$ref": "#/components/schemas/Loop"}}},
        {"type": "object", "properties": {"x": {"anyOf": [TEXT, {"type": "null"}]}}},
        {"type": "object", "properties": {"x": {"type": ["string", "null"]}}},
        {"type": "object", "properties": {"x": {"type": "object", "properties": {}}}},
        {"type": "object", "properties": {"x": {"type": "array"}}},
        {"type": "object", "properties": {"x": {"type": "array", "items": {"type": "array", "items": TEXT}}}},
        {"type": "object", "properties": {"x": {"type": "string", "enum": [{"deep": {}}]}}},
        {"type": "object", "properties": {f"x{n}": TEXT for n in range(1_000)}},
        {"type": "object", "properties": []},
        {"type": "array", "items": TEXT},
        "text",
        [],
    ],
)
def test_a_body_that_is_not_flat_is_left_out(schema: Any) -> None:
    loops = {"Loop": {"$ref": "#/components/schemas/Loop"}, "Ping": {"$ref": "#/components/schemas/Pong"}}
    hostile = document(
        {"/bad": {"post": operation("bad", schema=schema)}, "/good": {"post": operation("good")}},
        **loops,
        Pong={"$ref": "#/components/schemas/Ping"},
    )
    assert names(hostile) == ["good"]


def with_field(value: Any, name: str = "x", **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {name: value}} | more


@pytest.mark.parametrize(
    "schema",
    [
        with_field(TEXT, required=[{}]),
        with_field(TEXT, required=[["x"]]),
        with_field(TEXT, required="x"),
        with_field(TEXT, required=None),
        with_field(TEXT, required={"x": True}),
        with_field(TEXT, name=""),
        with_field(TEXT, name="x" * 41),
        with_field(TEXT, name="9x"),
        with_field(TEXT, name="a b"),
        with_field(TEXT, name="x\n"),
        with_field(TEXT, name="größe"),
        with_field({"type": "string", "enum": []}),
        with_field({"type": "string", "enum": [f"{n}" for n in range(101)]}),
        with_field({"type": "string", "enum": ["y" * 101]}),
        with_field({"type": "integer", "enum": [10**5_000]}),
        with_field({"type": "string", "enum": "abc"}),
        with_field({"type": "string", "format": "y" * 1_000}),
        with_field({"type": "string", "format": "regex"}),
        with_field({"type": "string", "format": {}}),
        with_field({"type": "string", "format": None}),
        with_field({"type": "array", "items": {"type": "string", "enum": []}}),
    ],
)
def test_a_body_of_hostile_parts_or_sizes_is_left_out_with_a_log_line(
    schema: Any, caplog: pytest.LogCaptureFixture
) -> None:
    hostile = document({"/bad": {"post": operation("bad", schema=schema)}, "/good": {"post": operation("good")}})
    assert names(hostile) == ["good"]
    (record,) = caplog.records
    assert record.getMessage().startswith("left out of the tools: post '/bad': ")
    assert len(record.getMessage()) < 200


def test_the_largest_that_is_taken() -> None:
    values = [f"{n:0100}" for n in range(100)]
    schema = with_field({"type": "string", "enum": values, "format": "date"}, name="x" * 40, required=["x" * 40] * 9)
    (found,) = read_operations(document({"/x": {"post": operation("look", schema=schema)}}))
    assert found.schema["properties"]["x" * 40] == {"type": "string", "format": "date", "enum": values}
    assert found.schema["required"] == ["x" * 40]


def test_parameters_beside_the_body_are_no_tool() -> None:
    path_item = {"post": operation("look", parameters=[{"name": "id", "in": "query"}])}
    assert names(document({"/x": path_item})) == []


@pytest.mark.parametrize("found", [None, [], "text", {}, {"paths": None}, {"paths": []}, {"paths": {"/x": None}}])
def test_what_is_no_document_has_no_operations(found: Any) -> None:
    assert read_operations(found) == []


def test_a_huge_document_gives_few_operations_with_short_texts() -> None:
    many = {f"/x{n}": {"post": operation(f"look_{n}", description="very " * 5_000)} for n in range(5_000)}
    found = read_operations(document(many))
    assert len(found) == 40
    assert max(len(operation.description) for operation in found) <= 1_000


def test_texts_come_on_one_line_and_noise_goes() -> None:
    noisy = {
        "type": "object",
        "title": "T",
        "additionalProperties": False,
        "required": ["x", "gone"],
        "properties": {"x": {"type": "string", "minLength": 1, "pattern": "x+", "description": "a\n b"}},
    }
    found = read_operations(document({"/x": {"post": operation("look", schema=noisy, description="Line\none.")}}))[0]
    assert found.schema == {
        "type": "object",
        "properties": {"x": {"type": "string", "description": "a b"}},
        "required": ["x"],
    }
    assert found.description == "Line one."


def test_the_first_of_two_equal_names_counts_and_untagged_is_a_write() -> None:
    twice = document({"/one": {"post": operation(tags=[])}, "/two": {"post": operation()}})
    found = read_operations(twice, ["look"])
    assert [(operation.path, operation.reads) for operation in found] == [("/one", False)]
    assert read_operations(twice, READ_TOOLS) == []
