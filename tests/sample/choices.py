"""Questions asked of a sample project with a result that is chosen, as the log has them."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import closing
from itertools import combinations, islice
from pathlib import Path

from scry.core.events import QUERY, USE, LogEvent
from scry.store.events import EventLog
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


def log_jumps(data: Path, count: int, right: str = "lexical", *, bounced: bool = False, different: int = 97) -> None:
    """Log questions of which the result that one oracle ranks first was jumped to, whatever the other says.

    different: how many of them have words of their own; they come back in another order.
    """
    now, events = int(time.time() * 1000) - count * 1000, list[LogEvent]()
    for number in range(count):
        at = number % 6
        ranks = {"lexical": [7, 9, 2, 4, 8, 3], "semantic": [2, 1, 5, 3, 6, 4]}
        ranks[right][at] = 1
        shown = [{name: of[each] for name, of in ranks.items()} for each in range(6)]
        scored = sorted(range(6), key=lambda each: -sum(_terms(shown[each])))
        results = [
            {
                "doc_id": f"./f{each}.py::f",
                "fused_score": sum(_terms(shown[each])),
                "contributions": {name: {"rank": rank, "raw_score": 1.0} for name, rank in shown[each].items()},
                "adjustments": {},
            }
            for each in scored
        ]
        name = f"q{number}"
        words = [chr(97 + number % different // 26) * 2 + chr(97 + number % different % 26) + end for end in "xyz"]
        query = " ".join(words[number // different % 3 :] + words[: number // different % 3])
        asked = {"mode": "find", "query": query, "results": results}
        events.append(LogEvent(QUERY, now + number * 1000, json.dumps(asked), name))
        used = {"rank": scored.index(at) + 1, "result_used": f"./f{at}.py::f", "how": "jump"}
        events.append(LogEvent(USE, now + number * 1000, json.dumps(used), name, f"a{number}"))
        if bounced:
            other = {"rank": 1, "result_used": f"./f{(at + 1) % 6}.py::f", "how": "detail"}
            events.append(LogEvent(USE, now + number * 1000 + 20_000, json.dumps(other), name, f"b{number}"))
    with closing(EventLog.open(data, lambda: data.mkdir(parents=True, exist_ok=True))) as log:
        assert all(log.append(events))


def _terms(ranks: Mapping[str, int]) -> list[float]:
    return [weight / (60 + ranks[name]) for name, weight in (("lexical", 1.0), ("semantic", 1.5))]
