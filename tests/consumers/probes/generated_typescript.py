"""openapi-typescript: types of the document, and a typed call that compiles strictly and runs against the service."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import contract

MODULES = Path(sys.argv[1]) / "node_modules"
CALL = """import type { components, paths } from "./api";

type Search = paths["/v1/photos/search"]["post"];
type Problem = components["schemas"]["Problem"];
declare const process: { env: Record<string, string> };

const body: Search["requestBody"]["content"]["application/json"] = { state: "Maine", media: "photo" };
type Media = NonNullable<typeof body.media>;
const every: Record<Media, true> = { photo: true, video: true, all: true };
// @ts-expect-error a word that the enum does not have does not compile
const wrong: Media = "film";
void every, void wrong;
// @ts-expect-error a misspelt filter does not compile
const misspelt: typeof body = { ciy: "Rome" };
void misspelt;

async function main(): Promise<void> {
  const answer = await fetch(process.env.TRIPBOOK_URL + "/v1/photos/search", {
    method: "POST",
    headers: { Authorization: "Bearer " + process.env.TRIPBOOK_TOKEN },
    body: JSON.stringify(body),
  });
  const found: Search["responses"]["200"]["content"]["application/json"] | Problem = await answer.json();
  console.log("total" in found ? found.total : found.detail);
}
void main();
"""


def node(tool: str, *arguments: str) -> str:
    done = subprocess.run([str(MODULES / ".bin" / tool), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{tool}: {done.stdout}\n{done.stderr}"
    return done.stdout


Path("openapi.json").write_text(json.dumps(contract.fetch_document()))
node("openapi-typescript", "openapi.json", "-o", "api.d.ts")
Path("call.ts").write_text(CALL)
node("tsc", "--strict", "--target", "es2022", "--module", "commonjs", "--lib", "es2022,dom", "call.ts")
printed = subprocess.run(["node", "call.js"], capture_output=True, text=True, check=True).stdout.strip()
assert printed.isdigit(), printed
assert 0 < int(printed) <= 398, printed
types = Path("api.d.ts").read_text()
seen = sum(f'operations["{name}"]' in types for name in contract.expected(contract.fetch_document()))
assert seen == 7, seen
description, schema = contract.expected(contract.fetch_document())["search_photos"]
assert f"@description {description}" in " ".join(types.replace("*", " ").split()), "the description is not whole"
assert f"@description {schema['properties']['taken_after']['description']}" in types
assert f"media?: {' | '.join(json.dumps(word) for word in schema['properties']['media']['enum'])};" in types
assert "maxLength" not in types
version = json.loads((MODULES / "openapi-typescript" / "package.json").read_text())["version"]
contract.report("openapi-typescript (generated types)", version, seen=seen, played="search", loses=["limits"])
