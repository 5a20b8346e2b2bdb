"""Runs made by hand."""

from __future__ import annotations

from collections.abc import Sequence

from scry.lab.cases import Target
from scry.lab.metrics import Place, score, summarize
from scry.lab.record import FORMAT, Asked, Found, Ground, Run

GROUND = Ground("0", "/project", "questions.jsonl", 1, 2, 3, "c0ffee0123", "a model", "as it is", [])


def asked(number: int, query: str, path: str, found: Sequence[str], category: str = "symbol") -> Asked:
    """A question for a file, and the files that were found."""
    targets = [Target(path)]
    places = [Place(f"./{each}", each, 1, 9) for each in found]
    scored = score(places, targets)
    items = [Found(p.doc_id, p.path, 1, 9, 0.5, {"lexical": rank}, {"repeat": 0.3}) for rank, p in enumerate(places, 1)]
    return Asked(number, query, category, targets, scored.ranks, scored.ndcg, scored.file_ndcg, items)


def run(*questions: Asked) -> Run:
    """A run of these."""
    scores = [score([Place(f.doc_id, f.path, 1, 9) for f in each.found], each.targets) for each in questions]
    figures = summarize(scores)
    return Run(FORMAT, "2026-11-21T10:00:00Z", GROUND, figures, {"symbol": figures}, list(questions))
