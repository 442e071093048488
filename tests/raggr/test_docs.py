"""docs/raggr.md names every option and variable of the commands, and none that does not exist."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from importlib import import_module
from pathlib import Path

from clients.raggr.__main__ import COMMANDS
from clients.raggr.cases import load_cases, load_household

PAGE = Path("docs/raggr.md").read_text(encoding="utf-8")
OF_OTHERS = {"--scenario", "--port", "--no-deps"}
"""The scripted server's own, and uv's."""


def options() -> set[str]:
    found: set[str] = set()
    for name in COMMANDS:
        parser = ArgumentParser(add_help=False)
        import_module(f"clients.raggr.{name}").add_arguments(parser)
        found |= {option for action in parser._actions for option in action.option_strings}
    return found


def test_the_page_and_the_commands_know_the_same_options() -> None:
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE)) - OF_OTHERS == options()


def test_the_page_names_every_variable_that_the_code_reads() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in Path("clients/raggr").glob("*.py"))
    read = set(re.findall(r'environ\.get\("([A-Z_]+)"', code)) - {"XDG_DATA_HOME"}
    assert read
    assert {name for name in read if name not in PAGE} == set()


def test_the_page_counts_the_cases_right() -> None:
    assert f"{len(load_cases().cases)} cases" in PAGE
    assert f"{len(load_household().functions)} of other domains" in PAGE


def test_every_module_it_names_exists() -> None:
    named = re.findall(r"`([a-z_]+\.py)`", PAGE)
    assert {name for name in named if not (Path("clients/raggr") / name).exists()} == set()
