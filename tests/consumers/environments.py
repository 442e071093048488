"""An environment for each consumer under `.consumers/`, made from its lock and kept until the lock changes."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
CACHE = ROOT / ".consumers"
UV = Path(sys.executable).parent / "uv"


def python_of(name: str, *unresolved: str) -> Path:
    """The interpreter of the environment `name`; `unresolved` are locks to install without dependencies."""
    folder, locks = CACHE / name, [HERE / "locks" / f"{lock}.lock" for lock in (name, *unresolved)]

    def make() -> None:
        _run(UV, "venv", "--quiet", "--python", sys.executable, folder)
        _run(UV, "pip", "sync", "--quiet", "--python", folder / "bin/python", "--require-hashes", locks[0])
        for lock in locks[1:]:
            _run(UV, "pip", "install", "--quiet", "--python", folder / "bin/python", "--no-deps", "--require-hashes",
                 "-r", lock)  # fmt: skip

    _keep(folder, locks, make)
    return folder / "bin" / "python"


def node_modules_of(name: str) -> Path:
    """The folder with `node_modules` of the npm project `name`."""
    folder, source = CACHE / name, HERE / name
    files = [source / file for file in ("package.json", "package-lock.json", ".npmrc")]

    def make() -> None:
        folder.mkdir(parents=True)
        for file in files:
            shutil.copy(file, folder)
        _run("npm", "ci", "--ignore-scripts", "--no-progress", "--loglevel=error", cwd=folder)

    _keep(folder, files, make)
    return folder


def _keep(folder: Path, sources: list[Path], make: Callable[[], None]) -> None:
    """Makes `folder` anew unless it was made from exactly these sources."""
    digest = hashlib.sha256(sys.version.encode() + b"".join(source.read_bytes() for source in sources)).hexdigest()
    stamp = folder / ".made-from"
    if stamp.is_file() and stamp.read_text() == digest:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(exist_ok=True)
    make()
    stamp.write_text(digest)


def _run(*command: str | Path, cwd: Path = ROOT) -> None:
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}")
