"""The tables. Rows stay inside `service.db` and `service.actions`; none is ever a request or response body."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, Column, DateTime, LargeBinary
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel


class UtcDateTime(TypeDecorator[datetime]):
    """Aware UTC in Python, naive UTC in the database (SQLite keeps no zone)."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return value.astimezone(UTC).replace(tzinfo=None) if value is not None else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return value.replace(tzinfo=UTC) if value is not None else None


class CallerRow(SQLModel, table=True):
    """An API client. `token_sha256` is all that is kept of its token."""

    __tablename__ = "caller"

    id: str = Field(primary_key=True, description="16 random characters")
    name: str = Field(unique=True, index=True)
    token_sha256: str = Field(unique=True, index=True)
    scopes: str = Field(description="blank separated, sorted")
    created_at: datetime = Field(sa_type=UtcDateTime)
    last_used_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class PreviewRow(SQLModel, table=True):
    """A stored intent and how far it has been carried out.

    state: open, checking, writing, partial, unknown, done, declined, expired. `name_claim` is the folded name
    of a new album while a confirm may create it; it is unique, so two previews cannot create one name at once.
    Progress counts ids in the order of `asset_ids`: the first `answered` have an outcome. `in_flight` is where
    the chunk starts that may have been sent without its answer being recorded.
    """

    __tablename__ = "preview"

    id: str = Field(primary_key=True, description="the first 16 characters of the token")
    action: str
    caller_id: str = Field(foreign_key="caller.id", index=True)
    album_id: str | None = None
    album_name: str
    description: str = ""
    criteria: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    windows: list[list[str]] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    summary: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    audience: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    asset_ids: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    count: int
    digest: str
    created_at: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime = Field(sa_type=UtcDateTime, index=True)
    state: str = Field(index=True)

    lease_owner: str | None = None
    lease_epoch: int = 0
    lease_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    name_claim: str | None = Field(default=None, unique=True)
    approved_by: str | None = None
    approved_at: datetime | None = Field(default=None, sa_type=UtcDateTime)

    seen_album_ids: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    create_sent_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    target_album_id: str | None = None
    answered: int = 0
    in_flight: int | None = None
    added: int = 0
    already_present: int = 0
    failed_count: int = 0
    failed: list[dict[str, str]] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    receipt_id: str | None = None


class ReceiptRow(SQLModel, table=True):
    """What a confirm did. Nothing in the API changes one; a finished partial one is followed by another."""

    __tablename__ = "receipt"

    id: str = Field(primary_key=True, description="16 random characters")
    preview_id: str = Field(index=True)
    action: str
    caller_id: str = Field(index=True)
    caller_name: str
    approved_by: str | None = None
    at: datetime = Field(sa_type=UtcDateTime, index=True)
    album_id: str
    album_name: str
    count: int
    digest: str
    outcome: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
