"""Swagger UI from files we ship, and the OpenAPI documents. Anonymous: nothing here holds data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from service.api.openapi import build_full_document, build_tools_document

STATIC = Path(__file__).parent / "static"
# Swagger UI draws its icons with inline styles.
DOCS_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tripbook API</title>
<link rel="icon" type="image/png" href="static/swagger-ui/favicon-32x32.png">
<link rel="stylesheet" href="static/swagger-ui/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="static/swagger-ui/swagger-ui-bundle.js"></script>
<script src="static/swagger-init.js"></script>
</body>
</html>
"""


def install_docs(app: FastAPI, public_base_url: str) -> None:
    """Adds `/docs`, its files, and both documents, built once."""
    full: dict[str, Any] | None = None

    def document() -> dict[str, Any]:
        nonlocal full
        if full is None:
            full = build_full_document(app, public_base_url)
        return full

    async def full_json(request: Request) -> Response:
        return JSONResponse(document())

    async def tools_json(request: Request) -> Response:
        return JSONResponse(build_tools_document(document()))

    async def docs(request: Request) -> Response:
        return HTMLResponse(PAGE, headers={"Content-Security-Policy": DOCS_POLICY})

    async def home(request: Request) -> Response:
        return RedirectResponse("docs")

    app.router.routes += [
        Route("/", home),
        Route("/docs", docs),
        Route("/openapi.json", tools_json),
        Route("/openapi-full.json", full_json),
    ]
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.openapi = document  # type: ignore[method-assign]
