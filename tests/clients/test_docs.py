"""`docs/clients.md` says what is there: every exit code, every example, every consumer, every variable."""

from __future__ import annotations

import re
from pathlib import Path

from clients import config
from clients.exits import MEANINGS
from clients.raggr import tools
from tests.consumers.runs import CONSUMERS

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "clients.md").read_text()


def test_exit_codes_are_the_ones_of_the_command_line() -> None:
    rows = dict(re.findall(r"^\| (\d+) \| (.+) \|$", PAGE, re.MULTILINE))
    assert rows == {str(code.value): meaning for code, meaning in MEANINGS.items()}


def test_every_example_is_shown_and_every_link_leads_somewhere() -> None:
    linked = set(re.findall(r"\]\((?!http)([^)#]+)\)", PAGE))
    assert {f"examples/{path.name}" for path in (DOCS / "examples").glob("*.*")} <= linked
    assert all((DOCS / link).exists() for link in linked)


def test_the_table_has_been_filled_by_a_run() -> None:
    table = PAGE.partition("<!-- consumers: begin -->")[2].partition("<!-- consumers: end -->")[0]
    assert len(table.strip().splitlines()) - 2 >= len(CONSUMERS)


def test_every_variable_is_named() -> None:
    names = (config.URL_VARIABLE, config.TOKEN_VARIABLE, config.FILE_VARIABLE, tools.URL_VARIABLE, tools.TOKEN_VARIABLE)
    assert all(name in PAGE for name in names)
