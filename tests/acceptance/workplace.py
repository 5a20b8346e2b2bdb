"""A project on disk, brought into its index in this process, and asked through the real engine."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from scry.core.settings import load_settings
from scry.core.types import IndexState
from scry.engine.engine import Engine
from scry.index.git.changed_symbols import update_changed_documents
from scry.index.git.history import update_history
from scry.index.graph.update import update_graph
from scry.index.notes.belief_coverage import update_belief_coverage
from scry.indexer.refresh import refresh_index
from scry.projects.project import Project, open_project
from scry.store.history.store import HistoryStore
from scry.store.index.store import IndexStore
from scry_protocol import messages

FILES: Mapping[str, str] = {
    "README.md": "# Shop\n\nSells things by mail.\n\n## Returns\n\nSend it back within a month.\n",
    "shop/fusion.py": '''"""Reciprocal rank fusion."""

K = 60


def fuse(rankings):
    """Fuses rankings by reciprocal rank (RRF)."""
    scores = {}
    for ranking in rankings:
        for rank, doc in enumerate(ranking, 1):
            scores[doc] = scores.get(doc, 0) + 1 / (K + rank)
    return scores
''',
    "shop/retrieval.py": '''"""Hot decoy: everything imports it, and it talks of retrieval."""

from shop.fusion import fuse


class Retriever:
    """Retrieves documents; calls fusion somewhere."""

    def search(self, query):
        return fuse([[query]])

    def search(self, query, limit):  # noqa: F811
        return self.search(query)[:limit]

    class Page:
        def next(self):
            raise StopIteration("retry later")
''',
    "shop/cart.py": "from shop.retrieval import Retriever\n\n\ndef add_to_cart(item):\n    return item\n",
    "shop/pay.ts": (
        "export interface Invoice {\n  total: number;\n}\n\n"
        "export function payInvoice(i: Invoice) { return i.total; }\n"
    ),
    "shop/retry.go": (
        "package shop\n\n// RetryPolicy says how often to try again.\ntype RetryPolicy struct{ Max int }\n\n"
        "func (p RetryPolicy) Next() int { return p.Max }\n"
    ),
    "shop/notes.txt": "The till is closed on Sundays.\n検索エンジンの設定\n",
    "tests/test_fusion.py": "from shop.fusion import fuse\n\n\ndef test_fuse():\n    assert fuse([]) == {}\n",
    "vendor/fusion.py": "def fuse(rankings):\n    return rankings\n",
    ".gitignore": "*.log\nbuild/\n",
    "debug.log": "fuse fuse fuse\n",
}


@dataclass(frozen=True, slots=True)
class IndexedProject:
    """The project; `bring` its index up to date, then `find`."""

    root: Path

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Writes files, their folders included."""
        for path, content in files.items():
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode())

    @classmethod
    def make(cls, root: Path) -> IndexedProject:
        """A new folder with an empty git repository."""
        root.mkdir(parents=True)
        workplace = cls(root)
        workplace.git("init", "-q", "-b", "main")
        return workplace

    def commit(self, message: str) -> None:
        """Commits whatever was written."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def git(self, *arguments: str) -> str:
        """Runs git there; returns what it printed."""
        done = subprocess.run(["git", *arguments], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    @property
    def project(self) -> Project:
        """The project as the engine names it."""
        return open_project(self.root)

    def update_index(self, only: frozenset[str] | None = None) -> IndexState:
        """One pass of the indexer, in this process."""
        store = IndexStore.open(self.project.cache, write=True)
        try:
            settings = load_settings(self.root, {})
            state = refresh_index(
                self.project, settings, store, only_paths=only, report=lambda _: None, checkpoint=lambda: None
            )
            self._bring_history(store)
            return state
        finally:
            store.close()

    def _bring_history(self, index: IndexStore) -> None:
        with closing(HistoryStore.open(self.project.cache, write=True)) as history:
            if update_history(self.root.resolve(), history, lambda: None):
                update_changed_documents(history, index, lambda: None)
            update_belief_coverage(self.project, history, lambda: None)

    def update_graph(self) -> None:
        """Brings the code graph, as an idle indexer does."""
        with closing(IndexStore.open(self.project.cache, write=True)) as store:
            update_graph(store, lambda: None)

    def engine(self) -> Engine:
        """The real engine on what is indexed, without an indexer process."""
        return Engine.open(self.root, load_settings(self.root, {}), start_indexer=False)

    def find(self, query: str, limit: int = 10, **params: object) -> messages.Answer:
        """One question to the real engine."""
        asked = messages.FindParams(query=query, limit=limit, **params)  # type: ignore[arg-type]
        return self.ask(lambda engine: engine.find(asked))

    def ask(self, question: Callable[[Engine], messages.Answer]) -> messages.Answer:
        """Any question to the real engine."""
        with closing(self.engine()) as engine:
            return question(engine)


def doc_ids(answer: messages.Answer) -> list[str]:
    """The doc_ids of an answer, in order."""
    return [result.doc_id for result in answer.results]


def recomputed_score(answer: messages.Answer, result: messages.ResultItem) -> float:
    """The fused score as it follows from what the answer itself says, in the documented order of operations (F5)."""
    scoring, score = answer.scoring, 0.0
    for name, weight in scoring.weights.items():
        if name in result.contributions:
            score += weight / (scoring.k + result.contributions[name].rank)
    for adjustment in result.adjustments:
        score *= adjustment.factor
    return score / scoring.ceiling
