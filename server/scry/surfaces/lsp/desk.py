"""What every question of a session needs."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from msgspec import Struct

from scry.engine.manner import RequestContext
from scry.surfaces.lsp.asking import CancelledCheck

if TYPE_CHECKING:
    from scry.surfaces.lsp.documents import OpenDocuments
    from scry.surfaces.lsp.elsewhere import OtherProjects
    from scry.surfaces.lsp.folders import WorkspaceFolders


class EditorSession(Struct, frozen=True):
    """folders: the open ones. documents: their texts. pool: where questions are answered. elsewhere: other projects."""

    folders: WorkspaceFolders
    documents: OpenDocuments
    pool: Executor
    other_projects: OtherProjects

    def request_context(self, cancelled: CancelledCheck, unsaved: Iterable[str] = ()) -> RequestContext:
        """How this editor asks. unsaved: files, of the folder that is asked, whose text in it is newer."""
        return RequestContext(self.documents.encoding, cancelled, unsaved_paths=sorted(unsaved))
