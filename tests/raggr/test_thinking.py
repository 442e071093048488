"""The tables of EFF-1 and EFF-2: the kind of a model call, and how much thinking it gets."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from clients.raggr.routing import DISCOVERY_NAME
from clients.raggr.thinking import AFTER_DISCOVERY, AFTER_TOOLS, FIRST, classify_call, thinking_options
from tests.raggr.household import ai, discovered, result

ASKED = HumanMessage("how much did we spend on groceries last month?")
SPENDING = "ynab_spending_report"


@pytest.mark.parametrize(
    ("messages", "kind"),
    [
        ([ASKED], FIRST),
        ([SystemMessage("You are Simba."), ASKED], FIRST),
        ([ASKED, ai(DISCOVERY_NAME), discovered("finance")], AFTER_DISCOVERY),
        ([ASKED, ai(DISCOVERY_NAME, DISCOVERY_NAME), discovered("finance"), discovered("meals")], AFTER_DISCOVERY),
        ([ASKED, ai(DISCOVERY_NAME, SPENDING), discovered("finance"), result(SPENDING)], AFTER_TOOLS),
        ([ASKED, ai(SPENDING, DISCOVERY_NAME), result(SPENDING), discovered("finance")], AFTER_TOOLS),
        ([ASKED, ai(DISCOVERY_NAME), discovered("finance", status="error")], AFTER_TOOLS),
        (
            [ASKED, ai(DISCOVERY_NAME, DISCOVERY_NAME), discovered("finance"), discovered("x", status="error")],
            AFTER_TOOLS,
        ),
        ([ASKED, ai(SPENDING), result(SPENDING)], AFTER_TOOLS),
        ([ASKED, ai(SPENDING), result(SPENDING, status="error")], AFTER_TOOLS),
        ([ASKED, ai(DISCOVERY_NAME), discovered("finance"), ai(SPENDING), result(SPENDING)], AFTER_TOOLS),
        ([ASKED, ai(SPENDING), result(SPENDING), HumanMessage("and in May?")], FIRST),
        ([ASKED, AIMessage("You spent $612.")], AFTER_TOOLS),
        ([SystemMessage("You are Simba.")], AFTER_TOOLS),
        ([], AFTER_TOOLS),
        ({"messages": [ASKED]}, FIRST),
        ({"messages": [ASKED, ai(DISCOVERY_NAME), discovered("finance")]}, AFTER_DISCOVERY),
        ({"messages": []}, AFTER_TOOLS),
    ],
)
def test_the_kind_of_a_call(messages: Any, kind: str) -> None:
    assert classify_call(messages) == kind


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (FIRST, {"reasoning_budget_tokens": 512}),
        (AFTER_DISCOVERY, {"chat_template_kwargs": {"enable_thinking": False}}),
        (AFTER_TOOLS, {"reasoning_budget_tokens": 1024}),
        ("something unknown", {"reasoning_budget_tokens": 1024}),
    ],
)
def test_how_much_thinking_a_kind_gets(kind: str, options: dict[str, Any]) -> None:
    assert thinking_options(kind) == options
