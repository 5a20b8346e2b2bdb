"""A note store: published notes are found, removed ones leave nothing, and rarity follows the code alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from scry.core import FIRST_DOC_KEYS, IndexUnavailable, KnowledgeDocument, note_store_of, tokenize
from scry.core.knowledge import PERSONA_NOTES
from scry.oracles import CodeCorpus, CommitCorpus, NoteCorpus
from scry.store import EmbedderInfo, LexicalEntry, LexicalIndex
from scry.store.history import FIRST_COMMIT_KEY
from scry.store.notes import NoteDatabase, NoteReader, NoteStore, WordQuery, persona_file

MAKER = EmbedderInfo("bundled", "bundled@1/8", 8)


def entry(name: str, text: str) -> KnowledgeDocument:
    return KnowledgeDocument(f"persona:direct:{name}", "persona", text[:40], text, text, tuple(tokenize(text)))


@pytest.fixture
def file(tmp_path: Path) -> Iterator[NoteDatabase]:
    with closing(
        NoteDatabase(PERSONA_NOTES, path := tmp_path / "persona" / "persona.sqlite", persona_file(path), write=True)
    ) as opened:
        yield opened


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> LexicalIndex:
    index = LexicalIndex(tmp_path_factory.mktemp("words"), write=True)
    index.write([], [LexicalEntry(n, n, "common " + ("rare" if n == 1 else "other")) for n in range(1, 40)])
    return index


def words(code: LexicalIndex, *terms: str) -> WordQuery:
    return WordQuery(terms, code, 4)


def publish(file: NoteDatabase, *entries: KnowledgeDocument) -> list[int]:
    with file.transaction():
        return NoteStore(file).put(entries)


def test_doc_key_ranges_identify_the_corpus() -> None:
    for kind, first in FIRST_DOC_KEYS.items():
        assert NoteCorpus.owns(first + 1)
        assert note_store_of(first + 2**32 - 1) == kind
        assert not CommitCorpus.owns(first + 1)
    assert CommitCorpus.owns(FIRST_COMMIT_KEY)
    assert not CodeCorpus.owns(FIRST_COMMIT_KEY)
    assert CodeCorpus.owns(FIRST_COMMIT_KEY - 1)
    assert not NoteCorpus.owns(FIRST_COMMIT_KEY + 2**39)


def test_note_terms_have_their_rarity_in_the_code(file: NoteDatabase, code: LexicalIndex) -> None:
    rare, common = publish(file, entry("1", "rare thing"), entry("2", "common thing"))
    found = NoteReader(file).search_words(words(code, "rare", "common"))
    scores = dict(found.top(10).as_pairs())
    assert scores[rare] > scores[common] > 0
    assert max(scores.values()) < found.score_ceiling
    assert NoteReader(file).matched_terms(["rare", "thing", "absent"], [rare]) == {rare: ["rare", "thing"]}


def test_note_score_does_not_depend_on_other_notes(file: NoteDatabase, code: LexicalIndex) -> None:
    (first,) = publish(file, entry("1", "a rare thing"))
    before = NoteReader(file).search_words(words(code, "rare")).score_of(first)
    publish(file, *(entry(str(n), "rare rare rare and long " * n) for n in range(2, 30)))
    assert NoteReader(file).search_words(words(code, "rare")).score_of(first) == before


def test_republished_note_replaces_the_earlier_one(file: NoteDatabase, code: LexicalIndex) -> None:
    publish(file, entry("1", "rare thing"))
    (number,) = publish(file, entry("1", "common thing"))
    assert NoteReader(file).list_doc_ids() == ["persona:direct:1"]
    assert len(NoteReader(file).search_words(words(code, "rare")).doc_keys) == 0
    assert NoteReader(file).doc_keys_by_id(["persona:direct:1"]) == {"persona:direct:1": number}


def test_published_note_is_read_back_in_full(file: NoteDatabase) -> None:
    full = replace(
        entry("1", "say it"), time=7, code_refs=("a.py:3",), session_id="s", domains=("style",), path="n.md", line=2
    )
    (number,) = publish(file, full)
    document = NoteReader(file).get_documents([number])[number]
    assert (document.doc_id, document.content_type, document.path) == (full.doc_id, "persona", "n.md")
    assert (document.time, document.code_refs, document.session_id, document.domains) == (
        7,
        ("a.py:3",),
        "s",
        ("style",),
    )
    assert (document.symbol.name, document.symbol.doc, document.symbol.span.start.line) == ("say it", "say it", 2)
    assert NoteReader(file).headers([number])[number].path == ""


def test_note_vectors_are_of_one_embedder_and_existing_notes(file: NoteDatabase) -> None:
    numbers = publish(file, entry("1", "one"), entry("2", "two"))
    assert [number for number, _, _ in NoteStore(file).documents_without_vector(MAKER.identity, 10)] == numbers
    rows = np.eye(2, 8, dtype=np.float32)
    with file.transaction():
        NoteStore(file).publish_vectors(MAKER, numbers, rows)
    assert NoteStore(file).documents_without_vector(MAKER.identity, 10) == []
    found = NoteReader(file).search_vectors(MAKER.identity, rows[1])
    assert found.score_of(numbers[1]) == pytest.approx(1.0, abs=0.01)
    assert len(NoteReader(file).search_vectors("other@1/8", rows[1]).doc_keys) == 0
    with file.transaction():
        NoteStore(file).remove(["persona:direct:2"])
    assert NoteReader(file).search_vectors(MAKER.identity, rows[1]).doc_keys.tolist() == [numbers[0]]


@pytest.mark.acceptance("K1")
def test_removed_note_text_is_in_no_file(file: NoteDatabase) -> None:
    secret = "xyzzyplugh"
    numbers = publish(file, entry("1", f"the {secret} word"), entry("2", "a kept word"))
    with file.transaction():
        NoteStore(file).publish_vectors(MAKER, numbers, np.eye(2, 8, dtype=np.float32))
    rows = b"".join(path.read_bytes() for path in file.path.parent.glob("vectors-*"))
    with file.transaction():
        NoteStore(file).remove(["persona:direct:1"])
    assert NoteStore(file).erase_removed()
    held = b"".join(path.read_bytes() for path in file.path.parent.iterdir())
    assert secret.encode() not in held
    assert b"kept" in held
    left = b"".join(path.read_bytes() for path in file.path.parent.glob("vectors-*"))
    assert 0 < len(left) < len(rows)


def test_notes_of_another_process_are_visible(file: NoteDatabase, code: LexicalIndex) -> None:
    with closing(NoteDatabase(PERSONA_NOTES, file.path, persona_file(file.path), write=False)) as reader:
        assert NoteReader(reader).is_empty
        publish(file, entry("1", "rare"))
        assert not NoteReader(reader).is_empty
        assert len(NoteReader(reader).search_words(words(code, "rare")).doc_keys) == 1
        publish(file, entry("2", "rare"))
        assert len(NoteReader(reader).search_words(words(code, "rare")).doc_keys) == 2


def test_damaged_note_file_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "persona.sqlite"
    path.write_bytes(b"this is no database" * 100)
    with pytest.raises(IndexUnavailable, match=r"persona\.sqlite"):
        NoteDatabase(PERSONA_NOTES, path, persona_file(path), write=False)


@settings(max_examples=20, deadline=None)  # each act is a durable transaction
@given(st.lists(st.tuples(st.integers(0, 5), st.text("ab ", max_size=12)), max_size=25))
def test_postings_are_those_of_existing_documents(
    tmp_path_factory: pytest.TempPathFactory, code: LexicalIndex, acts: list[tuple[int, str]]
) -> None:
    path = tmp_path_factory.mktemp("shelf") / "persona.sqlite"
    with closing(NoteDatabase(PERSONA_NOTES, path, persona_file(path), write=True)) as file:
        there: dict[str, str] = {}
        for name, text in acts:
            with file.transaction():
                if text:
                    NoteStore(file).put([entry(str(name), text)])
                    there[f"persona:direct:{name}"] = text
                else:
                    NoteStore(file).remove([f"persona:direct:{name}"])
                    there.pop(f"persona:direct:{name}", None)
        for word in ("a", "b", "ab"):
            holders = {doc_id for doc_id, text in there.items() if word in text.split()}
            found = NoteReader(file).search_words(words(code, word)).doc_keys.tolist()
            assert {document.doc_id for document in NoteReader(file).get_documents(found).values()} == holders


@pytest.mark.parametrize("left", [None, b"", b"\xff"])
def test_unreadable_vectors_are_skipped_and_rebuilt(file: NoteDatabase, left: bytes | None) -> None:
    numbers, vectors = publish(file, entry("one", "first"), entry("two", "second")), np.eye(2, 8, dtype=np.float32)
    with file.transaction():
        NoteStore(file).publish_vectors(MAKER, numbers, vectors)
    (place,) = file.path.parent.glob("vectors-*")
    size = place.stat().st_size
    assert not NoteStore(file).has_unreadable_vectors
    place.unlink() if left is None else place.write_bytes(left * size)
    assert NoteReader(file).search_vectors(MAKER.identity, vectors[1]).as_pairs() == []
    assert NoteStore(file).has_unreadable_vectors
    with file.transaction():
        NoteStore(file).drop_unreadable_vectors()
    assert [number for number, _, _ in NoteStore(file).documents_without_vector(MAKER.identity, 10)] == numbers
    with file.transaction():
        NoteStore(file).publish_vectors(MAKER, numbers, vectors)
    NoteStore(file).delete_unused_files()
    assert NoteReader(file).search_vectors(MAKER.identity, vectors[1]).top(1).as_pairs()[0][0] == numbers[1]
    assert NoteStore(file).documents_without_vector(MAKER.identity, 10) == []
