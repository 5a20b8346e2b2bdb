"""Draw batches for contrastive training: records in groups of one package, so that negatives are hard."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from training.contrast import Batch, csr
from training.dataset import Dataset, Ids

GROUP = 128
"""Records of one package that go into a batch together: half of them neighbours, half from anywhere in it."""

_BALANCE = 0.7
"""Exponent on the sizes of packages, and of languages: 1 samples records evenly, 0 packages."""

COMMITTED_SHARE = 0.06
"""Share of a batch whose questions are subjects of commits: what a commit changed is often far from what it says."""

_QUERY_KINDS = ("first", "doc", "keywords", "name")
_QUERY_SHARES = (0.50, 0.18, 0.17, 0.15)

Tokens = tuple[Ids, Ids]
"""Piece ids, and for each the position of its example in the batch."""


class Sampler:
    """Draws batches from a data set with one random generator; the same seed gives the same batches."""

    def __init__(self, data: Dataset, rng: np.random.Generator) -> None:
        self._data = data
        self._rng = rng
        lengths = {field: ragged.lengths() for field, ragged in data.fields.items()}
        self._has_doc = lengths["first"] >= 3
        self._has_name = lengths["name"] >= 1
        self._documented = _Pool(np.flatnonzero(self._has_doc & ~data.history), data)
        self._named = _Pool(np.flatnonzero(~self._has_doc & (lengths["name"] >= 2) & ~data.history), data)
        self._committed = _Pool(np.flatnonzero(self._has_doc & data.history), data)
        self._kept = _keep_chance(data)

    def batches(self, count: int, size: int, named_share: float = 0.25) -> Iterator[Batch]:
        """Yield batches of about `size` examples: documented ones, those of commits, and a share with a name only."""
        named = int(size * named_share)
        committed = int(size * COMMITTED_SHARE) if self._data.history.any() else 0
        for _ in range(count):
            drawn = [
                self._documented.draw(size - named - committed, self._rng),
                self._named.draw(named, self._rng),
                self._committed.draw(committed, self._rng),
            ]
            yield self._batch(np.unique(np.concatenate(drawn)))

    def _batch(self, records: Ids) -> Batch:
        kinds = self._rng.choice(len(_QUERY_KINDS), len(records), p=_QUERY_SHARES)
        by_name = (kinds == _QUERY_KINDS.index("name")) & self._has_name[records] | ~self._has_doc[records]
        kinds = np.where(by_name, _QUERY_KINDS.index("name"), np.where(kinds == _QUERY_KINDS.index("name"), 0, kinds))
        queries = _joined(
            [self._query(kind, records, np.flatnonzero(kinds == number)) for number, kind in enumerate(_QUERY_KINDS)]
        )
        hidden = self._rng.random(len(records)) < np.where(by_name, 0.7, 0.25)
        fields = (
            self._body(records, hidden),
            self._name(records, by_name),
            self._place("path", records),
            self._place("container", records),
            self._without_name("head", records, hidden),
        )
        rows = _distinct([ids for ids, _ in (queries, *fields)])
        matrices = [csr(ids, segments, len(records), rows) for ids, segments in (queries, *fields)]
        return Batch(matrices[0], tuple(matrices[1:]), rows, _keys(*queries, len(records)))

    def _query(self, kind: str, records: Ids, positions: Ids) -> Tokens:
        ids, segments = self._gather("first" if kind == "keywords" else kind, records, positions)
        if kind == "keywords":
            keep = self._rng.random(len(ids)) < self._kept[ids]
            ids, segments = ids[keep], segments[keep]
        return ids, segments

    def _body(self, records: Ids, hidden: NDArray[np.bool_]) -> Tokens:
        """Return the code's pieces, and sometimes a part of the documentation."""
        ids, segments = self._without_name("code", records, hidden)
        keep = self._rng.random(len(ids)) > 0.1
        documented = np.flatnonzero(self._has_doc[records] & (self._rng.random(len(records)) < 0.2))
        doc_ids, doc_segments = self._gather("doc", records, documented)
        some = self._rng.random(len(doc_ids)) < 0.4
        return _joined([(ids[keep], segments[keep]), (doc_ids[some], doc_segments[some])])

    def _without_name(self, field: str, records: Ids, hidden: NDArray[np.bool_]) -> Tokens:
        """Return a field's pieces; where `hidden`, without the pieces that the name also has."""
        everything = np.arange(len(records))
        ids, segments = self._gather(field, records, everything)
        name_ids, name_segments = self._gather("name", records, everything)
        width = 1 << 16
        of_name = np.isin(segments * width + ids, name_segments * width + name_ids)
        keep = ~(of_name & hidden[segments])
        return ids[keep], segments[keep]

    def _name(self, records: Ids, by_name: NDArray[np.bool_]) -> Tokens:
        return self._gather("name", records, np.flatnonzero(~by_name & (self._rng.random(len(records)) < 0.8)))

    def _place(self, field: str, records: Ids) -> Tokens:
        ids, segments = self._gather(field, records, np.arange(len(records)))
        keep = self._rng.random(len(ids)) > 0.3
        return ids[keep], segments[keep]

    def _gather(self, field: str, records: Ids, positions: Ids) -> Tokens:
        ids, segments = self._data.fields[field].gather(records[positions])
        return ids, positions[segments]


class _Pool:
    """Records to draw from, by package."""

    def __init__(self, records: Ids, data: Dataset) -> None:
        packages, starts, sizes = np.unique(data.package[records], return_index=True, return_counts=True)
        self._members = [records[start : start + size] for start, size in zip(starts, sizes, strict=True)]
        weights = sizes.astype(np.float64) ** _BALANCE
        languages = data.language[records[starts]] if len(packages) else np.zeros(0, np.int64)
        totals = np.bincount(languages, weights)
        weights *= totals[languages] ** (_BALANCE - 1) if len(packages) else 1
        self._chances = weights / weights.sum()

    def draw(self, count: int, rng: np.random.Generator) -> Ids:
        """Return `count` record numbers (fewer where there are none), in groups of one package."""
        groups: list[Ids] = [np.zeros(0, np.int64)]
        while self._members and sum(map(len, groups)) < count:
            members = self._members[rng.choice(len(self._members), p=self._chances)]
            if len(members) > GROUP:
                start = rng.integers(0, len(members) - GROUP // 2 + 1)
                members = np.concatenate([members[start : start + GROUP // 2], rng.choice(members, GROUP // 2)])
            groups.append(members)
        return np.concatenate(groups)[:count]


def _keep_chance(data: Dataset) -> NDArray[np.float64]:
    """Return for each piece the probability to stay in a keyword query: high for rare pieces, low for common ones."""
    times = data.occurrences(1 << 16)
    rarity = np.log((times.sum() + 1) / (times + 1)) / np.log(times.sum() + 2)
    return np.minimum(np.maximum(rarity * 0.9, 0.15), 0.8)


def _distinct(parts: list[Ids]) -> Ids:
    """Return the sorted distinct ids; a flag for each possible id is quicker than a sort of all."""
    found = np.zeros(1 + max((int(ids.max()) for ids in parts if len(ids)), default=-1), np.bool_)
    for ids in parts:
        found[ids] = True
    return np.flatnonzero(found)


def _joined(parts: list[Tokens]) -> Tokens:
    return np.concatenate([ids for ids, _ in parts]), np.concatenate([segments for _, segments in parts])


def _keys(ids: Ids, segments: Ids, examples: int) -> Ids:
    """Return a number for each query that is the same for the same pieces in any order."""
    mixed = (ids + 1) * 2654435761 % 4294967291
    return np.bincount(segments, mixed * 1.0, examples).astype(np.int64)
