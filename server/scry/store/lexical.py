"""Index and search stemmed terms with tantivy, ranked by BM25 over weighted fields.

The fields (name, container, path, signature, doc comment, body) are one stream of terms in which the terms of a field
are repeated as often as its weight: BM25F in its simple form (Robertson, Zaragoza, Taylor: Simple BM25 extension to
multiple weighted fields, CIKM 2004). That saturates the weight of a word over all fields together, and keeps block-max
WAND usable. The stream is made by the index package; here it is words separated by blanks, stemmed as those of a query.

Scores are a function of the documents that live, not of how the index came to be (decision 94). tantivy counts deleted
documents in its statistics until it merges them away, and adds scores in single precision in an order that depends on
segments. So it proposes: its idf is corrected by a boost per term, and its score is taken where all scores within its
error round alike. Otherwise the score is computed in double precision (store.lexical_scores).
"""

from __future__ import annotations

import math
import shutil
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import tantivy
from msgspec import Struct
from numpy.typing import NDArray

from scry.core.decoding import decode_json
from scry.core.errors import IndexDamaged, IndexUnavailable
from scry.core.platform import make_private_folder
from scry.store.bm25 import BM25_K1, BM25_UNIT, inverse_document_frequency
from scry.store.lexical_scores import compute_scores, restrict_query
from scry.store.lexical_statistics import (
    Explained,
    Snapshot,
    TermStatistics,
    WordTotals,
    count_documents,
    name_terms,
    settled_opstamp,
)
from scry.store.selection import FileSelection, in_mask
from scry.store.sqlite.database import describes_damage

_MAX_TERM_BYTES = 200
_MAX_CACHED_STEMS = 100_000


def make_analyzer() -> tantivy.TextAnalyzer:
    """Return the analyzer that splits at blanks, drops overlong words, and stems."""
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
        .filter(tantivy.Filter.remove_long(_MAX_TERM_BYTES))
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


STEM_MARK = "^"  # begins a term that is a stem already; no word of a document or a query begins so


class _Stems(dict[str, str]):
    """A cache of stems by term."""

    def __init__(self) -> None:
        self._analyzer = make_analyzer()

    def __missing__(self, term: str) -> str:
        if len(self) > _MAX_CACHED_STEMS:
            self.clear()
        stem = self[term] = term[1:] if term.startswith(STEM_MARK) else "".join(self._analyzer.analyze(term)[:1])
        return stem


stem_of: Callable[[str], str] = _Stems().__getitem__
"""Returns a term as every index holds it, "" for one that none ever holds; for a known one without a Python call."""

_ANALYZER = "scry"
_HEAP_BYTES = 64_000_000
_MAX_SINGLE_LOOKUPS = 300
"""Number of documents up to which each is looked up by itself."""

_MAX_HOLDERS = 3000
"""Documents that hold rare terms, up to which all are read: that takes less than to look up hundreds of documents."""

_MAX_TESTED_SHARE = 16
"""Hits, as a multiple of the wanted ones, up to which those of files that filters leave out are dropped one by one."""

_EXACT_BITS = 24
"""Integers below 2 to the power of this are exact in the single precision of scores."""

_TIE_MARGIN = 56
_SINGLE_PRECISION = 2.0**-24
_ROUNDINGS = 16
"""Roundings to single precision in the score of one term: idf, weight, boost, norm, quotient, product."""

_BALANCE_TERM = "|"
"""The term of documents that balance the average length; no other document holds it."""

_BALANCE_FILE = 0
_MAX_BALANCE_DOCUMENTS = 500
_BALANCE_TRIALS = 30
_MAX_BYTES_PER_CHARACTER = 4
_Hits = Sequence[tuple[float, tantivy.DocAddress]]  # by tantivy's own scores, best first


class LexicalEntry(Struct, frozen=True):
    """The terms of one document, separated by blanks."""

    doc_key: int
    file_id: int
    terms: str


class LexicalIndex:
    """One tantivy index in one folder: read by any process, written by the indexer alone.

    Every method may raise IndexDamaged.
    """

    @describes_damage
    def __init__(self, folder: Path, *, write: bool) -> None:
        """Open the index, created empty where there is none and `write` is set. Raises IndexUnavailable."""
        builder = tantivy.SchemaBuilder()
        builder.add_unsigned_field("number", indexed=True, fast=True)
        builder.add_unsigned_field("file", indexed=True)
        builder.add_text_field("terms", tokenizer_name=_ANALYZER, index_option="freq")
        builder.add_unsigned_field("length", fast=True)
        self._folder = folder
        self._is_writable = write
        self._writer: tantivy.IndexWriter | None = None
        if write:
            make_private_folder(folder)
        elif not folder.is_dir():
            raise IndexDamaged(f"the word index {folder.name} is missing")
        self._schema = builder.build()
        self._term_query = partial(tantivy.Query.term_query, self._schema, "terms")
        self._index = tantivy.Index(self._schema, str(folder))
        self._index.register_tokenizer(_ANALYZER, make_analyzer())
        self._totals: WordTotals | None = None
        self._staged: tuple[int, int] | None = (0, 0)  # documents and length that the next commit adds; None: unknown
        self._index.config_reader("manual")
        self._snapshot, self._committed = Snapshot(self._index.searcher()), b""

    @property
    def folder(self) -> Path:
        """The folder of the index."""
        return self._folder

    @describes_damage
    def reload(self) -> None:
        """Make everything visible that has been committed; where nothing was, keep what was computed."""
        committed = self._read_meta()  # first, so that the next call sees a commit of now
        if committed != self._committed:
            self._index.reload()
            opstamp = settled_opstamp(committed, self._read_meta())
            snapshot = Snapshot(self._index.searcher(), self._snapshot.version + 1, opstamp)
            snapshot.take_totals(self._totals)
            self._snapshot, self._committed = snapshot, committed

    def _read_meta(self) -> bytes:
        return (self._folder / "meta.json").read_bytes()

    @property
    def totals(self) -> WordTotals | None:
        """Number and length of the living documents as of the last commit, where its writer knows them."""
        return self._totals

    def expect_totals(self, totals: WordTotals | None) -> None:
        """Take what the writer stored of its last commit: who reloads that one need not read all documents."""
        self._totals = totals

    # Reading ------------------------------------------------------------------------------------------------------

    @property
    def stem(self) -> Callable[[str], str]:
        """Return the function that returns a term as the index holds it; "" for one that it never holds."""
        return stem_of

    @describes_damage
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

        All that equal the last one are among them, so that no order of segments decides. left: only documents of these
        files. min_score: also all documents of at least this score. doc_key: only this document.
        """
        snapshot = self._snapshot  # one for all calls: another thread may reload
        known = [(stem, self._read_term(snapshot, stem)) for stem in map(stem_of, terms)]
        wanted = [
            (tantivy.Occur.Should, tantivy.Query.boost_query(self._term_query(stem, "freq"), each.boost))
            for stem, each in known
            if each.living
        ]
        query = tantivy.Query.boolean_query(wanted, minimum_number_should_match=min_terms)
        if doc_key is not None:
            query = restrict_query(query, tantivy.Query.term_query(self._schema, "number", doc_key, "basic"))
        mask = None if left is None or not left.is_wide else left.mask
        if left is not None and mask is None:
            query = restrict_query(query, self._files_query(left.ids))
        searched = limit + _TIE_MARGIN
        while True:
            hits = snapshot.searcher.search(query, searched, count=False).hits
            found = snapshot.searcher.fast_field_values("number", [address for _, address in hits])
            doc_keys = np.array([key or 0 for key in found], np.int64)
            kept = np.ones(len(hits), np.bool_) if mask is None else in_mask(mask, doc_keys)
            scores, ceiling = self._exact_scores(snapshot, terms, hits, kept, limit, min_score)
            least = min(min_score, sorted(scores, reverse=True)[limit - 1] if len(scores) >= limit else 0.0)
            if len(hits) < searched or ceiling < least or ceiling <= 0:  # documents of score 0 are left out
                scored = zip(doc_keys[kept].tolist(), scores, strict=True)
                return [(doc_key, score) for doc_key, score in scored if score >= least and score > 0]
            searched *= 4
            if left is not None and mask is not None and searched > _MAX_TESTED_SHARE * limit:
                query, mask = restrict_query(query, self._files_query(left.ids)), None

    def _read_term(self, snapshot: Snapshot, stem: str) -> TermStatistics:
        """Return how a stem counts. With the first one that occurs, read the statistics of the whole index."""
        if (known := snapshot.terms.get(stem)) is not None:
            return known
        documents = snapshot.count_documents()
        query, living = self._term_query(stem, "freq"), snapshot.searcher.doc_freq("terms", stem)
        counted = living
        if not snapshot.counted and counted:  # tantivy names its statistics only with the score of a document
            for _, address in snapshot.searcher.search(query, 1, count=False).hits:
                explained = decode_json(query.explain(snapshot.searcher, address).to_json(), Explained)
                _, idf, frequency = explained.details
                snapshot.counted_average = frequency.details[4].value
                snapshot.counted = int(idf.details[1].value)
        if counted and documents != snapshot.counted:
            living, _ = count_documents(snapshot.searcher, query)
        counts = ((documents, living), (snapshot.counted, counted))
        idf, counted_idf = [inverse_document_frequency(total, holding) for total, holding in counts]
        known = TermStatistics(living, idf, idf * (BM25_K1 + 1), idf / counted_idf)
        return snapshot.terms.setdefault(stem, known)

    def _exact_scores(
        self,
        snapshot: Snapshot,
        terms: Sequence[str],
        hits: _Hits,
        kept: NDArray[np.bool_],
        limit: int,
        min_score: float,
    ) -> tuple[list[float], float]:
        """Return the rounded BM25 of each hit that is kept, and a score that no document behind the last hit exceeds.

        limit: hits that surely score less than so many others, and less than `min_score`, are not computed exactly.
        Where the error of tantivy's score might round it otherwise, the score is computed (store.lexical_scores).
        """
        if not hits:
            return [], 0.0
        error = abs(snapshot.average / snapshot.counted_average - 1) + (len(terms) + _ROUNDINGS) * _SINGLE_PRECISION
        approximate = np.array([score for score, _ in hits], np.float64) * BM25_UNIT
        lowest, highest = np.rint(approximate * (1 - error)), np.rint(approximate * (1 + error))
        ceiling = float(highest[-1] / BM25_UNIT)
        lowest, highest = lowest[kept], highest[kept]
        scores: list[float] = (highest / BM25_UNIT).tolist()
        least = lowest[limit - 1] if limit <= len(scores) else 0.0
        is_needed = highest >= min(least, min_score * BM25_UNIT - 1)
        uncertain: list[int] = np.flatnonzero((lowest < highest) & is_needed).tolist()
        if not uncertain:
            return scores, ceiling
        places: list[int] = np.flatnonzero(kept)[uncertain].tolist()
        stems, addresses = Counter(map(stem_of, terms)), [hits[place][1] for place in places]
        exact = compute_scores(snapshot, stems, addresses, self._term_query, self._documents_query)
        for index, score in zip(uncertain, exact, strict=True):
            scores[index] = score
        return scores, ceiling

    @describes_damage
    def matched_terms(self, terms: Sequence[str], doc_keys: Sequence[int]) -> dict[int, list[str]]:
        """Return for each of these documents the terms that it holds, in their order."""
        return name_terms(terms, self.term_bits(terms, doc_keys))

    @describes_damage
    def term_bits(self, terms: Sequence[str], doc_keys: Sequence[int]) -> dict[int, int]:
        """Return for each of these documents a number whose bit i is set where it holds term i.

        Bit i of the score of a document stands for term i of the part that is searched for.
        """
        searcher, held = self._snapshot.searcher, dict.fromkeys(doc_keys, 0)
        if len(held) > _MAX_SINGLE_LOOKUPS and sum(map(self.document_frequency, terms)) <= _MAX_HOLDERS:
            for bit, term in enumerate(terms):
                holding = self.documents_with_all([term], max(1, searcher.doc_freq("terms", stem_of(term))))
                held.update({each: held[each] | 1 << bit for each in holding if each in held})
            return held
        wanted = self._documents_query(list(held))
        for start in range(0, len(terms), _EXACT_BITS):
            stems = enumerate(map(stem_of, terms[start : start + _EXACT_BITS]))
            parts = [tantivy.Query.const_score_query(self._term_query(stem, "freq"), 2.0**bit) for bit, stem in stems]
            query = tantivy.Query.boolean_query([(tantivy.Occur.Should, each) for each in parts])
            query = restrict_query(query, wanted)
            hits = searcher.search(query, max(1, len(held)), count=False).hits
            matched_keys = searcher.fast_field_values("number", [address for _, address in hits])
            for doc_key, (score, _) in zip(matched_keys, hits, strict=True):
                held[int(doc_key or 0)] |= int(score) << start
        return held

    @describes_damage
    def documents_with_all(self, terms: Sequence[str], limit: int) -> list[int]:
        """Return at most `limit` documents that hold all of these terms."""
        query = tantivy.Query.boolean_query([(tantivy.Occur.Must, self._term_query(stem_of(each))) for each in terms])
        searcher = self._snapshot.searcher
        addresses = [address for _, address in searcher.search(query, limit, count=False).hits]
        return [int(key or 0) for key in searcher.fast_field_values("number", addresses)]

    @describes_damage
    def score_document(self, terms: Sequence[str], doc_key: int, min_terms: int = 1) -> float:
        """Return the BM25 of one document as `search` gives it; 0 where it holds fewer than `min_terms` terms."""
        return sum(score for _, score in self.search(terms, 1, None, min_terms, doc_key=doc_key))

    @describes_damage
    def stems_by_prefix(self, prefix: str) -> list[str]:
        """Return all stems that begin so and occur, those of most documents first, equal ones by the alphabet."""
        snapshot = self._snapshot
        counted = snapshot.searcher.terms_with_prefix("terms", prefix)
        living = [(-self._read_term(snapshot, stem).living, stem) for stem, _ in counted]
        return [stem for negated, stem in sorted(living) if negated]

    @describes_damage
    def document_frequency(self, term: str) -> int:
        """Return the number of documents in which the term occurs."""
        return self._read_term(self._snapshot, stem_of(term)).living

    @describes_damage
    def inverse_document_frequency(self, stem: str) -> float:
        """Return how much a stem says about the documents that hold it, as in BM25; most where none does."""
        return self._read_term(self._snapshot, stem).idf

    @property
    def version(self) -> tuple[str, int]:
        """A value that differs whenever scores may differ."""
        return self._folder.name, self._snapshot.version

    @property
    def document_count(self) -> int:
        """The number of documents in the index."""
        return self._snapshot.count_documents()

    # Writing ------------------------------------------------------------------------------------------------------

    def write(self, removed_files: Iterable[int], added: Iterable[LexicalEntry]) -> None:
        """Replace all documents of files, durably; readers see it after `reload`."""
        self.stage(removed_files, added)
        self.commit()

    @describes_damage
    def stage(self, removed_files: Iterable[int], added: Iterable[LexicalEntry], leaving: Iterable[int] = ()) -> None:
        """Start to prepare, in a thread of tantivy, what `commit` then writes. leaving: files that go next."""
        writer = self._require_writer()
        removed, (gone, length_gone) = list(removed_files), (0, 0)
        staged, self._staged = self._staged, None
        lengths, words = list[int](), list[str]()
        if removed:  # deleting by a term of an unsigned field deletes nothing in tantivy-py 0.27
            writer.delete_documents_by_query(self._files_query(removed))
            gone, length_gone = count_documents(self._snapshot.searcher, self._files_query(removed))
        for entry in added:
            words = entry.terms.split()
            lengths.append(len(words))
            if max(map(len, words), default=0) * _MAX_BYTES_PER_CHARACTER >= _MAX_TERM_BYTES:
                lengths[-1] = sum(len(word.encode()) < _MAX_TERM_BYTES for word in words)
            document = tantivy.Document()
            document.add_unsigned("number", entry.doc_key)
            document.add_unsigned("file", entry.file_id)
            document.add_text("terms", entry.terms)
            document.add_unsigned("length", lengths[-1])
            writer.add_document(document)
        if staged is not None:
            self._staged = staged[0] + len(lengths) - gone, staged[1] + sum(lengths) - length_gone
        if lengths and self._snapshot.searcher.num_docs:
            self._stage_balance([*removed, *leaving], lengths, words)

    def _stage_balance(self, removed: Sequence[int], lengths: Sequence[int], words: Iterable[str]) -> None:
        """Add documents that bring the average length that tantivy counts close to that of the living documents.

        The closer it is, the fewer scores have to be computed exactly: no rank depends on it. lengths: of the added
        documents. words: any of which may occur.
        """
        self.reload()  # a merge may have ended since the last commit
        snapshot = self._snapshot
        for word in islice(words, _BALANCE_TRIALS):
            if not snapshot.counted:
                self._read_term(snapshot, self.stem(word))
        added, total = len(lengths), sum(lengths)
        gone, length_gone = count_documents(snapshot.searcher, self._files_query(removed)) if removed else (0, 0)
        documents = snapshot.documents + added - gone
        if not snapshot.counted or documents <= 0 or documents == snapshot.counted + added:
            return
        average = (snapshot.length + total - length_gone) / documents
        counted, length = snapshot.counted + added, round(snapshot.counted_average * snapshot.counted) + total
        fewest = max(1, math.ceil(length / average) - counted) if average else 0
        if not 0 < fewest <= _MAX_BALANCE_DOCUMENTS:
            return
        missing = [average * (counted + fewest + more) - length for more in range(_BALANCE_TRIALS)]
        best = min(range(_BALANCE_TRIALS), key=lambda more: abs(missing[more] - round(missing[more])))
        for number in range(fewest + best):
            document = tantivy.Document()
            document.add_unsigned("number", 0)
            document.add_unsigned("file", _BALANCE_FILE)
            document.add_text("terms", f"{_BALANCE_TERM} " * round(missing[best]) if number == 0 else "")
            self._require_writer().add_document(document)

    @contextmanager
    def discarding_on_error(self) -> Generator[None]:
        """Discard what was staged inside where something is raised; its keys are then given to other documents."""
        try:
            yield
        except BaseException:
            self._staged = (0, 0)
            if self._writer is not None:
                self._writer.rollback()
            raise

    @describes_damage
    def commit(self) -> None:
        """Write everything staged, durably; readers see it after `reload`."""
        before, staged, self._totals = self._snapshot, self._staged, None
        before.count_documents()
        opstamp = self._require_writer().commit()
        if staged is not None:
            self._totals = WordTotals(opstamp, before.documents + staged[0], before.length + staged[1])
        self._staged = (0, 0)
        self.reload()

    @describes_damage
    def has_newer(self, doc_key: int) -> bool:
        """Return whether a document has a higher key: a crash kept its generation from being published."""
        return bool(self._snapshot.searcher.search(self._newer_query(doc_key), 1).hits)

    @describes_damage
    def delete_newer(self, doc_key: int) -> None:
        """Delete the documents with a higher key."""
        if self.has_newer(doc_key):
            writer = self._require_writer()
            writer.delete_documents_by_query(self._newer_query(doc_key))
            writer.commit()
            self._totals = None
            self.reload()

    def _files_query(self, files: Sequence[int]) -> tantivy.Query:
        return tantivy.Query.term_set_query(self._schema, "file", list(files))

    def _documents_query(self, doc_keys: Sequence[int]) -> tantivy.Query:
        """Return a query for these documents. A set of terms walks the dictionary of the field, which for ten keys
        takes four times as long as to look them up one by one.
        """
        if len(doc_keys) > _MAX_SINGLE_LOOKUPS:
            return tantivy.Query.term_set_query(self._schema, "number", list(doc_keys))
        single = [tantivy.Query.term_query(self._schema, "number", doc_key, "basic") for doc_key in doc_keys]
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, each) for each in single])

    def _newer_query(self, doc_key: int) -> tantivy.Query:
        return tantivy.Query.range_query(
            self._schema, "number", tantivy.FieldType.Unsigned, doc_key, None, include_lower=False
        )

    def rest(self) -> None:
        """Wait for running merges, and release the folder until the next write."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.wait_merging_threads()

    def close(self) -> None:
        """Wait for running merges, and release the folder."""
        if self._writer is not None:
            self.rest()
        self._is_writable = False

    def delete(self) -> None:
        """Close the index and delete its folder."""
        self.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _require_writer(self) -> tantivy.IndexWriter:
        if not self._is_writable:
            raise IndexUnavailable("the word index was opened for reading only")
        if self._writer is None:
            self._writer = self._index.writer(_HEAP_BYTES, 1)
        return self._writer


def open_lexical_index(folder: Callable[[], Path], *, write: bool) -> LexicalIndex:
    """Open the index in this folder; a reader tries again where the writer has just changed to another one."""
    opened = folder()
    try:
        return LexicalIndex(opened, write=write)
    except IndexDamaged:
        if write or folder() == opened:
            raise
    return LexicalIndex(folder(), write=False)
