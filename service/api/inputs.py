"""How request fields are read: what counts as not given, whole numbers, days, and which fields are unknown.

Real clients send `""`, `null`, `"null"`, `"None"` or `[]` for an optional field, `"5"` for a number and
`"\\"photo\\""` for a word. `true` is never a number, and nothing is guessed about dates.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator
from pydantic_core import PydanticCustomError

from service.domain.days import parse_iso_day

NOT_GIVEN = frozenset({"", "null", "none", "undefined"})


class FlatBody(BaseModel):
    """Base of all request bodies: flat, unknown fields refused, optional fields forgiving."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    @model_validator(mode="before")
    @classmethod
    def _drop_not_given(cls, data: Any) -> Any:
        optional = {name for name, field in cls.model_fields.items() if not field.is_required()}
        if data is None and len(optional) == len(cls.model_fields):
            return {}
        if not isinstance(data, dict):
            return data
        unquoted = {name: _unquote(value) if name in cls.model_fields else value for name, value in data.items()}
        return {name: value for name, value in unquoted.items() if name not in optional or not is_not_given(value)}


def is_not_given(value: Any) -> bool:
    """Whether a client means "nothing" by this value of an optional field."""
    if isinstance(value, list):
        return not value or (len(value) == 1 and is_not_given(value[0]))
    return value is None or (isinstance(value, str) and value.strip().casefold() in NOT_GIVEN)


def _unquote(value: Any) -> Any:
    """One pair of quotes around a word, left by chat templates."""
    if isinstance(value, str) and len(value) >= 2 and value[0] == value[-1] == '"':
        return value[1:-1]
    return value


def read_whole_number(value: Any) -> int:
    """An integer, an integral float or a digit string. Raises for everything else, also for `true`."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) <= 20:
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise PydanticCustomError("whole_number", "must be a whole number")


def read_day(value: Any) -> date:
    """A day written YYYY-MM-DD, nothing else."""
    if not isinstance(value, str):
        raise PydanticCustomError("day", "must be a date like 2026-08-02 (YYYY-MM-DD)")
    try:
        return parse_iso_day(value.strip())
    except ValueError as error:
        raise PydanticCustomError("day", "{reason}", {"reason": str(error)}) from None


def read_yes_no(value: Any) -> bool:
    """`true` or `false`, also as words."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().casefold() in ("true", "false"):
        return value.strip().casefold() == "true"
    raise PydanticCustomError("yes_no", "must be true or false")


def read_word(value: Any) -> Any:
    """Enumerated words in any case."""
    return value.strip().casefold() if isinstance(value, str) else value


Day = Annotated[date, BeforeValidator(read_day)]
YesNo = Annotated[bool, BeforeValidator(read_yes_no)]
