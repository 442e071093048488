"""Scenarios A–D of the original design as scripts: what the person says, and what a good model does at each step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from clients.raggr.routing import DISCOVERY_NAME
from tests.raggr.scripted_llm import Call, CannotGoOn, Reply, Script, Talk

Move = Callable[[Talk], Reply]
NOTHING_LEFT = "That is all I was told to say."
SORRY = "That did not work."


@dataclass(frozen=True)
class Turn:
    """A question, and the model's moves until it answers."""

    question: str
    moves: tuple[Move, ...]


@dataclass(frozen=True)
class Scenario:
    turns: tuple[Turn, ...]

    @property
    def questions(self) -> list[str]:
        return [turn.question for turn in self.turns]


def scripted(scenario: Scenario, *, stubborn: bool = False) -> Script:
    """Plays the moves by place in the conversation; unlocks the photo tools first where they are not bound.

    After a refused call it says so, unless it is `stubborn` and goes on as if nothing had happened. What an earlier
    turn did not find, or was refused, is said again where a later one needs it.
    """

    def script(talk: Talk) -> Reply:
        turn = scenario.turns[talk.turn - 1] if talk.turn <= len(scenario.turns) else None
        done = _moves_of_this_turn(talk)
        if turn is None or done >= len(turn.moves):
            return Reply(NOTHING_LEFT)
        if done and not stubborn and not talk.results[-1][1].startswith("{"):
            return Reply(f"{SORRY} {talk.results[-1][1]}")
        try:
            reply = turn.moves[done](talk)
        except CannotGoOn as reason:
            return Reply(f"{SORRY} {reason}")
        if any(call.name not in talk.tools for call in reply.calls) and DISCOVERY_NAME in talk.tools:
            return Reply(calls=(Call(DISCOVERY_NAME, {"groups": ["photos"]}),))
        return reply

    return script


def _moves_of_this_turn(talk: Talk) -> int:
    done = 0
    for message in reversed(talk.messages):
        if message["role"] == "user":
            break
        calls = [call["function"]["name"] for call in message.get("tool_calls") or ()]
        done += message["role"] == "assistant" and calls != [DISCOVERY_NAME]
    return done


def call(tool: str, arguments: Callable[[Talk], dict[str, Any]] | None = None, **fixed: Any) -> Move:
    """Calls a photo tool, with arguments that may come from earlier results."""

    def move(talk: Talk) -> Reply:
        given = fixed | (arguments(talk) if arguments else {})
        return Reply(calls=(Call(f"immich_{tool}", given),), thinking="The user wants photos.")

    return move


def say(text: Callable[[Talk], str] | str) -> Move:
    return lambda talk: Reply(text if isinstance(text, str) else text(talk))


def existing_album(talk: Talk) -> str:
    albums = talk.result("immich_find_albums")["albums"]
    if not albums:
        return "There is no such album yet. Shall I look for the photos?"
    album = albums[0]
    dates = f"{album['start']} to {album['end']}"
    return f"You already have **{album['name']}**: {album['asset_count']} photos, {dates}. {album['url']}"


def offer_album(talk: Talk) -> str:
    first, other = talk.result("immich_search_photos")["clusters"]
    return (
        f"I found {first['count']} photos from {first['start']} to {first['end']}, mostly {first['top_place']},"
        f" plus {other['count']} from {other['start']}. Want an album for the first trip?"
    )


def biggest_cluster(talk: Talk) -> dict[str, Any]:
    cluster = talk.result("immich_search_photos")["clusters"][0]
    return {"taken_after": cluster["start"], "taken_before": cluster["end"]}


def show_preview(talk: Talk) -> str:
    preview = talk.result("immich_preview_album")
    return f"{preview['sentence']} {preview['no_location']} of them have no location."


def confirm_album(talk: Talk) -> dict[str, Any]:
    preview = talk.result("immich_preview_album")
    names = ("preview_token", "album_name")
    return {name: preview[name] for name in names} | {"expected_count": preview["count"]}


def show_gaps(talk: Talk) -> str:
    gaps = talk.result("immich_album_gaps")
    if not gaps["missing_count"]:
        return "Nothing is missing from it."
    return f"{gaps['missing_count']} photos from those days are not in it. {gaps['sentence']}"


def confirm_additions(talk: Talk) -> dict[str, Any]:
    gaps = talk.result("immich_album_gaps")
    if not gaps["missing_count"]:
        raise CannotGoOn("Nothing is missing from it.")
    return {
        "preview_token": gaps["preview_token"],
        "expected_new_count": gaps["missing_count"],
        "album_name": gaps["album"]["name"],
    }


def receipt_of(tool: str) -> Move:
    def text(talk: Talk) -> str:
        receipt = talk.result(f"immich_{tool}")
        return f"Done: {receipt['added']} photos are now in {receipt['album']['name']}. {receipt['album']['url']}"

    return say(text)


def show_results(talk: Talk) -> str:
    found = talk.result("immich_smart_search")["results"]
    return "\n".join(f"- {photo['date']} {photo['url']}" for photo in found)


def found_album(talk: Talk) -> dict[str, Any]:
    albums = talk.result("immich_find_albums")["albums"]
    if not albums:
        raise CannotGoOn("There is no such album.")
    return {"album_id": albums[0]["id"]}


PREVIEW_MOVES = (call("preview_album", biggest_cluster, album_name="Maine 2026"), say(show_preview))

SCENARIOS = {
    "a": Scenario(
        (Turn("my maine trip, here are the photos", (call("find_albums", query="maine"), say(existing_album))),)
    ),
    "b": Scenario(
        (
            Turn(
                "find my maine trip photos",
                (call("find_albums", query="maine"), call("search_photos", state="Maine"), say(offer_album)),
            ),
            Turn("yes, call it Maine 2026", PREVIEW_MOVES),
            Turn("yes", (call("create_album", confirm_album), receipt_of("create_album"))),
        )
    ),
    "c": Scenario(
        (
            Turn(
                "is the lisbon album missing anything?",
                (call("find_albums", query="lisbon"), call("album_gaps", found_album), say(show_gaps)),
            ),
            Turn("yes, add them", (call("add_to_album", confirm_additions), receipt_of("add_to_album"))),
        )
    ),
    "d": Scenario(
        (
            Turn(
                "pictures of simba in the snow",
                (call("smart_search", query="orange cat in snow", person="Simba"), say(show_results)),
            ),
        )
    ),
}
