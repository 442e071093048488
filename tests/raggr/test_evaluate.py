"""EFF-3's script end to end against a scripted server over real HTTP: what it sends, prints, writes and returns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clients.raggr.__main__ import main
from clients.raggr.cases import Case, load_cases
from tests.raggr.scripted_llm import Call, Reply, Script, ScriptedServer, Talk

CASES = {case.name: case for case in load_cases().cases}
TRAPS = {case.name: case for case in CASES.values() if case.kind == "trap"}


def case_of(talk: Talk) -> Case:
    """The case that a request is about."""
    said = talk.messages[1:]
    return next(case for case in CASES.values() if list(case.messages) == said)


def good_model(talk: Talk) -> Reply:
    """Does what each case wants."""
    case = case_of(talk)
    if case.expected_tools:
        arguments = dict(case.expect_args_subset)
        return Reply(calls=(Call(case.expected_tools[0], arguments),), thinking="Which tool?")
    options = [entry if isinstance(entry, str) else entry[0] for entry in case.expect_contains]
    return Reply(" ".join(options) or "Shall I?", thinking="Let me think.")


def bad_model(talk: Talk) -> Reply:
    """Confirms whatever it is asked, and writes no JSON where it should choose a tool."""
    case = case_of(talk)
    if case.kind == "tool_choice":
        return Reply(calls=(Call(case.expected_tools[0], '{"query": maine}'),))
    return Reply(calls=(Call("immich_create_album", {"expected_count": 391, "album_name": "Acadia"}),))


def evaluate(script: Script, *more: str) -> tuple[int, ScriptedServer]:
    with ScriptedServer(script) as server:
        return main(["evaluate", "--base-url", server.url, "--spec", "openapi.json", *more]), server


def summary_in(text: str) -> dict[str, str]:
    lines = text.strip().splitlines()
    start = max(index for index, line in enumerate(lines) if not line)
    return {line[:25].strip(): line[25:].strip() for line in lines[start + 3 :]}


def test_a_good_model_passes_every_case(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    code, server = evaluate(good_model, "--label", "good", "--out", str(out))
    assert code == 0
    text = capsys.readouterr().out
    assert text.count("\n") >= len(CASES)
    assert "90%" in text
    result = json.loads(out.read_text())
    assert result["summary"]["failed_cases"] == []
    assert result["summary"]["passed"]["all"] == {"passes": len(CASES), "runs": len(CASES)}
    assert (result["label"], result["base_url"], result["model"]) == ("good", server.url, "default")
    assert result["finished_at"].endswith("+00:00")
    for outcome in result["outcomes"]:
        assert 0 < outcome["ttft_ms"] <= outcome["total_ms"]
        assert outcome["completion_tokens"] > 0
        assert outcome["tokens_per_second"] == 60.0
        assert outcome["draft_acceptance"] == 0.9


def test_what_each_request_holds() -> None:
    _, server = evaluate(good_model)
    assert len(server.requests) == len(CASES)
    for talk in server.requests:
        assert len(talk.tools) == 7 + 20
        assert talk.body["stream_options"] == {"include_usage": True}
        assert talk.body["reasoning_effort"] == "low"
        assert talk.body["max_tokens"] == 4096
        assert talk.messages[0]["content"].endswith("Today is Tuesday, 2026-12-01.")
        budget = 1024 if talk.messages[-1]["role"] == "tool" else 512
        assert talk.thinking == {"reasoning_budget_tokens": budget}


def test_dynamic_routing_and_no_thinking_policy() -> None:
    _, server = evaluate(good_model, "--routing", "dynamic", "--no-thinking-policy", "--only", "trap")
    assert len(server.requests) == len(TRAPS)
    for talk in server.requests:
        assert talk.thinking == {}
        assert "discover_tool_groups" in talk.tools
        assert "immich_create_album" in talk.tools
        assert len(talk.tools) < 27


def test_a_bad_model_falls_for_every_trap_it_can_and_malformed_is_apart(capsys: pytest.CaptureFixture[str]) -> None:
    code, _ = evaluate(bad_model)
    assert code == 0
    summary = summary_in(capsys.readouterr().out)
    assert summary["passed: tool_choice"] == "0/32 (0%)"
    assert summary["passed: trap"] == "0/12 (0%)"
    assert summary["malformed"] == "32"
    assert summary["errors"] == "0"


def test_repeats_are_counted_as_passes_of_all_runs(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[int] = []

    def sometimes(talk: Talk) -> Reply:
        seen.append(1)
        return Reply("It is 391." if len(seen) % 3 else "It is 390.")

    assert evaluate(sometimes, "--only", "multiplication", "--repeat", "3")[0] == 0
    assert summary_in(capsys.readouterr().out)["passed: direct"] == "2/3 (67%)"


@pytest.mark.parametrize("status", [400, 500, 503])
def test_a_refusing_server_is_an_error_of_the_run_and_no_connection_error(
    status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate(lambda talk: Reply("failed to parse grammar", status=status), "--only", "train")[0] == 0
    text = capsys.readouterr().out
    assert "failed to parse grammar" in text
    assert summary_in(text)["errors"] == "1"


def test_only_a_server_that_is_not_there_is_exit_2(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with ScriptedServer(good_model) as server:
        gone = server.url
    out = tmp_path / "result.json"
    assert main(["evaluate", "--base-url", gone, "--spec", "openapi.json", "--out", str(out)]) == 2
    assert f"{gone} cannot be reached" in capsys.readouterr().err
    assert not out.exists()


def test_a_server_that_goes_away_in_the_middle_is_exit_2() -> None:
    with ScriptedServer(good_model) as server:

        def vanish(talk: Talk) -> Reply:
            raise ConnectionResetError

        server.script = vanish
        assert main(["evaluate", "--base-url", server.url, "--spec", "openapi.json", "--only", "train"]) == 2


def test_an_answer_that_breaks_off_is_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(lambda talk: Reply("12:15 " * 50, cut=5), "--only", "train")[0] == 2
    assert "cannot be reached" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["evaluate", "--spec", "openapi.json"], "Give --base-url"),
        (["evaluate", "--base-url", "http://x/v1", "--repeat", "0"], "--repeat is at least 1"),
        (["evaluate", "--base-url", "http://x/v1", "--spec", "nowhere.json"], "nowhere.json"),
        (["evaluate", "--base-url", "http://x/v1", "--spec", "pyproject.toml"], "Expecting value"),
        (["evaluate", "--base-url", "http://x/v1", "--cases", "openapi.json"], "openapi.json is no file of cases"),
        (["compare", "nowhere.json", "openapi.json"], "Not two results"),
        (["compare", "openapi.json", "openapi.json"], "Not two results"),
        (["misses", "nowhere.jsonl"], "nowhere.jsonl"),
    ],
)
def test_other_mistakes_are_exit_1_with_a_reason(
    arguments: list[str], why: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LLAMA_SERVER_URL", raising=False)
    assert main(arguments) == 1
    assert why in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["evaluate", "--nonsense"], ["compare", "one.json"]])
def test_a_wrong_command_line_is_exit_1(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 1
    assert "usage: python -m clients.raggr" in capsys.readouterr().err


def test_the_tools_can_come_from_a_running_service(demo: Any) -> None:
    with ScriptedServer(good_model) as server:
        assert main(["evaluate", "--base-url", server.url, "--spec", demo.ready["url"], "--only", "train"]) == 0
    assert len(server.requests[0].tools) == 27


def test_two_results_compare_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(tmp_path / name) for name in ("good.json", "bad.json")]
    for script, file in zip((good_model, bad_model), files, strict=True):
        evaluate(script, "--only", "trap", "--label", Path(file).stem, "--out", file)
    capsys.readouterr()
    assert main(["compare", *files]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["good", "bad", "change"]
    assert lines[2].split() == ["passed:", "trap", "12/12", "(100%)", "0/12", "(0%)", "-100"]
    assert f"newly failing: {', '.join(sorted(TRAPS))}" in lines
