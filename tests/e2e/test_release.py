"""The released packages install and run in a fresh environment with an empty home folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from release.archives import commit_time

ROOT = Path(__file__).parents[2]
LARGEST_INSTALL_MB = 150
"""Without bytecode, which pip compiles and uv does not."""

LARGEST_COMPILED_INSTALL_MB = 190

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


_BEGUN_WITH = {"pip", "setuptools", "pkg_resources", "_distutils_hack"}  # the last two are parts of setuptools


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with wheel and sdist: what `make release` has just built, or else built here."""
    built = os.environ.get("RELEASE_DIST")
    if built:
        return Path(built).resolve()
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--outdir", folder, ROOT], check=True, capture_output=True)
    return folder


class Installation:
    """A release file, installed into its own environment with its own home folder."""

    def __init__(self, file: Path, folder: Path) -> None:
        self.packages = folder / "packages"
        self.home = folder / "home"
        self.home.mkdir()
        self._bin = self.packages / ("Scripts" if os.name == "nt" else "bin")
        subprocess.run([sys.executable, "-m", "venv", self.packages], check=True)
        self.run("python", "-m", "pip", "--disable-pip-version-check", "-qq", "install", str(file), cwd=folder)

    def run(self, program: str, *arguments: str, cwd: Path) -> str:
        kept = {name: value for name, value in os.environ.items() if name == "PATH" or name.startswith("PIP_")}
        command = [str(self._bin / program), *arguments]
        done = subprocess.run(
            command, cwd=cwd, env={**kept, "HOME": str(self.home)}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def megabytes(self, *left_out: str) -> float:
        """Return the size of all files but those of the pip and setuptools that every environment begins with.

        left_out: names of folders that do not count.
        """
        installed = [path for path in self.packages.rglob("*") if path.is_file() and not path.is_symlink()]
        others = {*_BEGUN_WITH, *left_out}
        names = [{part.partition("-")[0] for part in path.relative_to(self.packages).parts} for path in installed]
        sizes = [path.stat().st_size for path, own in zip(installed, names, strict=True) if not others & own]
        return sum(sizes) / 1e6


@pytest.fixture(scope="module", params=["scry_sidecar-*.whl", "scry_sidecar-*.tar.gz"])
def installation(request: pytest.FixtureRequest, dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    [file] = dist.glob(str(request.param))
    return Installation(file, tmp_path_factory.mktemp("installation"))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "client.py").write_text(
        "class Client:\n"
        '    """Sends requests."""\n\n'
        "    def retry_limit(self, method: str) -> int:\n"
        '        """How often a failed request is sent again."""\n'
        "        return 3 if method == 'GET' else 0\n"
    )
    (tmp_path / "server.py").write_text("def listen(port: int) -> None:\n    print(port)\n")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


def test_installed_package_answers_queries(installation: Installation, repository: Path) -> None:
    answer = json.loads(
        installation.run("scry", "find", "how often is a failed request retried", "--json", cwd=repository)
    )
    assert answer["results"][0]["doc_id"] == "./client.py::Client.retry_limit"
    assert answer["index"]["state"] == "ready"


def test_installed_package_names_its_version(installation: Installation, tmp_path: Path) -> None:
    version = installation.run("python", "-c", "import scry; print(scry.__version__)", cwd=tmp_path)
    assert installation.run("scry", "--version", cwd=tmp_path).split()[-1] == version.strip()


def test_installed_package_is_small_without_torch(installation: Installation) -> None:
    size, compiled = installation.megabytes("__pycache__"), installation.megabytes()
    print(f"default install: {size:.1f} MB, with bytecode {compiled:.1f} MB")
    assert size < LARGEST_INSTALL_MB
    assert compiled < LARGEST_COMPILED_INSTALL_MB
    assert not list(installation.packages.rglob("site-packages/torch"))


def test_wheel_and_sdist_have_the_same_bytes_from_another_folder(dist: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    packed = ("server/scry/", "protocol/scry_protocol/", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md")
    for name in (name for name in (*tracked.split("\0"), ".gitignore") if name.startswith((*packed, ".gitignore"))):
        (elsewhere / name).parent.mkdir(parents=True, exist_ok=True)
        (elsewhere / name).write_bytes((ROOT / name).read_bytes())
        (elsewhere / name).chmod(0o664)
    epoch = {"SOURCE_DATE_EPOCH": str(commit_time(ROOT))} if "RELEASE_DIST" in os.environ else {}
    command = [sys.executable, "-m", "build", "--outdir", tmp_path / "again", elsewhere]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **epoch})
    for file in (tmp_path / "again").iterdir():
        assert file.read_bytes() == (dist / file.name).read_bytes(), file.name
    assert len(list((tmp_path / "again").iterdir())) == 2


def test_sdist_contains_licences_and_documentation(dist: Path) -> None:
    [file] = dist.glob("scry_sidecar-*.tar.gz")
    with tarfile.open(file) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "server/scry/main.py"} <= names
    assert not [name for name in names if name.startswith(("tests/", "server/training/", ".ci/"))]
