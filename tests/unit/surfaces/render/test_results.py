from __future__ import annotations

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from scry.surfaces.render import display_width, render_answer, to_plain_text
from scry_protocol.messages import Annotations, Answer, Fault, Scoring, Structural
from tests.unit.surfaces.render.sample_answers import FUSE, answer, further, result, state


def rendered_lines(given: Answer, *, home: str = "scry", explain: bool = False, width: int | None = None) -> list[str]:
    return to_plain_text(render_answer(given, home=home, explain=explain, width=width)).splitlines()


@pytest.mark.acceptance("X1")
def test_result_is_one_line_of_ranks_and_its_snippet() -> None:
    assert rendered_lines(answer(FUSE)) == [
        "q_20261121_101500_abcdefgh  1 result",
        "1. [code] ./engine/fuse.py::fuse  (0.83 | sem #1 | lex #2 | temp #5 | imp 12)",
        "     engine/fuse.py:10: def fuse(votes: Votes) -> Ranks — Adds up reciprocal ranks.",
    ]


@pytest.mark.acceptance("X1")
def test_result_without_contributions_has_its_score_alone() -> None:
    assert rendered_lines(answer(result(evidence="")))[1] == "1. [code] ./engine/fuse.py::fuse  (0.83)"
    unscored = replace(result(evidence=""), fused_score=0.0)
    assert rendered_lines(answer(unscored))[1] == "1. [code] ./engine/fuse.py::fuse"


@pytest.mark.acceptance("X1")
def test_result_of_another_project_names_it() -> None:
    assert "[code:other]" in rendered_lines(answer(result(project="other")))[1]
    assert "[doc]" in rendered_lines(answer(result(content_type="doc")))[1]


@pytest.mark.acceptance("X1", "F11")
def test_header_shows_index_progress() -> None:
    lines = rendered_lines(answer(FUSE, index=state(state="indexing", files_indexed=120)))
    assert lines[:2] == [
        "q_20261121_101500_abcdefgh  1 result",
        "indexing 120 of 800 files: results are partial",
    ]


@pytest.mark.acceptance("X2")
def test_explain_adds_raw_scores_with_units() -> None:
    lines = rendered_lines(answer(FUSE), explain=True)
    assert lines[1] == "intent mechanism; scores by rank fusion, k 60, weights: semantic 1, lexical 1.5"
    assert [each.strip() for each in lines[4:]] == [
        "Semantic: #1 (0.91 cosine)",
        'Lexical: #2 (12.4 BM25) matched: "RRF", "fuse"',
        "Temporal: #5 (co-changes: 8)",
        "Structural: 12 importers, high centrality, not test, entry point",
        "Adjusted: x0.9 file words (it holds 82% of the words)",
        "Score: 0.8312",
    ]


@pytest.mark.acceptance("X2")
@pytest.mark.parametrize(
    ("score", "words"), [(0.0, "0.0000"), (0.0213, "0.0213"), (0.000964, "0.00096"), (7.63e-08, "7.6e-08")]
)
def test_small_score_is_not_shown_as_zero(score: float, words: str) -> None:
    scored = replace(result(), fused_score=score)
    assert rendered_lines(answer(scored), explain=True)[-1].strip() == f"Score: {words}"


@pytest.mark.acceptance("X2")
def test_explain_shows_known_test_and_activity() -> None:
    known = Structural(importers=1, centrality="low", activity_level="high", flags=["test"])
    text = rendered_lines(answer(result(annotations=Annotations(structural=known))), explain=True)
    assert "     Structural: 1 importer, low centrality, high activity, test" in text


def test_explain_omits_absent_parts() -> None:
    bare = result(annotations=Annotations(), adjustments=[], location=UNSET)
    text = "\n".join(rendered_lines(answer(bare), explain=True))
    assert "Structural" not in text
    assert "Adjusted" not in text


def test_failed_oracle_is_named() -> None:
    lines = rendered_lines(answer(FUSE, faults=(Fault("semantic", "the model can't be read"),)))
    assert lines[1] == "semantic could not answer: the model can't be read"


@pytest.mark.acceptance("X1")
def test_indexed_text_cannot_act_on_the_terminal() -> None:
    hostile = result(
        doc_id="./a\u202eb.py::\x1b]0;owned\x07",
        snippet="\x1b[2Jgone\nfake: 2. [code] x",
        adjustments=[],
    )
    text = to_plain_text(render_answer(answer(hostile, faults=(Fault("semantic", "\x1b[1m"),)), explain=True))
    assert not any(mark in text for mark in "\x1b\x07\u202e")
    assert "     a\\u202eb.py:10: \\x1b[2Jgone fake: 2. [code] x\n" in text


def test_snippets_are_wrapped_to_the_screen_width() -> None:
    lines = rendered_lines(answer(result(snippet="順位を融合する " * 20)), width=60)
    assert len(lines) > 4
    assert all(each.startswith("     ") and display_width(each) <= 60 for each in lines[2:])


@pytest.mark.parametrize("snippet", ["", " \n "])
def test_a_result_without_words_is_one_line(snippet: str) -> None:
    assert len(rendered_lines(answer(result(snippet=snippet, location=UNSET)))) == 2
    assert rendered_lines(answer(result(snippet=snippet)))[2:] == ["     engine/fuse.py:10:"]


@pytest.mark.acceptance("X1")
@pytest.mark.parametrize("width", [*range(20, 100), None])
def test_path_and_line_of_a_result_are_never_broken(width: int | None) -> None:
    lines = rendered_lines(answer(result(doc_id="./engine/a name/fuse.py::fuse", snippet="def 順 " * 30)), width=width)
    assert lines[2].startswith("     engine/a name/fuse.py:10:")
    assert "".join(lines[2:]).count("順") == 30
    assert width is None or all(display_width(line) <= max(width, 31) for line in lines[2:])


@pytest.mark.acceptance("X1")
def test_paths_lead_from_the_current_folder_to_the_file() -> None:
    def line(folder: str, **changes: object) -> str:
        return to_plain_text(render_answer(answer(result(**changes)), home="scry", folder=folder)).splitlines()[2]

    assert line("..").startswith("     ../engine/fuse.py:10: def")
    assert line(".").startswith("     engine/fuse.py:10: def")
    assert line("/w/scry").startswith("     /w/scry/engine/fuse.py:10: def")
    assert line(".", doc_id="scry:./engine/fuse.py::fuse").startswith("     /w/engine/fuse.py:10: def")
    assert line(".", doc_id="belief:fuse").startswith("     def")


@pytest.mark.acceptance("X1")
@pytest.mark.parametrize(
    ("score", "shown"), [(0.834, "0.83"), (0.0061, "0.01"), (0.0031, "0.003"), (0.00002, "2e-05"), (0.0, "0.00")]
)
def test_low_scores_are_told_apart(score: float, shown: str) -> None:
    assert f"({shown} | sem" in rendered_lines(answer(result(fused_score=score)))[1]


PLACED = result(more_in_file=4, further=further("evict", "expire", "大きさ"))


@pytest.mark.acceptance("F14", "X1")
def test_further_places_are_named_after_the_evidence() -> None:
    line = rendered_lines(answer(PLACED))[1]
    assert line.endswith("| temp #5 | imp 12 | +4 more in fuse.py: evict, expire, 大きさ, …)")
    assert "more in" not in rendered_lines(answer(FUSE))[1]


@pytest.mark.acceptance("F14", "X1")
def test_further_places_of_one_name_are_told_apart_by_their_type() -> None:
    named = zip("AB", further("add", "add"), strict=True)
    places = [replace(place, doc_id=f"./engine/fuse.py::{owner}.add") for owner, place in named]
    line = rendered_lines(answer(result(more_in_file=3, further=[*places, *further("evict")])))[1]
    assert line.endswith("| +3 more in fuse.py: A.add, B.add, evict)")


@pytest.mark.acceptance("F14", "X1")
@pytest.mark.parametrize("width", range(40, 125))
def test_names_of_further_places_are_cut_to_the_width(width: int) -> None:
    full, short = rendered_lines(answer(PLACED))[1], rendered_lines(answer(result(more_in_file=4)))[1]
    line = rendered_lines(answer(PLACED), width=width)[1]
    assert display_width(line) <= max(width, display_width(short))
    assert line == full or line.endswith(", …)") or line == short.replace("fuse.py)", "fuse.py: …)")
    assert (line == full) == (display_width(full) <= width)


@pytest.mark.acceptance("F14", "X2")
def test_explain_lists_the_doc_ids_of_further_places() -> None:
    lines = [each.strip() for each in rendered_lines(answer(PLACED), explain=True)]
    assert "Further: ./engine/fuse.py::Fusion.evict" in lines


@pytest.mark.acceptance("N1", "X2")
def test_header_of_neighbors_says_what_their_scores_are() -> None:
    plain = replace(answer(FUSE), mode="neighbors", scoring=Scoring(k=0, depth=0, weights={}, ceiling=1.0))
    assert rendered_lines(plain, explain=True)[1].startswith("scores are the number of relations to the file")
    of_belief = replace(plain, query="belief:retry-later")
    assert rendered_lines(of_belief, explain=True)[1] == "scores say how far the belief reaches, from 0 to 1"
