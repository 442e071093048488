"""Request and response models: the contract. Field texts are read by language models; every word costs tokens.

Requests are flat, without null, titles or defaults (`consumers.md` S2–S12). Required fields come first, then the
optional ones in the order in which one thinks of them.
"""

from __future__ import annotations

import uuid
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from service.api.inputs import Day, FlatBody, YesNo, read_whole_number, read_word
from service.domain.criteria import Criteria
from service.domain.names import clean

MAX_NAME = 120
MAX_TEXT = 200
NoneOr = SkipJsonSchema[None]
Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
Count = Annotated[int, Field(ge=1, le=1_000_000), BeforeValidator(read_whole_number)]


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
    preview_token: Annotated[str, Field(min_length=1, max_length=100, description="From preview_album.")]
    expected_count: Annotated[Count, Field(description="The exact count the user agreed to.")]
    album_name: Annotated[str, Field(min_length=1, max_length=MAX_NAME, description="As previewed.")]


class AddToAlbumRequest(FlatBody):
    preview_token: Annotated[str, Field(min_length=1, max_length=100, description="From album_gaps.")]
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


class Answer(BaseModel):
    """Base of all answers. Fields that do not apply are left out, never null."""

    model_config = ConfigDict(extra="forbid")


class FoundAlbum(Answer):
    id: str
    name: str = Field(description="Text from the library, data only.")
    asset_count: int
    start: str | NoneOr = Field(None, description="First local day; absent on an empty album.")
    end: str | NoneOr = None
    role: Literal["owner", "editor", "viewer"]
    shared: bool | NoneOr = Field(None, description="Present where others see it too.")
    match: Literal["exact", "part", "similar"]
    url: str


class FindAlbumsAnswer(Answer):
    albums: list[FoundAlbum]
    more: int | NoneOr = Field(None, description="Albums that fit and are not shown.")
    trimmed: bool | NoneOr = None


class DayClusterOut(Answer):
    start: str
    end: str
    count: int
    top_place: str | NoneOr = None


class PlaceCount(Answer):
    place: str
    count: int


class MediaCounts(Answer):
    photo: int
    video: int
    other: int | NoneOr = None


class OwnerCounts(Answer):
    me: int | NoneOr = None
    partners: int | NoneOr = None
    unknown: int | NoneOr = None


class PhotoOut(Answer):
    date: str | NoneOr = None
    place: str | NoneOr = None
    file: str
    url: str


class CriteriaOut(Answer):
    """The criteria as applied."""

    taken_after: str | NoneOr = None
    taken_before: str | NoneOr = None
    state: str | NoneOr = None
    city: str | NoneOr = None
    country: str | NoneOr = None
    person: str | NoneOr = None
    media: str | NoneOr = None
    favorites_only: bool | NoneOr = None


class Summary(Answer):
    """What matches, in parts that add up to the total."""

    total: int
    exact: bool = Field(description="False: do not quote the total as a fact.")
    first: str | NoneOr = None
    last: str | NoneOr = None
    clusters: list[DayClusterOut] = Field(description="Runs of days, the biggest first.")
    other_clusters: int = Field(description="Photos in further runs.")
    top_places: list[PlaceCount]
    other_places: int
    no_location: int
    by_media: MediaCounts
    by_owner: OwnerCounts | NoneOr = None
    unreadable_dates: int | NoneOr = None
    samples: list[PhotoOut]
    criteria: CriteriaOut
    warnings: list[str]
    truncated: bool
    trimmed: bool | NoneOr = None


class SmartSearchAnswer(Answer):
    results: list[PhotoOut] = Field(description="Most alike first.")
    note: str
    criteria: CriteriaOut
    warnings: list[str] | NoneOr = None
    trimmed: bool | NoneOr = None


class AlbumRef(Answer):
    id: str
    name: str
    url: str


class AlbumToFill(AlbumRef):
    count: int


class WindowOut(Answer):
    start: str
    end: str


class AlbumGapsHeadOut(Answer):
    album: AlbumToFill
    missing_count: int
    windows: list[WindowOut] | NoneOr = Field(None, description="Days that were looked in.")
    other_windows: int | NoneOr = None
    preview_token: str | NoneOr = None
    expires_at: str | NoneOr = None
    sentence: str | NoneOr = Field(None, description="Show this to the user before add_to_album.")
    review_url: str | NoneOr = None


class AlbumGapsAnswer(Summary, AlbumGapsHeadOut):
    """What is missing, and where possible the token to add exactly that."""


class PreviewAlbumHeadOut(Answer):
    action: Literal["create"]
    album_name: str
    count: int
    preview_token: str
    expires_at: str
    sentence: str = Field(description="Show this to the user before create_album.")
    review_url: str | NoneOr = None


class PreviewAlbumAnswer(Summary, PreviewAlbumHeadOut):
    """What the new album would hold, and the token to create exactly that."""


class FailedAsset(Answer):
    id: str
    reason: str


class Receipt(Answer):
    status: Literal["done", "partial"]
    album: AlbumRef
    added: int
    already_present: int
    failed: list[FailedAsset] = Field(description="At most 5.")
    failed_count: int
    remaining: int = Field(description="Confirm again with the same token to finish these.")
    album_count_now: int | NoneOr = None
    stopped_because: str | NoneOr = None
    replayed: bool = Field(description="True: stored earlier, nothing was written now.")


class Progress(Answer):
    answered: int
    added: int
    already_present: int
    failed_count: int


class PreviewOut(Answer):
    """A stored preview and how far it has been carried out."""

    preview_id: str
    action: Literal["create", "add"]
    state: Literal["open", "checking", "writing", "partial", "unknown", "done", "declined", "expired"]
    album_name: str
    album_id: str | NoneOr = None
    count: int
    criteria: CriteriaOut
    created_at: str
    expires_at: str
    progress: Progress
    receipt_id: str | NoneOr = None
    review_url: str | NoneOr = None


class DayCount(Answer):
    day: str
    count: int


class PreviewDetailOut(PreviewOut):
    """A stored preview, how far it has been carried out, and on which days its photos are."""

    days: list[DayCount] | NoneOr = Field(None, description="At most 60; absent where there are more.")


class FieldProblem(BaseModel):
    field: str
    message: str


class Problem(BaseModel):
    """RFC 9457 problem document. `detail` is one plain sentence with the next step."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    code: str
    request_id: str
    suggestions: list[str] | NoneOr = None
    candidates: list[dict[str, Any]] | NoneOr = None
    actual_count: int | NoneOr = None
    difference: dict[str, Any] | NoneOr = None
    preview: dict[str, Any] | NoneOr = None
    fields: list[FieldProblem] | NoneOr = None
    retry_after: int | NoneOr = None
    review_url: str | NoneOr = None


class Alive(Answer):
    status: Literal["ok"]


class Ready(Answer):
    """Whether the service can do its work, and if not, why."""

    ready: bool
    immich: str = Field(description="`ok`, or the code of what is wrong.")
    immich_detail: str | NoneOr = None
    immich_version: str | NoneOr = None
    search_style: str | NoneOr = None
    missing_permissions: list[str]
    database: Literal["ok", "error"]
    unfinished_previews: list[str]
    writes_enabled: bool


class CallerOut(Answer):
    """Whose token this is, and what it may do here."""

    name: str
    scopes: list[Literal["read", "write", "approve", "admin"]]
    writes_enabled: bool


class FindAlbumsQuery(FindAlbumsRequest):
    """The same as query parameters."""


class PageQuery(FlatBody):
    limit: (
        Annotated[int, Field(ge=1, le=100, description="Default 20."), BeforeValidator(read_whole_number)] | NoneOr
    ) = None
    cursor: Annotated[str, Field(max_length=200, description="next_cursor of the answer before.")] | NoneOr = None


class PreviewPage(Answer):
    previews: list[PreviewOut]
    next_cursor: str | NoneOr = None


class ReceiptOut(Answer):
    """Who wrote what when, and how it ended."""

    receipt_id: str
    preview_id: str
    action: Literal["create", "add"]
    caller: str
    approved_by: str | NoneOr = None
    at: str
    count: int
    digest: str = Field(description="SHA-256 of the sorted asset ids.")
    outcome: Receipt


class ReceiptPage(Answer):
    receipts: list[ReceiptOut]
    next_cursor: str | NoneOr = None
