"""The table of oracles in an explanation: what stands beside the score of an oracle that does not count."""

from __future__ import annotations

import pytest

from scry.surfaces.render.explanation import add_explanation_text, render_brief_explanation, render_explanation
from scry.surfaces.render.styled_text import to_plain_text
from scry_protocol.messages import Explanation, OracleEvidence, Scoring
from tests.unit.surfaces.render.sample_answers import READY


def explanation(state: str, rank: int | None, raw_score: float | None) -> Explanation:
    evidence = OracleEvidence("lexical", "Lexical", state, rank, raw_score, "bm25", 0.0)
    scoring = Scoring(k=60, depth=200, weights={"lexical": 1.0}, ceiling=0.041)
    return Explanation("./a.py::f", "fuse", "q", "indexed", "not found", "", READY, scoring=scoring, oracles=[evidence])


@pytest.mark.acceptance("W1")
@pytest.mark.parametrize(
    ("state", "rank", "raw_score", "words"),
    [
        ("beyond_depth", 201, 12.4, "#201 12.4 BM25 too deep"),
        ("beyond_depth", 200, 12.4, "#200 12.4 BM25 not counted"),
        ("beyond_depth", 1, 12.4, "#1 12.4 BM25 not counted"),
        ("voted", 178, 12.4, "#178 12.4 BM25 –"),
        ("no_match", None, None, "– no match"),
        ("failed", None, None, "– failed"),
    ],
)
def test_oracle_that_does_not_count_says_why(state: str, rank: int | None, raw_score: float | None, words: str) -> None:
    """Its search goes to a depth of 200: what it did not return within that is not too deep."""
    explained = explanation(state, rank, raw_score)
    wanted = words.removesuffix(" –")
    for text in (
        to_plain_text(render_explanation(explained)),
        render_brief_explanation(explained, as_markdown=False),
        add_explanation_text(explained).text.replace("|", " "),
    ):
        row = next(" ".join(line.split()) for line in text.splitlines() if "Lexical" in line)
        assert wanted in row
        assert ("too deep" in row, "not counted" in row) == ("too deep" in words, "not counted" in words)
