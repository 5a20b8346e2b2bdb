"""Pickers that come in no package, used in tests where a person has installed them.

They are looked for where plugin managers put plugins, and in the folders that NEOVIM_PICKERS names (joined by colons):
`NEOVIM_PICKERS=~/clones make test`, with clones of the plugins in there.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Picker:
    """A picker plugin. folders: names of the clones; programs: programs that the plugin starts."""

    name: str
    folders: tuple[str, ...]
    programs: tuple[str, ...] = ()


PICKERS = (
    Picker("mini_pick", ("mini.nvim", "mini.pick")),
    Picker("snacks", ("snacks.nvim",)),
    Picker("fzf_lua", ("fzf-lua",), ("fzf",)),
)

LUALINE = Picker("lualine", ("lualine.nvim",))
"""No picker, but found in the same places."""

_MANAGED = (".local/share/nvim/lazy", ".local/share/nvim/site/pack/*/start", ".local/share/nvim/site/pack/*/opt")


def _places() -> Iterator[Path]:
    yield from (Path(place).expanduser() for place in os.environ.get("NEOVIM_PICKERS", "").split(":") if place)
    for pattern in _MANAGED:
        yield from Path.home().glob(pattern)


def find(picker: Picker) -> Path | None:
    """Return the folder of the plugin; None where the plugin or a program that it needs is missing."""
    if not all(shutil.which(program) for program in picker.programs):
        return None
    folders = (place / name for place in _places() for name in picker.folders)
    return next((folder for folder in folders if (folder / "lua").is_dir()), None)
