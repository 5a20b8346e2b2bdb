"""Make the files of a release: `python -m release DIST --tools FOLDER`.

The wheel, the sdist, the VS Code extension, the Neovim plugin, the licences of what is shipped, a bill of materials,
the release notes and the checksums. All files get the time of the commit, so that the same commit gives the same bytes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import scry
from release.archives import CHECKSUM_FILE, commit_time, release_notes, write_checksums, write_neovim_plugin
from release.licences import bundled_packages, installed_packages, licence_text, write_bill_of_materials

_ROOT = Path(__file__).parents[2]
_CLIENT = _ROOT / "editor" / "vscode"
_LARGEST_NOTES = 120_000
"""Characters that the forges take as the notes of a release."""


def main() -> None:
    """Make all files, and list them."""
    parser = argparse.ArgumentParser(prog="python -m release", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("dist", type=Path, help="the folder of the files, which is emptied first")
    parser.add_argument(
        "--tools", type=Path, required=True, help="the folder of the programs pip-licenses, cyclonedx-py"
    )
    given = parser.parse_args()
    dist: Path = given.dist.resolve()
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir(parents=True)
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or commit_time(_ROOT))
    os.environ |= {"SOURCE_DATE_EPOCH": str(epoch), "TZ": "UTC"}
    version = scry.__version__

    wheel = _build_wheel_and_sdist(dist)
    _build_extensions(dist, version)
    write_neovim_plugin(_ROOT, dist, version, epoch)
    with tempfile.TemporaryDirectory() as folder:
        environment = _install_clean(wheel, Path(folder), given.tools)
        bundled = bundled_packages(_CLIENT / "dist" / "licences.json")
        packages = [*installed_packages(given.tools, environment), *bundled]
        (dist / "THIRD-PARTY-LICENSES.txt").write_text(licence_text(packages), encoding="utf-8", newline="\n")
        bill = dist / f"scry-{version}.cdx.json"
        write_bill_of_materials(given.tools, environment, bundled, version, epoch, bill)
    notes = release_notes((_ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    if len(notes) > _LARGEST_NOTES:
        sys.exit(f"the section of {version} in CHANGELOG.md has {len(notes)} characters, more than {_LARGEST_NOTES}")
    (dist / "RELEASE_NOTES.md").write_text(notes, encoding="utf-8", newline="\n")
    write_checksums(dist, dist.iterdir())
    print((dist / CHECKSUM_FILE).read_text(encoding="utf-8"), end="")


def _build_wheel_and_sdist(dist: Path) -> Path:
    """Build the sdist, and the wheel from it; return the wheel."""
    subprocess.run([sys.executable, "-m", "build", "--outdir", dist, _ROOT], check=True, stdout=subprocess.DEVNULL)
    [wheel] = dist.glob("*.whl")
    return wheel


def _build_extensions(dist: Path, version: str) -> None:
    """Build the VS Code extension anew, with this version's wheel in it, and copy all its packages."""
    for earlier in (_CLIENT / "dist").glob("*.vsix"):
        earlier.unlink()
    subprocess.run([_CLIENT / "scripts" / "package.sh", sys.executable], check=True, stdout=subprocess.DEVNULL)
    for package in (_CLIENT / "dist").glob("*.vsix"):
        shutil.copyfile(package, dist / f"{package.stem}-{version}.vsix")


def _install_clean(wheel: Path, folder: Path, tools: Path) -> Path:
    """Install the wheel and what it depends on into an environment without pip, and return its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    command = [tools / "python", "-m", "pip", "--python", python, "install", "--quiet", "--no-compile", wheel]
    subprocess.run(command, check=True)
    return python


if __name__ == "__main__":
    main()
