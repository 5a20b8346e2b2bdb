"""Questions that ask for the project alone, for one's own notes alone, or for what was noted about something (F9)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scry.core import BadRequest, Settings
from scry.engine import Engine
from scry.engine.knowledge import remember_note
from scry_protocol.messages import FindParams, ObserveParams, RecentParams, RememberParams, WhyParams
from tests.acceptance.conftest import make_shop
from tests.sample.indexed import doc_ids
from tests.sample.knowledge import opened_shop

QUESTION = "how are ranks and raw scores fused"
PROJECT = frozenset({"code", "doc", "commit", "belief", "pattern", "session", "memory"})


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Return a shop with beliefs and a memory, and two notes of the person's."""
    notes = (
        RememberParams("Scores are fused in one small function", domains=["Style"]),
        RememberParams("Ranks are counted from one", domains=["ranking", "style"]),
    )
    with opened_shop(tmp_path_factory.mktemp("sources"), *notes) as engine:
        engine.observe(ObserveParams(kind="decision", text="Raw scores and ranks are fused in one place"))
        yield engine


def types(engine: Engine, query: str = QUESTION, **params: object) -> set[str]:
    answer = engine.find(FindParams(query, limit=500, **params))  # type: ignore[arg-type]
    assert answer.faults == []
    return {result.content_type for result in answer.results}


def about(engine: Engine, query: str = QUESTION, **params: object) -> set[tuple[str, ...]]:
    answer = engine.find(FindParams(query, limit=500, **params))  # type: ignore[arg-type]
    return {tuple((result.metadata and result.metadata.domains) or ()) for result in answer.results}


@pytest.mark.acceptance("F9")
def test_source_filter_excludes_other_sources(engine: Engine) -> None:
    assert {"persona", "belief", "memory", "code"} <= types(engine)
    assert types(engine, source="persona") == {"persona"}
    assert "code" in types(engine, source="project")
    assert types(engine, source="project") <= PROJECT
    assert types(engine, f"{QUESTION} source:persona") == types(engine, f"{QUESTION} -source:project") == {"persona"}
    assert types(engine, f"{QUESTION} -source:persona") == types(engine, source="project")


@pytest.mark.acceptance("F9")
def test_domain_filter_keeps_notes_of_that_domain(engine: Engine) -> None:
    assert about(engine, domains=["RANKING"]) == {("ranking",), ("ranking", "style")}
    assert types(engine, domains=["ranking"]) == {"belief", "persona"}
    assert about(engine, f"{QUESTION} domain:ranking") == about(engine, domains=["ranking"])
    assert about(engine, domains=["style", "ranking"]) == {("Style",), ("ranking",), ("ranking", "style")}
    assert about(engine, domains=["style"], source="project") == set()
    assert about(engine, f"{QUESTION} domain:style", domains=["ranking"]) == set()
    without = about(engine, f"{QUESTION} -domain:style")
    assert ("ranking",) in without
    assert not {("Style",), ("ranking", "style")} & without
    assert {"code", "memory"} <= types(engine, f"{QUESTION} -domain:style")


@pytest.mark.acceptance("F9", "K5")
def test_source_and_domain_filters_keep_code_order(engine: Engine) -> None:
    def order(**params: object) -> list[str]:
        answer = engine.find(FindParams(QUESTION, limit=500, **params))  # type: ignore[arg-type]
        return [result.doc_id for result in answer.results if result.content_type in ("code", "doc", "commit")]

    assert order(source="project") == order()


@pytest.mark.acceptance("F9", "R1")
def test_recent_applies_source_and_domain_filters(engine: Engine) -> None:
    def changed(**params: object) -> set[str]:
        return {result.content_type for result in engine.recent(RecentParams(limit=500, **params)).results}  # type: ignore[arg-type]

    assert changed(days=3000, source="persona") == changed(days=3000, domains=["style"]) == set()
    assert changed(days=3000, source="project") == changed(days=3000) != set()
    assert changed(query=QUESTION, source="persona") == {"persona"}
    assert changed(query=QUESTION, domains=["ranking"]) <= {"belief", "persona"}


@pytest.mark.acceptance("F9", "W2")
def test_why_names_the_excluding_filter(engine: Engine) -> None:
    answer = engine.find(FindParams(QUESTION, source="persona", domains=["style"]))
    why = engine.why(WhyParams("./shop/fusion.py::fuse", query_id=answer.query_id))
    assert "source:persona domain:style" in why.reason


@pytest.mark.acceptance("F9")
def test_domain_and_persona_source_are_refused_in_reason(engine: Engine) -> None:
    with pytest.raises(BadRequest, match=r"^domains: "):
        engine.find(FindParams("what calls fuse", reason=True, domains=["style"]))
    with pytest.raises(BadRequest, match=r"^source: "):
        engine.find(FindParams("what calls fuse", reason=True, source="persona"))
    assert engine.find(FindParams("what calls fuse", reason=True, source="project")).mode == "reason"


@pytest.mark.acceptance("F8a")
@pytest.mark.parametrize("query", ["source:internet fuse", "source: fuse", "domain: fuse"])
def test_unknown_source_prefix_is_literal_text(engine: Engine, query: str) -> None:
    assert "code" in types(engine, query)


def test_domain_filter_without_notes_returns_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    shop = make_shop(tmp_path / "shop")
    shop.update_index()
    assert doc_ids(shop.find("fuse", source="persona")) == doc_ids(shop.find("fuse", domains=["style"])) == []


@pytest.mark.acceptance("K1")
def test_superseding_note_keeps_the_domains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    first = remember_note("Small functions", Settings(), domains=["style"])
    second = remember_note("Functions of ten lines", Settings(), supersedes=first.doc_id)
    third = remember_note("Ten lines", Settings(), domains=["python"], supersedes=second.doc_id)
    assert (second.body.domains, third.body.domains) == (("style",), ("python",))


@pytest.mark.acceptance("F9", "F15")
def test_empty_answer_from_own_notes_counts_no_files(engine: Engine) -> None:
    for params in (FindParams("zzzqqq", source="persona"), FindParams("zzzqqq source:persona")):
        answer = engine.find(params)
        assert answer.results == []
        assert "nothing found among your own notes; no file was searched" in answer.notice
        assert "Nothing found in" not in answer.notice
    assert "among your own notes" not in engine.find(FindParams("zzzqqq path:nowhere")).notice
