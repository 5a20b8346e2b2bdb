"""Files that once broke something are indexed like any other file."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from scry.core.doc_id import parse_doc_id
from tests.trust.promises import broken_promises
from tests.trust.sources import corpus_files
from tests.unit.indexer.test_refresh import IndexSample

FILES = corpus_files()

SLOW = "slow_error_recovery.kt"
"""The one file that is read as plain text: parsing it would not end."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_file_of_the_corpus_keeps_every_promise(path: Path) -> None:
    assert broken_promises(path.name, path.read_bytes()) == []


def test_a_project_of_the_whole_corpus_is_indexed(tmp_path: Path) -> None:
    sample = IndexSample(tmp_path / "project")
    sample.write("healthy.py", "def found_beside_them():\n    pass\n")
    for path in FILES:
        sample.write(path.name, path.read_bytes())
    assert sample.update_index().state == "ready"
    names = sample.names()
    assert len(names) == len(set(names))
    assert "./healthy.py::found_beside_them" in names
    found = {parse_doc_id(name).path for name in names}
    assert {path.name for path in FILES} <= found
    assert [path for path, _ in sample.store.files.faults(100)] == [SLOW]


def test_texts_on_the_same_lines_have_names_of_their_own(tmp_path: Path) -> None:
    sample = IndexSample(tmp_path / "project")
    sample.write("a.js", '"e"{t(){}a')
    sample.update_index()
    assert sample.names() == ["./a.js#L1-L1", "./a.js#L1-L1~2", "./a.js::t"]
    for doc_id in sample.names():
        assert [document.doc_id for document in sample.store.documents.find_by_doc_id(doc_id)] == [doc_id]


@pytest.mark.slow
def test_a_text_that_ends_a_parser_costs_itself(tmp_path: Path) -> None:
    """180 KB of arrows take the grammar of Java minutes and gigabytes, in one step that nothing can interrupt."""
    sample = IndexSample(tmp_path / "project")
    sample.write("a.py", "def found_beside_it():\n    pass\n")
    sample.write("B.java", "".join(f"{chr(97 + n % 26)}{n * 7919 % 65521:x} =>\n" for n in range(20_000)))
    assert sample.update_index().state == "ready"
    ((path, fault),) = sample.store.files.faults(9)
    assert (path, fault.partition(":")[0]) == ("B.java", "parse")
    assert "./a.py::found_beside_it" in sample.names()
    assert "./B.java#L1-L40" in sample.names()


_TOKENS = (
    "( ) { } [ ] < > , ; : = + - * / . -> => && || ! ? @ # if else for while return class fn int x y struct case do"
).split()


@pytest.mark.slow
def test_a_text_whose_syntax_takes_too_much_memory_costs_itself(tmp_path: Path) -> None:
    """A project may set the limits of size and time so high that the limit of memory comes first."""
    chance = random.Random(3)
    words = [
        chance.choice(_TOKENS) if chance.random() < 0.6 else f"n{chance.randrange(20_000)}" for _ in range(1_600_000)
    ]
    sample = IndexSample(tmp_path / "project")
    sample.write(".scry/config.toml", "max_file_bytes = 10000000\nmax_parse_seconds = 120\n")
    sample.write("a.py", "def found_beside_it():\n    pass\n")
    sample.write("b.cpp", "\n".join(" ".join(words[at : at + 10]) for at in range(0, len(words), 10)))
    assert sample.update_index().state == "ready"
    assert sample.store.files.faults(9) == [("b.cpp", "parse: parsing takes over 200 MB of memory")]
    assert "./a.py::found_beside_it" in sample.names()
    assert "./b.cpp#L1-L40" in sample.names()
