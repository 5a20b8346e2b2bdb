"""Fetch the manifest's archives through the registries' ordinary clients, and check every hash."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from training.manifest import Package

_AT_ONCE = 30
"""Packages named in one call of a client, whose start takes longer than a small download."""


def download(packages: Sequence[Package], folder: Path) -> None:
    """Fetch the archives missing in the folder; raises RuntimeError naming those still missing or different."""
    folder.mkdir(parents=True, exist_ok=True)
    for at_once in (_AT_ONCE, 1):  # a client may refuse a whole call for one version that the registry lacks
        absent = sorted(_absent(packages, folder), key=lambda one: (one.registry, one.release))
        for (registry, release), group in groupby(absent, key=lambda one: (one.registry, one.release)):
            for batch in _batches(list(group), at_once):
                _fetch(registry, release, batch, folder)
    wrong = sorted({one.key for one in _absent(packages, folder)})
    if wrong:
        raise RuntimeError(f"missing, or with another hash than the manifest's: {', '.join(wrong)}")


def _absent(packages: Sequence[Package], folder: Path) -> list[Package]:
    return [one for one in packages if not _is_sound(one, folder)]


def _batches(packages: list[Package], size: int) -> Iterable[list[Package]]:
    return (packages[start : start + size] for start in range(0, len(packages), size))


def _is_sound(package: Package, folder: Path) -> bool:
    path = folder / package.file
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == package.sha256


def _fetch(registry: str, release: str, batch: Sequence[Package], folder: Path) -> None:
    """Run the registry's client. Hashes decide, not its exit status: apt fails even for a missing signature file."""
    if registry == "pypi":
        wheels = ["--only-binary", ":all:", "--platform", "manylinux2014_x86_64", "--platform", "manylinux_2_28_x86_64"]
        python = ["--python-version", "311", "--implementation", "cp"]
        for one in batch:
            _run(
                [
                    sys.executable,
                    "-m",
                    "pip",
                    "download",
                    "-q",
                    "--no-deps",
                    *wheels,
                    *python,
                    f"{one.name}=={one.version}",
                ],
                folder,
            )
    elif registry == "npm":
        _run(["npm", "pack", "--silent", *(f"{one.name}@{one.version}" for one in batch)], folder)
    elif registry == "debian":
        _run(["apt-get", "download", *(f"{one.name}={one.version}" for one in batch)], folder)
    elif registry == "debian-source":
        names = [f"{one.name}={one.version}" for one in batch]
        _run(["apt-get", *_source_lists(release, folder), "source", "--download-only", "--only-source", *names], folder)
    else:
        raise ValueError(f"unknown registry {registry}")


def _source_lists(release: str, folder: Path) -> list[str]:
    """Return apt options for a private list of the release's sources on the machine's own Debian mirror."""
    own = (folder / f"apt-{release}").resolve()
    sources = own / "sources.list"
    options = [
        f"Dir::Etc::SourceList={sources}",
        "Dir::Etc::SourceParts=/dev/null",
        f"Dir::State::Lists={own / 'lists'}",
    ]
    flags = [flag for option in options for flag in ("-o", option)]
    if not sources.exists():
        (own / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        query = ["apt-get", "indextargets", "--format", "$(SITE)", "Label: Debian"]
        site = subprocess.run(query, capture_output=True, text=True, check=True).stdout.partition("\n")[0]
        sources.write_text(f"deb-src {site} {release} main\n", encoding="utf-8")
        _run(["apt-get", *flags, "update"], folder)
    return flags


def _run(command: Sequence[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=False, stdout=subprocess.DEVNULL)
