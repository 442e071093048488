"""No case is missing: each of the 138 ids is a test's name, or stands in docs/behaviour.md with the reason."""

from __future__ import annotations

import ast
import re
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
IDS = (HERE / "ids.txt").read_text().split()
SHARED = ROOT.parent / "shared" / "cases.md"
TEST_NAME = re.compile(r"test_([a-z]{3})_(\d{2})_")


def ids_tested() -> set[str]:
    """Ids in the names of test functions below tests/."""
    found = set()
    for file in ROOT.glob("tests/**/test_*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (name := TEST_NAME.match(node.name)):
                found.add(f"{name[1].upper()}-{name[2]}")
    return found


def not_applicable() -> dict[str, str]:
    """Ids of the list at the end of docs/behaviour.md, with their reasons."""
    text = (ROOT / "docs" / "behaviour.md").read_text().partition("## Reported cases that cannot apply")[2]
    return dict(re.findall(r"^- \*\*([A-Z]{3}-\d{2})\*\*: (.+)", text, re.MULTILINE))


def test_every_case_is_a_test_or_has_a_reason() -> None:
    listed = not_applicable()
    assert sorted(set(IDS) - ids_tested() - set(listed)) == []
    assert sorted(ids_tested() & set(listed)) == []
    assert all(len(reason) > 40 for reason in listed.values())


def test_the_ids_are_those_of_the_case_file() -> None:
    assert len(IDS) == len(set(IDS)) == 138
    if SHARED.exists():
        assert re.findall(r"^### ([A-Z]{3}-\d{2})", SHARED.read_text(), re.MULTILINE) == IDS
    assert ids_tested() <= set(IDS)
