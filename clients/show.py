"""Answers as a person at a terminal wants them. Values in, texts out; nothing is printed or asked here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Any

from rich.cells import cell_len
from rich.text import Text

BAR = 24
Body = Mapping[str, Any]


def plain(value: object) -> Text:
    """Library text is data: no markup, and no terminal codes."""
    return Text("".join(mark if mark.isprintable() else " " for mark in str(value)))


def show_albums(body: Body) -> Text:
    if not body["albums"]:
        return Text("No album of such a name.")
    rows = [
        (album["name"], album["asset_count"], _days(album.get("start", ""), album.get("end", "")), album["role"],
         album["url"])
        for album in body["albums"]
    ]  # fmt: skip
    return _join(_columns(*rows), plain(f"{body['more']} more fit.") if body.get("more") else None)


def show_summary(body: Body, *, of: str = "photos and videos") -> Text:
    """Count, clusters of days as bars, places, samples, warnings."""
    exact = "" if body["exact"] else " (not exact)"
    days = f", {_days(body['first'], body['last'])}" if body.get("first") else ""
    return _join(_bold(f"{body['total']} {of}{exact}{days}"), *_details(body))


def show_preview(body: Body, days: Sequence[Body] = ()) -> Text:
    """What would be written, in the service's own sentence first; a bar for each of `days`, else for runs of them."""
    windows = ", ".join(_days(window["start"], window["end"]) for window in body.get("windows", ()))
    looked = plain(f"Looked in: {windows}") if windows else None
    return _join(_bold(body.get("sentence") or "Nothing to add."), looked, *_details(body, days))


def show_results(body: Body) -> Text:
    found = _columns(*(_photo(photo) for photo in body["results"])) if body["results"] else Text("Nothing like it.")
    return _join(found, plain(body["note"]), _warnings(body))


def show_receipt(body: Body) -> Text:
    parts = [f"{body['album']['name']}: {body['added']} added"]
    if body["already_present"]:
        parts.append(f"{body['already_present']} were there already")
    if body["failed_count"]:
        reasons = ", ".join(sorted({failed["reason"] for failed in body["failed"]}))
        parts.append(f"{body['failed_count']} refused by Immich ({reasons})")
    if body["remaining"]:
        parts.append(f"{body['remaining']} not done yet")
    return _join(plain(", ".join(parts) + "."), plain(body["album"]["url"]))


def _details(body: Body, days: Sequence[Body] = ()) -> tuple[Text | None, ...]:
    samples = _columns(*(_photo(photo) for photo in body["samples"])) if body["samples"] else None
    return _histogram(days) or _clusters(body), _places(body), samples, _warnings(body)


def _join(*parts: Text | None) -> Text:
    return Text("\n").join(part for part in parts if part is not None)


def _bold(text: str) -> Text:
    line = plain(text)
    line.stylize("bold")
    return line


def _columns(*rows: tuple[object, ...]) -> Text:
    """Rows with aligned columns, two spaces apart. Lines are never wrapped, so that links stay whole."""
    cells = [[plain(value) for value in row] for row in rows]
    widths = [max(cell_len(row[n].plain) for row in cells) for n in range(len(cells[0]))]
    for row in cells:
        for cell, width in zip(row[:-1], widths, strict=False):
            cell.pad_right(width - cell_len(cell.plain))
    return Text("\n").join(Text("  ").join(row) for row in cells)


def _photo(photo: Body) -> tuple[object, ...]:
    return photo.get("date", ""), photo.get("place", ""), photo["file"], photo["url"]


def _days(start: str, end: str) -> str:
    return start if start == end or not end else f"{start} to {end}"


def _histogram(days: Sequence[Body]) -> Text | None:
    """A bar for each day that has photos; `…` stands for days without any."""
    if not days:
        return None
    most = max(one["count"] for one in days)
    rows: list[tuple[object, ...]] = [_day_row(days[0], most)]
    for before, one in pairwise(days):
        rows += [("…", "", "")] if _is_apart(before["day"], one["day"]) else []
        rows.append(_day_row(one, most))
    return _columns(*rows)


def _day_row(one: Body, most: int) -> tuple[object, ...]:
    return one["day"], f"{one['count']:>6}", _bar(one["count"], most)


def _is_apart(day: str, later: str) -> bool:
    return (date.fromisoformat(later) - date.fromisoformat(day)).days > 1


def _bar(count: int, most: int) -> str:
    return "█" * max(1, round(BAR * count / most))


def _clusters(body: Body) -> Text | None:
    """A bar for each run of days, in the order of the calendar."""
    clusters = sorted(body["clusters"], key=lambda cluster: str(cluster["start"]))
    if not clusters:
        return None
    most = max(cluster["count"] for cluster in clusters)
    rows = [
        (_days(cluster["start"], cluster["end"]), f"{cluster['count']:>6}",
         _bar(cluster["count"], most), cluster.get("top_place", ""))
        for cluster in clusters
    ]  # fmt: skip
    rest = body["other_clusters"]
    return _join(_columns(*rows), plain(f"{rest} on other days.") if rest else None)


def _places(body: Body) -> Text | None:
    places = [f"{place['place']} {place['count']}" for place in body["top_places"]]
    places += [f"other places {body['other_places']}"] if body["other_places"] else []
    places += [f"no location {body['no_location']}"] if body["no_location"] else []
    return plain("Places: " + ", ".join(places)) if places else None


def _warnings(body: Body) -> Text | None:
    return _join(*(plain(f"! {text}") for text in body["warnings"])) if body.get("warnings") else None
