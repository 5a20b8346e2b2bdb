"""Two runs beside each other."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from scry.core import BadRequest
from scry.lab import RUN_FORMAT, find_outcome, is_miss, read_run
from scry.lab.compare import compare
from scry.surfaces.render import comparison_blocks, render_lines, to_plain_text
from tests.unit.lab.sample_runs import outcome, run

BEFORE = run(outcome(1, "one", "a", ["a"]), outcome(2, "two", "a", ["b", "a"]), outcome(3, "three", "a", ["a"]))
AFTER = run(outcome(1, "three", "a", ["b"]), outcome(2, "one", "a", ["a"]), outcome(3, "two", "a", ["a"]))


@pytest.mark.acceptance("L2")
def test_comparison_pairs_questions_and_sorts_by_movement() -> None:
    found = compare(BEFORE, AFTER)
    assert [(each.query, each.ranks, each.numbers) for each in found.moved] == [
        ("three", [(1, None)], (3, 1)),
        ("two", [(2, 1)], (2, 3)),
    ]
    assert (found.better, found.worse, found.same, found.questions) == (1, 1, 1, 3)
    assert found.moved[0].first == ("./a", "./b")
    assert found.difference.mean == pytest.approx(found.means[1] - found.means[0])
    text = to_plain_text(render_lines(comparison_blocks(found)))
    assert "No difference that chance could not make" in text
    assert "three  #1 → –  first was ./a, is ./b" in text


def test_unpaired_questions_are_named_and_repeats_count_twice() -> None:
    twice = run(outcome(1, "one", "a", ["a"]), outcome(2, "one", "a", ["b", "a"]), outcome(3, "other", "a", ["a"]))
    found = compare(BEFORE, twice)
    assert found.questions == 1
    assert sorted(found.only_before) == ["three", "two"]
    assert found.only_after == ["one", "other"]
    assert compare(twice, twice).same == 3


def test_questions_with_different_targets_are_distinct() -> None:
    with pytest.raises(BadRequest, match="no question with the same targets in common"):
        compare(BEFORE, run(outcome(1, "one", "b", ["a"])))


def test_run_round_trips_and_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(msgspec.json.encode(BEFORE))
    assert read_run(path) == BEFORE
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(BEFORE, format=RUN_FORMAT + 1)))
    with pytest.raises(BadRequest, match="format"):
        read_run(path)
    path.write_text("{}")
    with pytest.raises(BadRequest, match="no run"):
        read_run(path, "before")
    with pytest.raises(BadRequest, match="before: "):
        read_run(tmp_path / "none", "before")


def test_miss_is_a_target_beyond_the_first_ten() -> None:
    assert [is_miss(each) for each in AFTER.asked] == [True, False, False]
    assert is_miss(outcome(1, "late", "a", [*(f"b{at}" for at in range(10)), "a"]))
    assert find_outcome(AFTER, 2).query == "one"
    with pytest.raises(BadRequest, match="1 to 3"):
        find_outcome(AFTER, 4)
