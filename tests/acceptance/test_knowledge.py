"""Beliefs, patterns and session notes beside code: found, shown, and displacing nothing."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from msgspec import UNSET, convert

from scry.core import data_home
from scry_protocol.messages import Answer, DetailParams, FindParams, ObserveParams, RememberParams, WhyParams
from tests.acceptance.conftest import make_shop
from tests.sample.indexed import IndexedProject, doc_ids
from tests.sample.knowledge import BELIEFS

QUESTIONS = (
    "where is reciprocal rank fusion implemented",
    "fuse",
    "why are raw scores not added",
    "retry policy that may fail",
    "how does retrieval search documents",
    "recently changed fusion",
    "type:code ranks",
    '"raw scores"',
)

_WORDS = (
    "fusion fuse rank ranks reciprocal raw scores retry policy fail search retrieval documents cart pay invoice total "
    "unit order sunday till never added common"
).split()


@pytest.fixture(scope="module")
def believing(tmp_path_factory: pytest.TempPathFactory) -> IndexedProject:
    sample = make_shop(tmp_path_factory.mktemp("work") / "shop")
    sample.write(BELIEFS)
    sample.update_index()
    return sample


def others(answer: Answer) -> list[str]:
    """Return the code, documents and commits of an answer."""
    return [result.doc_id for result in answer.results if result.content_type in ("code", "doc", "commit")]


@pytest.mark.acceptance("K2", "F3", "J3")
def test_belief_is_found_by_meaning_words_and_belief_oracle(believing: IndexedProject) -> None:
    answer = believing.find("why are raw scores never added")
    assert answer.faults == []
    belief = next(result for result in answer.results if result.doc_id == "belief:fusion-by-rank")
    assert {"semantic", "lexical", "belief"} == set(belief.contributions)
    assert belief.contributions["belief"].score_type == "relevance"
    assert 0 < belief.contributions["belief"].raw_score <= 1
    assert "raw" in (belief.contributions["lexical"].matches or [])
    assert "bel #1" in belief.evidence
    assert belief.metadata
    assert (belief.metadata.code_refs, belief.metadata.domains) == (["shop/fusion.py:7", "shop/fusion.py"], ["ranking"])
    assert belief.location
    assert belief.location.uri.endswith("/.scry/beliefs/fusion-by-rank.md")


@pytest.mark.acceptance("K4", "J6")
def test_patterns_and_session_notes_are_results(believing: IndexedProject) -> None:
    found = {result.doc_id: result for result in believing.find("retry policy may fail", types=["pattern"]).results}
    assert found["pattern:retry-policy"].snippet == "Everything that may fail is tried again by a retry policy."
    noted = believing.find("how fusion came to be", types=["session"]).results
    assert [result.doc_id for result in noted] == ["session:2026-11-20-fusion"]


def test_knowledge_files_are_not_code_documents(believing: IndexedProject) -> None:
    for question in QUESTIONS:
        assert not [doc_id for doc_id in doc_ids(believing.find(question, limit=200)) if doc_id.startswith("./.scry/")]
    with closing(believing.engine()) as engine:
        assert engine.status().skipped == 2  # debug.log and .git


@pytest.mark.slow
@pytest.mark.acceptance("K5")
@settings(
    max_examples=12,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # each example is indexed: shrinking would take an hour
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["beliefs", "patterns", "sessions"]),
            st.lists(st.sampled_from(_WORDS), min_size=1, max_size=12),
        ),
        max_size=25,
    ),
    st.integers(1, 12),
)
def test_knowledge_changes_no_order_among_the_others(
    own_shop: IndexedProject, notes: list[tuple[str, list[str]]], limit: int
) -> None:
    folder = own_shop.root / ".scry"
    _remove(own_shop, folder)
    before = {question: own_shop.find(question, limit=300) for question in QUESTIONS}
    own_shop.write({f".scry/{kind}/n{number}.md": " ".join(words) + "\n" for number, (kind, words) in enumerate(notes)})
    own_shop.update_index(frozenset({".scry"}))
    for question in QUESTIONS:
        after = own_shop.find(question, limit=300)
        assert others(after) == doc_ids(before[question])
        scores = {result.doc_id: result.fused_score for result in after.results}
        assert all(scores[result.doc_id] == result.fused_score for result in before[question].results)
        few = own_shop.find(question, limit=limit).results
        assert [(each.doc_id, each.fused_score) for each in few] == list(scores.items())[:limit]
        without = own_shop.find(f"{question} -type:belief -type:pattern -type:session", limit=300)
        assert doc_ids(without) == doc_ids(before[question])


@pytest.mark.slow
@pytest.mark.acceptance("K5")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["persona", "decision", "note", "error", "command", "test"]),
            st.lists(st.sampled_from(_WORDS), min_size=1, max_size=8),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_persona_notes_and_memories_change_no_order(
    own_data: IndexedProject, told: list[tuple[str, list[str]]]
) -> None:
    shutil.rmtree(data_home(), ignore_errors=True)
    with closing(own_data.engine()) as engine:
        before = {question: engine.find(FindParams(question, limit=300)) for question in QUESTIONS}
        for kind, words in told:
            if kind == "persona":
                engine.knowledge.remember(RememberParams(" ".join(words)))
            else:
                engine.observe(convert({"kind": kind, "text": " ".join(words), "status": 1}, ObserveParams))
        for question, earlier in before.items():
            after = engine.find(FindParams(question, limit=300))
            assert others(after) == doc_ids(earlier)
            found = {result.doc_id: result.contributions for result in after.results}
            assert all(found[result.doc_id] == result.contributions for result in earlier.results)
            without = engine.find(FindParams(f"{question} -type:persona -type:memory", limit=300))
            assert doc_ids(without) == doc_ids(earlier)


@pytest.fixture
def own_data(own_shop: IndexedProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> IndexedProject:
    """Return a shop in which nothing was noted, with a data folder of its own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return own_shop


def _remove(sample: IndexedProject, folder: Path) -> None:
    for path in sorted(folder.glob("*/*.md")):
        path.unlink()
    sample.update_index(frozenset({".scry"}))


@pytest.mark.acceptance("K5")
def test_knowledge_takes_the_rank_it_would_have_among_code(believing: IndexedProject) -> None:
    """In each oracle's list, merged by score, it stands just behind what scores better."""
    answer = believing.find("reciprocal rank fusion of raw scores", limit=300)
    for oracle in ("semantic", "lexical"):
        code = [
            (result.contributions[oracle].raw_score, result.contributions[oracle].rank)
            for result in answer.results
            if oracle in result.contributions and result.content_type in ("code", "doc")
        ]
        known = sorted(
            (
                result.contributions[oracle]
                for result in answer.results
                if oracle in result.contributions and result.content_type not in ("code", "doc", "commit")
            ),
            key=lambda found: found.rank,
        )
        assert known
        for before, found in enumerate(known):
            assert found.rank == sum(score > found.raw_score for score, _ in code) + before + 1


@pytest.mark.acceptance("F3")
def test_knowledge_weights_exist_without_knowledge(shop: IndexedProject) -> None:
    scoring = shop.find("fuse").scoring
    assert {"persona", "belief"} <= set(scoring.weights)


@pytest.mark.acceptance("F3")
def test_unreadable_beliefs_are_a_fault_and_code_is_found(own_shop: IndexedProject) -> None:
    own_shop.write(BELIEFS)
    own_shop.update_index()
    (own_shop.project.cache / "knowledge" / "knowledge.sqlite").write_bytes(b"damaged" * 1000)
    answer = own_shop.find("reciprocal rank fusion")
    assert [fault.oracle for fault in answer.faults] == ["belief"]
    assert doc_ids(answer)
    own_shop.update_index()
    healed = own_shop.find("reciprocal rank fusion")
    assert healed.faults == []
    assert "belief:fusion-by-rank" in doc_ids(healed)


@pytest.mark.acceptance("W1", "J2a")
def test_why_gives_the_rank_of_a_belief_in_each_oracle(believing: IndexedProject) -> None:
    with closing(believing.engine()) as engine:
        answer = engine.find(FindParams("why are raw scores never added"))
        explained = engine.why(WhyParams("belief:fusion-by-rank", "why are raw scores never added"))
    found = next(result for result in answer.results if result.doc_id == "belief:fusion-by-rank")
    assert explained.status == "indexed"
    assert explained.result
    assert explained.result.rank == found.rank
    ranks = {said.oracle: said.rank for said in explained.oracles if said.state == "voted"}
    assert ranks == {name: said.rank for name, said in found.contributions.items()}
    assert len(explained.summary) < 100


@pytest.mark.acceptance("W3")
def test_belief_similarity_is_split_into_shares(believing: IndexedProject) -> None:
    with closing(believing.engine()) as engine:
        explained = engine.why(WhyParams("belief:fusion-by-rank", "why are raw scores never added"))
    semantic = next(said for said in explained.oracles if said.oracle == "semantic")
    assert semantic.shares is not UNSET
    total = sum(share.value for share in semantic.shares.shares) + semantic.shares.remainder
    assert abs(total - semantic.shares.total) < 1e-6
    assert semantic.raw_score is not None
    assert abs(semantic.shares.total - semantic.raw_score) < 2e-3


@pytest.mark.acceptance("W1")
def test_why_ranks_a_belief_that_was_not_returned(believing: IndexedProject) -> None:
    with closing(believing.engine()) as engine:
        for question in QUESTIONS[:4]:
            answer = engine.find(FindParams(question, limit=300))
            for result in answer.results:
                if result.content_type == "belief":
                    said = {each.oracle: each for each in engine.why(WhyParams(result.doc_id, question)).oracles}
                    for name, found in result.contributions.items():
                        assert (said[name].rank, said[name].raw_score) == (found.rank, found.raw_score)


@pytest.mark.acceptance("W2")
def test_why_reports_a_missing_belief(believing: IndexedProject) -> None:
    with closing(believing.engine()) as engine:
        explained = engine.why(WhyParams("belief:nothing"))
    assert explained.status == "missing"
    assert "no belief of that name" in explained.reason


@pytest.mark.acceptance("W2", "K2")
def test_malformed_belief_is_skipped_with_its_line(own_shop: IndexedProject) -> None:
    own_shop.write({".scry/beliefs/bad.md": "---\nstatement: All is well.\nentrenchment: rather\n---\n"})
    own_shop.update_index()
    with closing(own_shop.engine()) as engine:
        explained = engine.why(WhyParams("./.scry/beliefs/bad.md"))
        assert engine.status().skipped == 3
    assert explained.status == "skipped"
    assert "line 3: entrenchment is a number from 0 to 1, or one of" in explained.reason
    own_shop.write({".scry/beliefs/bad.md": "---\nstatement: All is well.\nentrenchment: high\n---\n"})
    own_shop.update_index()
    assert doc_ids(own_shop.find("all is well", types=["belief"])) == ["belief:bad"]


@pytest.mark.acceptance("D1")
def test_detail_shows_a_belief_in_full(believing: IndexedProject) -> None:
    with closing(believing.engine()) as engine:
        answer = engine.find(FindParams("raw scores never added", types=["belief"]))
        rank = next(result.rank for result in answer.results if result.doc_id == "belief:fusion-by-rank")
        full = engine.detail(DetailParams(answer.query_id, rank)).result.full
    assert full
    assert "Fusion adds reciprocal ranks" in full.body
    assert "the order fell apart" in full.body


@pytest.mark.acceptance("F10")
def test_incrementally_updated_notes_equal_fresh_ones(tmp_path: Path) -> None:
    stepwise, fresh = make_shop(tmp_path / "a" / "shop"), make_shop(tmp_path / "b" / "shop")
    stepwise.update_index()
    for path, text in BELIEFS.items():
        stepwise.write({path: text.replace("fusion", "sorting")})
        stepwise.update_index(frozenset({path}))
    stepwise.write({".scry/beliefs/aa.md": "---\nid: raw-scores\nstatement: Another of that name.\n---\n"})
    stepwise.update_index(frozenset({".scry/beliefs/aa.md"}))
    (stepwise.root / ".scry/beliefs/aa.md").unlink()
    stepwise.write(BELIEFS)
    stepwise.update_index(frozenset({".scry"}))
    fresh.write(BELIEFS)
    fresh.update_index()
    for question in QUESTIONS:
        first, second = stepwise.find(question, limit=300), fresh.find(question, limit=300)
        known = [(r.doc_id, r.contributions) for r in first.results if ":" in r.doc_id and not r.doc_id.startswith("c")]
        assert known == [
            (r.doc_id, r.contributions) for r in second.results if ":" in r.doc_id and not r.doc_id.startswith("c")
        ]
