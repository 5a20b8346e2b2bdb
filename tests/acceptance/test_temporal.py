"""The part of the history in an answer: commits, co-changes, activity and messages."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.sample.indexed import IndexedProject, doc_ids

QUIET = '''"""How several rankings become one."""


def fuse(rankings, k=60):
    """Reciprocal rank fusion (RRF): adds 1 / (k + rank) over the rankings."""
    scores = {}
    for ranking in rankings:
        for rank, doc in enumerate(ranking, 1):
            scores[doc] = scores.get(doc, 0.0) + 1.0 / (k + rank)
    return sorted(scores, key=scores.get, reverse=True)
'''

HOT = '''"""The engine: everything imports it."""

from search.fusion import fuse


class Engine:
    """Runs queries: retrieval, then the fusion that is implemented elsewhere."""

    def run(self, query):
        return fuse([self.retrieve(query)])

    def retrieve(self, query):
        return [query, {number}]

    def settings(self):
        return {{"rrf": True, "fusion": "on", "number": {number}}}
'''


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> IndexedProject:
    """Return a quiet file that implements fusion, and an engine that changes in every commit and is

    imported by everything.
    """
    sample = IndexedProject(tmp_path_factory.mktemp("work") / "search").init_repository()
    sample.write({"search/__init__.py": "", "search/fusion.py": QUIET, "search/engine.py": HOT.format(number=0)})
    sample.git("add", "-A")
    sample.git("commit", "-q", "-m", "Rank fusion of several rankings|RRF", "-m", "Because scores have no common unit.")
    for number in range(1, 31):
        files = {"search/engine.py": HOT.format(number=number)}
        name = f"search/user{number % 6}.py"
        files[name] = (
            f"from search.engine import Engine\n\n\ndef use_{number % 6}():\n    return Engine().run({number})\n"
        )
        if number % 10 == 0:
            files["search/weights.py"] = f"def weight_of(oracle):\n    return {number}\n"
            files["search/tuning.py"] = f"def tune(oracles):\n    return {number}\n"
        sample.write(files)
        sample.git("add", "-A")
        message = "Tune the weights" if number % 10 == 0 else f"Use the engine {number}"
        sample.git("commit", "-q", "-m", message)
    sample.update_index()
    return sample


@pytest.mark.acceptance("F13", "J4")
def test_quiet_implementation_outranks_hot_decoy(search: IndexedProject) -> None:
    results = search.find("Where is RRF fusion implemented?").results
    assert results[0].doc_id == "./search/fusion.py::fuse"
    assert {"semantic", "lexical"} & set(results[0].contributions)
    decoy = next(result for result in results if result.doc_id.startswith("./search/engine.py"))
    structural = decoy.annotations.structural
    assert structural
    assert (structural.importers, structural.centrality, structural.activity_level) == (6, "high", "high")
    quiet = results[0].annotations.structural
    assert quiet
    assert quiet.activity_level == "low"


@pytest.mark.acceptance("F3", "J3")
def test_co_changed_code_is_found_without_common_words(search: IndexedProject) -> None:
    answer = search.find("weight_of oracle", limit=20)
    tied = next(result for result in answer.results if result.doc_id == "./search/tuning.py::tune")
    found = tied.contributions["temporal"]
    assert (found.score_type, found.raw_score) == ("co_change_count", 3)
    assert list(answer.scoring.weights)[:3] == ["semantic", "lexical", "temporal"]
    assert answer.faults == []


@pytest.mark.acceptance("F3")
def test_files_that_change_with_everything_are_not_boosted(search: IndexedProject) -> None:
    answer = search.find("weight_of oracle", limit=50)
    votes = {result.doc_id: result.contributions.get("temporal") for result in answer.results}
    tuning, engine = votes["./search/tuning.py::tune"], votes.get("./search/engine.py::Engine.retrieve")
    assert tuning is not None
    assert engine is None or engine.rank > tuning.rank


@pytest.mark.acceptance("F3", "F5", "F6")
def test_past_commits_on_the_question_raise_the_files_that_they_changed(search: IndexedProject) -> None:
    answer = search.find("tune weights of an oracle", limit=50)
    changed = {result.doc_id: {each.name: each.reason for each in result.adjustments} for result in answer.results}
    assert "past_changes" in changed["./search/tuning.py::tune"]
    # The engine changed in every commit, three of them on the question; of those it has a share as any other file.
    factors = {
        result.doc_id: each.factor
        for result in answer.results
        for each in result.adjustments
        if each.name == "past_changes"
    }
    assert factors["./search/tuning.py::tune"] >= max(factors.values())
    unrelated = search.find("reciprocal rank fusion adds rankings").results
    assert all(
        each.name != "past_changes"
        for result in unrelated
        if result.doc_id.startswith("./search/tuning.py")
        for each in result.adjustments
    )


@pytest.mark.acceptance("J6", "J2a", "J5")
def test_commit_result_has_snippet_name_and_time(search: IndexedProject) -> None:
    answer = search.find("rank fusion type:commit")
    first = search.git("rev-list", "--max-parents=0", "HEAD")
    commit = answer.results[0]
    assert commit.doc_id == f"commit:{first}"
    assert (commit.content_type, commit.kind) == ("commit", "commit")
    assert commit.title == "Rank fusion of several rankings|RRF"
    assert commit.snippet == f'{first[:7]}: "Rank fusion of several rankings|RRF" (3 files)'
    assert not commit.location
    assert not commit.annotations.structural
    assert commit.metadata
    assert commit.metadata.timestamp == search.git(
        "show", "-s", "--format=%cd", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", first
    )
    assert commit.contributions["lexical"].matches == ["rank", "fusion"]
    assert {result.content_type for result in answer.results} == {"commit"}


@pytest.mark.acceptance("F8", "F9")
def test_filters_include_or_exclude_commits(search: IndexedProject) -> None:
    def kinds(query: str, **params: object) -> set[str]:
        return {result.content_type for result in search.find(query, limit=100, **params).results}

    assert kinds("fusion engine weights") == {"code", "commit"}
    assert kinds("fusion engine weights -type:commit") == {"code"}
    assert kinds("fusion engine weights", types=["commit"]) == {"commit"}
    assert kinds("fusion engine weights", types=["code"]) == {"code"}
    assert kinds("fusion engine weights lang:python") == {"code"}
    assert kinds("fusion engine weights path:search") == {"code"}
    assert kinds("fusion engine weights -path:search") == {"commit"}
    assert kinds('"no common unit"') == {"commit"}
    assert kinds("fusion engine weights type:doc") == set()


def test_code_questions_rank_code_and_past_questions_commits_first(search: IndexedProject) -> None:
    answer = search.find("weights of the engine", limit=30)
    assert answer.results[0].content_type == "code"
    lowered = next(result for result in answer.results if result.content_type == "commit")
    assert [adjustment.name for adjustment in lowered.adjustments] == ["commit"]
    past = search.find("weights of the engine", limit=30, intent="temporal").results
    assert all(not result.adjustments for result in past if result.content_type == "commit")


def test_commits_change_no_order_among_the_others(search: IndexedProject) -> None:
    query = "fusion weights of the engine"
    everything = search.find(query, limit=200).results
    assert any(result.content_type == "commit" for result in everything)
    alone = search.find(query + " -type:commit", limit=200).results
    assert [r.doc_id for r in everything if r.content_type != "commit"] == [r.doc_id for r in alone]


@pytest.mark.acceptance("F6")
def test_activity_does_not_rank(search: IndexedProject) -> None:
    queries = ["fusion", "engine that runs queries", "weights"]
    before = [doc_ids(search.find(query, limit=50)) for query in queries]
    with closing(sqlite3.connect(search.project.cache / "history.sqlite")) as history, history:
        kept = history.execute("SELECT recent, id FROM paths").fetchall()
        history.execute("UPDATE paths SET recent = abs(random()) % 20")
    try:
        assert [doc_ids(search.find(query, limit=50)) for query in queries] == before
    finally:
        with closing(sqlite3.connect(search.project.cache / "history.sqlite")) as history, history:
            history.executemany("UPDATE paths SET recent = ? WHERE id = ?", kept)


@pytest.mark.acceptance("F10")
def test_incremental_history_gives_the_answers_of_fresh_history(tmp_path: Path) -> None:
    step, once = IndexedProject(tmp_path / "a" / "shop"), IndexedProject(tmp_path / "b" / "shop")
    choose = random.Random(7)
    step.root.mkdir(parents=True)
    step.git("init", "-q", "-b", "main")
    for number in range(12):
        names = choose.sample(["pay", "cart", "till", "stock"], 2)
        step.write({f"{name}.py": f"def {name}():\n    return {number}\n" for name in names})
        step.commit(f"Mend {' and '.join(names)}")
        if number % 4 == 0:
            step.update_index()
        if number == 8:
            step.git("reset", "-q", "--hard", "HEAD~3")
    step.update_index()
    once.root.parent.mkdir()
    step.git("clone", "-q", str(step.root), str(once.root))
    once.update_index()
    for query in ("pay", "mend the cart", "till type:commit", "what changed in stock"):
        first, second = step.find(query, limit=50), once.find(query, limit=50)
        assert [(r.doc_id, r.fused_score) for r in first.results] == [(r.doc_id, r.fused_score) for r in second.results]


@pytest.mark.acceptance("F11", "F3")
def test_status_shows_history_progress_and_damage_is_a_fault(own_shop: IndexedProject) -> None:
    answer = own_shop.find("fuse")
    assert (answer.index.history, answer.faults) == ("ready", [])
    own_shop.write({"new.py": "x = 1\n"})
    own_shop.commit("Something new")
    assert own_shop.find("fuse").index.history == "pending"
    own_shop.update_index()
    assert own_shop.find("fuse").index.history == "ready"
    before = doc_ids(own_shop.find("fuse -type:commit"))
    for path in own_shop.project.cache.glob("history.sqlite*"):
        path.unlink()
    (own_shop.project.cache / "history.sqlite").write_bytes(b"nothing like a database" * 100)
    damaged = own_shop.find("fuse")
    assert [fault.oracle for fault in damaged.faults] == ["temporal"]
    assert doc_ids(damaged)[0] == before[0]


@pytest.mark.acceptance("F11")
def test_folder_without_git_has_no_history_and_no_fault(tmp_path: Path) -> None:
    plain = IndexedProject(tmp_path / "plain")
    plain.write({"a.py": "def pay():\n    pass\n"})
    plain.update_index()
    answer = plain.find("pay")
    assert (answer.index.history, answer.faults, doc_ids(answer)) == ("none", [], ["./a.py::pay"])


def test_commit_score_is_reproducible_from_the_json(search: IndexedProject) -> None:
    answer = search.find("weights", limit=50)
    commit = next(result for result in answer.results if result.content_type == "commit")
    terms = sum(answer.scoring.weights[name] / (60 + vote.rank) for name, vote in commit.contributions.items())
    for adjustment in commit.adjustments:
        terms *= adjustment.factor
    assert commit.fused_score == pytest.approx(terms / answer.scoring.ceiling)
    assert "nan" not in json.dumps(commit.fused_score)


@pytest.mark.acceptance("F7")
@pytest.mark.parametrize(
    "query",
    [
        "which commit added rank fusion?",
        "when was rank fusion added",
        "why was rank fusion merged",
        "who added the fusion of several rankings?",
    ],
)
def test_question_for_a_commit_finds_it_first(search: IndexedProject, query: str) -> None:
    answer = search.find(query)
    assert answer.results[0].title == "Rank fusion of several rankings|RRF"
    (adjustment,) = answer.results[0].adjustments
    assert adjustment.name == "commit"
    assert "a commit is asked for" in adjustment.reason
    assert answer.results[0].fused_score <= 1


@pytest.mark.acceptance("F7")
def test_commit_is_not_lowered_where_its_subject_is_the_query(search: IndexedProject) -> None:
    whole = search.find("Rank fusion of several rankings|RRF").results
    (commit,) = (result for result in whole if result.title.startswith("Rank fusion"))
    assert commit.rank <= 2  # beside the function that does it
    assert [adjustment.reason for adjustment in commit.adjustments] == ["the question is the subject of this commit"]
    nearly = search.find("fusion of several engine rankings", limit=50).results
    (commit,) = (result for result in nearly if result.title.startswith("Rank fusion"))
    assert [adjustment.factor for adjustment in commit.adjustments] == [0.3]  # three of four words
    without = search.find("fusion of several rankings", limit=50).results
    (commit,) = (result for result in without if result.title.startswith("Rank fusion"))
    assert not commit.adjustments
