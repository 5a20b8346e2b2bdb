from __future__ import annotations

import os
from pathlib import Path

import pytest

from scry.surfaces.lsp.documents import OpenDocuments
from scry_protocol.messages import Position


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "module.py"
    path.write_text("def one():\n    pass\n", encoding="utf-8")
    return path


@pytest.mark.acceptance("F1")
def test_a_text_is_unsaved_from_the_edit_to_the_save(saved: Path) -> None:
    documents = OpenDocuments()
    text = saved.read_text(encoding="utf-8")
    documents.did_open(saved.as_uri(), text)
    assert documents.unsaved_edits() == {}
    documents.did_change(saved.as_uri(), [((0, 0), (0, 0), "# new\n")])
    assert list(documents.unsaved_edits()) == [str(saved)]
    assert documents.unsaved_edits()[str(saved)].map_position(Position(line=0, character=4)) == Position(
        line=1, character=4
    )
    saved.write_text("# new\n" + text, encoding="utf-8")
    assert documents.unsaved_edits() == {}


def test_an_undone_edit_is_no_edit(saved: Path) -> None:
    documents = OpenDocuments()
    documents.did_open(saved.as_uri(), saved.read_text(encoding="utf-8"))
    documents.did_change(saved.as_uri(), [((0, 0), (0, 0), "x")])
    documents.did_change(saved.as_uri(), [((0, 0), (0, 1), "")])
    assert documents.unsaved_edits() == {}


def test_a_closed_text_is_forgotten(saved: Path) -> None:
    documents = OpenDocuments()
    documents.did_open(saved.as_uri(), "other")
    assert list(documents.unsaved_edits()) == [str(saved)]
    documents.did_close(saved.as_uri())
    assert documents.unsaved_edits() == {}


def test_a_file_changed_on_disk_under_an_open_text_is_noticed(saved: Path) -> None:
    documents = OpenDocuments()
    documents.did_open(saved.as_uri(), saved.read_text(encoding="utf-8"))
    assert documents.unsaved_edits() == {}
    saved.write_text("something else, and longer\n", encoding="utf-8")
    assert list(documents.unsaved_edits()) == [str(saved)]


def test_a_new_file_is_unsaved_until_it_exists(tmp_path: Path) -> None:
    documents, path = OpenDocuments(), tmp_path / "new.py"
    documents.did_open(path.as_uri(), "x = 1\n")
    assert list(documents.unsaved_edits()) == [str(path)]
    path.write_text("x = 1\n", encoding="utf-8")
    assert documents.unsaved_edits() == {}


@pytest.mark.parametrize("data", [b"a\r\nb\r\n", b"a\rb\r", b"\xef\xbb\xbfa\nb\n"])
def test_line_ends_and_byte_order_marks_are_no_edits(saved: Path, data: bytes) -> None:
    saved.write_bytes(data)
    documents = OpenDocuments()
    documents.did_open(saved.as_uri(), "a\nb\n")
    assert documents.unsaved_edits() == {}


def test_what_the_index_never_takes_in_is_never_unsaved(saved: Path) -> None:
    saved.write_bytes(os.urandom(2000) + b"\0")
    documents = OpenDocuments()
    documents.did_open(saved.as_uri(), "shown in some other way")
    assert documents.unsaved_edits() == {}


def test_untitled_texts_and_changes_to_unknown_ones_are_left_alone(saved: Path) -> None:
    documents = OpenDocuments()
    documents.did_open("untitled:Untitled-1", "x")
    documents.did_change("untitled:Untitled-1", ["y"])
    documents.did_change(saved.as_uri(), ["y"])
    documents.did_close(saved.as_uri())
    assert documents.unsaved_edits() == {}


def test_the_whole_text_may_be_replaced(saved: Path) -> None:
    documents = OpenDocuments()
    documents.did_open(saved.as_uri(), "x")
    documents.did_change(saved.as_uri(), [saved.read_text(encoding="utf-8")])
    assert documents.unsaved_edits() == {}
