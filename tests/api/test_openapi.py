"""The OpenAPI document is the product's handle: what real clients need of it, as plain assertions."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from service.__main__ import OPENAPI_FILE
from service.demo.library import Library
from tests.harness import tripbook

DOCUMENT: dict[str, Any] = json.loads(OPENAPI_FILE.read_text())
SCHEMAS = DOCUMENT["components"]["schemas"]
OPERATIONS = {
    operation["operationId"]: (path, method, operation)
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
}
TOOLS = (
    "find_albums", "search_photos", "smart_search", "album_gaps", "preview_album", "create_album", "add_to_album",
)  # fmt: skip
CRITERIA = ["taken_after", "taken_before", "state", "city", "country", "person", "media", "favorites_only"]
FIELDS = {
    "find_albums": ["query", "limit"],
    "search_photos": [*CRITERIA, "samples"],
    "smart_search": ["query", *CRITERIA, "limit"],
    "album_gaps": ["album_id", "pad_days", *CRITERIA],
    "preview_album": ["album_name", "description", *CRITERIA],
    "create_album": ["preview_token", "expected_count", "album_name"],
    "add_to_album": ["preview_token", "expected_new_count", "album_name"],
}


def request_schema(name: str) -> dict[str, Any]:
    schema = OPERATIONS[name][2]["requestBody"]["content"]["application/json"]["schema"]
    return SCHEMAS[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def walk(node: Any) -> Any:
    """Every dict inside a schema."""
    if isinstance(node, dict):
        yield node
        for value in node.values():
            yield from walk(value)
    elif isinstance(node, list):
        for value in node:
            yield from walk(value)


def test_exactly_the_seven_tools() -> None:
    assert tuple(OPERATIONS) == TOOLS
    assert all(re.fullmatch(r"[a-z][a-z0-9_]{2,39}", name) and "__" not in name for name in OPERATIONS)
    assert {method for _, method, _ in OPERATIONS.values()} == {"post"}
    assert all("{" not in path for path, _, _ in OPERATIONS.values())
    assert all(not operation.get("parameters") for _, _, operation in OPERATIONS.values())


@pytest.mark.parametrize("name", TOOLS)
def test_request_schemas_are_flat_and_lean(name: str) -> None:
    schema = request_schema(name)
    assert list(schema["properties"]) == FIELDS[name]
    assert schema["additionalProperties"] is False
    required = schema.get("required", [])
    assert list(schema["properties"])[: len(required)] == required
    for node in walk(schema["properties"]):
        forbidden = {"$ref", "anyOf", "oneOf", "allOf", "default", "pattern", "ge", "le", "title", "nullable"}
        assert not forbidden & set(node), node
        assert node.get("type") != "null"
        assert node.get("minLength", 0) <= 1
        assert node.get("maxLength", 0) <= 500
        for bound in ("minimum", "maximum"):
            assert isinstance(node.get(bound, 0), int)
    for field in schema["properties"].values():
        assert field["type"] in ("string", "integer", "boolean")


def test_nothing_in_the_document_is_null_or_a_title() -> None:
    for node in walk(DOCUMENT):
        assert node.get("type") != "null"
        assert "nullable" not in node
    assert "HTTPValidationError" not in SCHEMAS
    assert "ValidationError" not in SCHEMAS


def test_search_photos_needs_one_property() -> None:
    assert request_schema("search_photos")["minProperties"] == 1


@pytest.mark.parametrize("name", TOOLS)
def test_descriptions_security_tags_and_statuses(name: str) -> None:
    _, _, operation = OPERATIONS[name]
    assert 40 <= len(operation["description"]) <= 300
    assert operation["summary"]
    assert len(operation["tags"]) == 1
    assert operation["security"] == [{"token": []}]
    answers = operation["responses"]
    assert {"200", "400", "401", "403", "422", "429", "500", "502", "503", "504"} <= set(answers)
    for status, answer in answers.items():
        kind = "application/json" if status == "200" else "application/problem+json"
        assert list(answer["content"]) == [kind]
    body = operation["requestBody"]
    assert body.get("required", False) is (name != "find_albums")


def test_writes_say_when_they_may_be_called() -> None:
    for name in ("create_album", "add_to_album"):
        assert "Only after the user agreed to the exact count" in OPERATIONS[name][2]["description"]
        assert "409" in OPERATIONS[name][2]["responses"]


def test_the_head_of_the_document() -> None:
    info = DOCUMENT["info"]
    assert all(info[name] for name in ("description", "contact", "license"))
    assert DOCUMENT["servers"] == [{"url": "/"}]
    assert {tag["name"] for tag in DOCUMENT["tags"]} == {"search", "write"}
    assert all(tag["description"] for tag in DOCUMENT["tags"])
    assert DOCUMENT["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


async def test_the_served_documents_are_anonymous_and_current() -> None:
    async with tripbook(Library()) as box:
        served = (await box.http.get("/openapi.json")).json()
        assert served["servers"] == [{"url": "https://tripbook.example"}]
        assert served | {"servers": DOCUMENT["servers"]} == DOCUMENT
        full = (await box.http.get("/openapi-full.json")).json()
        assert set(DOCUMENT["paths"]) < set(full["paths"])
        assert {"/v1/previews/{preview_id}", "/readyz", "/healthz", "/v1/receipts"} <= set(full["paths"])


async def test_swagger_ui_comes_from_our_own_files() -> None:
    async with tripbook(Library()) as box:
        page = await box.http.get("/docs")
        assert page.status_code == 200
        assert "http://" not in page.text
        assert "https://" not in page.text
        assert "default-src 'none'" in page.headers["content-security-policy"]
        for path in re.findall(r'(?:src|href)="([^"]+)"', page.text):
            assert (await box.http.get(f"/{path}")).status_code == 200, path
