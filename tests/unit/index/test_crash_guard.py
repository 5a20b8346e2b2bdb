"""A content is blamed only where a process of its own proves it, and never for a process that was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from scry.core import FileFault, IndexingStage, ParsedFile, load_settings
from scry.index import crash_guard
from scry.index import project_parser as module
from scry.index.crash_guard import CrashGuard, read_blame
from scry.index.parse.isolation import INTERRUPTED
from scry.index.project_parser import ParsedBatch, ProjectParser
from scry.index.scan.walk import walk
from scry.projects import Project, open_project

DIE = """
import os, sys
from pathlib import Path
from scry.index.crash_guard import CrashGuard

guard = CrashGuard(Path(sys.argv[1]), "test")
with guard.watching(b"good", 1.0):
    pass
with guard.watching(b"bad", 1.0):
    os.kill(os.getpid(), 9)
"""

SPIN = """
import sys
from pathlib import Path
from scry.index import crash_guard

crash_guard._MIN_PROCESS_SECONDS = 0.2
with crash_guard.CrashGuard(Path(sys.argv[1]), "test").watching(b"bad", 0.01):
    while True:
        pass
"""


def _end_process(code: str, folder: Path) -> int:
    return subprocess.run([sys.executable, "-c", code, str(folder)], check=False).returncode


def test_a_killed_process_makes_a_suspect_and_blames_nothing(tmp_path: Path) -> None:
    assert _end_process(DIE, tmp_path) == -signal.SIGKILL
    for _ in range(2):  # until something is proved
        guard = CrashGuard(tmp_path, "test")
        assert guard.is_suspect(b"bad")
        assert not guard.is_suspect(b"good")
        assert not guard.blame_of(b"bad")
        guard.close()


def test_acquitted_and_blamed_contents_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _end_process(DIE, tmp_path)
    guard = CrashGuard(tmp_path, "test")
    guard.acquit(b"bad")
    guard.close()
    assert not CrashGuard(tmp_path, "test").is_suspect(b"bad")
    CrashGuard(tmp_path, "test").blame(b"bad", "the parser ends its process (SIGSEGV)")
    assert CrashGuard(tmp_path, "test").blame_of(b"bad") == read_blame(tmp_path, b"bad")
    assert "SIGSEGV" in read_blame(tmp_path, b"bad")
    monkeypatch.setattr(crash_guard, "reading_version", lambda: "next")
    assert not read_blame(tmp_path, b"bad"), "another version tries it again"


def test_a_process_that_never_comes_back_ends_itself(tmp_path: Path) -> None:
    assert _end_process(SPIN, tmp_path) == -signal.SIGVTALRM
    assert CrashGuard(tmp_path, "test").is_suspect(b"bad")


def test_where_nothing_can_be_written_nothing_is_remembered(tmp_path: Path) -> None:
    guard = CrashGuard(tmp_path / "none", "test")
    with guard.watching(b"x", 1.0):
        pass
    guard.close()
    assert not guard.is_suspect(b"x")


def _killed_while_parsing(project: Project, path: str) -> None:
    """Leave the trace of an indexer that was killed while it parsed a file."""

    def kill(*_: object) -> ParsedFile:
        os._exit(1)

    pid = os.fork()
    if pid == 0:
        module.parse = kill
        _read(project, path)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1


def _read(project: Project, path: str) -> ParsedBatch:
    settings = load_settings(project.root, {})
    with ProjectParser(project, settings, "reading") as parser:
        return parser.read_files([entry for entry in walk(project.root, settings, {}) if entry.path == path], {})


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))  # what another test parsed is not known here
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "a.py").write_text("def one(): pass\n")
    project = open_project(tmp_path / "shop")
    project.cache.mkdir(parents=True)
    return project


def test_a_file_that_was_read_while_the_indexer_was_killed_is_read_as_ever(project: Project) -> None:
    _killed_while_parsing(project, "a.py")
    (row,) = _read(project, "a.py").files
    assert row.fault is None
    assert [document.symbol.name for document in row.documents] == ["one"]
    assert not CrashGuard(project.cache, "reading").suspects


@pytest.mark.parametrize(
    ("reason", "is_blamed"), [("the parser ends its process (SIGSEGV)", True), (INTERRUPTED, False)]
)
def test_only_the_end_of_a_process_of_its_own_is_proof(
    project: Project, monkeypatch: pytest.MonkeyPatch, reason: str, is_blamed: bool
) -> None:
    _killed_while_parsing(project, "a.py")
    fault = FileFault(IndexingStage.PARSE, reason)

    def parse_with_fault(path: str, text: str, _: object) -> ParsedFile:
        return module.parse_as_text(path, text, fault)

    monkeypatch.setattr(module, "parse_in_own_process", parse_with_fault)
    (row,) = _read(project, "a.py").files
    assert (row.fault, bool(row.fault_version)) == (fault, is_blamed)
    assert [document.symbol.kind for document in row.documents] == ["text"]
    guard = CrashGuard(project.cache, "reading")
    assert (bool(guard.blamed), bool(guard.suspects)) == (is_blamed, not is_blamed)
    monkeypatch.undo()
    (row,) = _read(project, "a.py").files
    assert (row.fault is not None) == is_blamed
