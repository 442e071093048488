"""Measures a model server on the cases: one streamed model call each, as the agent would make it, graded and timed.

It reports and does not judge: the exit code is 0, or 2 where the server cannot be reached.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import openai
from langchain_core.messages import convert_to_messages
from langchain_core.tools import BaseTool, StructuredTool

from clients.http import SpecUnavailable, TripbookCaller
from clients.langchain_toolkit import ALL_TOOLS, load_tools
from clients.raggr.agent import system_prompt
from clients.raggr.cases import CASES, BadCases, Case, Cases, Household, load_cases, load_household
from clients.raggr.grading import ERROR, grade
from clients.raggr.measures import COLUMNS, Outcome, rows_of, summarize, table
from clients.raggr.models import MAX_OUTPUT_TOKENS, add_model_arguments
from clients.raggr.routing import MODES, Schema, ToolRouter
from clients.raggr.streaming import Stream
from clients.raggr.thinking import classify_call, thinking_options
from clients.raggr.tools import URL_VARIABLE

UNREACHABLE = 2
TIMEOUT_SECONDS = 300.0


def add_arguments(parser: ArgumentParser) -> None:
    add_model_arguments(parser)
    parser.add_argument("--cases", type=Path, default=CASES, help="another file of cases")
    parser.add_argument("--only", default="", metavar="TEXT", help="cases whose name or kind contains this")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="runs of each case; 3 for comparisons")
    parser.add_argument("--label", default="", help="what to call this run in comparisons")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write everything as JSON")
    parser.add_argument("--routing", choices=MODES, default="static", help="which tools are bound")
    parser.add_argument("--no-thinking-policy", action="store_true", help="send no thinking options")
    parser.add_argument(
        "--spec",
        default=os.environ.get(URL_VARIABLE) or "openapi.json",
        help=f"Tripbook's address or its OpenAPI file ({URL_VARIABLE}, else openapi.json)",
    )


def run(asked: Namespace) -> int:
    if not asked.base_url or asked.repeat < 1:
        return _stop("Give --base-url or set LLAMA_SERVER_URL." if asked.repeat >= 1 else "--repeat is at least 1.")
    try:
        cases, household = load_cases(asked.cases), load_household()
        tools = _all_tools(asked.spec, household)
    except (BadCases, SpecUnavailable, OSError, ValueError) as error:
        return _stop(str(error))
    with openai.OpenAI(base_url=asked.base_url, api_key="not-needed", max_retries=0, timeout=TIMEOUT_SECONDS) as client:
        router = ToolRouter(tools, household.groups, asked.routing)
        bench = Bench(client, asked.model, router, cases, thinking_policy=not asked.no_thinking_policy)
        chosen = [case for case in cases.cases if asked.only in case.name or asked.only in case.kind]
        outcomes: list[Outcome] = []
        try:
            for case in (case for case in chosen for _ in range(asked.repeat)):
                _show_progress(case, len(outcomes))
                outcomes.append(bench.run(case))
        except Unreachable as error:
            sys.stderr.write(f"{asked.base_url} cannot be reached: {error}\n")
            return UNREACHABLE
    _report(asked, outcomes)
    return 0


def _show_progress(case: Case, done: int) -> None:
    """A thinking model takes minutes for all cases; only for somebody who watches."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done + 1} {case.name}\033[K\r")


def _stop(reason: str) -> int:
    sys.stderr.write(f"{reason}\n")
    return 1


def _report(asked: Namespace, outcomes: Sequence[Outcome]) -> None:
    summary = summarize(outcomes)
    sys.stdout.write(f"{table([list(COLUMNS), *(outcome.row() for outcome in outcomes)])}\n\n")
    sys.stdout.write(
        f"{table([['', asked.label or 'result'], *([what, text] for what, _, text in rows_of(summary))])}\n"
    )
    if asked.out:
        result = {
            "label": asked.label,
            "base_url": asked.base_url,
            "model": asked.model,
            "routing": asked.routing,
            "thinking_policy": not asked.no_thinking_policy,
            "repeat": asked.repeat,
            "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "summary": summary,
            "outcomes": [asdict(outcome) for outcome in outcomes],
        }
        asked.out.write_text(json.dumps(result, ensure_ascii=False, indent=1), encoding="utf-8")


def _all_tools(spec: str, household: Household) -> list[BaseTool]:
    """Our seven as the service describes them, and the distractors. None of them is ever run."""
    if spec.startswith(("http://", "https://")):
        document: Any = asyncio.run(TripbookCaller(spec, "").fetch_document())
    else:
        document = json.loads(Path(spec).read_text(encoding="utf-8"))
    photo_tools = asyncio.run(load_tools("http://never-called.invalid", "", allow=ALL_TOOLS, spec=document))
    if not photo_tools:
        raise ValueError(f"There are no tools in {spec}.")
    return [*photo_tools, *map(_distractor, household.functions)]


def _distractor(function: Schema) -> BaseTool:
    async def never(**_: Any) -> str:
        raise NotImplementedError

    return StructuredTool.from_function(
        coroutine=never,
        name=function["name"],
        description=function["description"],
        args_schema=function["parameters"],
    )


class Unreachable(Exception):
    """There is no such server, or it went away."""


@dataclass(frozen=True, slots=True)
class Bench:
    """Runs cases against one server."""

    client: openai.OpenAI
    model: str
    router: ToolRouter
    cases: Cases
    thinking_policy: bool = True

    def run(self, case: Case) -> Outcome:
        """Raises Unreachable; whatever else the server does is an outcome."""
        stream = Stream(time.monotonic())
        try:
            for chunk in self.client.chat.completions.create(**self.request(case)):
                stream.take(chunk, time.monotonic())
        except openai.APITimeoutError:
            return Outcome(case.name, case.kind, ERROR, "took too long")
        except openai.APIConnectionError as error:
            raise Unreachable(str(error.__cause__ or error)) from error
        except openai.OpenAIError as error:
            return Outcome(case.name, case.kind, ERROR, str(error))
        return self._outcome(case, stream)

    def request(self, case: Case) -> dict[str, Any]:
        """What the agent would send: its prompt, its tools, and thinking by the kind of call."""
        messages = convert_to_messages(list(case.messages))
        prompt = {"role": "system", "content": system_prompt(self.cases.today, is_admin=True)}
        thinking = thinking_options(classify_call(messages)) if self.thinking_policy else {}
        return {
            "model": self.model,
            "messages": [prompt, *case.messages],
            "tools": self.router.for_call(messages, is_admin=True),
            "stream": True,
            "stream_options": {"include_usage": True},
            "reasoning_effort": "low",
            "max_tokens": MAX_OUTPUT_TOKENS,
            "extra_body": thinking,
        }

    def _outcome(self, case: Case, stream: Stream) -> Outcome:
        found = grade(case, stream.text, stream.calls)
        return Outcome(
            case.name,
            case.kind,
            found.grade,
            found.why,
            text=stream.text,
            calls=[asdict(call) for call in stream.calls],
            **stream.figures(time.monotonic()),
        )
