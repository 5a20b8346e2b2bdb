"""A file is read as one moment of one regular file, reached without a link."""

from __future__ import annotations

import codecs
import os
import sys
from pathlib import Path

import pytest

from scry.core import SkippedFile, SkipReason
from scry.index.scan import FileContent, decode_text
from scry.index.scan.read_file import read_file

needs_links = pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")


def test_a_file_comes_with_its_size_and_time(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b" / "c.py"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"x = 1\r\n")
    status = file.stat()
    expected = FileContent(b"x = 1\r\n", 7, status.st_mtime_ns, status.st_ctime_ns)
    assert read_file(tmp_path, "a/b/c.py", 100) == expected


def test_missing_file_reads_as_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert read_file(tmp_path, "a/b.py", 100) is None
    assert read_file(tmp_path, "file/b.py", 100) is None


def test_a_larger_file_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x" * 101)
    assert isinstance(skip := read_file(tmp_path, "a.py", 100), SkippedFile)
    assert skip.reason is SkipReason.TOO_LARGE


@needs_links
@pytest.mark.acceptance("F11")
@pytest.mark.parametrize("swapped", ["a", "a/b", "a/b/c.txt"])
def test_file_replaced_by_a_link_is_not_followed(tmp_path: Path, swapped: str) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root, outside):
        (folder / "a" / "b").mkdir(parents=True)
        (folder / "a" / "b" / "c.txt").write_text("secret" if folder is outside else "ours")
    taken = root / swapped
    taken.rename(tmp_path / "away")
    taken.symlink_to(outside / swapped)
    assert not isinstance(read_file(root, "a/b/c.txt", 100), FileContent)


@needs_links
def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert isinstance(skip := read_file(tmp_path, "pipe", 100), SkippedFile)
    assert skip.reason is SkipReason.NOT_REGULAR


def test_no_handle_is_left_open(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.py").touch()
    for path in ("a/b.py", "a/none.py", "none/b.py", "a/b.py/c"):
        read_file(tmp_path, path, 10)
    handles = Path("/proc/self/fd")
    held = [os.path.realpath(handle) for handle in handles.iterdir()] if handles.is_dir() else []
    assert not [path for path in held if path.startswith(str(tmp_path))]


def _reason(data: bytes, path: str = "a.py") -> SkipReason | None:
    result = decode_text(data, path)
    return result.reason if isinstance(result, SkippedFile) else None


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_byte_order_mark_is_removed(mark: bytes, encoding: str) -> None:
    text = "größe = '😀'\r\nb\rc\n"
    assert decode_text(mark + text.encode(encoding)) == text


def test_empty_file_is_empty_text() -> None:
    assert decode_text(b"") == ""
    assert decode_text(codecs.BOM_UTF8) == ""


@pytest.mark.parametrize("place", [0, 10, 70_000, 200_000])
def test_nul_byte_makes_a_file_binary(place: int) -> None:
    data = b"a line\n" * 40_000
    result = decode_text(data[:place] + b"\0" + data[place:])
    assert result == SkippedFile(SkipReason.BINARY, f"NUL at byte {place}")


def test_nul_character_in_utf_16_makes_a_file_binary() -> None:
    assert decode_text(codecs.BOM_UTF16_LE + "a\0".encode("utf-16-le")) == SkippedFile(
        SkipReason.BINARY, "NUL at byte 4"
    )


def test_control_characters_that_are_not_utf_8_are_binary() -> None:
    assert _reason(b"\x89PNG\r\n\x1a\n" + bytes(range(1, 32)) * 20) is SkipReason.BINARY


@pytest.mark.parametrize("text", ["naïve café – “quoted” €5", "/* Größenänderung */\nint x;", "Ääkkösiä"])
def test_western_single_byte_text_is_read(text: str) -> None:
    source = f"# {text}\nvalue = 1  # and some more plain text\n"
    assert decode_text(source.encode("cp1252")) == source


@pytest.mark.parametrize(
    ("text", "encoding"), [("привет мир", "cp1251"), ("日本語のテキスト", "shift_jis"), ("中文注释", "gbk")]
)
def test_another_encoding_is_named_by_its_first_bad_byte(text: str, encoding: str) -> None:
    data = b"# comment: " + text.encode(encoding) + b"\n"
    assert decode_text(data) == SkippedFile(SkipReason.UNDECODABLE, "byte 11")


def test_damaged_utf_16_is_undecodable() -> None:
    result = decode_text(codecs.BOM_UTF16_LE + b"a\0\x00\xd8b\0")
    assert isinstance(result, SkippedFile)
    assert result.reason is SkipReason.UNDECODABLE
    assert result.detail.startswith("byte 4")


def test_single_bad_byte_in_utf8_is_replaced() -> None:
    good = "größe und länge, überall ö\n" * 4
    assert decode_text(good.encode() + b"\xff\n") == good + "\ufffd\n"


def test_minified_code_is_skipped_and_prose_is_not() -> None:
    line = "var a=function(b){return b+1};" * 300
    assert _reason(line.encode(), "a.js") is SkipReason.MINIFIED
    assert _reason(line.encode(), "README.md") is None
    assert _reason(b"x" * 4_999, "a.js") is None


def test_one_data_line_does_not_hide_surrounding_code() -> None:
    data = b"LOGO = '" + b"A" * 21_000 + b"'\n"
    code = b"def f(x):\n    return x\n" * 300
    assert _reason(data + code) is None
    assert _reason(data + b"x = 1\n" * 60) is SkipReason.MINIFIED
