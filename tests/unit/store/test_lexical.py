"""The lexical index: terms of documents by key, and scores that depend on the existing documents alone."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

import pytest
import tantivy

from scry.store import LexicalEntry, LexicalIndex, lexical_statistics
from scry.store.lexical import make_analyzer
from scry.store.lexical_statistics import WordTotals
from scry.store.selection import FileSelection, mask_of_ranges

TERMS = ["alpha", "beta", "gamma"]
COUNT = 150


@pytest.fixture
def index(tmp_path: Path) -> Iterator[LexicalIndex]:
    """Documents 1 to COUNT: each holds the terms whose bit its number has."""
    index = LexicalIndex(tmp_path / "words", write=True)
    index.write([], [LexicalEntry(number, 1, " ".join(["other", *_held(number)])) for number in range(1, COUNT + 1)])
    yield index
    index.close()


def _held(number: int) -> list[str]:
    return [term for bit, term in enumerate(TERMS) if number >> bit & 1]


@pytest.mark.parametrize("most_holders", [0, 3000], ids=["by document", "by term where terms are rare"])
@pytest.mark.parametrize("count", [1, 10, 100, 101, COUNT])
def test_terms_of_any_number_of_documents_are_listed(index: LexicalIndex, count: int, most_holders: int) -> None:
    numbers = range(1, count + 1)
    with patch("scry.store.lexical._MAX_HOLDERS", most_holders):
        assert index.matched_terms([*TERMS, "absent"], numbers) == {number: _held(number) for number in numbers}
        assert index.matched_terms(TERMS[::-1], numbers) == {number: _held(number)[::-1] for number in numbers}


def test_terms_of_deleted_documents_are_not_listed(index: LexicalIndex) -> None:
    index.write([], [LexicalEntry(COUNT + 1, 2, "alpha"), LexicalEntry(COUNT + 2, 3, "beta")])
    index.write([2], [])
    numbers = range(1, COUNT + 3)
    expected = {number: _held(number) for number in numbers} | {COUNT + 1: [], COUNT + 2: ["beta"]}
    assert index.matched_terms(TERMS, numbers) == expected


def test_missing_documents_have_no_terms(index: LexicalIndex) -> None:
    assert index.matched_terms(TERMS, []) == {}
    assert index.matched_terms(TERMS, [COUNT + 1, 7]) == {COUNT + 1: [], 7: TERMS}
    assert index.matched_terms([], [7]) == {7: []}


def test_word_of_all_documents_does_not_fetch_them_all(tmp_path: Path) -> None:
    index = LexicalIndex(tmp_path / "words", write=True)
    index.write([], [LexicalEntry(number, 1, "common" if number > 3 else "common rare") for number in range(1, 5001)])
    score_hits = LexicalIndex._exact_scores  # pyright: ignore[reportPrivateUsage]
    with patch.object(LexicalIndex, "_exact_scores", autospec=True, side_effect=score_hits) as scored:
        assert index.search(["common"], 200) == []
        assert sorted(doc_key for doc_key, _ in index.search(["common", "rare"], 200)) == [1, 2, 3]
    assert [len(call.args[3]) < 1000 for call in scored.call_args_list] == [True, True]
    index.close()


VOCABULARY = [f"word{number}" for number in range(300)] + ["options", "option", "=parse", "naïve", "x" * 250]
WEIGHTS = [1 / rank for rank in range(1, len(VOCABULARY) + 1)]


class RandomFiles:
    """Files of random documents in an index, replaced at random."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.folder = folder
        self.index = LexicalIndex(folder / "lived", write=True)
        self.files: dict[str, list[LexicalEntry]] = {}
        self.last_key = self.last_file = 0

    def replace(self, names: Sequence[str]) -> None:
        """Write new documents for these files; some are deleted."""
        removed = [self.files.pop(name)[0].file_id for name in names if name in self.files]
        added: list[LexicalEntry] = []
        for name in names:
            if removed and self.chance.random() < 0.2:
                continue
            self.last_file += 1
            count = self.chance.randint(1, 20)
            keys = range(self.last_key + 1, self.last_key + count + 1)
            self.files[name] = [LexicalEntry(key, self.last_file, self.text()) for key in keys]
            self.last_key += count
            added += self.files[name]
        self.index.write(removed, added)

    def text(self) -> str:
        length = int(self.chance.lognormvariate(4, 0.8)) + 1
        return " ".join(self.chance.choices(VOCABULARY, WEIGHTS, k=length))

    def fresh(self, number: int) -> LexicalIndex:
        """Return a new index of the same documents."""
        index = LexicalIndex(self.folder / f"fresh{number}", write=True)
        index.write([], [entry for entries in self.files.values() for entry in entries])
        return index


@pytest.mark.acceptance("F10")
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_scores_equal_those_of_a_fresh_index(seed: int, tmp_path: Path) -> None:
    lived = RandomFiles(tmp_path, seed)
    names = [f"f{number}" for number in range((2, 10, 40)[seed % 3])]
    lived.replace(names)
    for number in range(2):
        for _ in range(4):
            lived.replace(lived.chance.sample(names, lived.chance.randint(1, 1 + len(names) // 4)))
        fresh = lived.fresh(number)
        assert lived.index.document_count == fresh.document_count
        _assert_totals_follow_from_commits(lived.index, fresh)
        for _ in range(8):
            terms = lived.chance.choices(VOCABULARY, [weight**0.5 for weight in WEIGHTS], k=lived.chance.randint(1, 7))
            limit = lived.chance.choice([1, 10, 200])
            found, expected = _best(lived.index, terms, limit), _best(fresh, terms, limit)
            assert found == expected, terms
            for doc_key, score in found[:3]:
                assert lived.index.score_document(terms, doc_key) == fresh.score_document(terms, doc_key) == score
            for term in terms:
                assert lived.index.document_frequency(term) == fresh.document_frequency(term)
        fresh.delete()
    lived.index.close()


def _assert_totals_follow_from_commits(lived: LexicalIndex, fresh: LexicalIndex) -> None:
    """Check that the writer knows number and length of its documents, and that a reader can be told them."""
    totals, expected = lived.totals, fresh.totals
    assert totals is not None
    assert expected is not None
    assert (totals.documents, totals.length) == (expected.documents, expected.length)
    told, older = (LexicalIndex(lived.folder, write=False) for _ in range(2))
    told.expect_totals(totals)
    older.expect_totals(WordTotals(totals.opstamp - 1, 1, 1))
    told.reload()
    older.reload()
    assert older.document_count == expected.documents, "totals of another commit are not taken"
    with patch.object(lexical_statistics, "count_documents", side_effect=AssertionError("all documents are read")):
        assert told.document_count == expected.documents


def _best(index: LexicalIndex, terms: Sequence[str], limit: int) -> list[tuple[int, float]]:
    """Return the best documents, equal ones by key, and all that equal the last."""
    ranked = sorted(index.search(terms, limit), key=lambda found: (-found[1], found[0]))
    return [found for found in ranked if found[1] >= ranked[:limit][-1][1]]


def test_scores_are_those_of_tantivy_while_nothing_was_deleted(tmp_path: Path) -> None:
    lived = RandomFiles(tmp_path, 5)
    lived.replace([f"f{number}" for number in range(10)])
    documents = [entry for entries in lived.files.values() for entry in entries]
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("number", fast=True)
    builder.add_text_field("terms", tokenizer_name="plain", index_option="freq")
    schema = builder.build()
    plain = tantivy.Index(schema)
    plain.register_tokenizer("plain", make_analyzer())
    writer = plain.writer(64_000_000, 1)
    for entry in documents:
        document = tantivy.Document()
        document.add_unsigned("number", entry.doc_key)
        document.add_text("terms", entry.terms)
        writer.add_document(document)
    writer.commit()
    plain.reload()
    for terms in (["word0", "word7", "option"], ["word3"], ["=parse", "word100", "word100"]):
        queries = [tantivy.Query.term_query(schema, "terms", lived.index.stem(term), "freq") for term in terms]
        query = tantivy.Query.boolean_query([(tantivy.Occur.Should, each) for each in queries])
        hits = plain.searcher().search(query, 1000).hits
        keys = plain.searcher().fast_field_values("number", [address for _, address in hits])
        expected = {key: score for key, (score, _) in zip(keys, hits, strict=True)}
        found = dict(lived.index.search(terms, 1000))
        assert found == pytest.approx(expected, abs=0.0006)  # three digits
    lived.index.close()


@pytest.mark.slow
@pytest.mark.acceptance("F10")
@pytest.mark.parametrize("seed", range(4))
def test_documents_of_many_files_are_those_of_a_search_for_the_files(seed: int, tmp_path: Path) -> None:
    lived = RandomFiles(tmp_path, seed)
    names = [f"f{number}" for number in range(40)]
    lived.replace(names)
    lived.replace(lived.chance.sample(names, 9))
    for _ in range(30):
        left = lived.chance.sample(names, lived.chance.choice([1, 8, 20, 39]))
        entries = [entry for name in left for entry in lived.files.get(name, ())]
        ids, mask = {entry.file_id for entry in entries}, mask_of_ranges((entry.doc_key, 1) for entry in entries)
        sought, tested = FileSelection(tuple(ids)), FileSelection(tuple(ids), mask, is_wide=True)
        terms = lived.chance.choices(VOCABULARY, [weight**0.5 for weight in WEIGHTS], k=lived.chance.randint(1, 7))
        limit, minimum = lived.chance.choice([1, 10, 200]), lived.chance.randint(1, 2)
        found = sorted(lived.index.search(terms, limit, tested, minimum))
        assert found == sorted(lived.index.search(terms, limit, sought, minimum)), (terms, limit, left)
        least = lived.chance.choice([score for _, score in found] or [0.5])
        above = [sorted(lived.index.search(terms, limit, each, minimum, min_score=least)) for each in (tested, sought)]
        assert above[0] == above[1]
    lived.index.close()


def test_what_was_computed_is_kept_until_the_next_commit(tmp_path: Path) -> None:
    writer = LexicalIndex(tmp_path / "words", write=True)
    writer.write([], [LexicalEntry(1, 1, "alpha beta")])
    reader = LexicalIndex(tmp_path / "words", write=False)
    reader.reload()
    before, count = reader.version, reader.document_count
    reader.reload()
    assert (reader.version, count) == (before, 1)
    writer.write([], [LexicalEntry(2, 2, "alpha")])
    reader.reload()
    assert reader.version != before
    assert reader.document_count == 2


def test_replaced_documents_are_deleted(tmp_path: Path) -> None:
    index = LexicalIndex(tmp_path / "words", write=True)
    index.write([], [LexicalEntry(1, 1, "alpha"), LexicalEntry(2, 2, "alpha beta")])
    index.write([1], [LexicalEntry(3, 3, "beta")])
    assert sorted(index.search(["alpha", "beta"], 10)) == sorted(
        [(2, index.score_document(["alpha", "beta"], 2)), (3, index.score_document(["alpha", "beta"], 3))]
    )
    assert (index.document_count, index.document_frequency("alpha")) == (2, 1)
    index.write([2], [])
    assert index.document_frequency("alpha") == 0
    index.close()
