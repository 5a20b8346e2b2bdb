"""The Neovims that `make test` installs, each from a Debian suite into a folder of its own, and their plugins."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "neovim"


@dataclass(frozen=True, slots=True)
class Prefix:
    """An installed Neovim. part: the name in tests/gates/parts.py."""

    version: str
    part: str

    @property
    def program(self) -> Path:
        """The editor."""
        return CACHE / self.version / "bin" / "nvim"


NEWEST = Prefix("0.12", "neovim")
OLDEST = Prefix("0.10", "neovim-0.10")


def plugin(name: str) -> Path:
    """Return the folder of a plugin of the newest suite; the oldest suite uses its mini.test too."""
    return CACHE / NEWEST.version / "root" / "usr" / "share" / f"neovim-{name}"
