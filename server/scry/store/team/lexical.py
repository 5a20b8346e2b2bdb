"""Search the words of a team's repositories by BM25, as store.lexical searches those of one.

The formula, the stems, the lengths and the rounding of a score are those of store.lexical, so that on the same
documents both give the same scores. Statistics are those of all repositories that the reader may see: how many
documents hold a stem is the sum over the visible rows of `postings`, so that a hidden repository changes no score.

The server names for each stem and repository how many documents hold it, the highest frequency and the shortest length
there. From that follows a bound of the scores in each repository. Where a question has many postings, only those of
repositories that can reach the best documents are read; the scores are computed here, over arrays.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.store.bm25 import BM25_K1, BM25_UNIT, Integers, inverse_document_frequency, length_norms
from scry.store.lexical import stem_of
from scry.store.lexical_statistics import name_terms
from scry.store.selection import FileSelection
from scry.store.team.database import TeamDatabase
from scry.store.team.postings import (
    NO_KEYS,
    Postings,
    RepositoryScores,
    encode_term,
    score_postings,
)
from scry.store.team.schema import CODE_WORDS, COMMIT_WORDS, NOTE_WORDS

COPIES_PER_DOCUMENT = 6
"""Documents of one score, on average, among the best of all repositories at most: copies have equal scores, and would
leave out all others."""

_FIRST_REPOSITORIES = 64
"""Repositories whose postings are read first, those of the highest bounds; a further part is eight times as large."""

_MAX_POSTINGS_READ_AT_ONCE = 200_000
"""Postings, of three bytes each, that are all read by one statement: to ask again would take longer."""

_MIN_SHARE_READ_WHOLE = 0.3
"""Share of a stem's postings from which all of them are read: looking one up takes three times as long as reading the
next one."""

DocumentTest = Callable[[Integers, Integers], NDArray[np.bool_]]
"""Returns of documents, by repository and key, whether a query's filters leave each."""


class _TermRows(Struct, frozen=True):
    """The visible postings of a stem: arrays of one value per repository, by ascending id."""

    repositories: Integers
    documents: Integers
    max_frequencies: Integers
    min_lengths: Integers


class _TermPostings(Struct, frozen=True):
    """The postings of a stem. holders: the repositories that have any. packed: those that were read, by repository."""

    holders: frozenset[int]
    packed: dict[int, bytes]


class TermTables:
    """The statistics and postings of stems that were read in one snapshot, of all corpora: each is read once."""

    def __init__(self, database: TeamDatabase) -> None:
        self._database = database
        self._rows: dict[tuple[int, str], _TermRows] = {}
        self._postings: dict[tuple[int, str], _TermPostings] = {}

    def read_statistics(self, stems: Iterable[str]) -> None:
        """Read the statistics of all these stems in all corpora by one statement, for what is asked next."""
        missing = {encode_term(stem): stem for stem in stems if (CODE_WORDS, stem) not in self._rows}
        if not missing:
            return
        sql = (
            "SELECT corpus, term, array_agg(repository_id), array_agg(documents), array_agg(max_frequency), "
            "array_agg(min_length) FROM postings WHERE corpus = ANY(%s::smallint[]) AND term = ANY(%s) "
            "GROUP BY corpus, term"
        )
        corpora = [CODE_WORDS, COMMIT_WORDS, NOTE_WORDS]
        nothing = _TermRows(NO_KEYS, NO_KEYS, NO_KEYS, NO_KEYS)
        self._rows.update({(corpus, stem): nothing for corpus in corpora for stem in missing.values()})
        for corpus, term, *columns in self._database.select(sql, (corpora, list(missing))):
            repositories, *values = [np.array(column, np.int64) for column in columns]
            order = np.argsort(repositories)
            self._rows[corpus, missing[term]] = _TermRows(repositories[order], *[value[order] for value in values])

    def rows_of(self, corpus: int, stem: str) -> _TermRows:
        """Return the statistics of a stem in each visible repository."""
        self.read_statistics([stem])
        return self._rows[corpus, stem]

    def read_postings(self, stems: Iterable[str], wanted: Iterable[tuple[int, int]]) -> None:
        """Read the postings of all these stems, with those of further repositories where that takes less.

        wanted: corpora, each with a repository.
        """
        repositories: dict[int, set[int]] = {}
        for corpus, repository in wanted:
            repositories.setdefault(corpus, set()).add(repository)
        distinct = sorted(set(stems))
        self.read_statistics(distinct)
        some: list[tuple[int, str, list[int]]] = []
        whole: list[tuple[int, str]] = []
        for stem in distinct:
            for corpus, asked in repositories.items():
                known = self._postings_of(corpus, stem)
                missing = asked.intersection(known.holders).difference(known.packed)
                if len(missing) >= _MIN_SHARE_READ_WHOLE * len(known.holders) > 0:
                    whole.append((corpus, stem))
                elif missing:
                    some.append((corpus, stem, sorted(missing)))
        self._read_some(some)
        self._read_whole(whole)

    def _read_some(self, wanted: Sequence[tuple[int, str, Sequence[int]]]) -> None:
        """Read postings by one statement. wanted: corpora and stems, each with repositories."""
        if not wanted:
            return
        # With OFFSET 0 the planner looks each posting up; otherwise it reads all postings of the visible repositories.
        sql = (
            "SELECT wanted.at, wanted.repository, p.packed FROM unnest(%s::integer[], %s::integer[]) "
            "AS wanted(at, repository) CROSS JOIN LATERAL (SELECT packed FROM postings p WHERE "
            "p.corpus = (%s::smallint[])[wanted.at] AND p.term = (%s::bytea[])[wanted.at] "
            "AND p.repository_id = wanted.repository OFFSET 0) p"
        )
        values = (
            [at for at, (_, _, missing) in enumerate(wanted, 1) for _ in missing],
            [repository for _, _, missing in wanted for repository in missing],
            [corpus for corpus, _, _ in wanted],
            [encode_term(stem) for _, stem, _ in wanted],
        )
        found = [self._postings_of(corpus, stem).packed for corpus, stem, _ in wanted]
        for at, repository, packed in self._database.select(sql, values):
            found[at - 1][repository] = packed

    def _read_whole(self, wanted: Sequence[tuple[int, str]]) -> None:
        """Read all visible postings of stems by one statement. wanted: corpora, each with a stem."""
        if not wanted:
            return
        sql = (
            "SELECT wanted.at, p.* FROM unnest(%s::smallint[], %s::bytea[]) WITH ORDINALITY "
            "AS wanted(corpus, term, at) CROSS JOIN LATERAL (SELECT array_agg(repository_id), array_agg(packed) "
            "FROM postings p WHERE p.corpus = wanted.corpus AND p.term = wanted.term) p"
        )
        values = [corpus for corpus, _ in wanted], [encode_term(stem) for _, stem in wanted]
        found = [self._postings_of(corpus, stem).packed for corpus, stem in wanted]
        for at, repositories, packed in self._database.select(sql, values):
            for repository, posting in zip(repositories or (), packed or (), strict=True):
                found[at - 1][repository] = posting

    def packed_postings(self, corpus: int, stem: str) -> Mapping[int, bytes]:
        """Return the packed postings of a stem that were read, by repository."""
        return self._postings_of(corpus, stem).packed

    def _postings_of(self, corpus: int, stem: str) -> _TermPostings:
        if (known := self._postings.get((corpus, stem))) is None:
            holders = frozenset(self.rows_of(corpus, stem).repositories.tolist())
            known = self._postings[corpus, stem] = _TermPostings(holders, {})
        return known


class TeamWords:
    """The words of one corpus of all visible repositories, as of one moment. Use it inside one snapshot.

    documents, average: the number of visible documents and their average length in words.
    """

    def __init__(
        self, tables: TermTables, corpus: int, documents: int, length: int, rarity_of: TeamWords | None = None
    ) -> None:
        """Read nothing yet. rarity_of: the words whose statistics tell how much a stem says; by default these."""
        self._tables = tables
        self._rarity_of = rarity_of
        self._corpus = corpus
        self._counted: dict[tuple[str, ...], Counter[str]] = {}
        self._frequencies: dict[str, int] = {}
        self._bounds: dict[tuple[str, ...], list[tuple[int, float]]] = {}
        self._scores: dict[tuple[tuple[str, ...], int], RepositoryScores] = {}
        self._floors: dict[tuple[tuple[str, ...], int], float] = {}
        self.documents = documents
        self.average = length / max(1, documents)

    def count_stems(self, terms: Sequence[str]) -> Counter[str]:
        """Return how many of the terms each stem stands for, and read the statistics of those that are new."""
        key = tuple(terms)
        if key not in self._counted:
            self._counted[key] = Counter(map(stem_of, terms))
            self._tables.read_statistics(self._counted[key])
        return self._counted[key]

    # Statistics ---------------------------------------------------------------------------------------------------

    def document_frequency(self, stem: str) -> int:
        """Return the number of visible documents that hold a stem."""
        frequency = self._frequencies.get(stem)
        if frequency is None:
            frequency = self._frequencies[stem] = int(self._tables.rows_of(self._corpus, stem).documents.sum())
        return frequency

    def inverse_document_frequency(self, stem: str) -> float:
        """Return how much a stem says about the documents that hold it, as in BM25; most where none does."""
        if self._rarity_of is not None:
            return self._rarity_of.inverse_document_frequency(stem)
        living = self.document_frequency(stem)
        return inverse_document_frequency(self.documents, living)

    def read_statistics(self, terms: Iterable[str]) -> None:
        """Read the statistics of all these terms by one statement, for what is asked next."""
        self.count_stems(list(terms))

    def weight_of(self, stem: str) -> float:
        """Return what a stem counts in BM25 at most."""
        return self.inverse_document_frequency(stem) * (BM25_K1 + 1)

    # Repositories -------------------------------------------------------------------------------------------------

    def bounds(self, terms: Sequence[str]) -> list[tuple[int, float]]:
        """Return each repository that holds any of the terms with a score that none of its documents exceeds, highest
        first.
        """
        if (known := self._bounds.get(tuple(terms))) is not None:
            return known
        ids, parts = [NO_KEYS], [np.zeros(0)]
        for stem, times in self.count_stems(terms).items():
            own = self._tables.rows_of(self._corpus, stem)
            norms = length_norms(own.min_lengths, self.average or 1)
            ids.append(own.repositories)
            parts.append(times * self.weight_of(stem) * own.max_frequencies / (own.max_frequencies + norms))
        repositories, places = np.unique(np.concatenate(ids), return_inverse=True)
        bounds = np.bincount(places, np.concatenate(parts), len(repositories))
        bounds = np.ceil(bounds * BM25_UNIT) / BM25_UNIT  # scores are rounded, too
        order = np.lexsort((repositories, -bounds))
        found = list(zip(repositories[order].tolist(), bounds[order].tolist(), strict=True))
        self._bounds[tuple(terms)] = found
        return found

    def best_repositories(
        self,
        terms: Sequence[str],
        limit: int,
        min_terms: int = 1,
        is_left: DocumentTest | None = None,
    ) -> list[int]:
        """Return the repositories of the best `limit` documents that hold at least `min_terms` of the terms, by BM25,
        the best first; those that equal the last document are among them. Repositories come last that have only scores
        which earlier ones have, as those of copies are equal.

        Where many of the best documents have equal scores, further ones take part; see COPIES_PER_DOCUMENT. is_left:
        whether the query's filters leave documents.
        """
        bounds = self.bounds(terms)
        best, repositories, least = np.zeros(0, np.float64), NO_KEYS, 0.0
        start, count = 0, len(self._first_read(terms))
        while part := [repository for repository, bound in bounds[start : start + count] if bound >= least]:
            self.score_repositories(terms, part)
            columns = [self.score_repository(terms, repository) for repository in part]
            keys, scores, held = (np.concatenate(each) for each in zip(*columns, strict=True))
            owners = np.repeat(np.array(part, np.int64), [len(each[0]) for each in columns])
            rows = np.flatnonzero((held >= min_terms) & (scores >= least) & (scores > 0))
            if is_left is not None:
                rows = rows[_test_best(is_left, owners[rows], keys[rows], scores[rows], limit, best)]
            best, repositories = np.append(best, scores[rows]), np.append(repositories, owners[rows])
            least = _least_of_best(best, limit)
            is_best = best >= least
            best, repositories = best[is_best], repositories[is_best]
            start, count = start + count, 8 * count
        self._floors[tuple(terms), limit] = least
        return _spread_over_scores(best, repositories)

    def floor(self, terms: Sequence[str], limit: int) -> float:
        """Return the score of the last of the best `limit` documents of all repositories, as `best_repositories` found
        it; 0 where it was not asked.
        """
        return self._floors.get((tuple(terms), limit), 0.0)

    def read_postings(self, terms: Iterable[str], repositories: Sequence[int]) -> None:
        """Read the postings of all these terms in these repositories, as `TermTables.read_postings` does."""
        stems = self.count_stems(list(terms))
        self._tables.read_postings(stems, [(self._corpus, repository) for repository in repositories])

    def likely_repositories(self, terms: Sequence[str]) -> list[tuple[int, int]]:
        """Return the corpus and each repository whose postings `best_repositories` reads first."""
        return [(self._corpus, repository) for repository, _ in self._first_read(terms)]

    def _first_read(self, terms: Sequence[str]) -> list[tuple[int, float]]:
        """Return the highest bounds; all of them where that are few postings."""
        is_little = sum(map(self.document_frequency, self.count_stems(terms))) <= _MAX_POSTINGS_READ_AT_ONCE
        return self.bounds(terms)[: None if is_little else _FIRST_REPOSITORIES]

    def score_repository(self, terms: Sequence[str], repository: int) -> RepositoryScores:
        """Return the documents of a repository that hold any of the terms, by ascending key: keys, BM25 rounded as in
        store.lexical, and how many of the terms each holds.
        """
        key = tuple(terms), repository
        if key not in self._scores:
            self.score_repositories(terms, [repository])
        return self._scores[key]

    def score_repositories(self, terms: Sequence[str], repositories: Sequence[int]) -> None:
        """Score the documents of these repositories together, for what `score_repository` is asked next."""
        asked = tuple(terms)
        new = [each for each in repositories if (asked, each) not in self._scores]
        if not new:
            return
        self.read_postings(terms, new)
        counted = self.count_stems(terms)
        present = [
            (at, place, read[each])
            for at, stem in enumerate(counted)
            for read in (self._tables.packed_postings(self._corpus, stem),)
            for place, each in enumerate(new)
            if each in read
        ]
        weighted = [(times * self.weight_of(stem), times) for stem, times in counted.items()]
        for each, scores in zip(new, score_postings(present, weighted, len(new), self.average), strict=True):
            self._scores[asked, each] = scores

    def holders(self, term: str, repository: int, keys: Integers) -> Integers:
        """Return those of these keys whose documents hold a term, ascending. keys: ascending."""
        packed = self._tables.packed_postings(self._corpus, stem_of(term)).get(repository)
        if packed is None:
            return NO_KEYS
        return np.intersect1d(keys, Postings.unpack(packed).keys, assume_unique=True)


def _test_best(
    is_left: DocumentTest,
    repositories: Integers,
    keys: Integers,
    scores: NDArray[np.float64],
    limit: int,
    best: NDArray[np.float64],
) -> Integers:
    """Return which of these documents a query's filters leave, without those that can't be among the best `limit`: they
    are tested from the best on. best: the scores of those that were found before.
    """
    order = np.argsort(-scores, kind="stable")
    left = NO_KEYS
    start, count = 0, 4 * limit
    while start < len(order) and scores[order[start]] >= _least_of_best(np.append(best, scores[left]), limit):
        part = order[start : start + count]
        left = np.append(left, part[is_left(repositories[part], keys[part])])
        start, count = start + count, 2 * count
    return left


def _least_of_best(scores: NDArray[np.float64], limit: int) -> float:
    """Return the score of the last of the best `limit` documents, or that of a later one, so that there are not too
    many of one score among them; 0 where there are fewer.
    """
    least_distinct = max(1, limit // COPIES_PER_DOCUMENT)
    if len(scores) < limit:
        return 0.0
    least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    if len(np.unique(scores[scores >= least])) >= least_distinct:
        return float(least)
    distinct = np.unique(scores)
    return float(distinct[-least_distinct]) if len(distinct) >= least_distinct else 0.0


def _spread_over_scores(scores: NDArray[np.float64], repositories: Integers) -> list[int]:
    """Return the repositories of documents with these scores; see `spread_over_documents`."""
    order = np.lexsort((repositories, -scores))
    scores, repositories = scores[order], repositories[order]
    starts = np.flatnonzero(np.diff(scores, prepend=np.inf)).tolist()
    parts = np.split(repositories, starts[1:]) if starts else []
    return spread_over_documents([(-float(scores[at]), part.tolist()) for at, part in zip(starts, parts, strict=True)])


def spread_over_documents(documents: Sequence[tuple[float, Sequence[int]]]) -> list[int]:
    """Return the repositories of documents, the best first: for each document one of its repositories, unless one
    before has it, and then all others in the order of their best documents.

    documents: of each a key that is lowest for the best, and the repositories that have a copy of it.
    """
    ordered = sorted([(key, sorted(holders)) for key, holders in documents])
    chosen: dict[int, None] = {}
    for _, holders in ordered:
        if chosen.keys().isdisjoint(holders):
            chosen[holders[0]] = None
    for _, holders in ordered:
        chosen.update(dict.fromkeys(holders))
    return list(chosen)


class RepositoryWords:
    """The words of one repository of a team, with the methods of store.lexical.LexicalIndex that answer questions.

    Statistics are those of the team.
    """

    def __init__(
        self,
        words: TeamWords,
        repository: int,
        generation: int,
        *,
        first_key: int = 0,
        contains: Callable[[Integers, Sequence[int]], NDArray[np.bool_]] = lambda keys, _: np.ones(len(keys), np.bool_),
    ) -> None:
        """Use `TeamReader`.

        first_key: added to the keys of documents as they are stored. contains: returns for keys whether the document is
        in one of the files with these ids.
        """
        self._words = words
        self._repository = repository
        self._first_key = first_key
        self._contains = contains
        self._found: dict[tuple[object, ...], list[tuple[int, float]]] = {}
        self.version = str(repository), generation

    @property
    def stem(self) -> Callable[[str], str]:
        """Return the function that returns a term as the index holds it; "" for one that it never holds."""
        return stem_of

    def search(
        self,
        terms: Sequence[str],
        limit: int,
        left: FileSelection | None = None,
        min_terms: int = 1,
        *,
        min_score: float = math.inf,
        doc_key: int | None = None,
    ) -> list[tuple[int, float]]:
        """Return the best `limit` documents that hold at least `min_terms` of the terms, as (key, BM25), unordered.

        All that equal the last one are among them. left, min_score, doc_key: as of LexicalIndex.search. Where the
        best `limit` documents of all repositories were searched, those of this one that are not among them are left
        out: they rank below the depth.
        """
        asked = tuple(terms), limit, left and left.ids, min_terms, min_score, doc_key
        if asked in self._found:
            return self._found[asked]
        keys, scores, held = self._words.score_repository(terms, self._repository)
        is_whole = left is None and doc_key is None and math.isinf(min_score)
        wanted = (held >= min_terms) & (scores > 0) & (scores >= (self._words.floor(terms, limit) if is_whole else 0))
        if left is not None:
            wanted &= self._contains(keys, left.ids)
        if doc_key is not None:
            wanted &= keys == doc_key - self._first_key
        keys, scores = keys[wanted], scores[wanted]
        if len(scores) > limit:
            least = min(min_score, float(np.partition(scores, len(scores) - limit)[len(scores) - limit]))
            keys, scores = keys[scores >= least], scores[scores >= least]
        found = list(zip((keys + self._first_key).tolist(), scores.tolist(), strict=True))
        self._found[asked] = found
        return found

    def matched_terms(self, terms: Sequence[str], doc_keys: Sequence[int]) -> dict[int, list[str]]:
        """Return for each of these documents the terms that it holds, in their order."""
        return name_terms(terms, self.term_bits(terms, doc_keys))

    def term_bits(self, terms: Sequence[str], doc_keys: Sequence[int]) -> dict[int, int]:
        """Return for each of these documents a number whose bit i is set where it holds term i."""
        held = dict.fromkeys(doc_keys, 0)
        asked = np.sort(np.array(doc_keys, np.int64)) - self._first_key
        self._words.read_postings(terms, [self._repository])
        for bit, term in enumerate(terms):
            for key in self._words.holders(term, self._repository, asked).tolist():
                held[key + self._first_key] |= 1 << bit
        return held

    def score_document(self, terms: Sequence[str], doc_key: int, min_terms: int = 1) -> float:
        """Return the BM25 of one document as `search` gives it; 0 where it holds fewer than `min_terms` terms."""
        return sum(score for _, score in self.search(terms, 1, None, min_terms, doc_key=doc_key))

    def document_frequency(self, term: str) -> int:
        """Return the number of documents of the team in which the term occurs."""
        return self._words.document_frequency(stem_of(term))

    def inverse_document_frequency(self, stem: str) -> float:
        """Return how much a stem says about the documents of the team that hold it; most where none does."""
        return self._words.inverse_document_frequency(stem)
