"""The wheel that `pip install '.[raggr]'` makes: it builds without a network, and it works where it is installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.processes import ROOT, environment

SOURCES = ("pyproject.toml", "clients", "service", "alembic")
ONLY_IN_A_CHECKOUT = {"clients/bin/tripbook", "service/db/migrations/script.py.mako"}


def has_backend() -> bool:
    """Whether there is the setuptools that pyproject.toml asks for; `make setup` installs it."""
    try:
        return int(version("setuptools").partition(".")[0]) >= 77
    except PackageNotFoundError:
        return False


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing but the unpacked wheel, built from a copy so that the checkout stays as it is."""
    if not has_backend():
        pytest.skip("setuptools 77 or newer is not installed here; `make setup` installs it")
    copy, built, folder = (tmp_path_factory.mktemp(name) for name in ("copy", "built", "installed"))
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, copy)
    words = "pip wheel --quiet --no-deps --no-index --no-build-isolation --disable-pip-version-check -w"
    done = subprocess.run([sys.executable, "-m", *words.split(), str(built), "."], cwd=copy, env=environment(),
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = built.glob("tripbook-*.whl")
    ZipFile(wheel).extractall(folder)
    return folder


def run(installed: Path, folder: Path, *arguments: str, **extra: str) -> str:
    given = environment(PYTHONPATH=str(installed), **extra)
    done = subprocess.run([sys.executable, *arguments], cwd=folder, env=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_photo_tools_are_imported_from_it(installed: Path, tmp_path: Path) -> None:
    code = "import clients.raggr.tools as tools; print(tools.__file__)"
    assert run(installed, tmp_path, "-c", code).strip() == str(installed / "clients/raggr/tools.py")
    code = "from clients.raggr.cases import load_cases; print(len(load_cases().cases))"
    assert int(run(installed, tmp_path, "-c", code)) >= 40


def test_every_file_of_the_packages_is_in_it(installed: Path) -> None:
    wanted = {
        str(path.relative_to(ROOT)).replace("alembic/", "service/db/migrations/", 1)
        for name in ("clients", "service", "alembic")
        for path in (ROOT / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    found = {str(path.relative_to(installed)) for path in installed.rglob("*") if ".dist-info" not in str(path)}
    assert wanted - found == ONLY_IN_A_CHECKOUT
    assert not (installed / "alembic").exists()


def test_it_has_the_command_and_the_extras(installed: Path) -> None:
    (info,) = installed.glob("*.dist-info")
    assert "tripbook = clients.__main__:main" in (info / "entry_points.txt").read_text()
    extras = {line.split()[1] for line in (info / "METADATA").read_text().splitlines() if "Provides-Extra" in line}
    assert extras == {"mcp", "langchain", "cli", "raggr"}


def test_its_service_migrates_a_database(installed: Path, tmp_path: Path) -> None:
    needed = {"IMMICH_URL": "http://immich.test", "IMMICH_API_KEY": "key", "DATA_DIR": str(tmp_path / "data")}
    run(installed, tmp_path, "-m", "service", "migrate", **needed)
    assert [path.stat().st_size > 0 for path in (tmp_path / "data").iterdir() if path.is_file()]
