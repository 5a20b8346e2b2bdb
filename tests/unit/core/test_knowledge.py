"""Valid and refused citations of beliefs."""

from __future__ import annotations

import pytest

from scry.core import Citation, parse_citation


@pytest.mark.acceptance("K2")
@pytest.mark.parametrize(
    ("written", "kind", "path", "lines", "name"),
    [
        ("src/app.py:12", "file", "src/app.py", (12, 12), ""),
        ("./src/app.py:12-20", "file", "src/app.py", (12, 20), ""),
        ("src/app.py#L12-L20", "file", "src/app.py", (12, 20), ""),
        ("src/app.py:20-12", "file", "src/app.py", (20, 20), ""),
        ("src/app.py", "file", "src/app.py", None, ""),
        ("a folder/c:d.py:3", "file", "a folder/c:d.py", (3, 3), ""),
        ("./src/app.py::Outer.inner", "symbol", "src/app.py", None, "./src/app.py::Outer.inner"),
        ("src/app.py::Outer.inner", "symbol", "src/app.py", None, "./src/app.py::Outer.inner"),
        ("commit:3f9c2b7", "commit", "", None, "3f9c2b7"),
        ("3f9c2b7d1e", "commit", "", None, "3f9c2b7d1e"),
        ("session:2026-11-20-fusion", "note", "", None, "session:2026-11-20-fusion"),
        ("memory:4obq75uc4n", "note", "", None, "memory:4obq75uc4n"),
    ],
)
def test_citation_is_parsed(written: str, kind: str, path: str, lines: tuple[int, int] | None, name: str) -> None:
    read = parse_citation(written)
    assert (read.kind, read.path, read.lines, read.name) == (kind, path, lines, name)
    assert read.code_ref == (f"{path}:{lines[0]}" if lines else path)
    assert isinstance(read, Citation)
    assert read.raw_text == written


@pytest.mark.parametrize("written", ["", "  ", "/etc/passwd:1", "../up.py:1", "a/../../up.py", "C:/x.py", ":12", "./"])
def test_citation_outside_the_project_is_refused_with_a_hint(written: str) -> None:
    with pytest.raises(ValueError, match="cite FILE:LINE, commit:SHA or session:ID"):
        parse_citation(written)
