"""Scenarios A and B of the original design, over HTTP, against each Immich version."""

from __future__ import annotations

import pytest

from service.demo.household import household
from tests.harness import VERSIONS, tripbook

AUGUST = {"taken_after": "2026-08-02", "taken_before": "2026-08-09"}


@pytest.mark.parametrize("version", VERSIONS)
async def test_scenario_b_no_album_yet_then_created_once(version: str) -> None:
    async with tripbook(household(), version=version) as box:
        assert (await box.call("find_albums", query="maine"))["albums"] == []

        maine = await box.call("search_photos", state="maine")
        assert (maine["total"], maine["exact"]) == (398, True)
        assert [(c["start"], c["end"], c["count"]) for c in maine["clusters"]] == [
            ("2026-08-02", "2026-08-09", 391),
            ("2023-07-14", "2023-07-14", 7),
        ]
        assert [place["place"] for place in maine["top_places"][:2]] == ["Bar Harbor, Maine", "Portland, Maine"]
        assert maine["criteria"] == {"state": "Maine"}

        week = await box.call("search_photos", **AUGUST)
        assert week["total"] == 455

        preview = await box.call("preview_album", album_name="Maine 2026", **AUGUST)
        assert preview["count"] == 455
        assert '"Maine 2026"' in preview["sentence"]
        assert "455 photos" in preview["sentence"]
        assert box.writes == []

        confirm = {"preview_token": preview["preview_token"], "expected_count": 455, "album_name": "Maine 2026"}
        receipt = await box.call("create_album", **confirm)
        assert (receipt["status"], receipt["added"], receipt["album_count_now"]) == ("done", 455, 455)
        assert receipt["album"]["url"] == f"https://photos.example/albums/{receipt['album']['id']}"

        again = await box.call("create_album", **confirm)
        assert again == receipt | {"replayed": True}
        assert len([album for album in box.immich.library.albums.values() if album.name == "Maine 2026"]) == 1
        album = box.immich.library.albums[receipt["album"]["id"]]
        assert len(album.asset_ids) == len(set(album.asset_ids)) == 455


@pytest.mark.parametrize("version", VERSIONS)
async def test_scenario_a_album_exists(version: str) -> None:
    library = household()
    week = [
        asset
        for asset in library.assets.values()
        if "2026-08-02" <= str(asset.local_date_time) < "2026-08-10"
        and asset.visibility == "timeline"
        and not asset.is_trashed
    ]
    ends = (
        min(week, key=lambda asset: str(asset.local_date_time)),
        max(week, key=lambda asset: str(asset.local_date_time)),
    )
    library.add_album("Maine 2026", [*ends, *(asset for asset in week if asset not in ends)][:412])
    async with tripbook(library, version=version) as box:
        found = (await box.call("find_albums", query="maine"))["albums"]
        assert [(album["name"], album["match"], album["role"]) for album in found] == [("Maine 2026", "part", "owner")]
        assert (found[0]["asset_count"], found[0]["start"], found[0]["end"]) == (412, "2026-08-02", "2026-08-09")
        assert found[0]["url"] == f"https://photos.example/albums/{found[0]['id']}"
