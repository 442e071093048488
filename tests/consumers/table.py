"""The table of `docs/clients.md`, written from what the runs measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

BEGIN, END = "<!-- consumers: begin -->", "<!-- consumers: end -->"
HEAD = "| Client | Version | Tools | Qwen tokens | Scenario B | What it loses |\n| --- | --- | --- | --- | --- | --- |"


def write_table(page: Path, results: list[dict[str, Any]], *, only_check: bool) -> bool:
    """Puts the table between its markers. False where it was not current and `only_check` forbids to write."""
    text = page.read_text()
    before, _, rest = text.partition(BEGIN)
    _, marker, after = rest.partition(END)
    assert marker, f"{page} has no place for the table"
    rows = "\n".join(_row(result) for result in results)
    wanted = f"{before}{BEGIN}\n{HEAD}\n{rows}\n{END}{after}"
    if wanted != text and not only_check:
        page.write_text(wanted)
    return wanted == text or not only_check


def _row(result: dict[str, Any]) -> str:
    measured = [result.get(column, "") for column in ("client", "version", "seen", "tokens", "played")]
    cells = [*measured, "; ".join(result["loses"]) or "nothing"]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"
