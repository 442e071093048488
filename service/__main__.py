"""`python -m service serve | demo | clients | previews | openapi | migrate`: the command line of the service."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from service.settings import SettingsError, load_settings

OPENAPI_FILE = Path(__file__).resolve().parents[1] / "openapi.json"
DEFAULT_PORT = 8000


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit code: 0 done, 1 refused or failed, 2 wrong usage."""
    arguments = _parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
    except SettingsError as error:
        print(f"Tripbook cannot start:\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m service", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    serve = commands.add_parser("serve", help="run the service in front of IMMICH_URL")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
    serve.add_argument(
        "--port", type=int, default=DEFAULT_PORT, help=f"port, 0 for a free one (default {DEFAULT_PORT})"
    )
    serve.add_argument("--json", action="store_true", help="print one JSON line when ready")
    serve.set_defaults(run=_serve)

    demo = commands.add_parser("demo", help="run everything on a made-up library; needs nothing")
    demo.add_argument("--port", type=int, default=DEFAULT_PORT, help=f"port, 0 for a free one (default {DEFAULT_PORT})")
    demo.add_argument("--immich-version", default="3.3.1", help="Immich version to look like (default 3.3.1)")
    demo.add_argument("--json", action="store_true", help="print one JSON line when ready")
    demo.set_defaults(run=_demo)

    clients = commands.add_parser("clients", help="make and revoke callers' tokens")
    actions = clients.add_subparsers(required=True, metavar="ACTION")
    add = actions.add_parser("add", help="make a client and print its token, once")
    add.add_argument("name")
    add.add_argument("--scope", action="append", required=True, help="read, write, approve or admin; repeat for more")
    add.set_defaults(run=_clients_add)
    listing = actions.add_parser("list", help="show all clients")
    listing.set_defaults(run=_clients_list)
    for name, run, text in (
        ("rotate", _clients_rotate, "print a new token; the old one stops at once"),
        ("revoke", _clients_revoke, "stop a client's token for good"),
    ):
        action = actions.add_parser(name, help=text)
        action.add_argument("name")
        action.set_defaults(run=run)

    previews = commands.add_parser("previews", help="look at unfinished confirms and finish them")
    steps = previews.add_subparsers(required=True, metavar="ACTION")
    unfinished = steps.add_parser("list", help="show previews whose writing began and did not end")
    unfinished.set_defaults(run=_previews_list)
    resume = steps.add_parser("resume", help="finish one: what was confirmed, nothing else")
    resume.add_argument("preview_id")
    resume.set_defaults(run=_previews_resume)

    drop = steps.add_parser("drop", help="give one up for good; what was written stays, its name is free again")
    drop.add_argument("preview_id")
    drop.set_defaults(run=_previews_drop)

    openapi = commands.add_parser("openapi", help="write openapi.json")
    openapi.add_argument("--check", action="store_true", help="only compare; fails if the file is not current")
    openapi.set_defaults(run=_openapi)

    migrate = commands.add_parser("migrate", help="bring the database to the newest revision")
    migrate.add_argument("--check", action="store_true", help="only compare the tables with the migrations")
    migrate.set_defaults(run=_migrate)
    return parser


def _serve(arguments: argparse.Namespace) -> int:
    from service.running import serve

    return asyncio.run(serve(load_settings(), arguments.host, arguments.port, as_json=arguments.json))


def _demo(arguments: argparse.Namespace) -> int:
    from service.running import run_demo

    return asyncio.run(run_demo(arguments.port, arguments.immich_version, as_json=arguments.json))


def _with_database(run: Callable[..., Awaitable[str | None]], *values: object) -> int:
    """Opens the configured database for one administrative action; prints what it returns."""
    from service.running import administer

    return asyncio.run(administer(load_settings(), run, *values))


def _clients_add(arguments: argparse.Namespace) -> int:
    from service.actions.callers import add_caller

    return _with_database(add_caller, arguments.name, arguments.scope)


def _clients_list(arguments: argparse.Namespace) -> int:
    from service.running import list_clients

    return _with_database(list_clients)


def _clients_rotate(arguments: argparse.Namespace) -> int:
    from service.actions.callers import rotate_caller

    return _with_database(rotate_caller, arguments.name)


def _clients_revoke(arguments: argparse.Namespace) -> int:
    from service.actions.callers import revoke_caller

    return _with_database(revoke_caller, arguments.name)


def _previews_list(arguments: argparse.Namespace) -> int:
    from service.running import list_unfinished_previews

    return _with_database(list_unfinished_previews)


def _previews_drop(arguments: argparse.Namespace) -> int:
    from service.actions.confirms import drop_preview

    return _with_database(drop_preview, arguments.preview_id)


def _previews_resume(arguments: argparse.Namespace) -> int:
    from service.running import resume

    return asyncio.run(resume(load_settings(), arguments.preview_id))


def _openapi(arguments: argparse.Namespace) -> int:
    """The document with all seven tools, as it is with writes on; no server or library is needed."""
    text = json.dumps(_tools_document(), indent=1, ensure_ascii=False) + "\n"
    if not arguments.check:
        OPENAPI_FILE.write_text(text)
        return 0
    if not OPENAPI_FILE.exists() or OPENAPI_FILE.read_text() != text:
        print("openapi.json is not current; run `make openapi`", file=sys.stderr)
        return 1
    return 0


def _tools_document() -> dict[str, object]:
    from service.api.openapi import build_tools_document
    from service.app import create_app

    settings = load_settings(immich_url="http://immich", immich_api_key="none", enable_writes=True, public_base_url="")
    document: dict[str, object] = build_tools_document(create_app(settings).openapi())
    return document


def _migrate(arguments: argparse.Namespace) -> int:
    from service.db.session import check_migrations, migrate

    if not arguments.check:
        migrate(load_settings().database)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        check_migrations(f"sqlite+aiosqlite:///{folder}/check.db")
    return 0


if __name__ == "__main__":
    sys.exit(main())
