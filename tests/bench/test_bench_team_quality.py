"""Quality of a team's index: NDCG@10 of judged questions, by the local index of each repository and by a team's.

    .venv/bin/pytest -q -s -m bench --timeout 3600 tests/bench/test_bench_team_quality.py

`SCRY_BENCH_REPOSITORIES` names a folder of git clones, `SCRY_BENCH_QUESTIONS` one with the judged questions of each as
NAME.jsonl; without them this repository is asked, at the commit of tests/rank. A team of each repository alone is held
to the quality of the local index. A team of all is reported: words are as rare as they are in all repositories
together, and documents rank among those of all, so that single questions rank otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from statistics import fmean

import pytest

from scry.core import SearchQuery, Settings
from scry.embedding import Vectors, content_words, load_bundled_model
from scry.engine.federation import rank_across_projects, retrieve_from_team
from scry.engine.search import BASE_ORACLE_WEIGHTS, Ranking, parse_query, rank_candidates
from scry.lab import EvaluatedIndex, EvaluationCase, read_cases
from scry.lab.evaluate import RESULT_DEPTH
from scry.lab.metrics import CUTOFF, JudgedLocation, score_results
from scry.projects import open_project
from scry.store.team import TeamDatabase, TeamReader, TeamRepository
from scry.store.vector_sets import EmbedderInfo
from scry.team import load_repository
from tests.rank.pinned import QUESTIONS, lay_out
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer

pytestmark = [pytest.mark.bench, pytest.mark.needs("postgres")]

CLONES = os.environ.get("SCRY_BENCH_REPOSITORIES")
JUDGED = os.environ.get("SCRY_BENCH_QUESTIONS")
MAX_DIFFERENCE = 0.003
"""Largest difference of the means over repositories."""


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, list[EvaluationCase]]:
    """Return the work trees, each with its questions."""
    if CLONES is None or JUDGED is None:
        root = tmp_path_factory.mktemp("corpus") / "scry"
        lay_out(root)
        return {root: read_cases(QUESTIONS)}
    return {Path(CLONES) / each.stem: read_cases(each) for each in sorted(Path(JUDGED).glob("*.jsonl"))}


class Teams:
    """A team of each work tree alone, by its name, and one of all; each is indexed as a local project, too."""

    def __init__(self, server: PostgresServer, roots: Sequence[Path]) -> None:
        self.together = server.create_database()
        self.alone = {root.name: server.create_database() for root in roots}
        for root in roots:
            HistoryProject(root).update_all(standalone=True)
            for address in (self.together, self.alone[root.name]):
                with TeamDatabase.open_for_writing(address) as database:
                    load_repository(database, TeamRepository(root.name, str(root), readers=("public",)), root)


@pytest.fixture(scope="module")
def teams(subjects: dict[Path, list[EvaluationCase]]) -> Iterator[Teams]:
    server = PostgresServer()
    yield Teams(server, list(subjects))
    server.remove()


def encode(_: EmbedderInfo, text: str) -> Vectors:
    return load_bundled_model().encode_query(content_words(text))


def ask_local(root: Path, questions: Sequence[SearchQuery]) -> list[Sequence[JudgedLocation]]:
    with closing(EvaluatedIndex(open_project(root), Settings())) as local:
        rankings = [local.rank(question) for question in questions]
        return [local.locate_results(each.ranked[:RESULT_DEPTH], each.reader) for each in rankings]


def ask_team(address: str, name: str, questions: Sequence[SearchQuery]) -> list[Sequence[JudgedLocation]]:
    with TeamDatabase.open_for_reading(address, timeout_ms=60_000) as database:
        return [ask_once(database, name, question) for question in questions]


def ask_once(database: TeamDatabase, name: str, question: SearchQuery) -> Sequence[JudgedLocation]:
    with database.snapshot():
        reader = TeamReader(database)
        [own] = [each.repository_id for each in reader.repositories.values() if each.name == name]
        found = retrieve_from_team(question, reader, encode, included=[own])
        matches = rank_across_projects([each.retrieval for each in found])
        [ranking] = [
            rank_candidates(question, each.retrieval.reader, its)
            for each, its in zip(found, matches, strict=True)
            if each.repository.repository_id == own
        ]
        return locate(ranking)


def locate(ranking: Ranking) -> Sequence[JudgedLocation]:
    keys = [each.document.doc_key for each in ranking.ranked[:RESULT_DEPTH]]
    documents = ranking.reader.get_documents(keys)
    spans = [(documents[key], documents[key].symbol.span) for key in keys if key in documents]
    return [
        JudgedLocation(each.doc_id, each.path, span.start.line + 1, span.end.line + 1)
        if each.path
        else JudgedLocation(each.doc_id, "", 0, 0)
        for each, span in spans
    ]


def test_bench_quality_equals_that_of_local_indexes(subjects: dict[Path, list[EvaluationCase]], teams: Teams) -> None:
    means: list[list[float]] = []
    for root, cases in subjects.items():
        questions = [parse_query(case.query, BASE_ORACLE_WEIGHTS, limit=CUTOFF) for case in cases]
        answers = (
            ask_local(root, questions),
            ask_team(teams.alone[root.name], root.name, questions),
            ask_team(teams.together, root.name, questions),
        )
        scores = [
            [score_results(found, case.targets).ndcg for found, case in zip(each, cases, strict=True)]
            for each in answers
        ]
        means.append(list(map(fmean, scores)))
        report(root.name, means[-1], f"of {len(cases)} questions")
    macro = [fmean(each) for each in zip(*means, strict=True)]
    report("mean", macro, f"of {len(means)} repositories")
    assert abs(macro[0] - macro[1]) <= MAX_DIFFERENCE


def report(name: str, means: Sequence[float], of: str) -> None:
    local, alone, together = means
    print(f"{name}: local {local:.4f}, team of one {alone:.4f}, team of all {together:.4f} {of}")
