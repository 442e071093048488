"""Response models: the contract's answers. Fields that do not apply are left out, never null."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

NoneOr = SkipJsonSchema[None]


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
