"""Pack and score postings: which documents of a repository hold a stem, how often, and how long these are. Pure.

    packed = widths, then three columns of n little-endian unsigned integers each

    widths      one byte: two bits for each column, 0 for one byte, 1 for two, 2 for four; keys in the lowest bits
    keys        each less the one before; the first as it is
    frequencies of the stem in the document, fields weighted (see store.lexical)
    lengths     of the document, in words, as numbers of the steps in LENGTH_STEPS

Most postings take three bytes, and a hundred thousand are unpacked in half a millisecond.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, chain, pairwise

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.core.decoding import msgpack_decoder
from scry.store.bm25 import BM25_UNIT, LENGTH_STEPS, Integers, length_norms, round_lengths
from scry.store.index.rows import compress_frame, damage_error, decompress_frame

_TYPES = (np.dtype("<u1"), np.dtype("<u2"), np.dtype("<u4"))


class Postings(Struct, frozen=True, eq=False):
    """The postings of one stem in one repository: arrays of one value per document, by ascending key.

    lengths: rounded down to LENGTH_STEPS.
    """

    keys: Integers
    frequencies: Integers
    lengths: Integers

    def __len__(self) -> int:
        return len(self.keys)

    @classmethod
    def unpack(cls, packed: bytes) -> Postings:
        """Return the postings of a packed form."""
        types = [_TYPES[packed[0] >> 2 * position & 3] for position in range(3)]
        count = (len(packed) - 1) // sum([each.itemsize for each in types])
        columns: list[Integers] = []
        start = 1
        for each in types:
            columns.append(np.frombuffer(packed, each, count, start).astype(np.int64))
            start += count * each.itemsize
        return cls(np.cumsum(columns[0]), columns[1], LENGTH_STEPS[columns[2]])

    def without(self, keys: Integers) -> Postings:
        """Return the postings without those of these documents. keys: ascending."""
        kept = ~_contains(keys, self.keys)
        return Postings(self.keys[kept], self.frequencies[kept], self.lengths[kept])

    def joined_with(self, other: Postings) -> Postings:
        """Return these postings and others of the same stem, by key."""
        keys = np.concatenate([self.keys, other.keys])
        order = np.argsort(keys, kind="stable")
        frequencies = np.concatenate([self.frequencies, other.frequencies])[order]
        return Postings(keys[order], frequencies, np.concatenate([self.lengths, other.lengths])[order])


class PackedPostings(Struct, frozen=True):
    """The packed postings of a stem, with what bounds their scores: their number, and highest frequency and shortest
    length among them.
    """

    documents: int
    max_frequency: int
    min_length: int
    packed: bytes


def pack_postings(postings: Sequence[Postings]) -> list[PackedPostings]:
    """Return the packed forms of the postings of many stems, which are computed together. Each has a document."""
    if not postings:
        return []
    bounds = list(accumulate([len(each) for each in postings], initial=0))
    starts = np.array(bounds[:-1], np.int64)
    keys = np.concatenate([each.keys for each in postings])
    steps = np.diff(keys, prepend=0)
    steps[starts] = keys[starts]
    frequencies = np.concatenate([each.frequencies for each in postings])
    lengths = np.concatenate([each.lengths for each in postings])
    columns = (steps, frequencies, np.searchsorted(LENGTH_STEPS, lengths, "right") - 1)
    widths = [_widths_of(np.maximum.reduceat(column, starts)) for column in columns]
    data = [[column.astype(each).tobytes() for each in _TYPES] for column in columns]
    headers: list[int] = (widths[0] | widths[1] << 2 | widths[2] << 4).tolist()
    highest: list[int] = np.maximum.reduceat(frequencies, starts).tolist()
    shortest: list[int] = np.minimum.reduceat(lengths, starts).tolist()
    packed: list[PackedPostings] = []
    for at, (start, end) in enumerate(pairwise(bounds)):
        parts = [bytes((headers[at],))]
        for position, column in enumerate(data):
            width = headers[at] >> 2 * position & 3
            parts.append(column[width][start << width : end << width])
        packed.append(PackedPostings(end - start, highest[at], shortest[at], b"".join(parts)))
    return packed


class JoinedPostings(Struct, frozen=True, eq=False):
    """The postings of many stems and repositories, one after the other: arrays of one value per document.

    counts: the number of documents in each of them. steps: lengths as numbers of the steps in LENGTH_STEPS.
    """

    counts: Integers
    keys: Integers
    frequencies: Integers
    steps: Integers

    @classmethod
    def unpack(cls, packed: Sequence[bytes]) -> JoinedPostings:
        """Return the postings of several packed forms, at least one, which are unpacked together: most are short."""
        sizes = np.array([len(each) for each in packed], np.int64)
        data = np.frombuffer(b"".join(packed), np.uint8)
        headers = data[np.cumsum(sizes) - sizes]
        codes: list[NDArray[np.uint8]] = [headers >> np.uint8(2 * at) & np.uint8(3) for at in range(3)]  # of _TYPES
        widths = [1 << each.astype(np.int64) for each in codes]
        counts = (sizes - 1) // sum(widths)
        # Every byte gets a label: 0 for a header, else 4 * column + type + 1.
        labels = [np.zeros_like(headers), *[4 * column + each + 1 for column, each in enumerate(codes)]]
        lengths = [np.ones_like(counts), *[counts * width for width in widths]]
        of_bytes = np.repeat(np.stack(labels, 1).ravel(), np.stack(lengths, 1).ravel())
        steps, frequencies, length_steps = (
            _read_column(data, of_bytes, 4 * column + 1, each, counts) for column, each in enumerate(codes)
        )
        sums = np.cumsum(steps)
        firsts = np.cumsum(counts) - counts
        return cls(counts, sums - np.repeat((sums - steps)[firsts], counts), frequencies, length_steps)


def _read_column(
    data: NDArray[np.uint8], labels: NDArray[np.uint8], first_label: int, codes: NDArray[np.uint8], counts: Integers
) -> Integers:
    """Return a column of joined postings. labels: of each byte. codes: which of _TYPES it has in each posting."""
    if not codes.any():
        return data[labels == first_label].astype(np.int64)
    column, of_rows = np.empty(int(counts.sum()), np.int64), np.repeat(codes, counts)
    present: list[int] = np.flatnonzero(np.bincount(codes)).tolist()
    for code in present:
        column[of_rows == code] = np.frombuffer(data[labels == first_label + code].tobytes(), _TYPES[code])
    return column


def _widths_of(largest: Integers) -> Integers:
    """Return which of _TYPES holds each of these integers."""
    return (largest >= 1 << 8).astype(np.int64) + (largest >= 1 << 16)


def _contains(sorted_keys: Integers, keys: Integers) -> NDArray[np.bool_]:
    """Return for each key whether it is among the sorted ones."""
    if not len(sorted_keys):
        return np.zeros(len(keys), np.bool_)
    at = np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)
    return sorted_keys[at] == keys


# Scores ---------------------------------------------------------------------------------------------------------------

_KEY_BITS = 40
"""Bits for the key of a document in a number that holds its repository, too."""

NO_KEYS = np.zeros(0, np.int64)

RepositoryScores = tuple[Integers, NDArray[np.float64], Integers]
"""Documents by ascending key: keys, BM25, and how many of the terms each holds."""


def score_postings(
    packed: Sequence[tuple[int, int, bytes]], stems: Sequence[tuple[float, int]], repositories: int, average: float
) -> list[RepositoryScores]:
    """Return the documents of each repository that hold any of the stems, scored by BM25. Pure.

    packed: postings, each with the places of its stem and of its repository; by stem. stems: the weight of each, and
    how many terms it stands for. average: of the documents' lengths. All postings are unpacked and summed up together,
    since most of them are short and a team has thousands.
    """
    if not packed:
        return [(NO_KEYS, np.zeros(0, np.float64), NO_KEYS)] * repositories
    of_stems, of_repositories, data = zip(*packed, strict=True)
    postings, owners = JoinedPostings.unpack(data), np.array(of_repositories, np.int64)
    weights, times = (np.repeat(np.array(each)[list(of_stems)], postings.counts) for each in zip(*stems, strict=True))
    norms = length_norms(LENGTH_STEPS, average)[postings.steps]
    shares = weights * postings.frequencies / (postings.frequencies + norms)
    counts, keys, places = _number_documents(owners, postings, repositories)
    scores = np.rint(np.bincount(places, shares) * BM25_UNIT) / BM25_UNIT  # summed up in the order of the stems
    held = np.bincount(places, times).astype(np.int64)
    bounds = np.cumsum([0, *counts]).tolist()
    return [(keys[start:end], scores[start:end], held[start:end]) for start, end in pairwise(bounds)]


_MAX_SPARSENESS = 16
"""Numbers for each posting up to which documents are numbered by their keys, which saves sorting them."""


def _number_documents(
    owners: Integers, postings: JoinedPostings, repositories: int
) -> tuple[Sequence[int], Integers, NDArray[np.integer]]:
    """Return how many documents each repository has, their keys, ascending, and for each posting the place of its
    document among them.

    owners: the places of the repositories of the joined postings.
    """
    keys, ends = postings.keys, np.cumsum(postings.counts)
    lowest, highest = np.full(repositories, np.iinfo(np.int64).max), np.full(repositories, -1)
    np.minimum.at(lowest, owners, keys[ends - postings.counts])
    np.maximum.at(highest, owners, keys[ends - 1])
    sizes = np.maximum(highest - lowest + 1, 0)
    total = int(sizes.sum())
    if total > _MAX_SPARSENESS * len(keys):
        numbers = np.repeat(owners, postings.counts) << _KEY_BITS | keys
        documents, places = np.unique(numbers, return_inverse=True)
        counts = np.bincount(documents >> _KEY_BITS, minlength=repositories)
        return counts.tolist(), documents & (1 << _KEY_BITS) - 1, places
    bounds = np.cumsum(sizes)
    offsets = bounds - sizes - lowest
    numbers = keys + np.repeat(offsets[owners], postings.counts)
    is_held = np.zeros(total, np.bool_)
    is_held[numbers] = True
    rows = np.flatnonzero(is_held)
    place_of = np.empty(total, np.int32)
    place_of[rows] = np.arange(len(rows), dtype=np.int32)
    counts = np.diff(np.searchsorted(rows, bounds), prepend=0)
    return counts.tolist(), rows - np.repeat(offsets, counts), place_of[numbers]


# Terms of documents ---------------------------------------------------------------------------------------------------

MAX_WORD_BYTES = 200
"""Words of so many bytes or more are not indexed, as in store.lexical."""

_SHORT_WORD = MAX_WORD_BYTES // 4 - 1
"""Characters that never take MAX_WORD_BYTES bytes."""

DocumentTerms = tuple[int, dict[str, int]]
"""The length of a document in words, and the frequency of each stem."""

_decode_terms = msgpack_decoder(tuple[list[bytes], list[tuple[int, list[int], list[int]]]])


def count_terms(terms: str, stem: Callable[[str], str]) -> DocumentTerms:
    """Return the length and the stems of a document. terms: as for store.lexical, separated by blanks."""
    counts = Counter(terms.split())
    frequencies: dict[str, int] = {}
    length = 0
    for word, count in counts.items():
        if len(word) > _SHORT_WORD and len(word.encode("utf-8", "surrogatepass")) >= MAX_WORD_BYTES:
            continue
        length += count
        if stemmed := stem(word):
            frequencies[stemmed] = frequencies.get(stemmed, 0) + count
    return length, frequencies


def pack_terms(documents: Sequence[DocumentTerms]) -> bytes:
    """Pack the terms of a file's documents, in their order: a vocabulary, and numbers of its stems."""
    numbers: dict[str, int] = {}
    rows = [
        (length, [numbers.setdefault(stem, len(numbers)) for stem in frequencies], list(frequencies.values()))
        for length, frequencies in documents
    ]
    vocabulary = [encode_term(stem) for stem in numbers]
    return compress_frame(msgspec.msgpack.encode((vocabulary, rows)))


class FileTerms(Struct, frozen=True):
    """The unpacked terms of a file's documents: a vocabulary; per document its length, and numbers of stems with their
    frequencies.
    """

    vocabulary: Sequence[bytes]
    documents: Sequence[tuple[int, Sequence[int], Sequence[int]]]

    @classmethod
    def unpack(cls, packed: bytes) -> FileTerms:
        """Return packed terms. Raises IndexDamaged."""
        try:
            return cls(*_decode_terms(decompress_frame(packed)))
        except msgspec.MsgspecError as error:
            raise damage_error(error) from error


def encode_term(stem: str) -> bytes:
    """Return a stem as the server holds it."""
    return stem.encode("utf-8", "surrogatepass")


def collect_postings(files: Sequence[tuple[int, FileTerms]]) -> Mapping[bytes, Postings]:
    """Return the postings by stem of some files, given with the first key of each, ascending."""
    numbers: dict[bytes, int] = {}
    columns: list[tuple[Integers, Integers, Integers, Integers]] = []
    for first_key, terms in files:
        own = np.array([numbers.setdefault(stem, len(numbers)) for stem in terms.vocabulary], np.int64)
        counts = [len(each) for _, each, _ in terms.documents]
        total = sum(counts)
        stems = np.fromiter(chain.from_iterable([each for _, each, _ in terms.documents]), np.int64, total)
        frequencies = np.fromiter(chain.from_iterable([each for *_, each in terms.documents]), np.int64, total)
        lengths = np.array([length for length, *_ in terms.documents], np.int64)
        keys = np.arange(first_key, first_key + len(counts), dtype=np.int64)
        columns.append((own[stems], np.repeat(keys, counts), frequencies, np.repeat(lengths, counts)))
    if not numbers:
        return {}
    stems, keys, frequencies, lengths = map(np.concatenate, zip(*columns, strict=True))
    order = np.argsort(stems, kind="stable")  # the keys of a stem stay ascending
    keys, frequencies = keys[order], frequencies[order]
    lengths = round_lengths(lengths[order])
    bounds = np.searchsorted(stems[order], np.arange(len(numbers) + 1)).tolist()
    return {
        stem: Postings(keys[start:end], frequencies[start:end], lengths[start:end])
        for stem, (start, end) in zip(numbers, pairwise(bounds), strict=True)
        if end > start
    }
