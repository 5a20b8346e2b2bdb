"""Postings of a team's index are those of the documents, whatever their keys, frequencies and lengths.

Those of many repositories are unpacked and scored together as each of them would be alone.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scry.store.bm25 import BM25_B, BM25_DIGITS, BM25_K1, LENGTH_STEPS
from scry.store.team.postings import (
    FileTerms,
    JoinedPostings,
    Postings,
    RepositoryScores,
    collect_postings,
    pack_postings,
    score_postings,
)

FREQUENCIES = st.sampled_from([1, 2, 255, 256, 65_535, 65_536])
DOCUMENTS = st.lists(
    st.tuples(st.integers(0, 70_000), st.dictionaries(st.sampled_from([b"a", b"b", b"\xff"]), FREQUENCIES)), max_size=4
)
FILES = st.lists(st.tuples(st.sampled_from([1, 300, 70_000]), DOCUMENTS), max_size=4)


@given(FILES)
def test_collected_and_packed_postings_are_those_of_the_documents(
    files: list[tuple[int, list[tuple[int, dict[bytes, int]]]]],
) -> None:
    expected: dict[bytes, list[tuple[int, int, int]]] = {}
    given_files: list[tuple[int, FileTerms]] = []
    first_key = 0
    for gap, documents in files:
        first_key += gap
        stems = list(dict.fromkeys(stem for _, counts in documents for stem in counts))
        rows = [(length, [stems.index(stem) for stem in counts], list(counts.values())) for length, counts in documents]
        given_files.append((first_key, FileTerms(stems, rows)))
        for key, (length, counts) in enumerate(documents, first_key):
            step = max(each for each in LENGTH_STEPS.tolist() if each <= length)
            for stem, frequency in counts.items():
                expected.setdefault(stem, []).append((key, frequency, step))
        first_key += len(documents)
    collected = collect_postings(given_files)
    assert collected.keys() == expected.keys()
    for stem, packed in zip(collected, pack_postings(list(collected.values())), strict=True):
        read = Postings.unpack(packed.packed)
        columns = read.keys.tolist(), read.frequencies.tolist(), read.lengths.tolist()
        assert list(zip(*columns, strict=True)) == expected[stem]
        bounds = packed.documents, packed.max_frequency, packed.min_length
        assert bounds == (len(read), max(columns[1]), min(columns[2]))


def test_no_postings_are_packed_as_none() -> None:
    assert pack_postings([]) == []
    assert collect_postings([]) == {}


ROWS = st.lists(
    st.tuples(st.sampled_from([1, 2, 255, 256, 65_536]), FREQUENCIES, st.sampled_from(LENGTH_STEPS[1:].tolist())),
    min_size=1,
    max_size=6,
)
"""What the postings of one stem in one repository hold of each document: the step to its key, frequency and length."""
STEMS, REPOSITORIES, AVERAGE = [(3.7, 1), (0.3, 2), (1e-3, 1)], 4, 61.7
"""The weight of each stem and how many terms stand for it; the places of repositories; the average length."""
TEAMS = st.dictionaries(st.tuples(st.integers(0, len(STEMS) - 1), st.integers(0, REPOSITORIES - 1)), ROWS)


def packed_rows(rows: list[tuple[int, int, int]]) -> bytes:
    columns = [np.array(column, np.int64) for column in zip(*rows, strict=True)]
    [packed] = pack_postings([Postings(np.cumsum(columns[0]), columns[1], columns[2])])
    return packed.packed


@given(st.lists(ROWS, min_size=1))
def test_joined_postings_are_those_of_each_one_after_the_other(every: list[list[tuple[int, int, int]]]) -> None:
    packed = list(map(packed_rows, every))
    joined = JoinedPostings.unpack(packed)
    alone = list(map(Postings.unpack, packed))
    assert joined.counts.tolist() == list(map(len, alone))
    assert joined.keys.tolist() == np.concatenate([each.keys for each in alone]).tolist()
    assert joined.frequencies.tolist() == np.concatenate([each.frequencies for each in alone]).tolist()
    assert LENGTH_STEPS[joined.steps].tolist() == np.concatenate([each.lengths for each in alone]).tolist()


def listed(scores: RepositoryScores) -> list[tuple[int, float, int]]:
    return list(zip(*(column.tolist() for column in scores), strict=True))


def bm25_of(team: dict[tuple[int, int], list[tuple[int, int, int]]], repository: int) -> list[tuple[int, float, int]]:
    """Return key, BM25 and number of terms of each document of a repository, summed up stem by stem."""
    found: dict[int, tuple[float, int]] = {}
    for stem, (weight, times) in enumerate(STEMS):
        rows = team.get((stem, repository), [])
        for key, (_, frequency, length) in zip(accumulate(step for step, *_ in rows), rows, strict=True):
            norm = BM25_K1 * (1 - BM25_B + BM25_B * length / AVERAGE)
            score, held = found.get(key, (0.0, 0))
            found[key] = score + weight * frequency / (frequency + norm), held + times
    unit = 10.0**BM25_DIGITS
    return [(key, round(score * unit) / unit, held) for key, (score, held) in sorted(found.items())]


@given(TEAMS)
def test_repositories_score_together_as_each_alone(team: dict[tuple[int, int], list[tuple[int, int, int]]]) -> None:
    packed = [(stem, repository, packed_rows(rows)) for (stem, repository), rows in sorted(team.items())]
    together = score_postings(packed, STEMS, REPOSITORIES, AVERAGE)
    assert len(together) == REPOSITORIES
    for repository, scores in enumerate(together):
        [alone] = score_postings([(stem, 0, data) for stem, at, data in packed if at == repository], STEMS, 1, AVERAGE)
        assert listed(scores) == listed(alone) == bm25_of(team, repository)
