"""Reads an OpenAPI document into operations, with schemas slimmed for language models. No network in here.

The document may be anybody's: whatever is not a plain tool of ours (POST, a sane name and path, one flat JSON body)
is left out with a log line, because one schema that a model server cannot take breaks every chat there.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

log = logging.getLogger(__name__)

MAX_OPERATIONS = 40
MAX_PROPERTIES = 40
MAX_DESCRIPTION = 1_000
MAX_REF_STEPS = 8
MAX_ENUM = 100
MAX_ENUM_TEXT = 100
MAX_ENUM_NUMBER = 2**63
# 40 characters keep `immich_<name>` and `mcp__<server>__<name>` under the 64 that model servers allow.
_NAME = re.compile(r"[a-z](?!.*__)[a-z0-9_]{2,39}")
_PATH = re.compile(r"(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+")
# Python's own \w would take letters that no grammar of a model server knows.
_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_TYPES = ("string", "integer", "number", "boolean")
# What model servers turn into a grammar, or leave alone.
_FORMATS = ("date", "date-time", "time", "uuid", "uri", "email", "int32", "int64", "float", "double")


@dataclass(frozen=True, slots=True)
class Tagged:
    """A choice of operations by their tag in the document; `a | b` is both."""

    tags: frozenset[str]

    def __or__(self, other: Tagged) -> Tagged:
        return Tagged(self.tags | other.tags)

    def __contains__(self, operation: object) -> bool:
        return isinstance(operation, Operation) and operation.tag in self.tags


READ_TOOLS = Tagged(frozenset({"search"}))
WRITE_TOOLS = Tagged(frozenset({"write"}))
ALL_TOOLS = READ_TOOLS | WRITE_TOOLS
Allowed = Tagged | Collection[str]


@dataclass(frozen=True, slots=True)
class Operation:
    """One tool: what to call it, where to post it, and what a model is told about it."""

    name: str
    path: str
    title: str
    description: str
    tag: str
    schema: Mapping[str, Any]

    @property
    def reads(self) -> bool:
        """Whether it only reads; what has no tag counts as writing."""
        return self in READ_TOOLS


class NotATool(Exception):
    """This operation cannot be offered to a model; the text says why."""


def read_operations(document: object, allow: Allowed = ALL_TOOLS) -> list[Operation]:
    """The allowed operations of an OpenAPI document, in its order. Never raises: what is no tool is left out."""
    found: dict[str, Operation] = {}
    for path, method, raw in islice(_iterate(document), MAX_OPERATIONS):
        try:
            operation = _read_operation(document, path, method, raw)
        except NotATool as reason:
            log.warning("left out of the tools: %s %.80r: %s", method, path, reason)
            continue
        found.setdefault(operation.name, operation)
    return [operation for operation in found.values() if is_allowed(operation, allow)]


def is_allowed(operation: Operation, allow: Allowed) -> bool:
    return operation in allow if isinstance(allow, Tagged) else operation.name in allow


def allowed_by(caller: Mapping[str, Any]) -> Tagged:
    """What a token may use, by the answer of `GET /v1/caller`."""
    scopes = caller.get("scopes")
    return ALL_TOOLS if isinstance(scopes, list) and "write" in scopes else READ_TOOLS


def _iterate(document: object) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    paths = document.get("paths") if isinstance(document, Mapping) else None
    for path, item in paths.items() if isinstance(paths, Mapping) else ():
        for method, raw in item.items() if isinstance(item, Mapping) else ():
            if method in ("get", "put", "post", "delete", "patch") and isinstance(raw, Mapping):
                yield str(path), method, raw


def _read_operation(document: object, path: str, method: str, raw: Mapping[str, Any]) -> Operation:
    name = raw.get("operationId")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise NotATool("no usable operationId")
    if method != "post":
        raise NotATool("only POST is a tool")
    if not _PATH.fullmatch(path):
        raise NotATool("not a plain path")
    if raw.get("parameters"):
        raise NotATool("has parameters beside its body")
    tags = raw.get("tags")
    tag = tags[0] if isinstance(tags, list) and tags else ""
    title = _text(raw.get("summary"))
    return Operation(
        name=name,
        path=path,
        title=title or name,
        description=_text(raw.get("description")) or title or name,
        tag=tag if isinstance(tag, str) else "",
        schema=_read_body(document, raw.get("requestBody")),
    )


def _text(value: object) -> str:
    return " ".join(value.split())[:MAX_DESCRIPTION] if isinstance(value, str) else ""


def _read_body(document: object, body: object) -> dict[str, Any]:
    """The body's schema as `{type: object, properties, required}`, flat and slim."""
    if body is None:
        return {"type": "object", "properties": {}}
    content = _mapping(_mapping(_resolve(document, body)).get("content"))
    schema = _resolve(document, _mapping(content.get("application/json")).get("schema"))
    properties = schema.get("properties", {})
    if schema.get("type") != "object" or not isinstance(properties, Mapping) or len(properties) > MAX_PROPERTIES:
        raise NotATool("body is not a small flat object")
    slim: dict[str, Any] = {
        "type": "object",
        "properties": {_field_name(name): _slim(document, value) for name, value in properties.items()},
    }
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        raise NotATool("what is required is not a list of names")
    needed = [name for name in dict.fromkeys(required) if name in properties]
    return slim | ({"required": needed} if needed else {})


def _field_name(name: object) -> str:
    if not isinstance(name, str) or not _FIELD.fullmatch(name):
        raise NotATool("a field has no plain short name")
    return name


def _slim(document: object, raw: object, *, in_list: bool = False) -> dict[str, Any]:
    """One field, a plain value or a list of them. Bounds, patterns, titles, defaults cost tokens or break grammars."""
    schema = _resolve(document, raw)
    slim: dict[str, Any] = {"type": schema["type"]} if isinstance(schema.get("type"), str) else {}
    if "format" in schema:
        slim["format"] = _read_format(schema["format"])
    if "enum" in schema:
        slim["enum"] = _read_enum(schema["enum"])
    if "description" in schema:
        slim["description"] = _text(schema["description"])
    if slim.get("type") == "array" and not in_list:
        return slim | {"items": _slim(document, schema.get("items"), in_list=True)}
    if slim.get("type") not in _TYPES:
        raise NotATool("a field is neither a plain value nor a list of them")
    return slim


def _read_format(value: object) -> str:
    if not isinstance(value, str) or value not in _FORMATS:
        raise NotATool("a format is none that models know")
    return value


def _read_enum(values: object) -> list[str | int]:
    if not isinstance(values, list) or not all(isinstance(value, str | int) for value in values):
        raise NotATool("an enum is not a list of plain values")
    if not 1 <= len(values) <= MAX_ENUM or not all(_is_small(value) for value in values):
        raise NotATool("an enum is empty or too large")
    return values


def _is_small(value: str | int) -> bool:
    return len(value) <= MAX_ENUM_TEXT if isinstance(value, str) else abs(value) < MAX_ENUM_NUMBER


def _resolve(document: object, node: object) -> Mapping[str, Any]:
    """The schema itself; a reference is followed inside the document, a few steps at most."""
    for _ in range(MAX_REF_STEPS):
        schema = _mapping(node)
        reference = schema.get("$ref")
        if reference is None:
            return schema
        node = _look_up(document, reference)
    raise NotATool("a $ref leads nowhere")


def _look_up(document: object, reference: object) -> object:
    if not isinstance(reference, str) or not reference.startswith("#/"):
        raise NotATool("a $ref leaves the document")
    node = document
    for part in reference[2:].split("/"):
        node = _mapping(node).get(part.replace("~1", "/").replace("~0", "~"))
    return node


def _mapping(node: object) -> Mapping[str, Any]:
    if not isinstance(node, Mapping):
        raise NotATool("a part is missing or of the wrong kind")
    return node
