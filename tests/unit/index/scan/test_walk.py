"""Files that the walk lists, and the reasons for skipped ones."""

from __future__ import annotations

import contextlib
import inspect
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from scry.core import Settings, SkippedFile, SkipReason
from scry.index.scan import FOLDER_SIZE, FileEntry, explain_ignored
from scry.index.scan.walk import walk


def skips(root: Path, settings: Settings | None = None) -> dict[str, SkippedFile | None]:
    """Return every path with the reason for skipping it."""
    return {entry.path: entry.skip for entry in walk(root, settings or Settings())}


def test_rows_are_sorted_by_path_and_carry_size_and_time(tmp_path: Path) -> None:
    for name in ("a/b", "a.txt", "a-b", "Z", "é", "a/a", "b/c/d"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    found = list(walk(tmp_path, Settings()))
    assert [entry.path for entry in found] == ["Z", "a-b", "a.txt", "a/a", "a/b", "b/c/d", "é"]
    status = (tmp_path / "a.txt").stat()
    assert found[2] == FileEntry("a.txt", status.st_size, status.st_mtime_ns, ctime_ns=status.st_ctime_ns)


def test_folders_are_reported_with_their_times(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "node_modules").mkdir()
    folders: dict[str, int] = {}
    assert [entry.size for entry in walk(tmp_path, Settings(), folders)] == [FOLDER_SIZE]
    assert folders == {name: (tmp_path / name).stat().st_mtime_ns for name in ("", "a", "a/b")}


def test_every_valid_file_name_is_walked(tmp_path: Path) -> None:
    names = [
        "with space",
        'qu"ote',
        "new\nline",
        "tab\t",
        "語",
        "\udcff\udcfe",
        "-rf",
        "a\\b",
        "#",
        "'",
        "x" * 255,
        "👍",
    ]
    for name in names:
        (tmp_path / name).write_text("x")
    found = list(walk(tmp_path, Settings()))
    assert [entry.path for entry in found] == sorted(names)
    assert all(entry.skip is None and entry.size == 1 for entry in found)


def test_links_are_rows_and_their_loops_end(tmp_path: Path) -> None:
    root, outside = tmp_path / "p", tmp_path / "outside"
    for folder in (root / "src", outside):
        folder.mkdir(parents=True)
        (folder / "a.py").write_text("x")
    links = {
        "inside.py": "src/a.py",
        "src/up": "..",
        "folder": "src",
        "out.py": "../outside/a.py",
        "outfolder": str(outside),
        "near": "../p-not",
        "broken": "nowhere",
        "loop": "loop",
    }
    (tmp_path / "p-not").write_text("a name that starts as the project's does")
    for name, target in links.items():
        (root / name).symlink_to(target)
    assert skips(root) == {
        "broken": SkippedFile(SkipReason.NOT_REGULAR, "a broken link to nowhere"),
        "folder": SkippedFile(SkipReason.NOT_REGULAR, "a link to src"),
        "inside.py": SkippedFile(SkipReason.NOT_REGULAR, "a link to src/a.py"),
        "loop": SkippedFile(SkipReason.NOT_REGULAR, "a link that leads to itself to loop"),
        "near": SkippedFile(SkipReason.OUTSIDE, "../p-not"),
        "out.py": SkippedFile(SkipReason.OUTSIDE, "../outside/a.py"),
        "outfolder": SkippedFile(SkipReason.OUTSIDE, str(outside)),
        "src/a.py": None,
        "src/up": SkippedFile(SkipReason.NOT_REGULAR, "a link to ."),
    }


def test_a_root_reached_by_a_link_is_walked(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.py").write_text("x")
    (tmp_path / "real" / "b.py").symlink_to("a.py")
    (tmp_path / "link").symlink_to("real")
    assert skips(tmp_path / "link") == skips(tmp_path / "real")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
def test_irregular_files_are_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / ".gitignore")
    (tmp_path / ".scry").mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(tmp_path / "socket"))
        assert skips(tmp_path) == {
            ".gitignore": SkippedFile(SkipReason.NOT_REGULAR, "a named pipe"),
            "pipe": SkippedFile(SkipReason.NOT_REGULAR, "a named pipe"),
            "socket": SkippedFile(SkipReason.NOT_REGULAR, "a socket"),
        }


@pytest.mark.acceptance("W2")
def test_oversized_file_is_reported_with_size_and_limit(tmp_path: Path) -> None:
    (tmp_path / "big.json").write_bytes(b"x" * 12_300_000)
    (tmp_path / "just.json").write_bytes(b"x" * 1_000_000)
    over = SkippedFile(SkipReason.TOO_LARGE, "12.3 MB, limit 1.0 MB")
    assert skips(tmp_path) == {"big.json": over, "just.json": None}
    assert explain_ignored(tmp_path, "big.json", Settings()) == over
    assert explain_ignored(tmp_path, "just.json", Settings(max_file_bytes=999)) == SkippedFile(
        SkipReason.TOO_LARGE, "1.0 MB, limit 999 bytes"
    )


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Return a folder that any user can enter."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@contextlib.contextmanager
def _as_somebody() -> Generator[None]:
    """Run as another user than root, who may read everything."""
    if sys.platform == "win32" or os.getuid() != 0:
        yield
        return
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are others there")
def test_unreadable_paths_are_rows_with_a_reason(open_folder: Path) -> None:
    (open_folder / "closed" / "inner").mkdir(parents=True)
    (open_folder / "closed.py").write_text("x")
    (open_folder / "open.py").write_text("x")
    for name in ("closed", "closed.py"):
        (open_folder / name).chmod(0)
    with _as_somebody():
        found = skips(open_folder)
    (open_folder / "closed").chmod(0o755)
    denied = SkippedFile(SkipReason.UNREADABLE, "permission denied")
    assert found == {"closed": denied, "closed.py": denied, "open.py": None}


def test_a_missing_root_has_no_rows(tmp_path: Path) -> None:
    assert skips(tmp_path / "gone") == {}


def test_folders_nested_beyond_the_recursion_limit_are_walked(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * 300)
    deep.mkdir(parents=True)
    (deep / "end.py").touch()
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 150)
    try:
        found = list(walk(tmp_path, Settings()))
    finally:
        sys.setrecursionlimit(usual)
    assert [entry.path for entry in found] == ["d/" * 300 + "end.py"]


_PRINT_WALK = """
import sys
from pathlib import Path
from scry.core.settings import Settings
from scry.index.scan.walk import walk
print([entry.path for entry in walk(Path(sys.argv[1]), Settings())])
"""


@pytest.mark.slow
@pytest.mark.acceptance("F10")
def test_walk_order_is_the_same_in_another_process(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number * 7919 % 300:x}{'é' * (number % 3)}").write_text("x")
    orders = {
        subprocess.run(
            [sys.executable, "-c", _PRINT_WALK, str(tmp_path)],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert orders == {f"{[entry.path for entry in walk(tmp_path, Settings())]}\n".encode()}


@pytest.mark.slow
def test_ten_thousand_files_are_walked(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("".join(f"*.x{n}\n/build{n}/\nfoo{n}*bar\n" for n in range(20)))
    for folder in range(200):
        (tmp_path / f"f{folder}").mkdir()
        for name in range(50):
            (tmp_path / f"f{folder}" / f"m{name}.py").touch()
    assert len(list(walk(tmp_path, Settings()))) == 10_001
