from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scry.surfaces.lsp import EditMapping, OpenDocuments, apply_change, split_lines
from scry_protocol.messages import Position, Range


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


def test_disk_change_under_an_open_text_is_noticed(saved: Path) -> None:
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


def test_unindexable_files_have_no_unsaved_edits(saved: Path) -> None:
    saved.write_bytes(os.urandom(2000) + b"\0")
    documents = OpenDocuments()
    documents.did_open(saved.as_uri(), "shown in some other way")
    assert documents.unsaved_edits() == {}


def test_untitled_and_unknown_documents_are_ignored(saved: Path) -> None:
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


def at(line: int, character: int = 0) -> Position:
    return Position(line=line, character=character)


def mapped(saved: str, edited: str, place: Position, encoding: str = "utf-16") -> Position:
    return EditMapping(split_lines(saved), split_lines(edited), encoding).map_position(place)


def test_lines_inserted_above_move_a_position_down() -> None:
    assert mapped("a\nb\nc", "new\nnew\na\nb\nc", at(1, 1)) == at(3, 1)


def test_lines_deleted_above_move_a_position_up() -> None:
    assert mapped("x\ny\na\nb", "a\nb", at(3, 1)) == at(1, 1)


def test_edits_in_two_places_are_mapped_separately() -> None:
    saved = "\n".join(f"line {n}" for n in range(20))
    edited = saved.replace("line 3\n", "").replace("line 12\n", "line 12\nmore\nand more\n")
    assert mapped(saved, edited, at(2)) == at(2)
    assert mapped(saved, edited, at(8)) == at(7)
    assert mapped(saved, edited, at(15, 4)) == at(16, 4)


def test_deleted_position_maps_to_the_deletion() -> None:
    assert mapped("a\nb\nc\nd", "a\nd", at(2, 1)) == at(1, 0)


def test_second_replaced_line_maps_to_its_successor() -> None:
    assert [mapped("a\nb\nc\nd", "a\nX\nY\nd", at(line)).line for line in range(4)] == [0, 1, 2, 3]
    assert [mapped("a\nb\nc\nd", "a\nX\nd", at(line)).line for line in range(4)] == [0, 1, 1, 2]


def test_position_in_a_fully_deleted_text() -> None:
    assert mapped("a\nb", "", at(1, 1)) == at(0, 0)


@pytest.mark.parametrize(
    ("saved", "edited", "column", "expected"),
    [
        ("def find(a):", "async def find(a):", 4, 10),
        ("def find(a):", "def find(a, b):", 4, 4),
        ("def find(a):", "def find(a, b):", 12, 15),
        ("def find(a):", "def seek(a):", 6, 4),
        ("abab", "ab", 3, 2),
    ],
)
def test_a_column_keeps_its_distance_from_the_unchanged_end(
    saved: str, edited: str, column: int, expected: int
) -> None:
    assert mapped(f"x\n{saved}\ny", f"x\n{edited}\ny", at(1, column)) == at(1, expected)


@pytest.mark.parametrize(("encoding", "column", "shift"), [("utf-8", 2, 8), ("utf-16", 1, 4)])
def test_columns_are_counted_in_the_negotiated_units(encoding: str, column: int, shift: int) -> None:
    assert mapped("éx = 1", "é😀😀x = 1", at(0, column + 1), encoding) == at(0, column + 1 + shift)
    assert mapped("éx = 1", "é😀😀x = 1", at(0, column), encoding) == at(0, column)


def test_a_range_never_ends_before_it_starts() -> None:
    edits = EditMapping(["a", "b", "c"], ["c", "a"], "utf-16")
    landed = edits.map_range(Range(start=at(0, 1), end=at(2, 1)))
    assert (landed.end.line, landed.end.character) >= (landed.start.line, landed.start.character)


lines = st.lists(st.sampled_from(["a", "b", "", "def f():", "😀"]), min_size=1, max_size=12)


@given(lines, lines, st.sampled_from(["utf-8", "utf-16"]))
def test_mapped_positions_are_inside_the_edited_text(saved: list[str], edited: list[str], encoding: str) -> None:
    edits = EditMapping(saved, edited, encoding)
    for line, text in enumerate(saved):
        width = len(text.encode("utf-8")) if encoding == "utf-8" else len(text.encode("utf-16-le")) // 2
        place = edits.map_position(at(line, width))
        assert 0 <= place.line < len(edited)
        there = edited[place.line]
        room = len(there.encode("utf-8")) if encoding == "utf-8" else len(there.encode("utf-16-le")) // 2
        assert 0 <= place.character <= room


@given(lines, st.sampled_from(["utf-8", "utf-16"]))
def test_an_unedited_text_maps_to_itself(saved: list[str], encoding: str) -> None:
    edits = EditMapping(saved, list(saved), encoding)
    assert [edits.map_position(at(line)) for line in range(len(saved))] == [at(line) for line in range(len(saved))]


def test_only_line_ends_of_lsp_end_a_line() -> None:
    assert split_lines("a\r\nb\rc\nd\x0ce\u2028f\x85g") == ["a", "b", "c", "d\x0ce\u2028f\x85g"]


@pytest.mark.parametrize(
    ("text", "start", "end", "new", "encoding", "result"),
    [
        ("abc\ndef", (1, 1), (1, 2), "X", "utf-16", "abc\ndXf"),
        ("abc\r\ndef", (0, 3), (1, 0), "", "utf-16", "abcdef"),
        ("😀b", (0, 2), (0, 3), "c", "utf-16", "😀c"),
        ("😀b", (0, 4), (0, 5), "c", "utf-8", "😀c"),
        ("éb", (0, 2), (0, 2), "-", "utf-8", "é-b"),
        ("a\x0cb\nc", (1, 0), (1, 1), "d", "utf-16", "a\x0cb\nd"),
        ("abc", (0, 99), (9, 9), "d", "utf-16", "abcd"),
        ("abc\n", (1, 0), (1, 0), "d", "utf-16", "abc\nd"),
        ("abc\ndef", (1, 0), (0, 1), "-", "utf-16", "a-def"),
        ("", (0, 0), (0, 0), "x", "utf-16", "x"),
    ],
)
def test_incremental_text_changes_are_applied(
    text: str, start: tuple[int, int], end: tuple[int, int], new: str, encoding: str, result: str
) -> None:
    assert apply_change(text, start, end, new, encoding) == result
