"""`python -m clients.raggr chat | evaluate | compare | misses`: reads the command line and hands over."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from importlib import import_module
from typing import NoReturn

COMMANDS = {
    "chat": "talk with the reference agent",
    "evaluate": "measure a model server on the cases: right tools, right answers, speed",
    "compare": "two results of evaluate, side by side",
    "misses": "which questions needed a discovery, from the agent's log",
}


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        # Not argparse's 2: that one says that the model server cannot be reached.
        self.print_usage(sys.stderr)
        self.exit(1, f"{self.prog}: {message}\n")


def main(arguments: list[str] | None = None) -> int:
    """Only the asked command is imported: their libraries take a second."""
    parser = _Parser(prog="python -m clients.raggr", description="raggr's side of Tripbook.")
    commands = parser.add_subparsers(required=True, metavar="command")
    given = sys.argv[1:] if arguments is None else arguments
    for name, about in COMMANDS.items():
        command = commands.add_parser(name, help=about, description=about)
        if name in given[:1]:
            module = import_module(f"clients.raggr.{name}")
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    asked = parser.parse_args(given)
    code: int = asked.run(asked)
    return code


if __name__ == "__main__":
    sys.exit(main())
