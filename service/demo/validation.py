"""Checking request fields as Immich does: class-validator's words before 3.0, Zod's since.

Unknown fields are ignored, as on the real server. Only fields that Immich itself declares are listed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from service.demo.errors import Issue, invalid
from service.demo.instants import instant_ms
from service.demo.versions import ImmichVersion

UUID_V4 = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}")
ANY_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
UUID_PATTERN = "/^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12})$/"
ZONED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)")
DATETIME_PATTERN = (
    r"/^(?:(?:\d\d[2468][048]|\d\d[13579][26]|\d\d0[48]|[02468][048]00|[13579][26]00)-02-29|\d{4}-(?:(?:0[13578]|"
    r"1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|(?:02)-(?:0[1-9]|1\d|2[0-8])))T(?:(?:[01]"
    r"\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|([+-](?:[01]\d|2[0-3]):[0-5]\d)))$/"
)
ASSET_TYPES = ("IMAGE", "VIDEO", "AUDIO", "OTHER")
VISIBILITIES = ("archive", "timeline", "hidden", "locked")

Path = list[str | int]
Check = Callable[[Any, Path, ImmichVersion], list[Issue]]


def js_type(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


def wrong_type(expected: str, value: object, path: Path, *v2: str) -> Issue:
    told = value if value == "undefined" else js_type(value)
    message = f"Invalid input: expected {expected}, received {told}"
    return Issue(v2, {"expected": expected, "code": "invalid_type", "path": path, "message": message})


def text(value: Any, path: Path, version: ImmichVersion) -> list[Issue]:
    return [] if isinstance(value, str) else [wrong_type("string", value, path, f"{path[-1]} must be a string")]


def nullable_text(value: Any, path: Path, version: ImmichVersion) -> list[Issue]:
    return [] if value is None else text(value, path, version)


def boolean(value: Any, path: Path, version: ImmichVersion) -> list[Issue]:
    if isinstance(value, bool):
        return []
    return [wrong_type("boolean", value, path, f"{path[-1]} must be a boolean value")]


def option(*values: str) -> Check:
    def check(value: Any, path: Path, version: ImmichVersion) -> list[Issue]:
        if isinstance(value, str) and value in values:
            return []
        expected = "|".join(f'"{v}"' for v in values)
        return [
            Issue(
                (f"{path[-1]} must be one of the following values: {', '.join(values)}",),
                {
                    "code": "invalid_value",
                    "values": list(values),
                    "path": path,
                    "message": f"Invalid option: expected one of {expected}",
                },
            )
        ]

    return check


def uuid_issue(value: Any, path: Path, told: str) -> Issue:
    if not isinstance(value, str):
        return wrong_type("string", value, path, told)
    v3 = {"origin": "string", "code": "invalid_format", "format": "uuid", "pattern": UUID_PATTERN}
    return Issue((told,), v3 | {"path": path, "message": "Invalid UUID"})


def is_uuid(value: Any, version: ImmichVersion) -> bool:
    return isinstance(value, str) and bool((UUID_V4 if version.is_v3 else ANY_UUID).fullmatch(value))


def uuid(value: Any, path: Path, version: ImmichVersion) -> list[Issue]:
    return [] if is_uuid(value, version) else [uuid_issue(value, path, f"{path[-1]} must be a UUID")]


def uuids(value: Any, path: Path, version: ImmichVersion) -> list[Issue]:
    told = f"each value in {path[-1]} must be a UUID"
    if not isinstance(value, list):
        return [wrong_type("array", value, path, told)]
    issues = [uuid_issue(v, [*path, n], told) for n, v in enumerate(value) if not is_uuid(v, version)]
    return issues if version.is_v3 else issues[:1]


def moment(value: Any, path: Path, version: ImmichVersion) -> list[Issue]:
    readable = isinstance(value, str) and instant_ms(value) is not None
    if readable and (not version.is_v3 or ZONED.fullmatch(value)):
        return []
    v3 = {"origin": "string", "code": "invalid_format", "format": "datetime", "pattern": DATETIME_PATTERN}
    message = f"Invalid input: expected ISO 8601 datetime string, received {js_type(value)}"
    return [Issue((f"{path[-1]} must be a date string",), v3 | {"path": path, "message": message}, alone=True)]


def whole(least: int, most: int | None = None) -> Check:
    def check(value: Any, path: Path, version: ImmichVersion) -> list[Issue]:
        number = _as_number(value, version)
        if number is None:
            told = [f"{path[-1]} must not be less than {least}", f"{path[-1]} must be an integer number"]
            return [wrong_type("number", value, path, *told)]
        if number < least:
            v3 = {"origin": "number", "code": "too_small", "minimum": least, "inclusive": True, "path": path}
            message = f"Too small: expected number to be >={least}"
            return [Issue((f"{path[-1]} must not be less than {least}",), v3 | {"message": message})]
        if most is not None and number > most:
            v3 = {"origin": "number", "code": "too_big", "maximum": most, "inclusive": True, "path": path}
            message = f"Too big: expected number to be <={most}"
            return [Issue((f"{path[-1]} must not be greater than {most}",), v3 | {"message": message})]
        return []

    return check


def _as_number(value: Any, version: ImmichVersion) -> int | None:
    """2.x turns numeric text into numbers, 3.x does not."""
    if isinstance(value, str) and not version.is_v3 and value.strip().lstrip("-").isdigit():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def query_boolean(value: Any, path: Path, version: ImmichVersion) -> list[Issue]:
    if not version.is_v3 and value not in ("true", "false"):
        return boolean(value, path, version)
    return option("true", "false")(value, path, version)


def query_whole(least: int, most: int | None = None) -> Check:
    check = whole(least, most)

    def convert(value: str, path: Path, version: ImmichVersion) -> list[Issue]:
        return check(int(value) if value.lstrip("-").isdigit() else value, path, version)

    return convert


BASE_FIELDS: dict[str, Check] = {
    "libraryId": lambda v, p, ver: [] if v is None else uuid(v, p, ver),
    "type": option(*ASSET_TYPES),
    "isEncoded": boolean,
    "isFavorite": boolean,
    "isMotion": boolean,
    "isOffline": boolean,
    "visibility": option(*VISIBILITIES),
    **{f"{what}{side}": moment for what in ("created", "updated", "trashed", "taken") for side in ("Before", "After")},
    **dict.fromkeys(("city", "state", "country", "make", "model", "lensModel"), nullable_text),
    "isNotInAlbum": boolean,
    "personIds": uuids,
    "tagIds": uuids,
    "albumIds": uuids,
    "rating": lambda v, p, ver: [] if v is None else whole(-1, 5)(v, p, ver),
    "ocr": text,
}
RESULT_FIELDS: dict[str, Check] = {"withDeleted": boolean, "withExif": boolean, "size": whole(1, 1000)}
METADATA_FIELDS: dict[str, Check] = {
    **BASE_FIELDS,
    **RESULT_FIELDS,
    "withStacked": boolean,
    "withPeople": boolean,
    "id": uuid,
    "description": text,
    "checksum": text,
    "originalFileName": text,
    "originalPath": text,
    "order": option("asc", "desc"),
    "page": whole(1),
}
STATISTICS_FIELDS: dict[str, Check] = {**BASE_FIELDS, "description": text}
SMART_FIELDS: dict[str, Check] = {
    **BASE_FIELDS,
    **RESULT_FIELDS,
    "query": text,
    "queryAssetId": uuid,
    "language": text,
    "page": whole(1),
}
PLAIN_BESIDE_FILTER = {"size", "withExif", "withPeople", "withStacked", "query", "queryAssetId", "language"}
"""Fields of a search that are not replaced by `filter`; every other flat one is deprecated since 3.2."""


def checked(values: Mapping[str, Any], fields: Mapping[str, Check], version: ImmichVersion) -> None:
    """Raise the 400 that lists every invalid field, in the order of the schema."""
    issues: list[Issue] = []
    for name, check in fields.items():
        if name in values and not (values[name] is None and not version.is_v3):
            issues += check(values[name], [name], version)
    if issues:
        raise invalid(issues)


def required_text(values: Mapping[str, Any], name: str, version: ImmichVersion, *, filled: bool = False) -> str:
    """A text field that must be there; `filled` adds the 2.x message that a query parameter gets."""
    value = values.get(name, "undefined" if name not in values else None)
    if name in values and isinstance(value, str):
        return value
    told = (f"{name} should not be empty",) if filled else ()
    raise invalid([wrong_type("string", value, [name], *told, f"{name} must be a string")])


def refuse_mixed(body: Mapping[str, Any], fields: Mapping[str, Check]) -> None:
    """3.2: a deprecated flat field beside `filter` or `cursor` is a 400."""
    style = "filter" if "filter" in body else "cursor"
    issues = []
    for name in fields:
        if name in body and name not in PLAIN_BESIDE_FILTER:
            message = f"Deprecated field {name} cannot be combined with {style}"
            issues.append(Issue((message,), {"code": "custom", "path": [name], "message": message}))
    if issues:
        raise invalid(issues)
