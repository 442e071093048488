"""The service dies at every Immich request of a confirm, before and after Immich carried it out."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.demo.faults import Action, FaultRule, apply_then_reset, half_json, html, reset, status, timeout
from tests.conftest import Figure
from tests.faults.killing import KillAt, When, life
from tests.faults.schedules import Story

REQUESTS = [
    ("GET", "/api-keys/me", 1),
    ("POST", "/search/statistics", 1),
    ("POST", "/search/metadata", 1),
    ("GET", "/albums", 1),
    ("POST", "/albums", 1),
    ("PUT", "/assets", 1),
    ("PUT", "/assets", 2),
    ("PUT", "/assets", 3),
]


async def run(story: Story, figure: Figure, kill_at: KillAt | None, faults: list[FaultRule] | None = None) -> None:
    async with life(story.lookalike, story.folder, story.tokens) as service:
        fields = await story.preview(service)
    story.lookalike.state.immich.faults.rules = faults or []
    receipt = await story.settle(fields, kill_at, immich_timeout=1.5)
    story.check(receipt)
    again = await story.settle(fields)
    assert again == receipt | {"replayed": True}
    story.check(again)
    figure("fault schedules", 1)
    figure("kills (at a request, in process)", story.kills)
    figure("albums made in fault schedules", int(story.action == "create"))
    figure("receipts compared with the look-alike's journal (all equal)", story.compared)


@pytest.mark.parametrize("action", ["create", "add"])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(("method", "path", "nth"), REQUESTS)
async def test_killed_at_a_request(
    tmp_path: Path, action: str, method: str, path: str, nth: int, when: When, figure: Figure
) -> None:
    story = Story(tmp_path, action=action)
    kill_at = KillAt(method, path, nth, when)
    await run(story, figure, kill_at)
    reached = kill_at.seen >= nth
    assert story.kills == int(reached)
    assert reached or (action, path) == ("add", "/albums")


@pytest.mark.parametrize("version", ["2.5.6", "3.1.0"])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(("method", "path", "nth"), [("POST", "/albums", 1), ("PUT", "/assets", 2)])
async def test_killed_while_writing_on_older_versions(
    tmp_path: Path, version: str, method: str, path: str, nth: int, when: When, figure: Figure
) -> None:
    await run(Story(tmp_path, version=version), figure, KillAt(method, path, nth, when))


LOST: dict[str, Action] = {
    "reset": reset(),
    "applied, then reset": apply_then_reset(),
    "applied, half an answer": half_json(),
    "500": status(500),
    "502 page": status(502, "<html>bad gateway</html>", content_type="text/html"),
    "503": status(503),
    "504": status(504),
    "429": status(429),
    "login page": html(),
    "never answered": timeout(),
}


LOST_AT = [("create", "POST", "/albums$", 1), ("create", "PUT", "/assets$", 1), ("add", "PUT", "/assets$", 2)]


@pytest.mark.parametrize("times", [1, 4])
@pytest.mark.parametrize(("action", "method", "path", "nth"), LOST_AT)
@pytest.mark.parametrize("fault", LOST)
async def test_the_answer_to_a_write_is_lost(
    tmp_path: Path, fault: str, action: str, method: str, path: str, nth: int, times: int, figure: Figure
) -> None:
    rule = FaultRule(LOST[fault], method=method, path=path, nth=nth, times=times)
    await run(Story(tmp_path, action=action), figure, None, [rule])
    assert rule.hits >= 1


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("nth", [1, 2, 3])
async def test_a_lost_create_and_then_a_kill(tmp_path: Path, nth: int, when: When, figure: Figure) -> None:
    """The album is there, its answer is not; the process dies while adding to the album it adopted."""
    rule = FaultRule(apply_then_reset(), method="POST", path="/albums$", times=1)
    await run(Story(tmp_path), figure, KillAt("PUT", "/assets", nth, when), [rule])
