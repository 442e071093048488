"""openapi-python-client: a generated package, and scenario B's search and a refusal through it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import contract

FOLDER = Path(sys.executable).parent
Path("openapi.json").write_text(json.dumps(contract.fetch_document()))
words = "generate --path openapi.json --meta none --output-path generated"
done = subprocess.run(
    [str(FOLDER / "openapi-python-client"), *words.split()], capture_output=True, text=True, check=False,
    env=os.environ | {"PATH": f"{FOLDER}{os.pathsep}{os.environ['PATH']}"},
)  # fmt: skip
assert done.returncode == 0, done.stdout + done.stderr
assert "WARNING" not in done.stdout + done.stderr, done.stdout + done.stderr
sys.path.insert(0, str(Path.cwd()))
client = import_module("generated").AuthenticatedClient(base_url=contract.URL, token=contract.TOKEN)
models = import_module("generated.models")
search = import_module("generated.api.search.search_photos")
preview = import_module("generated.api.write.preview_album")
assert search.sync(client=client, body=models.SearchPhotosRequest(state="Maine")).total == 398
refused = search.sync_detailed(client=client, body=models.SearchPhotosRequest(state="Mane"))
assert refused.status_code == 404
assert refused.parsed.code == "unknown_place", refused.parsed
days = {"taken_after": "2026-08-02", "taken_before": "2026-08-09"}
body = models.PreviewAlbumRequest.from_dict({"album_name": "Maine 2026", **days})
assert preview.sync(client=client, body=body).count == 455
models.PreviewAlbumRequest(album_name="")  # below the document's minLength: nothing but the service refuses it
modules = [path for path in Path("generated/api").glob("*/*.py") if path.stem != "__init__"]
contract.report(
    "openapi-python-client (generated package)", version("openapi-python-client"), seen=len(modules),
    played="search, preview", loses=["limits"],
)  # fmt: skip
