"""The command line (extra `cli`): find, search, and make or fill an album after showing exactly what would be written.

Everything that can be asked of the service is asked through `http`; how answers look is in `show`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from clients.cli_options import AsJson, Limit, YesIfAtMost, takes_criteria
from clients.config import ConfigError, load_config
from clients.confirming import Confirm, confirm, preview_id_of
from clients.exits import MEANINGS, Exit, exit_of
from clients.http import Answer, SpecUnavailable, TripbookCaller
from clients.show import plain, show_albums, show_preview, show_receipt, show_results, show_summary
from clients.spec import Operation, read_operations

EPILOG = (
    "TRIPBOOK_URL and TRIPBOOK_TOKEN say where and who; or a file, see TRIPBOOK_CONFIG. Exit codes: "
    + "; ".join(f"{code.value} {meaning}" for code, meaning in MEANINGS.items())
    + "."
)
NAME = "tripbook"
app = typer.Typer(name=NAME, help="Trips and albums of the household's photo library.", epilog=EPILOG,
                  no_args_is_help=True, pretty_exceptions_enable=False)  # fmt: skip
albums = typer.Typer(help="Find albums; make one, or add what is missing, after a look.", no_args_is_help=True)
photos = typer.Typer(help="Count photos by date, place, person; or look for content.", no_args_is_help=True)
app.add_typer(albums, name="albums")
app.add_typer(photos, name="photos")
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


class Session:
    """The configured service and its operations, for one command."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        try:
            config = load_config()
        except ConfigError as error:
            self.stop(Exit.USAGE, str(error))
        self.caller = TripbookCaller(config.url, config.token)
        try:
            found = read_operations(asyncio.run(self.caller.fetch_document()))
        except SpecUnavailable as error:
            self.stop(Exit.UNREACHABLE, str(error))
        self._operations = {operation.name: operation for operation in found}

    def operation(self, name: str) -> Operation:
        if name not in self._operations:
            self.stop(Exit.REFUSED_TOKEN, "Writing is switched off here; the admin can set ENABLE_WRITES=true.")
        return self._operations[name]

    def ask(self, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The answer's body; a problem ends the command."""
        answer = asyncio.run(self.caller.call(self.operation(name), arguments))
        if not answer.ok:
            self.fail(answer)
        return answer.body

    def show(self, body: Mapping[str, Any], shown: Text) -> None:
        if self.as_json:
            sys.stdout.write(json.dumps(body, ensure_ascii=False) + "\n")
        else:
            out.print(shown, soft_wrap=True)

    def fail(self, answer: Answer) -> None:
        if self.as_json and answer.body:
            sys.stdout.write(json.dumps(answer.body, ensure_ascii=False) + "\n")
        self.stop(exit_of(answer), answer.text)

    def stop(self, code: Exit, text: str) -> None:
        err.print(plain(text), soft_wrap=True)
        raise typer.Exit(code)


@albums.command("find")
def find_albums(query: Annotated[str, typer.Argument(help="Part of the name; empty for the newest.")] = "",
                limit: Limit = None, as_json: AsJson = False) -> None:  # fmt: skip
    """Find albums by part of their name."""
    session = Session(as_json=as_json)
    body = session.ask("find_albums", {"query": query, "limit": limit})
    session.show(body, show_albums(body))


@photos.command("search")
@takes_criteria
def search_photos(*, criteria: dict[str, Any],
                  samples: Annotated[int | None, typer.Option(help="Example photos, default 3.")] = None,
                  as_json: AsJson = False) -> None:  # fmt: skip
    """Count and summarise what matches."""
    session = Session(as_json=as_json)
    body = session.ask("search_photos", criteria | {"samples": samples})
    session.show(body, show_summary(body))


@photos.command("smart")
@takes_criteria
def smart_search(query: Annotated[str, typer.Argument(help="What is in the picture, in English.")], *,
                 criteria: dict[str, Any], limit: Limit = None, as_json: AsJson = False) -> None:  # fmt: skip
    """Look for photos by what they show."""
    session = Session(as_json=as_json)
    body = session.ask("smart_search", criteria | {"query": query, "limit": limit})
    session.show(body, show_results(body))


Album = Annotated[str, typer.Argument(help="The album's name, or its id.")]
PadDays = Annotated[int | None, typer.Option(help="Days to look before and after the album's own, default 1.")]


@albums.command("gaps")
@takes_criteria
def album_gaps(album: Album, *, criteria: dict[str, Any], pad_days: PadDays = None,
               as_json: AsJson = False) -> None:  # fmt: skip
    """Show what is missing from an album; writes nothing."""
    session = Session(as_json=as_json)
    body = session.ask("album_gaps", criteria | {"album_id": album_id_of(session, album), "pad_days": pad_days})
    session.show(body, show_summary(body, of=f"missing from {plain(body['album']['name'])}"))


@albums.command("add")
@takes_criteria
def add_to_album(album: Album, *, criteria: dict[str, Any], pad_days: PadDays = None,
                 yes_if_at_most: YesIfAtMost = None, as_json: AsJson = False) -> None:  # fmt: skip
    """Add what is missing from an album, after showing it and asking."""
    session = Session(as_json=as_json)
    body = session.ask("album_gaps", criteria | {"album_id": album_id_of(session, album), "pad_days": pad_days})
    if body["missing_count"] == 0:
        session.show(body, show_preview(body))
        return
    if not body.get("preview_token"):
        session.show(body, show_preview(body))
        session.stop(Exit.IN_THE_WAY, "This cannot be added; see the warnings.")
    count = body["missing_count"]
    arguments = {"expected_new_count": count, "album_name": body["album"]["name"]}
    carry_out(session, "add_to_album", body, arguments, count, yes_if_at_most)


@albums.command("create")
@takes_criteria
def create_album(name: Annotated[str, typer.Argument(help="Name of the new album.")], *, criteria: dict[str, Any],
                 description: Annotated[str | None, typer.Option(help="The album's description.")] = None,
                 yes_if_at_most: YesIfAtMost = None, as_json: AsJson = False) -> None:  # fmt: skip
    """Make an album of everything that matches, after showing it and asking."""
    session = Session(as_json=as_json)
    session.operation("create_album")
    body = session.ask("preview_album", criteria | {"album_name": name, "description": description})
    arguments = {"expected_count": body["count"], "album_name": body["album_name"]}
    carry_out(session, "create_album", body, arguments, body["count"], yes_if_at_most)


@app.command()
def whoami(as_json: AsJson = False) -> None:
    """Show which service this is, whose token, and what it may do."""
    session = Session(as_json=as_json)
    answer = asyncio.run(session.caller.request("GET", "/v1/caller"))
    if not answer.ok:
        session.fail(answer)
    body = answer.body
    writes = "on" if body["writes_enabled"] else "off"
    session.show(body, plain(f"{body['name']} with {', '.join(body['scopes'])}; writing is {writes}."))


@app.command()
def mcp() -> None:
    """Serve the tools over MCP on standard input and output, for clients that start a process."""
    from clients.__main__ import run_mcp

    raise typer.Exit(run_mcp())


def album_id_of(session: Session, album: str) -> str:
    """The id of the one album that is meant by an id or a name; an unclear name ends the command."""
    try:
        return str(UUID(album))
    except ValueError:
        found = session.ask("find_albums", {"query": album, "limit": 25})["albums"]
    meant = [one for one in found if one["match"] == "exact"] or found
    if len(meant) == 1:
        return str(meant[0]["id"])
    if meant:
        err.print(show_albums({"albums": meant}), soft_wrap=True)
    session.stop(Exit.NOT_FOUND, f"{len(meant)} albums fit {album!r}; give the whole name, or the id from its link.")
    raise AssertionError


def carry_out(session: Session, name: str, preview: Mapping[str, Any], arguments: Mapping[str, Any], count: int,
              yes_if_at_most: int | None) -> None:  # fmt: skip
    """Shows the preview, gets a yes, confirms with progress, shows the receipt."""
    if not session.as_json:
        out.print(show_preview(preview, days_of(session, preview)), soft_wrap=True)
    get_yes(session, preview, count, yes_if_at_most)
    token = {"preview_token": preview["preview_token"]}
    wanted = Confirm(session.operation(name), token | dict(arguments), count)
    answer = asyncio.run(with_progress(session, wanted))
    if not answer.ok:
        session.fail(answer)
    session.show(answer.body, show_receipt(answer.body))
    if answer.body.get("remaining"):
        session.stop(Exit.UNFINISHED, f"Unfinished: `python -m service previews resume {wanted.preview_id}` goes on.")


def days_of(session: Session, preview: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """How many photos each day has; none where they are too many, or the service does not say."""
    stored = asyncio.run(session.caller.request("GET", f"/v1/previews/{preview_id_of(preview)}"))
    return list(stored.body.get("days", ())) if stored.ok else []


def get_yes(session: Session, preview: Mapping[str, Any], count: int, yes_if_at_most: int | None) -> None:
    """Returns after a yes; everything else ends the command, with nothing written."""
    if yes_if_at_most is not None:
        if count > yes_if_at_most:
            session.stop(Exit.TOO_MANY, f"{count} are more than {yes_if_at_most}: nothing was written.")
        return
    if session.as_json or not sys.stdin.isatty():
        if session.as_json:
            session.show(preview, Text())
        session.stop(Exit.NOT_CONFIRMED, "Nobody to ask: nothing was written. Use --yes-if-at-most N.")
    if not typer.confirm(f"Write these {count}?", default=False):
        session.stop(Exit.NOT_CONFIRMED, "Nothing was written.")


async def with_progress(session: Session, wanted: Confirm) -> Answer:
    columns = (TextColumn("Writing"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=session.as_json) as progress:
        task = progress.add_task("", total=wanted.count)
        return await confirm(session.caller, wanted, lambda done: progress.update(task, completed=done))
