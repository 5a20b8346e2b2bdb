"""Index and search stemmed terms with tantivy, ranked by BM25 over weighted fields.

The fields (name, container, path, signature, doc comment, body) are one stream of terms in which the terms of a field
are repeated as often as its weight: BM25F in its simple form (Robertson, Zaragoza, Taylor: Simple BM25 extension to
multiple weighted fields, CIKM 2004). That saturates the weight of a word over all fields together, and keeps block-max
WAND usable. The stream is made by the index package; here it is words separated by blanks, stemmed as those of a query.
"""

from __future__ import annotations

import shutil
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path

import tantivy
from msgspec import Struct

from scry.core.errors import IndexUnavailable

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


class Stemmer:
    """A cache of stems."""

    def __init__(self) -> None:
        self._analyzer = make_analyzer()
        self._known: dict[str, str] = {}

    def stem(self, term: str) -> str:
        """Return the term as an index holds it; "" for one that no index ever holds."""
        known = self._known.get(term)
        if known is None:
            if len(self._known) > _MAX_CACHED_STEMS:
                self._known.clear()
            known = self._known[term] = "".join(self._analyzer.analyze(term)[:1])
        return known


_ANALYZER = "scry"
_HEAP_BYTES = 64_000_000
_MAX_SINGLE_LOOKUPS = 100
"""Number of documents up to which each is looked up by itself."""

_EXACT_BITS = 24
"""Integers below 2 to the power of this are exact in the single precision of scores."""


class LexicalEntry(Struct, frozen=True):
    """The terms of one document, separated by blanks."""

    doc_key: int
    file_id: int
    terms: str


class LexicalIndex:
    """One tantivy index in one folder: read by any process, written by the indexer alone."""

    def __init__(self, folder: Path, *, write: bool) -> None:
        """Open the index, created empty where there is none and `write` is set. Raises IndexUnavailable."""
        builder = tantivy.SchemaBuilder()
        builder.add_unsigned_field("number", indexed=True, fast=True)
        builder.add_unsigned_field("file", indexed=True)
        builder.add_text_field("terms", tokenizer_name=_ANALYZER, index_option="freq")
        self._folder = folder
        self._stemmer = Stemmer()
        self._reloads = 0
        try:
            if write:
                folder.mkdir(parents=True, exist_ok=True)
            self._schema = builder.build()
            self._index = tantivy.Index(self._schema, str(folder))
            self._index.register_tokenizer(_ANALYZER, make_analyzer())
            self._writer = self._index.writer(_HEAP_BYTES, 1) if write else None
            self._index.config_reader("manual")
            self._searcher = self._index.searcher()
        except (ValueError, OSError) as error:
            raise IndexUnavailable(f"the word index in {folder} can't be opened: {error}") from error

    @property
    def folder(self) -> Path:
        """The folder of the index."""
        return self._folder

    def reload(self) -> None:
        """Make everything visible that has been committed."""
        self._index.reload()
        self._searcher = self._index.searcher()
        self._reloads += 1

    # Reading ------------------------------------------------------------------------------------------------------

    def stem(self, term: str) -> str:
        """Return the term as the index holds it; "" for one that it never holds."""
        return self._stemmer.stem(term)

    def search(
        self, terms: Sequence[str], limit: int, file_ids: Sequence[int] | None = None, min_terms: int = 1
    ) -> list[tuple[int, float]]:
        """Return the best `limit` documents that hold at least `min_terms` of the terms, as (key, BM25), best first.

        file_ids: only documents of these files.
        """
        wanted = [(tantivy.Occur.Should, self._term_query(term)) for term in terms]
        query = tantivy.Query.boolean_query(wanted, minimum_number_should_match=min_terms)
        if file_ids is not None:
            query = _restrict_query(query, tantivy.Query.term_set_query(self._schema, "file", list(file_ids)))
        searcher = self._searcher  # one searcher for both calls: another thread may reload
        hits = searcher.search(query, limit, count=False).hits
        doc_keys = searcher.fast_field_values("number", [address for _, address in hits])
        return [(int(doc_key or 0), float(score)) for doc_key, (score, _) in zip(doc_keys, hits, strict=True)]

    def _term_query(self, term: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, "terms", self.stem(term), "freq")

    def matched_terms(self, terms: Sequence[str], doc_keys: Sequence[int]) -> dict[int, list[str]]:
        """Return for each of these documents the terms that it holds, in their order.

        Bit i of the score of a document stands for term i of the part that is searched for. The documents are looked up
        one by one: a set of terms walks the dictionary of the field, which for ten keys takes twenty times as long.
        """
        if len(doc_keys) > _MAX_SINGLE_LOOKUPS:
            wanted = tantivy.Query.term_set_query(self._schema, "number", list(doc_keys))
        else:
            each = [tantivy.Query.term_query(self._schema, "number", doc_key, "basic") for doc_key in doc_keys]
            wanted = tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in each])
        matches: dict[int, list[str]] = {doc_key: [] for doc_key in doc_keys}
        for start in range(0, len(terms), _EXACT_BITS):
            part = terms[start : start + _EXACT_BITS]
            bits = [
                (tantivy.Occur.Should, tantivy.Query.const_score_query(self._term_query(term), float(1 << bit)))
                for bit, term in enumerate(part)
            ]
            query = _restrict_query(tantivy.Query.boolean_query(bits), wanted)
            searcher = self._searcher
            hits = searcher.search(query, max(1, len(doc_keys)), count=False).hits
            matched_keys = searcher.fast_field_values("number", [address for _, address in hits])
            for doc_key, (score, _) in zip(matched_keys, hits, strict=True):
                matches[int(doc_key or 0)] += [term for bit, term in enumerate(part) if int(score) >> bit & 1]
        return matches

    def score_document(self, terms: Sequence[str], doc_key: int, min_terms: int = 1) -> float:
        """Return the BM25 of one document as `search` gives it; 0 where it holds fewer than `min_terms` terms."""
        wanted = [(tantivy.Occur.Should, self._term_query(term)) for term in terms]
        query = tantivy.Query.boolean_query(wanted, minimum_number_should_match=min_terms)
        one = tantivy.Query.term_query(self._schema, "number", doc_key, "basic")
        hits = self._searcher.search(_restrict_query(query, one), 1, count=False).hits
        return float(hits[0][0]) if hits else 0.0

    def documents_by_prefix(self, prefix: str, limit: int) -> list[int]:
        """Return keys of at most `limit` documents with a stem that begins so. prefix: ASCII letters."""
        query = tantivy.Query.regex_query(self._schema, "terms", f"{prefix}.*")
        searcher = self._searcher
        addresses = [address for _, address in searcher.search(query, limit, count=False).hits]
        return [int(doc_key or 0) for doc_key in searcher.fast_field_values("number", addresses)]

    def document_frequency(self, term: str) -> int:
        """Return the number of documents in which the term occurs."""
        return self._searcher.doc_freq("terms", self.stem(term))

    def stem_document_frequency(self, stem: str) -> int:
        """Return the number of documents in which an already stemmed term occurs."""
        return self._searcher.doc_freq("terms", stem)

    @property
    def version(self) -> tuple[str, int]:
        """A value that differs whenever scores may differ."""
        return self._folder.name, self._reloads

    @property
    def document_count(self) -> int:
        """The number of documents in the index."""
        return self._searcher.num_docs

    # Writing ------------------------------------------------------------------------------------------------------

    def write(self, removed_files: Iterable[int], added: Iterable[LexicalEntry]) -> None:
        """Replace all documents of files, durably; readers see it after `reload`."""
        self.stage(removed_files, added)
        self.commit()

    def stage(self, removed_files: Iterable[int], added: Iterable[LexicalEntry]) -> None:
        """Start to prepare, in a thread of tantivy, what `commit` then writes."""
        writer = self._require_writer()
        for file in removed_files:
            writer.delete_documents_by_term("file", file)
        for entry in added:
            document = tantivy.Document()
            document.add_unsigned("number", entry.doc_key)
            document.add_unsigned("file", entry.file_id)
            document.add_text("terms", entry.terms)
            writer.add_document(document)

    @contextmanager
    def discarding_on_error(self) -> Generator[None]:
        """Discard what was staged inside where something is raised; its keys are then given to other documents."""
        try:
            yield
        except BaseException:
            if self._writer is not None:
                self._writer.rollback()
            raise

    def commit(self) -> None:
        """Write everything staged, durably; readers see it after `reload`."""
        self._require_writer().commit()
        self.reload()

    def delete_newer(self, doc_key: int) -> None:
        """Delete documents with a higher key: a crash kept their generation from being published."""
        newer = tantivy.Query.range_query(
            self._schema, "number", tantivy.FieldType.Unsigned, doc_key, None, include_lower=False
        )
        if self._searcher.search(newer, 1).hits:
            writer = self._require_writer()
            writer.delete_documents_by_query(newer)
            writer.commit()
            self.reload()

    def close(self) -> None:
        """Wait for running merges, and release the folder."""
        if self._writer is not None:
            self._writer.wait_merging_threads()
            self._writer = None

    def delete(self) -> None:
        """Close the index and delete its folder."""
        self.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _require_writer(self) -> tantivy.IndexWriter:
        if self._writer is None:
            raise IndexUnavailable("the word index was opened for reading only")
        return self._writer


def _restrict_query(query: tantivy.Query, allowed: tantivy.Query) -> tantivy.Query:
    silent = tantivy.Query.const_score_query(allowed, 0.0)
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Must, silent)])
