"""openapi-python-client: a generated package, and scenario B through it."""

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
find = import_module("generated.api.search.find_albums")
search = import_module("generated.api.search.search_photos")
preview = import_module("generated.api.write.preview_album")
create = import_module("generated.api.write.create_album")

# Scenario B: no album yet, search, preview; a wrong count is refused, the right one writes once.
ALBUM = "Maine 2026"
assert find.sync(client=client, body=models.FindAlbumsRequest(query=ALBUM)).albums == []
assert search.sync(client=client, body=models.SearchPhotosRequest(state="Maine")).total == 398
refused = search.sync_detailed(client=client, body=models.SearchPhotosRequest(state="Mane"))
assert refused.status_code == 404
assert refused.parsed.code == "unknown_place", refused.parsed
shown = preview.sync(client=client, body=models.PreviewAlbumRequest.from_dict({"album_name": ALBUM, **contract.AUGUST}))
assert shown.count == 455
confirm = {"preview_token": shown.preview_token, "album_name": ALBUM}
wrong = create.sync_detailed(client=client, body=models.CreateAlbumRequest(expected_count=454, **confirm))
assert (wrong.status_code, type(wrong.parsed).__name__) == (409, "Problem"), wrong
assert "455" in wrong.parsed.detail
receipt = create.sync(client=client, body=models.CreateAlbumRequest(expected_count=455, **confirm))
assert (receipt.added, receipt.replayed) == (455, False)
again = create.sync(client=client, body=models.CreateAlbumRequest(expected_count=455, **confirm))
assert (again.added, again.replayed) == (455, True)
assert [album.name for album in find.sync(client=client, body=models.FindAlbumsRequest(query=ALBUM)).albums] == [ALBUM]
try:
    models.SearchPhotosRequest(ciy="Rome")
except TypeError:
    pass
else:
    raise AssertionError("a misspelt filter was taken")

# An enum and a description, as generated.
document = contract.expected(contract.fetch_document())
description, schema = document["search_photos"]
assert {media.value for media in models.SearchPhotosRequestMedia} == set(schema["properties"]["media"]["enum"])
written = " ".join(search.sync.__doc__.split())
assert " ".join(description.split()) in written, written
assert schema["properties"]["taken_after"]["description"] in models.SearchPhotosRequest.__doc__
models.PreviewAlbumRequest(album_name="")  # below the document's minLength: nothing but the service refuses it
modules = [path for path in Path("generated/api").glob("*/*.py") if path.stem != "__init__"]
contract.report(
    "openapi-python-client (generated package)", version("openapi-python-client"), seen=len(modules),
    played="whole", loses=["limits"],
)  # fmt: skip
