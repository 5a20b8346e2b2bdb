"""Ties counted in one sweep over arrays are those that counting one by one gives."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scry.oracles import (
    COMMIT_COUNT_DAMPING,
    MATCHED_COMMIT_WEIGHT,
    MIN_CO_CHANGES,
    YOUNG_HISTORY_COMMITS,
    CoChangeSeeds,
    CommitChanges,
    count_co_changes,
    score_seed_commits,
)
from scry.oracles import score_co_changed_documents as score

DOCUMENTS = st.integers(1, 12)
COMMITS = st.integers(100, 115)

changed = st.dictionaries(COMMITS, st.sets(DOCUMENTS, max_size=6), max_size=12)
seeds = st.builds(
    CoChangeSeeds,
    st.dictionaries(st.one_of(DOCUMENTS, st.integers(-3, -1)), st.frozensets(COMMITS, max_size=5), max_size=4),
    st.frozensets(COMMITS, max_size=5),
)


def _touches(by_commit: dict[int, set[int]], tying: frozenset[int]) -> CommitChanges:
    return CommitChanges.from_changes(
        {commit: np.array(sorted(by_commit.get(commit, ())), np.int64) for commit in sorted(tying)}
    )


def _tying(asked: CoChangeSeeds, document: int) -> set[int]:
    """Return the commits that tie a document: one that changed no seed but itself, and is none, does not."""
    others = (commits for seed, commits in asked.by_document.items() if seed != document)
    return set(asked.matched_commits).union(*others)


@given(changed, seeds, st.sampled_from([YOUNG_HISTORY_COMMITS - 1, YOUNG_HISTORY_COMMITS, 500]))
def test_documents_are_linked_by_commits_of_other_seeds(
    by_commit: dict[int, set[int]], asked: CoChangeSeeds, commits: int
) -> None:
    counted = count_co_changes(_touches(by_commit, asked.all_commits()), asked, commits)
    expected: dict[int, tuple[int, int]] = {}
    for document in {document for documents in by_commit.values() for document in documents}:
        tying = _tying(asked, document)
        ties = [commit for commit in tying if document in by_commit.get(commit, ())]
        if len(ties) >= (MIN_CO_CHANGES if commits >= YOUNG_HISTORY_COMMITS else 1):
            expected[document] = len(ties), len(asked.matched_commits & set(ties))
    found = zip(counted.commit_counts.tolist(), counted.matched_counts.tolist(), strict=True)
    assert dict(zip(counted.documents.tolist(), found, strict=True)) == expected


@given(changed, seeds, st.sampled_from([YOUNG_HISTORY_COMMITS - 1, 500]))
def test_cochange_score_is_excess_over_chance_normalised(
    by_commit: dict[int, set[int]], asked: CoChangeSeeds, commits: int
) -> None:
    counted = count_co_changes(_touches(by_commit, asked.all_commits()), asked, commits)
    named = {document: (f"./{document}", document + 3) for document in range(1, 13)}
    expected: list[tuple[float, str, int]] = []
    for document, ties, found in zip(
        counted.documents.tolist(), counted.commit_counts.tolist(), counted.matched_counts.tolist(), strict=True
    ):
        name, total = named[document]
        tying = _tying(asked, document)
        by_chance = (len(tying) + (MATCHED_COMMIT_WEIGHT - 1) * len(tying & asked.matched_commits)) / commits * total
        value = (ties + (MATCHED_COMMIT_WEIGHT - 1) * found - by_chance) / sqrt(total + COMMIT_COUNT_DAMPING)
        if value > 0:
            expected.append((-value, name, ties))
    scored = score(counted, named, asked, commits)
    assert scored == sorted(scored)
    assert [(tied.name, tied.commit_count) for tied in sorted(scored, key=lambda tied: tied.name)] == [
        (name, ties) for _, name, ties in sorted(expected, key=lambda entry: entry[1])
    ]
    values = {name: value for value, name, _ in expected}
    assert {tied.name: tied.negated_score for tied in scored} == pytest.approx(values, abs=1e-6)


@given(changed, seeds)
def test_a_commit_counts_the_seeds_it_changed(by_commit: dict[int, set[int]], asked: CoChangeSeeds) -> None:
    scored = score_seed_commits(_touches(by_commit, asked.all_commits()), asked)
    counts = {commit: len(by_commit.get(commit, set()) & set(asked.by_document)) for commit in asked.all_commits()}
    assert {commit: tied.commit_count for commit, tied in scored.items()} == {
        c: count for c, count in counts.items() if count
    }
    for commit, tied in scored.items():
        assert tied.negated_score == pytest.approx(
            -counts[commit] / sqrt(len(by_commit[commit]) + COMMIT_COUNT_DAMPING), abs=1e-6
        )
