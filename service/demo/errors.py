"""Immich's refusals: one exception, and its two body shapes (2.x and 3.x)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from service.demo.versions import ImmichVersion

NAMES = {400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found"}


@dataclass(frozen=True, slots=True)
class Issue:
    """One invalid field, in the words of both validators."""

    v2: tuple[str, ...]
    v3: dict[str, Any]
    alone: bool = False
    """2.x reports a broken date by itself and as text: its transformation fails before validation."""


class ImmichError(Exception):
    """An answer that is no success; `message` as Immich says it."""

    def __init__(
        self, status: int, message: str, *, issues: list[Issue] | None = None, from_parser: bool = False
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.issues = issues or []
        self.from_parser = from_parser
        """Raised before the routes: 2.x then sends no correlation id."""

    def body(self, version: ImmichVersion, seq: int) -> dict[str, Any]:
        return self._v3() if version.is_v3 else self._v2(seq)

    def _v3(self) -> dict[str, Any]:
        body: dict[str, Any] = {"message": self.message}
        return body | {"errors": [issue.v3 for issue in self.issues]} if self.issues else body

    def _v2(self, seq: int) -> dict[str, Any]:
        message: str | list[str] = self.message
        if self.issues:
            alone = [issue.v2[0] for issue in self.issues if issue.alone]
            message = alone[0] if alone else [text for issue in self.issues for text in issue.v2]
        body: dict[str, Any] = {"message": message}
        if self.status in NAMES:
            body["error"] = NAMES[self.status]
        body["statusCode"] = self.status
        if not self.from_parser:
            body["correlationId"] = hashlib.blake2b(str(seq).encode(), digest_size=4).hexdigest()
        return body


def bad_request(message: str) -> ImmichError:
    return ImmichError(400, message)


def invalid(issues: list[Issue]) -> ImmichError:
    return ImmichError(400, "Validation failed", issues=issues)


def missing_permission(permission: str) -> ImmichError:
    return ImmichError(403, f"Missing required permission: {permission}")


def no_access(permission: str) -> ImmichError:
    return ImmichError(400, f"Not found or no {permission} access")


def unknown_route(method: str, path: str) -> ImmichError:
    return ImmichError(404, f"Cannot {method} {path}")
