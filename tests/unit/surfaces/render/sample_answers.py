"""Answers made by hand, to see what the text forms make of them."""

from __future__ import annotations

from msgspec.structs import replace

from scry.engine.response import add_notice
from scry_protocol.messages import (
    Adjustment,
    Annotations,
    Answer,
    Contribution,
    Fault,
    FurtherPlace,
    IndexState,
    Location,
    Position,
    Range,
    ResultItem,
    Scoring,
    Structural,
)

READY = IndexState(
    state="ready",
    history="ready",
    generation=7,
    files_indexed=800,
    files_total=800,
    vectors=0,
    vectors_total=0,
    skipped=3,
    unsaved=[],
    index_commit="a" * 40,
    head_commit="a" * 40,
    model=None,
    message="",
)

FUSE = ResultItem(
    rank=1,
    doc_id="./engine/fuse.py::fuse",
    content_type="code",
    title="fuse",
    kind="function",
    fused_score=0.8312,
    contributions={
        "semantic": Contribution(rank=1, raw_score=0.912, score_type="cosine"),
        "lexical": Contribution(rank=2, raw_score=12.4321, score_type="bm25", matches=["RRF", "fuse"]),
        "temporal": Contribution(rank=5, raw_score=8.0, score_type="co_change_count"),
    },
    adjustments=[Adjustment(name="file_words", factor=0.9, reason="it holds 82% of the words")],
    annotations=Annotations(structural=Structural(importers=12, centrality="high", flags=["entry_point"])),
    snippet="def fuse(votes: Votes) -> Ranks — Adds up reciprocal ranks.",
    sources=["semantic", "lexical", "temporal"],
    project="scry",
    location=Location(
        uri="file:///w/engine/fuse.py", range=Range(start=Position(9, 0), end=Position(line=20, character=4))
    ),
    evidence="sem #1 | lex #2 | temp #5 | imp 12",
)


def result(**changes: object) -> ResultItem:
    return replace(FUSE, **changes)


def state(**changes: object) -> IndexState:
    return replace(READY, **changes)


def answer(*results: ResultItem, index: IndexState = READY, faults: tuple[Fault, ...] = ()) -> Answer:
    given = Answer(
        query="where are ranks fused",
        mode="find",
        query_id="q_20261121_101500_abcdefgh",
        intent="mechanism",
        scoring=Scoring(k=60, depth=200, weights={"semantic": 1.0, "lexical": 1.5}, ceiling=0.041),
        index=index,
        results=list(results),
        faults=list(faults),
    )
    return add_notice(given)


def further(*titles: str) -> list[FurtherPlace]:
    assert FUSE.location
    return [FurtherPlace(f"./engine/fuse.py::Fusion.{title}", title, "method", 0.5, FUSE.location) for title in titles]
