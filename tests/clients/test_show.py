"""What a person sees: sums and dates whole, links unbroken, library text harmless."""

from __future__ import annotations

from typing import Any

from clients.show import plain, show_albums, show_preview, show_receipt, show_results, show_summary

PHOTO = {"date": "2026-08-02", "place": "Bar Harbor", "file": "a.jpg", "url": "http://x/photos/1"}
SUMMARY: dict[str, Any] = {
    "total": 12,
    "exact": True,
    "first": "2026-08-02",
    "last": "2026-08-09",
    "clusters": [
        {"start": "2026-08-02", "end": "2026-08-09", "count": 8, "top_place": "Bar Harbor"},
        {"start": "2023-07-14", "end": "2023-07-14", "count": 2},
    ],
    "other_clusters": 2,
    "top_places": [{"place": "Bar Harbor", "count": 7}],
    "other_places": 1,
    "no_location": 4,
    "samples": [PHOTO],
    "warnings": ["Look again."],
}


def test_a_summary_is_a_calendar_with_bars() -> None:
    assert show_summary(SUMMARY).plain.splitlines() == [
        "12 photos and videos, 2026-08-02 to 2026-08-09",
        "2023-07-14                     2  ██████                    ",
        "2026-08-02 to 2026-08-09       8  ████████████████████████  Bar Harbor",
        "2 on other days.",
        "Places: Bar Harbor 7, other places 1, no location 4",
        "2026-08-02  Bar Harbor  a.jpg  http://x/photos/1",
        "! Look again.",
    ]


def test_an_inexact_or_empty_summary_says_so() -> None:
    empty = SUMMARY | {"total": 0, "exact": False, "first": None, "clusters": [], "other_clusters": 0, "samples": []}
    empty |= {"top_places": [], "other_places": 0, "no_location": 0, "warnings": []}
    assert show_summary(empty).plain == "0 photos and videos (not exact)"


def test_a_preview_begins_with_the_services_sentence() -> None:
    lines = show_preview(SUMMARY | {"sentence": "Add 12?", "windows": [{"start": "a", "end": "b"}]}).plain.splitlines()
    assert lines[:2] == ["Add 12?", "Looked in: a to b"]
    assert show_preview(SUMMARY | {"sentence": None}).plain.startswith("Nothing to add.")


def test_a_preview_has_a_bar_for_each_day_where_it_knows_them() -> None:
    days = [{"day": f"2026-08-0{day}", "count": count} for day, count in ((2, 8), (3, 1), (9, 3))]
    lines = show_preview(SUMMARY | {"sentence": "Add 12?"}, days).plain.splitlines()
    assert [line.rstrip() for line in lines[:6]] == [
        "Add 12?",
        "2026-08-02       8  ████████████████████████",
        "2026-08-03       1  ███",
        "…",
        "2026-08-09       3  █████████",
        "Places: Bar Harbor 7, other places 1, no location 4",
    ]


def test_albums_and_results_have_whole_links() -> None:
    url = "http://photos.example/albums/" + "x" * 200
    album = {"name": "Zoë 东京", "asset_count": 5, "start": "a", "end": "b", "role": "owner", "url": url}
    assert show_albums({"albums": [album, album | {"name": "B"}], "more": 3}).plain.splitlines() == [
        f"Zoë 东京  5  a to b  owner  {url}",
        f"B         5  a to b  owner  {url}",
        "3 more fit.",
    ]
    assert show_albums({"albums": []}).plain == "No album of such a name."
    assert url in show_results({"results": [PHOTO | {"url": url}], "note": "Ranked."}).plain
    assert show_results({"results": [], "note": "Ranked."}).plain == "Nothing like it.\nRanked."


def test_a_receipt_counts_everything() -> None:
    receipt = {
        "album": {"name": "Maine", "url": "http://x"},
        "added": 3,
        "already_present": 2,
        "failed": [{"id": "1", "reason": "no_permission"}],
        "failed_count": 1,
        "remaining": 4,
    }
    assert show_receipt(receipt).plain.splitlines() == [
        "Maine: 3 added, 2 were there already, 1 refused by Immich (no_permission), 4 not done yet.",
        "http://x",
    ]


def test_library_text_is_no_markup_and_no_terminal_code() -> None:
    assert plain("[red]a[/red]\x1b[31m\nb").plain == "[red]a[/red] [31m b"
