"""Replay past questions after an upgrade: `python -m scry.lab.upgrade_check --root ROOT`.

The indexer runs this in a process of its own, at the lowest priority, at most once for each version
(`indexer.idle.usage`). It asks at most MAX_CASES logged questions of which a result was chosen that still exists,
for at most MAX_SECONDS, stores the ranks of the chosen results, and compares them with those of the version before. The
oracle of use takes no part: it has learnt from these very choices.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from scry.core.decoding import decode_json
from scry.core.errors import ScryError
from scry.core.events import RELEVANT_USES
from scry.core.platform import lower_priority
from scry.core.settings import Settings, load_settings
from scry.engine.questions import question_from_options
from scry.engine.search.results import filter_confident
from scry.indexer.freshness import index_format_version
from scry.lab.evaluated_index import EvaluatedIndex
from scry.lab.metrics import CUTOFF, paired_bootstrap
from scry.projects.project import Project, open_project
from scry.store.events.learnt import LearntWeights
from scry.store.events.log import WEIGHTS_FILE, now_ms
from scry.store.events.replays import (
    MIN_CASES,
    AnsweringVersion,
    ReplayOutcome,
    ReplayRecord,
    add_replay,
    digest_weights,
    read_newest_uses,
    read_replays,
)

MAX_CASES = 200
MAX_OLD_CASES = 150
"""Cases that are taken over from the version before; the others are newer, for the version to come."""

MAX_USES = 4000
"""Uses that are looked through for cases, the newest."""

MAX_SECONDS = 120.0


class PastChoice(Struct, frozen=True):
    """A logged question and the documents that were chosen of its answer."""

    query_id: str
    query: str
    options: dict[str, Any]
    chosen: tuple[str, ...]


class _QueryBody(Struct):
    mode: str = ""
    query: str = ""
    root: str = ""
    options: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


class _UseBody(Struct):
    how: str = ""
    result_used: str = ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay, unless that is done for this version; return the exit status. Ends when its parent has ended."""
    parser = argparse.ArgumentParser(prog="scry.lab.upgrade_check", description="Replays past questions of a project.")
    parser.add_argument("--root", required=True, help="the project's folder")
    parser.add_argument("--set", default="{}", help="settings that a surface was told, as a JSON object")
    options = parser.parse_args(arguments)
    lower_priority(19)
    parent = os.getppid()
    end = time.monotonic() + MAX_SECONDS
    try:
        project = open_project(Path(options.root), force=True)
        overrides = decode_json(os.fsencode(options.set), dict[str, object])
        settings = load_settings(project.root, os.environ, overrides)
        check_upgrade(project, settings, lambda: os.getppid() == parent and time.monotonic() < end)
    except (ScryError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def check_upgrade(
    project: Project, settings: Settings, go_on: Callable[[], bool] = lambda: True
) -> ReplayRecord | None:
    """Replay past questions for the version that answers now, and store the ranks; None where there is nothing to do.

    go_on: whether there is time for another question. Raises ScryError and OSError.
    """
    with closing(EvaluatedIndex(project, settings)) as subject:
        model = subject.state().model or ""
        version = AnsweringVersion(index_format_version(), model, digest_weights(project.data / WEIGHTS_FILE))
        records = read_replays(project.data)
        if any(each.version == version for each in records):
            return None
        before = records[-1] if records else None
        weights = subject.learnt_weights()
        ranks: dict[str, int] = {}
        for case in select_cases(subject, project, before.ranks if before else {}):
            if not go_on():
                break
            ranks[case.query_id] = _rank_of_choice(subject, case, weights)
    if len(ranks) < MIN_CASES:
        return None
    record = ReplayRecord(version, now_ms(), ranks, compare_with(before, ranks) if before else None)
    add_replay(project.data, record)
    return record


def select_cases(subject: EvaluatedIndex, project: Project, known: Mapping[str, int]) -> list[PastChoice]:
    """Return the cases: those of the version before that are still there, then newer ones, each question once."""
    distinct: dict[tuple[str, bytes], PastChoice] = {}
    for case in sorted(_read_choices(project), key=lambda case: case.query_id not in known):
        distinct.setdefault((case.query, msgspec.json.encode(case.options, order="sorted")), case)
    existing = subject.store.documents.doc_keys_by_id([doc_id for case in distinct.values() for doc_id in case.chosen])
    cases = [case for case in distinct.values() if any(doc_id in existing for doc_id in case.chosen)]
    old = [case for case in cases if case.query_id in known][:MAX_OLD_CASES]
    return [*old, *[case for case in cases if case.query_id not in known][: MAX_CASES - len(old)]]


def _read_choices(project: Project) -> Iterator[PastChoice]:
    """Yield the newest questions of this project of which a result was chosen, with all that was; the newest first."""
    chosen: dict[str, list[str]] = {}
    queries: dict[str, _QueryBody] = {}
    for query_id, use_body, query_body in read_newest_uses(project.data, MAX_USES):
        try:
            use = decode_json(use_body, _UseBody)
            query = queries.get(query_id) or decode_json(query_body, _QueryBody)
        except msgspec.MsgspecError:
            continue
        is_find = query.mode == "find" and query.root == str(project.root) and not query.options.get("reason")
        if is_find and use.how in RELEVANT_USES and use.result_used.startswith("./"):
            queries[query_id] = query
            chosen.setdefault(query_id, []).append(use.result_used)
    for query_id, query in queries.items():
        yield PastChoice(query_id, query.query, query.options, tuple(dict.fromkeys(chosen[query_id])))


def _rank_of_choice(subject: EvaluatedIndex, case: PastChoice, weights: LearntWeights | None) -> int:
    """Return the rank of the best chosen document in the answer of now; 0 where none is among the first ten."""
    question = msgspec.structs.replace(question_from_options(case.query, case.options, CUTOFF), limit=CUTOFF)
    if weights is not None:
        question = weights.apply_to(question)
    ranking = subject.rank(question)
    best = filter_confident(ranking.ranked, question, ranking.reader, ranking.scoring)
    found = [location.doc_id for location in subject.locate_results(best[:CUTOFF], ranking.reader)]
    return next((rank for rank, doc_id in enumerate(found, 1) if doc_id in case.chosen), 0)


def compare_with(before: ReplayRecord, ranks: Mapping[str, int]) -> ReplayOutcome | None:
    """Compare ranks with those of the version before; None where too few questions were asked of both."""
    pairs = [(before.ranks[query_id], rank) for query_id, rank in ranks.items() if query_id in before.ranks]
    if len(pairs) < MIN_CASES:
        return None
    old, new = [_gain(rank) for rank, _ in pairs], [_gain(rank) for _, rank in pairs]
    difference = paired_bootstrap(old, new)
    return ReplayOutcome(
        before.version,
        len(pairs),
        sum(old) / len(pairs),
        sum(new) / len(pairs),
        earlier=sum(after > first for first, after in zip(old, new, strict=True)),
        later=sum(after < first for first, after in zip(old, new, strict=True)),
        is_worse=difference.is_significant and difference.mean < 0,
    )


def _gain(rank: int) -> float:
    return 1 / rank if rank else 0.0


if __name__ == "__main__":
    sys.exit(main())
