"""raggr's photo tools, made from the environment. Off when unset; never the reason why the agent does not start."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import Any

import httpx
from langchain_core.tools import BaseTool

from clients.http import SpecUnavailable, TripbookCaller
from clients.langchain_toolkit import ALL_TOOLS, IsAdmin, load_tools
from clients.spec import Allowed, allowed_by, is_allowed, read_operations

log = logging.getLogger(__name__)
URL_VARIABLE = "IMMICH_TOOLS_URL"
TOKEN_VARIABLE = "IMMICH_TOOLS_TOKEN"  # noqa: S105 - the name of a variable
PREFIX = "immich_"


async def load_photo_tools(
    *,
    allow: Allowed = ALL_TOOLS,
    is_admin: IsAdmin | None = None,
    spec: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] = os.environ,
    transport: httpx.AsyncBaseTransport | None = None,
) -> list[BaseTool]:
    """The tools of the Tripbook at IMMICH_TOOLS_URL, called with IMMICH_TOOLS_TOKEN; `[]` where there are none.

    A token that may only read gets reading tools, whatever `allow` says; writing ones would cost tokens and end in
    refusals. Bind the tools for admins only; each still asks `is_admin` on every call, by default
    `config["configurable"]["is_admin"]`.
    """
    url, token = (environment.get(name, "").strip() for name in (URL_VARIABLE, TOKEN_VARIABLE))
    if not url or not token:
        log.info("photo tools are off: set %s and %s to use them", URL_VARIABLE, TOKEN_VARIABLE)
        return []
    try:
        caller = TripbookCaller(url, token, transport=transport)
        document = spec if spec is not None else await caller.fetch_document()
        may = allowed_by(await caller.whose_token())
        names = [one.name for one in read_operations(document, allow) if is_allowed(one, may)]
        tools = await load_tools(
            url, token, prefix=PREFIX, allow=names, is_admin=is_admin, spec=document, transport=transport
        )
    except (SpecUnavailable, ValueError) as error:
        log.warning("photo tools are off: %s", error)
        return []
    log.info("photo tools: %s", ", ".join(tool.name for tool in tools))
    return tools
