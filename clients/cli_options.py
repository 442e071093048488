"""Options that several commands share: the criteria as one mapping, `--json`, `--limit`, `--yes-if-at-most`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_type_hints

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print the service's own JSON; never asks.")]
Limit = Annotated[int | None, typer.Option(help="How many at most, 1 to 25.")]
YesIfAtMost = Annotated[
    int | None, typer.Option(min=0, metavar="N", help="Do not ask: yes up to N photos, no beyond. For cron.")
]
# Field of the API, option, type, help. The service checks the values: its messages name the field and the remedy.
CRITERIA: tuple[tuple[str, str, Any, str], ...] = (
    ("taken_after", "--after", str, "First day, YYYY-MM-DD."),
    ("taken_before", "--before", str, "Last day, YYYY-MM-DD, inclusive."),
    ("state", "--state", str, "State or province."),
    ("city", "--city", str, "City."),
    ("country", "--country", str, "Country."),
    ("person", "--person", str, "Name of a person."),
    ("media", "--media", str, "photo, video or all."),
    ("favorites_only", "--favorites", bool, "Only favourites."),
)


def takes_criteria(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the criteria's options; it receives those that were set as one mapping `criteria`."""

    def run(*args: Any, **given: Any) -> None:
        values = {field: given.pop(field) for field, *_ in CRITERIA}
        command(*args, **given, criteria={field: value for field, value in values.items() if value is not None})

    hints = get_type_hints(command, include_extras=True)
    own = [
        parameter.replace(annotation=hints[parameter.name])
        for parameter in inspect.signature(command).parameters.values()
        if parameter.name != "criteria"
    ]
    parameters = sorted([*own, *(_parameter(*entry) for entry in CRITERIA)], key=lambda parameter: parameter.kind)
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


def _parameter(field: str, option: str, kind: Any, text: str) -> inspect.Parameter:
    annotation = Annotated[kind | None, typer.Option(option, help=text)]
    return inspect.Parameter(field, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
