"""What every question of a session needs."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from msgspec import Struct

from scry.engine.manner import Manner
from scry.surfaces.lsp.asking import CancelledCheck

if TYPE_CHECKING:
    from scry.surfaces.lsp.documents import Documents
    from scry.surfaces.lsp.elsewhere import Elsewhere
    from scry.surfaces.lsp.folders import Folders


class Desk(Struct, frozen=True):
    """folders: the open ones. documents: their texts. pool: where questions are answered. elsewhere: other projects."""

    folders: Folders
    documents: Documents
    pool: Executor
    elsewhere: Elsewhere

    def manner(self, cancelled: CancelledCheck, unsaved: Iterable[str] = ()) -> Manner:
        """How this editor asks. unsaved: files, of the folder that is asked, whose text in it is newer."""
        return Manner(self.documents.encoding, cancelled, unsaved=sorted(unsaved))
