"""Doc_ids of knowledge and the figures shown beside its text (J2a, J4, X2)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
import pytest
from msgspec import UNSET

from scry.engine import Engine
from scry.oracles import ORACLES
from scry.surfaces.render import add_explanation_text, render_answer, to_plain_text
from scry_protocol.messages import DetailParams, FindParams, RememberParams, ResultItem, WhyParams
from tests.sample.knowledge import opened_shop

NOTE = "Scores are fused in one small function"
QUESTIONS = {
    "belief": ("raw scores never added", r"belief:fusion-by-rank"),
    "pattern": ("tried again by a retry policy", r"pattern:retry-policy"),
    "session": ("how fusion came to be", r"session:2026-11-20-fusion"),
    "persona": (NOTE, r"persona:direct:\d{8}T\d{6}\.\d{3}Z"),
}
"""By content type, a question that finds one, and its doc_id."""


TITLES = [oracle.title for oracle in ORACLES]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with opened_shop(tmp_path_factory.mktemp("knowing"), RememberParams(NOTE, domains=["style"])) as engine:
        yield engine


def first(engine: Engine, content_type: str) -> tuple[str, ResultItem]:
    answer = engine.find(FindParams(QUESTIONS[content_type][0], types=[content_type]))  # type: ignore[list-item]
    return answer.query_id, answer.results[0]


def rows_of(text: str) -> list[str]:
    """Return the oracles in the table of an explanation."""
    return [title for title in re.findall(r"^\| \*\*(\w+)\*\*", text, re.MULTILINE) if title in TITLES]


@pytest.mark.acceptance("J2a", "K1", "K2", "K4")
@pytest.mark.parametrize("content_type", QUESTIONS)
def test_doc_id_of_knowledge_round_trips(engine: Engine, content_type: str) -> None:
    query_id, result = first(engine, content_type)
    question, form = QUESTIONS[content_type]
    assert re.fullmatch(form, result.doc_id)
    for asked in (WhyParams(result.doc_id, question), WhyParams(result.doc_id, query_id=query_id)):
        explained = engine.why(asked)
        assert (explained.doc_id, explained.status) == (result.doc_id, "indexed")
        assert explained.result is not UNSET
        assert explained.result.doc_id == result.doc_id
    assert engine.detail(DetailParams(query_id, result.rank)).result.doc_id == result.doc_id


@pytest.mark.acceptance("J2a", "W2")
@pytest.mark.parametrize("doc_id", ["pattern:nothing", "session:nothing", "persona:direct:20200101T000000.000Z"])
def test_why_of_an_unknown_document_is_missing(engine: Engine, doc_id: str) -> None:
    assert engine.why(WhyParams(doc_id, "fusion")).status == "missing"


@pytest.mark.acceptance("J4")
def test_persona_note_has_no_surrounding_code(engine: Engine) -> None:
    _, result = first(engine, "persona")
    assert msgspec.to_builtins(result.annotations) == {}
    assert result.location is UNSET
    assert engine.why(WhyParams(result.doc_id, NOTE)).structural is UNSET
    code = engine.find(FindParams("fuse", types=["code"])).results[0]
    assert code.annotations.structural is not UNSET


@pytest.mark.acceptance("X2", "J3")
def test_persona_note_text_is_quoted(engine: Engine) -> None:
    answer = engine.find(FindParams(NOTE, types=["persona"]))
    evidence = answer.results[0].contributions["persona"]
    assert evidence.snippet == NOTE
    shown = to_plain_text(render_answer(answer, home="shop", explain=True, width=200, root=""))
    assert f'"{NOTE}"' in shown
    assert re.search(r"Persona: #1 \(\d\.\d\d relevance, 0\.9\d cosine\)", shown)
    assert evidence.cosine == pytest.approx(answer.results[0].contributions["semantic"].raw_score, abs=1e-5)


@pytest.mark.acceptance("W1")
def test_text_omits_oracles_of_other_document_kinds(engine: Engine) -> None:
    code = add_explanation_text(engine.why(WhyParams("./shop/fusion.py::fuse", "where are rankings fused")))
    states = {evidence.oracle: evidence.state for evidence in code.oracles}
    assert [name for name, state in states.items() if state == "other_kind"] == ["persona", "belief", "memory"]
    assert list(states) == ["semantic", "lexical", "temporal", "persona", "belief", "memory"]
    assert rows_of(code.text) == ["Semantic", "Lexical", "Temporal"]
    belief = add_explanation_text(engine.why(WhyParams("belief:fusion-by-rank", "raw scores never added")))
    assert rows_of(belief.text) == ["Semantic", "Lexical", "Belief"]
