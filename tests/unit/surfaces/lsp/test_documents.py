from __future__ import annotations

import os
from pathlib import Path

import pytest

from scry.surfaces.lsp.documents import Documents
from scry_protocol.messages import Position


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "module.py"
    path.write_text("def one():\n    pass\n", encoding="utf-8")
    return path


@pytest.mark.acceptance("F1")
def test_a_text_is_unsaved_from_the_edit_to_the_save(saved: Path) -> None:
    documents = Documents()
    text = saved.read_text(encoding="utf-8")
    documents.opened(saved.as_uri(), text)
    assert documents.unsaved() == {}
    documents.changed(saved.as_uri(), [((0, 0), (0, 0), "# new\n")])
    assert list(documents.unsaved()) == [str(saved)]
    assert documents.unsaved()[str(saved)].position(Position(line=0, character=4)) == Position(line=1, character=4)
    saved.write_text("# new\n" + text, encoding="utf-8")
    assert documents.unsaved() == {}


def test_an_undone_edit_is_no_edit(saved: Path) -> None:
    documents = Documents()
    documents.opened(saved.as_uri(), saved.read_text(encoding="utf-8"))
    documents.changed(saved.as_uri(), [((0, 0), (0, 0), "x")])
    documents.changed(saved.as_uri(), [((0, 0), (0, 1), "")])
    assert documents.unsaved() == {}


def test_a_closed_text_is_forgotten(saved: Path) -> None:
    documents = Documents()
    documents.opened(saved.as_uri(), "other")
    assert list(documents.unsaved()) == [str(saved)]
    documents.closed(saved.as_uri())
    assert documents.unsaved() == {}


def test_a_file_changed_on_disk_under_an_open_text_is_noticed(saved: Path) -> None:
    documents = Documents()
    documents.opened(saved.as_uri(), saved.read_text(encoding="utf-8"))
    assert documents.unsaved() == {}
    saved.write_text("something else, and longer\n", encoding="utf-8")
    assert list(documents.unsaved()) == [str(saved)]


def test_a_new_file_is_unsaved_until_it_exists(tmp_path: Path) -> None:
    documents, path = Documents(), tmp_path / "new.py"
    documents.opened(path.as_uri(), "x = 1\n")
    assert list(documents.unsaved()) == [str(path)]
    path.write_text("x = 1\n", encoding="utf-8")
    assert documents.unsaved() == {}


@pytest.mark.parametrize("data", [b"a\r\nb\r\n", b"a\rb\r", b"\xef\xbb\xbfa\nb\n"])
def test_line_ends_and_byte_order_marks_are_no_edits(saved: Path, data: bytes) -> None:
    saved.write_bytes(data)
    documents = Documents()
    documents.opened(saved.as_uri(), "a\nb\n")
    assert documents.unsaved() == {}


def test_what_the_index_never_takes_in_is_never_unsaved(saved: Path) -> None:
    saved.write_bytes(os.urandom(2000) + b"\0")
    documents = Documents()
    documents.opened(saved.as_uri(), "shown in some other way")
    assert documents.unsaved() == {}


def test_untitled_texts_and_changes_to_unknown_ones_are_left_alone(saved: Path) -> None:
    documents = Documents()
    documents.opened("untitled:Untitled-1", "x")
    documents.changed("untitled:Untitled-1", ["y"])
    documents.changed(saved.as_uri(), ["y"])
    documents.closed(saved.as_uri())
    assert documents.unsaved() == {}


def test_the_whole_text_may_be_replaced(saved: Path) -> None:
    documents = Documents()
    documents.opened(saved.as_uri(), "x")
    documents.changed(saved.as_uri(), [saved.read_text(encoding="utf-8")])
    assert documents.unsaved() == {}
