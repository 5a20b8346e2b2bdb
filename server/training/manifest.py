"""Load the manifest: every package that the model is trained or evaluated on, pinned by version and hash, with its
licence.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MANIFEST = Path(__file__).parent / "manifest.toml"


@dataclass(frozen=True, slots=True)
class Package:
    """One archive. `registry` is pypi, npm, debian (a built package) or debian-source (from suite `release`).

    A package whose `part` names a folder holds only the files below it; `without` excludes folders. So one archive of
    several applications can be split into packages that are trained on and packages held out.
    """

    registry: str
    name: str
    version: str
    file: str
    sha256: str
    licence: str
    release: str = ""
    part: str = ""
    without: tuple[str, ...] = ()
    held_out: bool = False

    @property
    def key(self) -> str:
        """The name within all registries, usable as a file name."""
        name = f"{self.registry}-{self.name}".replace("/", "+")
        return f"{name}-{self.part.strip('/').replace('/', '+')}" if self.part else name

    def includes(self, path: str) -> bool:
        """Tell whether a path of the archive belongs to this package."""
        return path.startswith(self.part) and not path.startswith(self.without or ("\0",))


def load_manifest(path: Path = MANIFEST) -> list[Package]:
    """Read the manifest; raises TypeError for a field that is missing or unknown."""
    with path.open("rb") as file:
        rows: list[dict[str, Any]] = tomllib.load(file)["package"]
    return [_package(**row) for row in rows]


def _package(*, without: Sequence[str] = (), **fields: Any) -> Package:  # noqa: ANN401
    return Package(**fields, without=tuple(without))
