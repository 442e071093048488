"""Our OpenAPI document, and pieces of hostile ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

OURS: dict[str, Any] = json.loads((Path(__file__).parents[2] / "openapi.json").read_text())
TEXT = {"type": "string"}


def document(paths: dict[str, Any], **schemas: Any) -> dict[str, Any]:
    return {"openapi": "3.1.0", "paths": paths, "components": {"schemas": schemas}}


def operation(name: str | None = "look", *, schema: Any = None, **more: Any) -> dict[str, Any]:
    """A POST operation; its body takes `schema`, by default one text."""
    body = {"type": "object", "properties": {"query": TEXT}} if schema is None else schema
    found = {
        "tags": ["search"],
        "description": "Looks.",
        "requestBody": {"content": {"application/json": {"schema": body}}},
    } | more
    return found if name is None else found | {"operationId": name}
