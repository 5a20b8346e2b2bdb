"""Questions asked of a sample project with a result that is chosen, as the log has them."""

from __future__ import annotations

from contextlib import closing
from itertools import combinations, islice

from scry_protocol import messages
from tests.sample.indexed import IndexedProject

_WORDS = ("cart", "total", "price", "item", "receipt", "mail", "customer", "shop", "compute", "add")


def log_choices(project: IndexedProject, count: int, *, begin: int = 0, last: bool = False) -> list[str]:
    """Ask different questions and choose a result of each; return their query_ids.

    begin: the number of the first question. last: choose the last file's result instead of the first.
    """
    ids: list[str] = []
    with closing(project.engine()) as engine:
        for number, words in enumerate(islice(combinations(_WORDS, 2), begin, begin + count), begin):
            answer = engine.find(messages.FindParams(query=" ".join(words)))
            ranks = [result.rank for result in answer.results if result.doc_id.startswith("./")]
            rank = ranks[-1] if last else ranks[0]
            engine.use(messages.UseParams(query_id=answer.query_id, rank=rank, how="jump", act_id=f"act-{number}"))
            ids.append(answer.query_id)
    return ids
