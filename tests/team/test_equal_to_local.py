"""A team's index of one repository gives what the local index of it gives: scores, matches and ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from scry.core import SearchQuery, Settings
from scry.core.types import OracleMatch
from scry.embedding import Vectors, content_words, load_bundled_model
from scry.engine.federation import rank_across_projects, retrieve_from_team
from scry.engine.search import BASE_ORACLE_WEIGHTS, Retrieval, parse_query, rank_candidates
from scry.lab import EvaluatedIndex
from scry.projects import open_project
from scry.store.team import TeamDatabase, TeamReader, TeamRepository
from scry.store.team import reader as reader_module
from scry.store.vector_sets import EmbedderInfo
from scry.team import load_repository
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]

ROOT = Path(__file__).parents[2]
QUESTIONS = (
    "where are ranks fused",
    "split identifiers into words",
    "how is a commit's message stored and why",
    "RRF_K",
    "ScoreScale",
    "read the oracle's votes from the history of renamed files when nothing matches",
    "cosine",
    "zzzz unheard",
)


def encode(_: EmbedderInfo, text: str) -> Vectors:
    return load_bundled_model().encode_query(content_words(text))


def question_of(text: str) -> SearchQuery:
    return parse_query(text, BASE_ORACLE_WEIGHTS, limit=10)


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> HistoryProject:
    """Return a repository with files of Scry's own, and a history in which some change together."""
    project = HistoryProject(tmp_path_factory.mktemp("sources") / "scry").init_repository()
    files = sorted((ROOT / "server" / "scry").glob("oracles/*.py")) + sorted((ROOT / "server/scry/core").glob("*.py"))
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files}
    project.commit("Add the first files", texts)
    for number in range(6):
        changed = {path: f"{text}\n\ndef added_{number}():\n    return {number}\n" for path, text in texts.items()}
        some = dict(list(changed.items())[number : number + 4])
        project.commit(f"Fuse the ranks of oracle {number} and split identifiers", some)
    project.update_all()
    return project


@pytest.fixture(scope="module")
def address(postgres: PostgresServer, sources: HistoryProject) -> str:
    address = postgres.create_database()
    with TeamDatabase.open_for_writing(address) as database:
        load_repository(
            database, TeamRepository("scry", "https://example.invalid/scry", readers=("public",)), sources.root
        )
    return address


@pytest.fixture(scope="module")
def local(address: str, sources: HistoryProject) -> Iterator[EvaluatedIndex]:
    with closing(EvaluatedIndex(open_project(sources.root), Settings())) as index:
        yield index


@pytest.fixture
def ask_team(address: str) -> Iterator[Callable[[str], Retrieval]]:
    with TeamDatabase.open_for_reading(address) as database, database.snapshot():
        reader = TeamReader(database)

        def ask(text: str) -> Retrieval:
            [found] = retrieve_from_team(question_of(text), reader, encode)
            return found.retrieval

        yield ask


def described(matches: Sequence[OracleMatch], retrieval: Retrieval) -> list[tuple[int, float, str]]:
    headers = retrieval.reader.headers([match.doc_key for match in matches])
    return sorted((match.rank, match.raw_score, headers[match.doc_key].doc_id) for match in matches)


@pytest.mark.parametrize("text", QUESTIONS[:-1])
@pytest.mark.acceptance("T1")
def test_oracles_match_alike(text: str, local: EvaluatedIndex, ask_team: Callable[[str], Retrieval]) -> None:
    own = local.rank(question_of(text))
    team = ask_team(text)
    assert not team.oracle_matches.faults
    for name in ("lexical", "semantic", "temporal"):
        expected = sorted(
            (match.rank, match.raw_score, own.reader.headers([match.doc_key])[match.doc_key].doc_id)
            for match in own.oracle_matches.by_oracle[name]
        )
        assert described(team.oracle_matches.by_oracle[name], team) == expected, name
    assert own.oracle_matches.by_oracle["lexical"]


@pytest.mark.parametrize("text", QUESTIONS[:-1])
@pytest.mark.acceptance("T1")
def test_fused_ranking_is_the_same(text: str, local: EvaluatedIndex, ask_team: Callable[[str], Retrieval]) -> None:
    own, retrieval = local.rank(question_of(text)), ask_team(text)
    [matches] = rank_across_projects([retrieval])
    team = rank_candidates(retrieval.question, retrieval.reader, matches)
    expected = [(each.document.doc_id, each.fused_score, each.adjustments) for each in own.ranked]
    assert [(each.document.doc_id, each.fused_score, each.adjustments) for each in team.ranked] == expected


def test_graph_of_vectors_finds_nearly_all(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large teams search a graph: what it finds has exact cosines, and little is missing."""
    vector = encode(EmbedderInfo("bundled", "", 256), QUESTIONS[0])
    with TeamDatabase.open_for_reading(address) as database, database.snapshot():

        def nearest() -> list[tuple[int, float]]:
            reader = TeamReader(database)
            with reader.sending_nearest(vector, 200) as find_nearest:
                [repository] = find_nearest()
            return reader.open(repository).vectors.prefetched or []

        exact = nearest()
        monkeypatch.setattr(reader_module, "EXACT_DOCUMENTS", 0)
        database.connection.execute("SET LOCAL enable_seqscan = off")
        by_graph = nearest()
    assert len(exact) == len(by_graph) == 200
    assert len(set(exact) & set(by_graph)) >= 190
    assert by_graph[:10] == exact[:10]
