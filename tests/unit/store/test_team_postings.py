"""Postings of a team's index are those of the documents, whatever their keys, frequencies and lengths."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scry.store.team.postings import LENGTH_STEPS, FileTerms, Postings, collect_postings, pack_postings

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
