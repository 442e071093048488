"""LlamaIndex: its OpenAPI tool spec reads the document, its requests tool posts to it."""

from __future__ import annotations

import json
import warnings
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

import contract

warnings.simplefilter("ignore")

from llama_index.tools.openapi import OpenAPIToolSpec  # noqa: E402
from llama_index.tools.requests import RequestsToolSpec  # noqa: E402


async def main() -> None:
    document = contract.fetch_document()
    read = json.loads(OpenAPIToolSpec(document).load_openapi_spec()[0].text)
    paths = {operation["post"]["operationId"]: path for path, operation in document["paths"].items()}
    endpoints = {endpoint["path_template"]: endpoint for endpoint in read["endpoints"]}
    assert set(endpoints) == set(paths.values())
    base = read["servers"][0]["url"]
    headers = {"Authorization": f"Bearer {contract.TOKEN}"}
    requests = RequestsToolSpec(domain_headers={urlsplit(base).hostname: headers}, timeout_seconds=60)

    async def call(name: str, arguments: dict[str, Any]) -> tuple[bool, str]:
        body = requests.post_request(base + paths[name], body=arguments)
        return "code" not in body, json.dumps(body)

    await contract.scenario_b(call)
    lost = await contract.misspelt(call)
    versions = f"core {version('llama-index-core')}, openapi {version('llama-index-tools-openapi')}"
    contract.report(
        "LlamaIndex (`OpenAPIToolSpec` and `RequestsToolSpec`)", versions, played="whole", seen=len(endpoints),
        text=json.dumps(read), loses=[*lost, "no tools: the model reads the document and writes the requests"],
    )  # fmt: skip


contract.run(main)
