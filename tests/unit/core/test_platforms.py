from __future__ import annotations

import pytest

from scry.core.path_kinds import families_here, platform_of_path


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/win/tcp.c", ("windows", "src/*")),
        ("src/unix/tcp.c", ("unix", "src/*")),
        ("net/dial_windows.go", ("windows", "net/dial_*")),
        ("net/dial_linux.go", ("linux", "net/dial_*")),
        ("src/fs.darwin.ts", None),
        ("src/window/frame.ts", None),
        ("src/winter.c", None),
        ("docs/unixes.md", None),
        ("a/b.c", None),
    ],
)
def test_a_path_names_a_system_by_whole_words(path: str, expected: tuple[str, str] | None) -> None:
    assert platform_of_path(path) == expected


@pytest.mark.parametrize(
    ("platform", "families"),
    [
        ("linux", {"linux", "unix"}),
        ("darwin", {"macos", "unix", "bsd"}),
        ("win32", {"windows"}),
        ("freebsd14", {"unix"}),
        ("emscripten", set[str]()),
    ],
)
def test_the_system_on_which_this_runs(platform: str, families: set[str]) -> None:
    assert families_here(platform) == families
