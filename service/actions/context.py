"""What every action works with: the open resources, the caller, and the limits of one request."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from service.db.session import Database
from service.errors import ImmichError, ImmichTimeout, MissingScope, WritesDisabled
from service.immich.library import ImmichLibrary
from service.settings import Settings

SCOPES = ("read", "write", "approve", "admin")


def system_clock() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks. `sees_all` callers see everyone's previews and receipts."""

    id: str
    name: str
    scopes: frozenset[str]

    @property
    def sees_all(self) -> bool:
        return bool(self.scopes & {"approve", "admin"})

    def require(self, scope: str) -> None:
        if scope not in self.scopes:
            raise MissingScope(f"This token may not do that; it needs the scope {scope}. Ask the admin for one.")


@dataclass(slots=True)
class Tripbook:
    """The running application's resources. `owner` names this process in leases."""

    settings: Settings
    library: ImmichLibrary
    db: Database
    keys: tuple[str, ...]
    clock: Callable[[], datetime] = system_clock
    owner: str = field(default_factory=lambda: secrets.token_hex(8))
    writers: set[asyncio.Task[Any]] = field(default_factory=set)

    @property
    def today(self) -> date:
        return self.clock().astimezone(self.settings.zone).date()

    def require_writes(self) -> None:
        if not self.settings.enable_writes:
            raise WritesDisabled("Writing is switched off here; the admin can set ENABLE_WRITES=true.")


@asynccontextmanager
async def reading(app: Tripbook) -> AsyncIterator[None]:
    """Everything read from Immich for one request, within REQUEST_DEADLINE. After an error nothing is remembered."""
    try:
        async with asyncio.timeout(app.settings.request_deadline):
            yield
    except TimeoutError:
        app.library.forget()
        raise ImmichTimeout(
            f"Reading took longer than {app.settings.request_deadline:g} s and was stopped, so there is no count; "
            "narrow the dates or places, or let the admin raise REQUEST_DEADLINE."
        ) from None
    except ImmichError:
        app.library.forget()
        raise
