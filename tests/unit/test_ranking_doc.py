"""The worked example of docs/ranking.md, recomputed by the functions that answer."""

from __future__ import annotations

import re
from pathlib import Path

from scry.core import Candidate, DocumentHeader, OracleMatch
from scry.engine.search import (
    BASE_ORACLE_WEIGHTS,
    fuse_matches,
    fused_score_ceiling,
    max_boost,
    parse_query,
    rank_with_boosts,
)
from scry.store.events.learnt import WEIGHED_ADJUSTMENTS

PAGE = Path(__file__).parents[2] / "docs" / "ranking.md"


def table(text: str, first_heading: str) -> list[dict[str, str]]:
    """Return the rows of the table whose head begins with this cell, by heading."""
    lines = text[text.index(f"| {first_heading} |") :].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[: lines.index("")]]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]


def header(doc_key: int, row: dict[str, str]) -> DocumentHeader:
    path, name = row["document"].strip("`").split("::")
    return DocumentHeader(doc_key, f"./{path}::{name}", "code", path, name, row["kind"], "", int(row["lines"]))


def match(doc_key: int, cell: str) -> OracleMatch:
    rank, raw_score = cell.split(",")
    return OracleMatch(doc_key, int(rank), float(raw_score), "score")


def shown(rank: int, candidate: Candidate) -> dict[str, str]:
    moved = ", ".join(f"{adjustment.name} {adjustment.factor:.4f}" for adjustment in candidate.adjustments)
    return {
        "rank": str(rank),
        "document": f"`{candidate.document.doc_id.removeprefix('./')}`",
        "rank sum": f"{candidate.rank_sum:.5f}",
        "adjustments": moved,
        "fused score": f"{candidate.fused_score:.4f}",
    }


def test_worked_example_of_the_ranking_page_is_what_find_computes() -> None:
    _, _, example = PAGE.read_text(encoding="utf-8").partition("## Worked example")
    query = re.findall(r"`([^`]+)`", example)[0]
    question = parse_query(query, BASE_ORACLE_WEIGHTS, limit=10)
    given = table(example, "document")
    headers = {key: header(key, row) for key, row in enumerate(given, 1)}
    matches = {
        oracle: [match(key, row[oracle]) for key, row in enumerate(given, 1) if row[oracle]]
        for oracle in ("semantic", "lexical", "temporal")
    }
    ceiling = fused_score_ceiling(question.weights, max_boost(question))
    ranked = rank_with_boosts(fuse_matches(matches, headers, question.weights), question, ceiling, str.lower)
    assert f"{ceiling:.5f}" in example
    assert [shown(rank, candidate) for rank, candidate in enumerate(ranked, 1)] == table(example, "rank")


def test_every_listed_adjustment_is_weighed_by_use_unless_an_event_does_not_hold_what_it_depends_on() -> None:
    rows = table(PAGE.read_text(encoding="utf-8"), "name")
    listed = {name for row in rows for name in re.findall("`([a-z0-9_]+)`", row["name"])}
    assert listed - {"place", "repeat", "prefix", "ranks"} == frozenset(WEIGHED_ADJUSTMENTS)
