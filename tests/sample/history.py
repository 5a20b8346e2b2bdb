"""A git repository that grows by what a test writes, and the history that is read of it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from scry.core import Settings
from scry.index.git import update_changed_documents, update_history
from scry.index.notes import update_belief_coverage
from scry.indexer import refresh_index
from scry.projects import head_commit, open_project
from scry.store.history import HistoryState, HistoryStore, read_history_state
from scry.store.index import IndexStore
from tests.sample.project import SampleProject


@dataclass(eq=False)
class HistoryProject(SampleProject):
    """A repository at `root`. opened: the folder that is opened, if another. clock: the time of the last commit."""

    opened: Path | None = None
    clock: int = field(default=1_700_000_000)

    def commit(self, message: str = "next", files: Mapping[str, str | bytes] | None = None, *, days: float = 0) -> str:
        """Commit everything, an hour (and so many days) after the last commit."""
        self.write(files or {})
        self.clock += 3600 + int(days * 86_400)
        self.git("add", "-A")
        date = f"{self.clock} +0000"
        subprocess.run(
            ["git", "commit", "-q", "--allow-empty", "--allow-empty-message", "-F", "-"],
            cwd=self.root,
            input=message.encode(),
            check=True,
            env={**os.environ, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date},
        )
        return self.git("rev-parse", "HEAD")

    @property
    def folder(self) -> Path:
        return (self.opened or self.root).resolve()

    @contextmanager
    def history(self) -> Generator[HistoryStore]:
        store = HistoryStore.open(open_project(self.folder).cache)
        try:
            yield store
        finally:
            store.close()

    def update_history(self) -> HistoryState:
        """Update the history once."""
        with self.history() as store:
            update_history(self.folder, store, lambda: None)
            return read_history_state(head_commit(self.folder), store.reader)

    def update_all(self, *, standalone: bool = False) -> None:
        """Update the files and the history once, and link both. standalone: embed documents and notes, too."""
        project = open_project(self.folder)
        index = IndexStore.open(project.cache, write=True)
        refresh_index(
            project,
            Settings(),
            index,
            only_paths=None,
            report=lambda _: None,
            checkpoint=lambda: None,
            standalone=standalone,
        )
        with self.history() as store:
            if update_history(self.folder, store, lambda: None):
                update_changed_documents(store, index, lambda: None)
            if standalone:
                update_belief_coverage(project, store, lambda: None)
        index.close()

    # Stored state -------------------------------------------------------------------------------------------------

    def stored_commits(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        """Return the subject and files of every commit by its id."""
        with self.history() as store:
            numbers = [commit.doc_key for commit in store.stored_commits().values()]
            files = store.reader.files_by_commit(numbers)
            return {c.sha: (c.subject, tuple(files.get(n, ()))) for n, c in store.reader.get_commits(numbers).items()}

    def subjects(self) -> list[str]:
        return sorted(subject for subject, _ in self.stored_commits().values())

    def subjects_of_changes(self, doc_id: str) -> list[str]:
        """Subjects of the commits that changed a document, the newest first."""
        with self.history() as store:
            symbol = store.reader.symbol_ids_by_doc_id([doc_id]).get(doc_id)
            if symbol is None:
                return []
            numbers = store.reader.cochange_commits_by_symbol([symbol], 1000)[symbol]
            commits = store.reader.get_commits(numbers)
            return [commits[number].subject for number in numbers]
