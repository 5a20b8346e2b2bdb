"""What every question of a session needs."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scry.surfaces.lsp.documents import Documents
    from scry.surfaces.lsp.elsewhere import Elsewhere
    from scry.surfaces.lsp.folders import Folders


@dataclass(frozen=True, slots=True)
class Desk:
    """folders: the open ones. documents: their texts. pool: where questions are answered. elsewhere: other projects."""

    folders: Folders
    documents: Documents
    pool: Executor
    elsewhere: Elsewhere
