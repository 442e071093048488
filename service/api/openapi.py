"""The OpenAPI documents: the tools alone (`/openapi.json`), and everything (`/openapi-full.json`).

FastAPI's own document is slimmed to what real clients take (`consumers.md`): no titles, no defaults, whole-number
bounds, one Problem schema instead of its validation model, required properties first.
"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from service.api.answers import Problem
from service.api.errors import PROBLEM_JSON
from service.api.routes import TOOL_NAMES

DESCRIPTION = (
    "Tripbook finds the album of a trip in the household's Immich library, or makes one of exactly the photos that "
    "were previewed and confirmed. Search, show the user the count, then write with that count."
)
TAGS = [
    {"name": "search", "description": "Find albums and photos, change nothing; need a token with the scope read."},
    {"name": "write", "description": "Preview and confirm; need a token with the scope write."},
    {"name": "resources", "description": "Stored previews and receipts, for people and machines."},
    {"name": "health", "description": "For whoever watches the service."},
]
VERSION = "1.0.0"
NUMBER_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")


def build_full_document(app: FastAPI, public_base_url: str) -> dict[str, Any]:
    document = get_openapi(
        title="Tripbook",
        version=VERSION,
        description=DESCRIPTION,
        routes=app.routes,
        servers=[{"url": public_base_url or "/"}],
        tags=TAGS,
        contact={"name": "Tripbook"},
        license_info={"name": "MIT", "identifier": "MIT"},
    )
    schemas = document["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["Problem"] = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas |= schemas["Problem"].pop("$defs", {})
    _correct_validation_answers(document)
    slim: dict[str, Any] = _slim(document)
    return _keep(slim, None)


def build_tools_document(full: dict[str, Any]) -> dict[str, Any]:
    """Only the tools, only what they refer to, only their tags."""
    return _keep(full, TOOL_NAMES)


def _keep(full: dict[str, Any], names: tuple[str, ...] | None) -> dict[str, Any]:
    paths = {
        path: {
            method: operation
            for method, operation in item.items()
            if names is None or operation["operationId"] in names
        }
        for path, item in full["paths"].items()
    }
    paths = {path: item for path, item in paths.items() if item}
    used_tags = {tag for item in paths.values() for operation in item.values() for tag in operation["tags"]}
    schemas = full["components"]["schemas"]
    needed = _referenced(paths, schemas)
    components = full["components"] | {"schemas": {name: schemas[name] for name in schemas if name in needed}}
    tags = [tag for tag in full["tags"] if tag["name"] in used_tags]
    return full | {"paths": paths, "components": components, "tags": tags}


def _referenced(node: Any, schemas: dict[str, Any]) -> set[str]:
    """The names of all schemas that `node` refers to, directly or through others."""
    found: set[str] = set()
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, dict):
            name = str(current.get("$ref", "")).rpartition("/")[2]
            if name in schemas and name not in found:
                found.add(name)
                waiting.append(schemas[name])
            waiting.extend(current.values())
        elif isinstance(current, list):
            waiting.extend(current)
    return found


def _correct_validation_answers(document: dict[str, Any]) -> None:
    """422 is a problem document everywhere, and nowhere FastAPI's own shape."""
    for item in document["paths"].values():
        for operation in item.values():
            answers = operation["responses"]
            if "HTTPValidationError" in str(answers.get("422", "")):
                answers["422"] = {
                    "description": "Problem: invalid_request",
                    "content": {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}},
                }


def _slim(node: Any, *, names: bool = False) -> Any:
    """Drops `title` and `default` of schemas and makes bounds whole. `names`: keys are property names, not keywords."""
    if isinstance(node, list):
        return [_slim(item) for item in node]
    if not isinstance(node, dict):
        return node
    slimmed = {}
    for key, value in node.items():
        if not names and _is_noise(key, value):
            continue
        if not names and key in NUMBER_BOUNDS and isinstance(value, float) and value.is_integer():
            slimmed[key] = int(value)
        else:
            slimmed[key] = _slim(value, names=not names and key in ("properties", "schemas"))
    return _required_first(slimmed) if not names else slimmed


def _is_noise(key: str, value: Any) -> bool:
    return key == "default" or (key == "title" and isinstance(value, str) and value != "Tripbook")


def _required_first(schema: dict[str, Any]) -> dict[str, Any]:
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list):
        return schema
    first = {name: properties[name] for name in properties if name in required}
    return schema | {"properties": first | properties}
