"""Request models: the questions of the contract; `answers` has the other half.

Field texts are read by language models; every word costs tokens. Requests are flat, without null, titles or defaults
(`consumers.md` S2–S12). Required fields come first, then the optional ones in the order in which one thinks of them.
"""

from __future__ import annotations

import uuid
from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from service.api.inputs import Day, FlatBody, YesNo, read_whole_number, read_word
from service.domain.criteria import Criteria
from service.domain.names import clean

MAX_NAME = 120
MAX_TEXT = 200
NoneOr = SkipJsonSchema[None]
Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
# The bounds are for who fills it in; any other whole number is simply not the previewed count (409).
Count = Annotated[
    int, Field(json_schema_extra={"minimum": 1, "maximum": 1_000_000}), BeforeValidator(read_whole_number)
]


class CriteriaBody(FlatBody):
    """The eight search fields, flat on every operation that takes them."""

    taken_after: Annotated[Day, Field(description="First day, YYYY-MM-DD.")] | NoneOr = None
    taken_before: Annotated[Day, Field(description="Last day, inclusive.")] | NoneOr = None
    state: Text | NoneOr = None
    city: Text | NoneOr = None
    country: Text | NoneOr = None
    person: Annotated[str, Field(min_length=1, max_length=MAX_TEXT, description="Name or id.")] | NoneOr = None
    media: Annotated[Literal["photo", "video", "all"], BeforeValidator(read_word)] | NoneOr = None
    favorites_only: YesNo | NoneOr = None

    @model_validator(mode="after")
    def _in_order(self) -> CriteriaBody:
        if self.taken_after and self.taken_before and self.taken_before < self.taken_after:
            raise PydanticCustomError(
                "reversed_dates",
                "taken_before ({before}) is before taken_after ({after}); swap them",
                {"before": self.taken_before.isoformat(), "after": self.taken_after.isoformat()},
            )
        return self

    def to_criteria(self) -> Criteria:
        return Criteria(
            taken_after=self.taken_after,
            taken_before=self.taken_before,
            state=self.state,
            city=self.city,
            country=self.country,
            person=self.person,
            media=self.media or "all",
            favorites_only=bool(self.favorites_only),
        )


class FindAlbumsRequest(FlatBody):
    query: (
        Annotated[str, Field(max_length=MAX_TEXT, description="Part of the name; empty for the newest.")] | NoneOr
    ) = None
    limit: Annotated[int, Field(ge=1, le=25, description="Default 5."), BeforeValidator(read_whole_number)] | NoneOr = (
        None
    )


class SearchPhotosRequest(CriteriaBody):
    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    samples: (
        Annotated[int, Field(ge=0, le=10, description="Default 3."), BeforeValidator(read_whole_number)] | NoneOr
    ) = None


class SmartSearchHead(FlatBody):
    query: Annotated[str, Field(min_length=1, max_length=MAX_TEXT, description="What is in the picture, in English.")]


class SmartSearchRequest(CriteriaBody, SmartSearchHead):
    limit: (
        Annotated[int, Field(ge=1, le=25, description="Default 10."), BeforeValidator(read_whole_number)] | NoneOr
    ) = None


class AlbumGapsHead(FlatBody):
    album_id: Annotated[
        str, Field(min_length=1, max_length=60, description="From find_albums.", json_schema_extra={"format": "uuid"})
    ]
    pad_days: (
        Annotated[
            int,
            Field(ge=0, le=30, description="Extra days around the album's own, default 1."),
            BeforeValidator(read_whole_number),
        ]
        | NoneOr
    ) = None

    @field_validator("album_id")
    @classmethod
    def _looks_like_an_id(cls, value: str) -> str:
        return check_uuid(value)


class AlbumGapsRequest(CriteriaBody, AlbumGapsHead):
    """The album, then the criteria: fields of later bases come first."""


class PreviewAlbumHead(FlatBody):
    album_name: Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
    description: Annotated[str, Field(min_length=1, max_length=300)] | NoneOr = None

    @field_validator("album_name")
    @classmethod
    def _on_one_line(cls, value: str) -> str:
        name = clean(value)
        if not name:
            raise PydanticCustomError("blank", "must not be blank")
        return name

    @field_validator("description")
    @classmethod
    def _without_controls(cls, value: str | None) -> str | None:
        """Lines are kept; PostgreSQL, and so Immich, fails on a NUL."""
        lines = [clean(line) for line in value.splitlines()] if value else []
        return "\n".join(lines).strip() or None


class PreviewAlbumRequest(CriteriaBody, PreviewAlbumHead):
    """The name, then the criteria."""


class CreateAlbumRequest(FlatBody):
    preview_token: Annotated[str, Field(min_length=1, max_length=500, description="From preview_album.")]
    expected_count: Annotated[Count, Field(description="The exact count the user agreed to.")]
    album_name: Annotated[str, Field(min_length=1, max_length=500, description="As previewed.")]


class AddToAlbumRequest(FlatBody):
    preview_token: Annotated[str, Field(min_length=1, max_length=500, description="From album_gaps.")]
    expected_new_count: Annotated[Count, Field(description="The exact missing_count the user agreed to.")]
    # Immich allows albums without a name.
    album_name: Annotated[str, Field(max_length=500, description="As previewed.")]


def check_uuid(value: str) -> str:
    """An id as Immich writes it, in lower case. Raises for anything else, before Immich is asked."""
    try:
        return str(uuid.UUID(value)) if len(value) == 36 else _no_uuid()
    except ValueError:
        return _no_uuid()


def _no_uuid() -> str:
    raise PydanticCustomError("album_id", "must be an album's id as find_albums gives it, not its name")


class FindAlbumsQuery(FindAlbumsRequest):
    """The same as query parameters."""


class PageQuery(FlatBody):
    limit: (
        Annotated[int, Field(ge=1, le=100, description="Default 20."), BeforeValidator(read_whole_number)] | NoneOr
    ) = None
    cursor: Annotated[str, Field(max_length=200, description="next_cursor of the answer before.")] | NoneOr = None
