"""When the local model cannot answer, the cloud model does, and never hears of llama-server's own fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from clients.raggr.agent import Models, build_agent
from clients.raggr.models import chat_model
from clients.raggr.routing import MODES, Mode, ToolRouter
from clients.raggr.turns import Conversation
from tests.raggr import household
from tests.raggr.scenarios import SCENARIOS, scripted
from tests.raggr.scripted_llm import Reply, ScriptedServer, Talk
from tests.raggr.stage import TODAY, Demo, Person, model_at, stage

BROKEN: dict[str, Callable[[Talk], Reply]] = {
    "busy": lambda talk: Reply("no slot", status=503),
    "breaking off": lambda talk: Reply("I found some photos, I think, but ", cut=2),
    "a schema it cannot take": lambda talk: Reply("failed to parse grammar", status=400),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("broken", BROKEN.values(), ids=list(BROKEN))
async def test_the_fallback_answers_and_gets_no_extra_body(demo: Demo, mode: Mode, broken: Any) -> None:
    scenario = SCENARIOS["b"]
    with ScriptedServer(scripted(scenario), strict=True) as cloud:
        async with stage(broken, demo.environment, mode=mode, fallback=model_at(cloud)) as on_stage:
            *_, answer = (await on_stage.say(*scenario.questions)).splitlines()
            assert answer.startswith("Done: 455 photos")
    assert [talk.thinking for talk in cloud.requests] == [{}] * 7
    assert len(on_stage.model.requests) == 7
    assert all(on_stage.thinking)
    calls = [call for line in on_stage.lines for call in line["model_calls"]]
    assert [call["provider"] for call in calls] == ["local", "fallback"] * 7
    assert all(call["error"] for call in calls[::2])
    assert not any("error" in call for call in calls[1::2])
    assert [call["call_kind"] for call in calls[::2]] == [call["call_kind"] for call in calls[1::2]]
    assert all(line["ttft_ms"] is not None for line in on_stage.lines)


async def test_a_strict_server_does_refuse_those_fields() -> None:
    with ScriptedServer(lambda talk: Reply("Hello."), strict=True) as cloud:
        agent = build_agent(Models(model_at(cloud)), ToolRouter(household.tools()), today=lambda: TODAY)
        with pytest.raises(Exception, match="reasoning_budget_tokens"):
            await Conversation(agent, "t", is_admin=True).take_turn("hello", Person())


async def test_a_server_that_is_not_there_is_no_reason_to_fail() -> None:
    with ScriptedServer(lambda talk: Reply()) as gone:
        address = gone.url
    with ScriptedServer(lambda talk: Reply("Hello from the cloud."), strict=True) as cloud:
        models = Models(chat_model(address, "gone"), model_at(cloud))
        person = Person()
        agent = build_agent(models, ToolRouter(household.tools()), today=lambda: TODAY)
        line = await Conversation(agent, "t", is_admin=True).take_turn("hello", person)
    assert person.shown == "Hello from the cloud."
    assert [call["provider"] for call in line["model_calls"]] == ["local", "fallback"]


async def test_the_fallback_alone_is_enough_and_none_is_too_little() -> None:
    router = ToolRouter(household.tools())
    with ScriptedServer(lambda talk: Reply("Hello."), strict=True) as cloud:
        person = Person()
        agent = build_agent(Models(None, model_at(cloud)), router, today=lambda: TODAY)
        await Conversation(agent, "t", is_admin=True).take_turn("hello", person)
    assert person.shown == "Hello."
    with pytest.raises(ValueError, match="needs a model"):
        await build_agent(Models(None), router).ainvoke({"messages": [("user", "hello")]})
