"""`python -m clients …`: the command line, and `mcp` for clients that start a process."""

from __future__ import annotations

import gc
import sys

from clients.config import ConfigError, load_config
from clients.http import TripbookCaller

USAGE_EXIT = 2


def main() -> int:
    """`mcp` goes its own way: it must be ready within a second and needs nothing of the command line."""
    try:
        if sys.argv[1:] == ["mcp"]:
            return run_mcp()
        from clients.cli import NAME, app
    except ModuleNotFoundError as missing:
        extra = "mcp" if sys.argv[1:] == ["mcp"] else "cli"
        print(f"This needs the package {missing.name}: install the extra `{extra}`.", file=sys.stderr)  # noqa: T201
        return USAGE_EXIT
    app(prog_name=NAME)
    return 0


def run_mcp() -> int:
    """Serves MCP on standard input and output until they close; 2 where the configuration is missing or wrong."""
    try:
        config = load_config()
    except ConfigError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return USAGE_EXIT
    # The SDK makes its classes once and keeps them: looking for garbage among them is a tenth of the start.
    gc.disable()
    from clients.mcp_stdio import run_stdio

    gc.freeze()
    gc.enable()
    run_stdio(TripbookCaller(config.url, config.token))
    return 0


if __name__ == "__main__":
    sys.exit(main())
