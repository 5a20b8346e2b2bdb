from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scry.surfaces.lsp import NotAFileUri, path_to_uri, uri_to_path


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/home/me/a b.py", "file:///home/me/a%20b.py"),
        ("/p/c#.cs", "file:///p/c%23.cs"),
        ("/p/100%?.txt", "file:///p/100%25%3F.txt"),
        ("/p/検索.py", "file:///p/%E6%A4%9C%E7%B4%A2.py"),
        ("/p/\udcff.bin", "file:///p/%FF.bin"),
        ("/", "file:///"),
    ],
)
def test_posix_paths_round_trip(path: str, uri: str) -> None:
    assert path_to_uri(path, windows=False) == uri
    assert uri_to_path(uri, windows=False) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/work/a%20b.py", "C:\\work\\a b.py"),
        ("file:///C:/work/x.py", "C:\\work\\x.py"),
        ("file:///d:", "D:\\"),
        ("file://server/share/x.py", "\\\\server\\share\\x.py"),
    ],
)
def test_windows_uris_are_converted(uri: str, path: str) -> None:
    assert uri_to_path(uri, windows=True) == path
    assert uri_to_path(path_to_uri(path, windows=True), windows=True) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///p/検索.py", "/p/検索.py"),
        ("file:///p/c#.cs", "/p/c#.cs"),
        ("file:///p/why?.md", "/p/why?.md"),
        ("file://localhost/p/x", "/p/x"),
        ("FILE:///p/x", "/p/x"),
    ],
)
def test_unescaped_uri_characters_are_accepted(uri: str, path: str) -> None:
    assert uri_to_path(uri, windows=False) == path


@pytest.mark.parametrize(
    "uri", ["untitled:Untitled-1", "git:/p/x?ref", "https://a/b", "x", "", "file:", "file:///a%00b"]
)
def test_non_file_uris_are_rejected(uri: str) -> None:
    with pytest.raises(NotAFileUri):
        uri_to_path(uri, windows=False)


names = st.text(st.characters(exclude_characters="/\0", exclude_categories=("Cs",)), min_size=1, max_size=12)


@given(st.lists(names, min_size=1, max_size=4))
def test_any_posix_path_round_trips(parts: list[str]) -> None:
    path = "/" + "/".join(parts)
    uri = path_to_uri(path, windows=False)
    assert uri_to_path(uri, windows=False) == path
    assert uri.isascii()


@pytest.mark.skipif(os.name == "nt", reason="POSIX paths")
@given(st.lists(names.filter(lambda name: name not in (".", "..")), min_size=1, max_size=4))
def test_uris_of_pathlib_are_read(parts: list[str]) -> None:
    path = Path("/", *parts)
    assert uri_to_path(path.as_uri(), windows=False) == str(path)
