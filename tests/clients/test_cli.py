"""The command line against a real demo process: what it shows, asks, writes, and ends with."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from clients.cli import app
from clients.exits import MEANINGS, Exit
from tests.clients.conftest import Demo
from tests.processes import ROOT

AUGUST = ["--after", "2026-08-02", "--before", "2026-08-09"]
JULY = ["--after", "2023-07-14", "--before", "2023-07-14"]
COMMANDS = [[], ["albums"], ["photos"], ["albums", "find"], ["albums", "gaps"], ["albums", "add"], ["albums", "create"],
            ["photos", "search"], ["photos", "smart"], ["whoami"], ["mcp"]]  # fmt: skip


def run(demo: Demo, *arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env=demo.environment | environment)


def answer_of(result: Result) -> Any:
    assert result.exit_code == Exit.DONE, result.output
    return json.loads(result.stdout)


def album_names(demo: Demo, query: str) -> list[str]:
    return [album["name"] for album in answer_of(run(demo, "albums", "find", query, "--json"))["albums"]]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_everything_has_help(command: list[str]) -> None:
    result = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    assert "Usage: " in result.output


def test_help_documents_every_exit_code() -> None:
    words = "".join(CliRunner().invoke(app, ["--help"], env={"COLUMNS": "4000"}).output.split())
    for code, meaning in MEANINGS.items():
        assert f"{code.value}{meaning}".replace(" ", "") in words


def test_find_and_search_for_people_and_for_programs(demo: Demo) -> None:
    shown = run(demo, "photos", "search", "--state", "maine")
    assert shown.stdout.startswith("398 photos and videos, 2023-07-14 to 2026-08-09\n")
    assert answer_of(run(demo, "photos", "search", "--state", "Maine", "--samples", "0", "--json"))["samples"] == []
    smart = run(demo, "photos", "smart", "cat in the snow", "--person", "Simba", "--limit", "2")
    assert smart.stdout.count("/photos/") == 2
    assert "Tokyo 2024" in run(demo, "albums", "find", "tokyo").stdout
    assert run(demo, "albums", "find", "atlantis").stdout == "No album of such a name.\n"


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["photos", "search"], Exit.USAGE, "No search criterion: "),
        (["photos", "search", "--after", "tomorrow"], Exit.USAGE, "taken_after: "),
        (["photos", "search", "--stat", "Maine"], Exit.USAGE, "--stat"),
        (["photos", "search", "--state", "Mane"], Exit.NOT_FOUND, 'Nearest: "Maine"'),
        (["albums", "gaps", "Atlantis"], Exit.NOT_FOUND, "0 albums fit 'Atlantis'"),
        (["albums", "create", "Tokyo 2024", *AUGUST], Exit.IN_THE_WAY, "Album name is taken: "),
        (["albums", "create", "X", "--after", "1990-01-01", "--before", "1990-01-02"], Exit.IN_THE_WAY, "No photos"),
        (["albums", "create", "X", *AUGUST, "--yes-if-at-most", "454"], Exit.TOO_MANY, "nothing was written"),
        (["albums", "create", "X", *AUGUST], Exit.NOT_CONFIRMED, "Nobody to ask: nothing was written."),
        (["albums", "create", "X", *AUGUST, "--json"], Exit.NOT_CONFIRMED, "Nobody to ask: nothing was written."),
    ],
)
def test_refusals_have_a_text_and_a_code(demo: Demo, arguments: list[str], code: Exit, text: str) -> None:
    result = run(demo, *arguments, COLUMNS="200")
    assert (result.exit_code, text in result.stderr) == (code, True), result.output
    assert "X" not in album_names(demo, "X")


def test_a_wrong_token_and_a_wrong_address(demo: Demo) -> None:
    wrong = run(demo, "whoami", TRIPBOOK_TOKEN="tb_wrong")
    assert (wrong.exit_code, "No valid token: " in wrong.stderr) == (Exit.REFUSED_TOKEN, True)
    nowhere = run(demo, "whoami", TRIPBOOK_URL="http://127.0.0.1:9")
    assert (nowhere.exit_code, "cannot be reached" in nowhere.stderr) == (Exit.UNREACHABLE, True)
    assert run(demo, "whoami").stdout == "demo with read, write; writing is on.\n"


def test_without_configuration_it_says_what_is_missing(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["whoami"])
    assert (result.exit_code, "TRIPBOOK_URL is missing" in result.stderr) == (Exit.USAGE, True)


def test_cron_creates_fills_and_repeats(demo: Demo) -> None:
    created = answer_of(run(demo, "albums", "create", "Cron 2023", *JULY, "--yes-if-at-most", "7", "--json"))
    assert (created["status"], created["added"]) == ("done", 7)
    again = run(demo, "albums", "create", "Cron 2023", *JULY, "--yes-if-at-most", "7")
    assert again.exit_code == Exit.IN_THE_WAY
    assert answer_of(run(demo, "albums", "gaps", "cron 2023", *JULY, "--json"))["missing_count"] == 0
    nothing = run(demo, "albums", "add", created["album"]["id"], *JULY)
    assert (nothing.exit_code, nothing.stdout.startswith("Nothing to add.")) == (Exit.DONE, True)
    filled = run(demo, "albums", "add", "Cron 2023", "--state", "Maine", *AUGUST, "--yes-if-at-most", "500")
    assert (filled.exit_code, "Cron 2023: 391 added.\n" in filled.stdout) == (Exit.DONE, True)


def test_what_cannot_be_added_says_why(demo: Demo) -> None:
    result = run(demo, "albums", "add", "Garden party", *AUGUST, "--yes-if-at-most", "500")
    assert (result.exit_code, "This cannot be added" in result.stderr) == (Exit.IN_THE_WAY, True)
    assert "! " in result.stdout


@pytest.mark.parametrize(("typed", "code"), [("y", Exit.DONE), ("n", Exit.NOT_CONFIRMED), ("", Exit.NOT_CONFIRMED)])
def test_a_person_is_asked_and_only_yes_writes(demo: Demo, typed: str, code: Exit) -> None:
    name = f"Asked {typed or 'nothing'}"
    ended, screen = on_a_terminal(demo, ["albums", "create", name, *JULY], f"{typed}\n")
    assert (ended, f'Create the new album "{name}" with 7 photos' in screen) == (code, True), screen
    assert "2023-07-14       7  ████" in screen
    assert "Write these 7? [y/N]" in screen
    assert ("7/7" in screen) == (code == Exit.DONE), screen
    assert (name in album_names(demo, name)) == (code == Exit.DONE)


def on_a_terminal(demo: Demo, arguments: list[str], typed: str) -> tuple[int, str]:
    """Exit code and screen of the command with a terminal on both sides."""
    ours, theirs = pty.openpty()
    environment = os.environ | demo.environment | {"TERM": "xterm", "COLUMNS": "120"}
    process = subprocess.Popen([sys.executable, "-m", "clients", *arguments], cwd=ROOT, env=environment,
                               stdin=theirs, stdout=theirs, stderr=theirs)  # fmt: skip
    os.close(theirs)
    screen, asked = "", False
    while True:
        try:
            got = os.read(ours, 4096)
        except OSError:  # Linux's way to say that the other side is closed
            break
        screen += got.decode(errors="replace")
        if "[y/N]" in screen and not asked:
            os.write(ours, typed.encode())
            asked = True
        if not got:
            break
    os.close(ours)
    return process.wait(30), screen


def test_completion_is_there_for_the_command_of_its_own(demo: Demo) -> None:
    script = subprocess.run(
        [sys.executable, "-m", "clients", "albums", "f"],
        cwd=ROOT,
        env=os.environ | {"_TRIPBOOK_COMPLETE": "complete_bash", "COMP_WORDS": "tripbook albums f", "COMP_CWORD": "2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert script.stdout.split() == ["find"]


@pytest.mark.parametrize(("package", "arguments", "extra"), [("typer", ["whoami"], "cli"), ("mcp", ["mcp"], "mcp")])
def test_without_its_extra_it_says_which_to_install(package: str, arguments: list[str], extra: str) -> None:
    code = f"import sys; sys.modules['{package}'] = None; sys.argv[1:] = {arguments!r}\n" \
           "from clients.__main__ import main; sys.exit(main())"  # fmt: skip
    environment = os.environ | {"TRIPBOOK_URL": "http://x", "TRIPBOOK_TOKEN": "tb_x"}
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True,
                           check=False)  # fmt: skip
    assert (ended.returncode, f"install the extra `{extra}`" in ended.stderr) == (2, True), ended.stderr
