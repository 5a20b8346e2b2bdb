"""Ties counted in one sweep over arrays are those that counting one by one gives."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scry.core.ties import DAMPING, FOUND_WEIGHT, LEAST_TIES, YOUNG, Seeds, Touches, count_ties, score_commits
from scry.core.ties import score_documents as score

DOCUMENTS = st.integers(1, 12)
COMMITS = st.integers(100, 115)

changed = st.dictionaries(COMMITS, st.sets(DOCUMENTS, max_size=6), max_size=12)
seeds = st.builds(
    Seeds,
    st.dictionaries(st.one_of(DOCUMENTS, st.integers(-3, -1)), st.frozensets(COMMITS, max_size=5), max_size=4),
    st.frozensets(COMMITS, max_size=5),
)


def _touches(by_commit: dict[int, set[int]], tying: frozenset[int]) -> Touches:
    return Touches.of({commit: np.array(sorted(by_commit.get(commit, ())), np.int64) for commit in sorted(tying)})


def _tying(asked: Seeds, document: int) -> set[int]:
    """The commits that tie a document: one that changed no seed but itself, and is none, does not."""
    others = (commits for seed, commits in asked.by_document.items() if seed != document)
    return set(asked.found).union(*others)


@given(changed, seeds, st.sampled_from([YOUNG - 1, YOUNG, 500]))
def test_documents_are_tied_by_the_commits_of_other_seeds(
    by_commit: dict[int, set[int]], asked: Seeds, commits: int
) -> None:
    counted = count_ties(_touches(by_commit, asked.commits()), asked, commits)
    expected: dict[int, tuple[int, int]] = {}
    for document in {document for documents in by_commit.values() for document in documents}:
        tying = _tying(asked, document)
        ties = [commit for commit in tying if document in by_commit.get(commit, ())]
        if len(ties) >= (LEAST_TIES if commits >= YOUNG else 1):
            expected[document] = len(ties), len(asked.found & set(ties))
    found = zip(counted.ties.tolist(), counted.found.tolist(), strict=True)
    assert dict(zip(counted.documents.tolist(), found, strict=True)) == expected


@given(changed, seeds, st.sampled_from([YOUNG - 1, 500]))
def test_a_score_is_what_exceeds_chance_over_the_root_of_all_changes(
    by_commit: dict[int, set[int]], asked: Seeds, commits: int
) -> None:
    counted = count_ties(_touches(by_commit, asked.commits()), asked, commits)
    named = {document: (f"./{document}", document + 3) for document in range(1, 13)}
    expected: list[tuple[float, str, int]] = []
    for document, ties, found in zip(
        counted.documents.tolist(), counted.ties.tolist(), counted.found.tolist(), strict=True
    ):
        name, total = named[document]
        tying = _tying(asked, document)
        by_chance = (len(tying) + (FOUND_WEIGHT - 1) * len(tying & asked.found)) / commits * total
        value = (ties + (FOUND_WEIGHT - 1) * found - by_chance) / sqrt(total + DAMPING)
        if value > 0:
            expected.append((-value, name, ties))
    scored = score(counted, named, asked, commits)
    assert scored == sorted(scored)
    assert [(tied.name, tied.ties) for tied in sorted(scored, key=lambda tied: tied.name)] == [
        (name, ties) for _, name, ties in sorted(expected, key=lambda entry: entry[1])
    ]
    values = {name: value for value, name, _ in expected}
    assert {tied.name: tied.negated for tied in scored} == pytest.approx(values, abs=1e-6)


@given(changed, seeds)
def test_a_commit_counts_the_seeds_it_changed(by_commit: dict[int, set[int]], asked: Seeds) -> None:
    scored = score_commits(_touches(by_commit, asked.commits()), asked)
    counts = {commit: len(by_commit.get(commit, set()) & set(asked.by_document)) for commit in asked.commits()}
    assert {commit: tied.ties for commit, tied in scored.items()} == {c: count for c, count in counts.items() if count}
    for commit, tied in scored.items():
        assert tied.negated == pytest.approx(-counts[commit] / sqrt(len(by_commit[commit]) + DAMPING), abs=1e-6)
