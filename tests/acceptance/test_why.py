"""Why: its numbers are find's, for what was returned and for what was not, and each absence has its reason."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import UNSET

from scry.core import BadRequest
from scry.engine import Engine
from scry.surfaces.render import render_explanation, to_plain_text
from scry_protocol.messages import Explanation, FindParams, OracleEvidence, OrientParams, RecentParams, WhyParams
from tests.sample.indexed import IndexedProject

QUERIES = (
    "where are rankings fused",
    "fuse",
    "Retriever.search",
    "retry policy how often",
    "what changed in retrieval",
    "why retry",
    "lang:python search",
    '"reciprocal rank" fusion',
    "type:doc returns",
    "検索",
    "open the shop type:commit",
    "till closed",
)


@pytest.fixture(scope="module")
def engine(shop: IndexedProject) -> Iterator[Engine]:
    with closing(shop.engine()) as engine:
        yield engine


def why(engine: Engine, doc_id: str, query: str | None = None, **params: object) -> Explanation:
    return engine.why(WhyParams(doc_id, query, **params))  # type: ignore[arg-type]


def oracle_evidence(explanation: Explanation, oracle: str) -> OracleEvidence:
    return next(evidence for evidence in explanation.oracles if evidence.oracle == oracle)


@pytest.mark.acceptance("W1", "F10")
@pytest.mark.parametrize("query", QUERIES)
def test_why_figures_equal_those_of_find_for_every_result(engine: Engine, query: str) -> None:
    answer = engine.find(FindParams(query, limit=1000))
    assert answer.results
    for result in answer.results:
        explanation = why(engine, result.doc_id, query)
        assert explanation.result == result
        assert explanation.scoring == answer.scoring
        voted = {
            evidence.oracle: (evidence.rank, evidence.raw_score)
            for evidence in explanation.oracles
            if evidence.state == "voted"
        }
        assert voted == {name: (vote.rank, vote.raw_score) for name, vote in result.contributions.items()}
        assert math.isclose(sum(evidence.share for evidence in explanation.oracles), 1.0)
        assert [(p.mode, p.rank, p.of) for p in explanation.places[:1]] == [("find", result.rank, len(answer.results))]


@pytest.mark.acceptance("W1")
def test_document_beyond_the_limit_has_its_rank_in_longer_answers(engine: Engine) -> None:
    short = engine.find(FindParams("search", limit=2))
    longer = engine.find(FindParams("search", limit=1000))
    assert len(longer.results) > 2
    last = longer.results[-1]
    assert last.doc_id not in [result.doc_id for result in short.results]
    assert why(engine, last.doc_id, query_id=short.query_id).result == last


@pytest.mark.acceptance("W4")
@pytest.mark.parametrize("query", QUERIES)
def test_why_line_names_the_most_important_factor(engine: Engine, query: str) -> None:
    for result in engine.find(FindParams(query, limit=1000)).results:
        explanation = why(engine, result.doc_id, query)
        assert 0 < len(explanation.summary) < 100
        assert explanation.decisive is not UNSET
        ranks = {without.name: without.rank for without in explanation.without}
        assert list(ranks) == [*result.contributions, *(adjustment.name for adjustment in result.adjustments)]
        falls = {name: math.inf if rank is None else rank for name, rank in ranks.items()}
        assert falls[explanation.decisive] == max(falls.values())
        if result.rank <= 10:
            assert explanation.decisive.replace("_", " ") in explanation.summary


@pytest.mark.acceptance("W1", "W2")
def test_document_with_one_of_many_words_is_not_a_match(engine: Engine) -> None:
    query = "fuses rankings reciprocal rank invoice"
    found = engine.find(FindParams(query, limit=50)).results
    assert "lexical" in found[0].contributions
    assert [
        result for result in found if result.doc_id == "./shop/pay.ts::Invoice" and "lexical" in result.sources
    ] == []
    lexical = oracle_evidence(why(engine, "./shop/pay.ts::Invoice", query), "lexical")
    assert (lexical.state, lexical.rank) == ("no_match", None)
    assert "1 of 5 words: invoice; what holds fewer than 2 is not found by words" in lexical.note


@pytest.mark.acceptance("W1", "W2")
def test_oracle_without_a_match_names_the_missing_words(engine: Engine) -> None:
    explanation = why(engine, "./shop/retry.go::RetryPolicy", "retry backoff delays")
    lexical = oracle_evidence(explanation, "lexical")
    assert (lexical.matches, lexical.missing) == (["retry"], ["backoff", "delays"])
    assert lexical.note == "'backoff', 'delays' do not occur"
    explanation = why(engine, "./shop/pay.ts::Invoice", "backoff")
    lexical = oracle_evidence(explanation, "lexical")
    assert (lexical.state, lexical.rank, lexical.raw_score) == ("no_match", None, None)
    assert lexical.missing == ["backoff"]
    assert explanation.result is UNSET
    assert "'backoff' does not occur" in explanation.summary


@pytest.mark.acceptance("W1")
def test_similarity_below_the_floor_is_no_match_with_a_reason(engine: Engine) -> None:
    explanation = why(engine, "./shop/notes.txt#L1-L2", "interface of an invoice total")
    semantic = oracle_evidence(explanation, "semantic")
    assert semantic.state == "no_match"
    assert "below the floor of 0.15" in semantic.note


@pytest.mark.acceptance("W3")
@pytest.mark.parametrize("query", ["where are rankings fused", "how often to retry", "検索", "fuse"])
def test_token_shares_sum_to_the_cosine_raw_score(engine: Engine, query: str) -> None:
    split = 0
    for result in engine.find(FindParams(query, limit=1000)).results:
        semantic = oracle_evidence(why(engine, result.doc_id, query), "semantic")
        if semantic.state != "voted":
            continue
        assert semantic.shares is not UNSET
        assert semantic.raw_score is not None
        total = sum(share.value for share in semantic.shares.shares) + semantic.shares.remainder
        assert abs(total - semantic.shares.total) < 1e-6
        assert abs(semantic.shares.total - semantic.raw_score) < 2e-3
        assert {share.field for share in semantic.shares.shares} <= {"body", "name", "container", "path", "head"}
        split += 1
    assert split


@pytest.mark.acceptance("W2")
def test_why_gives_the_reason_of_an_unindexed_file(own_shop: IndexedProject) -> None:
    own_shop.write({"big.py": "x = 1\n" * 300_000, "image.png": b"\x89PNG\r\n\x1a\n\0\0"})
    own_shop.update_index()
    own_shop.write({"late.py": "y = 2\n"})
    with closing(own_shop.engine()) as engine:

        def status(doc_id: str) -> tuple[str, str]:
            explanation = why(engine, doc_id, "fuse")
            return explanation.status, explanation.summary

        assert status("./debug.log") == ("skipped", "Not indexed: ignored by .gitignore line 1")
        assert status("build/out/made.js") == ("skipped", "Not indexed: ignored by .gitignore line 2")
        assert status("big.py::x") == ("skipped", "Not indexed: over the size limit (1.8 MB, limit 1.0 MB)")
        assert status("image.png")[0] == "skipped"
        assert status("image.png")[1].startswith("Not indexed: binary")
        assert status("late.py::y")[0] == "unindexed"
        assert status("shop")[0] == "missing"
        assert "orient" in status("shop")[1]
        assert status(".git/config") == ("skipped", "Not indexed: ignored by built-in rule")


@pytest.mark.acceptance("W2")
@pytest.mark.parametrize(
    "doc_id",
    [
        "../../etc/passwd",
        "./shop/../../../etc/passwd::root",
        "/etc/passwd",
        "file:///etc/passwd",
        "file://elsewhere/shop/cart.py",
        "other:./shop/cart.py",
        "\\\\elsewhere\\share",
        "C:\\Windows\\win.ini",
    ],
)
def test_path_outside_the_project_is_reported_and_not_read(engine: Engine, doc_id: str) -> None:
    explanation = why(engine, doc_id, "root")
    assert explanation.status in ("outside", "missing")
    assert explanation.status == "outside" or "\\" in doc_id
    assert explanation.result is UNSET
    assert "root:" not in explanation.summary + explanation.reason


@pytest.mark.acceptance("W2")
def test_link_out_of_the_project_is_named_and_not_followed(tmp_path: Path, own_shop: IndexedProject) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key.py").write_text("KEY = 'abc'\n")
    (own_shop.root / "linked").symlink_to(secret)
    own_shop.update_index()
    with closing(own_shop.engine()) as engine:
        for doc_id in ("linked/key.py", "linked", "linked/none.py"):
            explanation = why(engine, doc_id, "KEY")
            assert (explanation.status, explanation.result) == ("skipped", UNSET)
            assert "a link that leaves the project" in explanation.summary


@pytest.mark.acceptance("W2")
def test_unknown_name_suggests_similar_names(engine: Engine) -> None:
    explanation = why(engine, "./shop/fusoin.py::fuse", "fuse")
    assert explanation.status == "missing"
    assert explanation.near[0] in ("./shop/fusion.py", "./vendor/fusion.py")
    explanation = why(engine, "./shop/fusion.py::fuze", "fuse")
    assert (explanation.status, explanation.near[0]) == ("missing", "./shop/fusion.py::fuse")
    assert "did you mean ./shop/fusion.py::fuse" in explanation.summary


@pytest.mark.acceptance("J2a")
def test_every_spelling_of_a_doc_id_resolves(engine: Engine, shop: IndexedProject) -> None:
    full = "./shop/retrieval.py::Retriever.Page.next"
    commit = shop.git("rev-parse", "HEAD")
    forms = {
        full: full,
        "shop/retrieval.py::Retriever.Page.next": full,
        "shop/../shop/./retrieval.py::Retriever.Page.next": full,
        f"shop:{full}": full,
        f"{shop.root}/shop/retrieval.py::Retriever.Page.next": full,
        f"{(shop.root / 'shop/retrieval.py').as_uri()}#L17": full,
        "shop/retrieval.py:17": full,
        "shop/retrieval.py:L17": full,
        "./shop/retrieval.py#L16-L17": full,
        "./shop/retrieval.py::Retriever.search~2": "./shop/retrieval.py::Retriever.search~2",
        "./README.md::Shop > Returns": "./README.md::Shop > Returns",
        "shop/fusion.py": "./shop/fusion.py",
        f"commit:{commit}": f"commit:{commit}",
        f"commit:{commit[:7]}": f"commit:{commit}",
        f"shop:commit:{commit[:9].upper()}": f"commit:{commit}",
    }
    for form, doc_id in forms.items():
        explanation = why(engine, form, "fuse rankings")
        named = "shop:" if form.startswith("shop:") else ""  # what is named with its project answers with it
        assert (explanation.doc_id, explanation.status) == (f"{named}{doc_id}", "indexed"), form


@pytest.mark.acceptance("J2a")
def test_commit_is_resolved_by_a_unique_prefix(engine: Engine, shop: IndexedProject) -> None:
    commit = f"commit:{shop.git('rev-parse', 'HEAD')}"
    for form in (commit, f"shop:{commit}"):
        explanation = why(engine, form, "open the shop")
        assert explanation.doc_id == form
        shown = to_plain_text(render_explanation(explanation)).splitlines()[0]
        assert shown == form[: form.index("commit:") + len("commit:") + 10]
        assert why(engine, shown, "open the shop").doc_id == form


def test_a_file_is_explained_by_its_best_document(engine: Engine) -> None:
    explanation = why(engine, "shop/fusion.py", "fuse")
    assert explanation.doc_id == "./shop/fusion.py"
    assert explanation.result is not UNSET
    assert explanation.result.doc_id == "./shop/fusion.py::fuse"


@pytest.mark.acceptance("W1")
def test_why_without_a_query_uses_the_last_query_returning_it(own_shop: IndexedProject) -> None:
    with closing(own_shop.engine()) as engine:
        before = why(engine, "./shop/fusion.py::fuse")
        assert (before.query, before.oracles, before.status) == (None, [], "indexed")
        assert "Ask with a question" in before.summary or "ask with a question" in before.summary
        first = engine.find(FindParams("reciprocal rank", intent="temporal", types=["code"]))
        second = engine.find(FindParams("fuse"))
        engine.find(FindParams("invoice total type:doc"))
        last = why(engine, "./shop/fusion.py::fuse")
        assert (last.query, last.result) == ("fuse", second.results[0])
        named = why(engine, "./shop/fusion.py::fuse", query_id=first.query_id)
        assert (named.query, named.scoring) == ("reciprocal rank", first.scoring)
        again = why(engine, "./shop/fusion.py::fuse", query_id=named.query_id)
        assert (again.query, again.scoring) == ("reciprocal rank", first.scoring)
        assert why(engine, "./shop/fusion.py").query == "reciprocal rank"


def test_why_names_the_invalid_parameter(engine: Engine) -> None:
    for params, field in (
        (WhyParams("  "), "doc_id"),
        (WhyParams("./shop/cart.py", "  "), "query"),
        (WhyParams("./shop/cart.py", query_id="q_20200101_000000_aaaaaaaa"), "query_id"),
        (WhyParams("./shop/cart.py", query_id="nonsense"), "query_id"),
    ):
        with pytest.raises(BadRequest) as raised:
            engine.why(params)
        assert raised.value.field == field


@pytest.mark.acceptance("W2")
def test_filters_and_quoted_texts_are_reasons(engine: Engine) -> None:
    explanation = why(engine, "./shop/fusion.py::fuse", "fuse lang:go")
    assert explanation.summary == "Not found: the question's filters leave it out (lang:go)"
    explanation = why(engine, "./shop/fusion.py::fuse", '"no such text" fuse')
    assert explanation.summary == 'Not found: it does not hold the exact text "no such text"'


@pytest.mark.acceptance("W2")
def test_why_names_the_path_that_lowers_a_rank(own_shop: IndexedProject) -> None:
    names = [f"shop/part{number}.py" for number in range(14)]
    own_shop.write({name: f"def settle_{at}(bill):\n    return bill\n" for at, name in enumerate(names)})
    own_shop.write({"tests/test_bill.py": "def settle_bill(bill):\n    return bill, 'settle the bill'\n"})
    own_shop.update_index()
    with closing(own_shop.engine()) as engine:
        explanation = why(engine, "./tests/test_bill.py::settle_bill", "settle bill")
        assert explanation.result is not UNSET
        assert explanation.result.rank > 10
        assert "x0.25 test path" in explanation.summary


@pytest.mark.acceptance("W1")
def test_why_gives_the_rank_in_each_mode(engine: Engine) -> None:
    recent = engine.recent(RecentParams("rankings fused", limit=1000)).results
    orient = engine.orient(OrientParams("shop", limit=1000)).results
    for doc_id in ("./shop/fusion.py::fuse", "./shop/pay.ts::Invoice", "./shop/notes.txt#L1-L2"):
        explanation = why(engine, doc_id, "rankings fused")
        places = {place.mode: place for place in explanation.places}
        assert list(places) == ["find", "orient", "recent"]
        file = doc_id.partition("::")[0].partition("#")[0]
        assert places["orient"].rank == next(result.rank for result in orient if result.doc_id == file)
        assert places["orient"].of == len(orient)
        assert places["recent"].rank == next((r.rank for r in recent if r.doc_id == doc_id), None)
        assert places["recent"].of == len(recent)


@pytest.mark.acceptance("W1")
def test_why_shows_history_and_structure(own_shop: IndexedProject) -> None:
    own_shop.write({"shop/fusion.py": (own_shop.root / "shop/fusion.py").read_text() + "\nLIMIT = 3\n"})
    with closing(own_shop.engine()) as engine:
        explanation = why(engine, "./shop/fusion.py::fuse", "fuse")
        assert explanation.lived is not UNSET
        assert (explanation.lived.commits, explanation.lived.uncommitted) == (1, True)
        assert '"Open the shop"' in explanation.lived.last_commit
        assert explanation.structural is not UNSET
        assert explanation.structural.importers == 2


@pytest.mark.acceptance("W1")
def test_why_reports_a_rank_that_changed_since_the_answer(own_shop: IndexedProject) -> None:
    with closing(own_shop.engine()) as engine:
        answer = engine.find(FindParams("fuse rankings"))
        first, second = answer.results[:2]
        asked = WhyParams(second.doc_id, query_id=answer.query_id)
        assert engine.why(asked).reason == ""
        (own_shop.root / first.doc_id.partition("::")[0]).unlink()
        own_shop.update_index()
        assert engine.why(asked).reason == "The answer had it 2nd; what is indexed has changed since."
        assert engine.why(WhyParams(second.doc_id, "fuse rankings")).reason == ""


@pytest.mark.acceptance("W1", "F4")
def test_match_below_the_depth_of_an_oracle_has_its_rank_and_says_so(tmp_path: Path) -> None:
    """210 functions match; each oracle returns 200 of them."""
    sample = IndexedProject(tmp_path / "scales").init_repository()
    parcels = [f"def weigh_{n}(parcel):\n    return parcel + {n}\n" for n in range(209)]
    last = "def weigh_last(parcel):\n    return " + " + ".join(f"tare_{n}" for n in range(60)) + "\n"
    sample.write({f"scales_{n}.py": text for n, text in enumerate([*parcels, last])})
    sample.commit("Weigh")
    sample.update_index()
    with closing(sample.engine()) as engine:
        counted = engine.find(FindParams("parcel", limit=1000)).results
        assert sum("lexical" in result.contributions for result in counted) == 200
        explanation = why(engine, "./scales_209.py::weigh_last", "parcel")
    lexical = oracle_evidence(explanation, "lexical")
    assert lexical.state == "beyond_depth"
    assert lexical.rank is not None
    assert 200 < lexical.rank <= 210
    lines = to_plain_text(render_explanation(explanation)).splitlines()
    row = next(line for line in lines if "Lexical" in line and "#" in line)
    assert (f"#{lexical.rank}" in row, "too deep" in row, "passed over" in row) == (True, True, False)
