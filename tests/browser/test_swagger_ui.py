"""A person at Swagger UI: authorize, then find, search, preview, create, look for gaps and add."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Page, expect

from tests.processes import Running

AUGUST = {"taken_after": "2026-08-02", "taken_before": "2026-08-09"}


def execute(page: Page, operation: str, body: dict[str, Any]) -> dict[str, Any]:
    """Opens an operation, sends a body with its own buttons, and reads the shown answer."""
    block = page.locator(f"[id$='-{operation}']")
    if "is-open" not in (block.get_attribute("class") or ""):
        block.locator(".opblock-summary").click()
    block.locator("textarea.body-param__text").fill(json.dumps(body))
    with page.expect_response(lambda response: response.request.method == "POST") as sent:
        block.locator("button.execute").click()
    answer: dict[str, Any] = sent.value.json()
    shown = block.locator(".live-responses-table .response-col_description .highlight-code code").first
    expect(shown).to_have_text(json.dumps(answer, indent=2, ensure_ascii=False))
    return answer


def test_a_person_uses_all_seven_tools(demo: Running, page: Page) -> None:
    page.goto(demo.ready["docs_url"])
    page.locator("button.authorize").first.click()
    page.locator(".auth-container input").fill(demo.ready["token"])
    page.locator(".auth-btn-wrapper button.authorize").click()
    page.locator(".auth-btn-wrapper button.btn-done").click()

    assert execute(page, "find_albums", {"query": "maine"}) == {"albums": []}
    assert execute(page, "search_photos", {"state": "maine"})["total"] == 398
    preview = execute(page, "preview_album", {"album_name": "Maine 2026", **AUGUST})
    assert preview["count"] == 455
    confirm = {"preview_token": preview["preview_token"], "expected_count": 455, "album_name": "Maine 2026"}
    receipt = execute(page, "create_album", confirm)
    assert (receipt["status"], receipt["added"], receipt["album_count_now"]) == ("done", 455, 455)
    found = execute(page, "find_albums", {"query": "maine"})["albums"]
    assert [(album["name"], album["asset_count"]) for album in found] == [("Maine 2026", 455)]

    cat = execute(page, "smart_search", {"query": "orange cat in snow", "person": "Simba", "limit": 3})
    assert len(cat["results"]) == 3
    lisbon = execute(page, "find_albums", {"query": "lisbon"})["albums"][0]
    gaps = execute(page, "album_gaps", {"album_id": lisbon["id"]})
    assert gaps["missing_count"] == 37
    add = {"preview_token": gaps["preview_token"], "expected_new_count": 37, "album_name": "Lisbon 2025"}
    assert execute(page, "add_to_album", add)["album_count_now"] == 449
    page.screenshot(path=str(demo.log.with_suffix(".png")))
