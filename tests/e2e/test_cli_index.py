"""`scry index`, `scry status` and `scry doctor` on a real project."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from scry.projects import open_project
from scry_protocol.messages import IndexState
from tests.e2e.command_line import SCRY, TIMEOUT, CommandLine
from tests.sample.indexer import IndexerProject, open_indexer_project

pytestmark = pytest.mark.slow


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[IndexerProject]:
    with open_indexer_project(tmp_path / "shop") as sample:
        yield sample


def state(out: str) -> IndexState:
    return msgspec.json.decode(out, type=IndexState)


def test_index_command_completes_the_index_and_reports(sample: IndexerProject) -> None:
    done = CommandLine(sample.root).run("index")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"{sample.root}: 3 files ready, after ")
    assert sample.doc_ids_named("add_to_cart") == ["./shop/cart.py::add_to_cart"]


@pytest.mark.acceptance("J7")
def test_index_and_status_json_are_the_wire_index_state(sample: IndexerProject) -> None:
    scry = CommandLine(sample.root)
    before = state(scry.run("status", "--json").out)
    assert (before.state, before.generation, before.files_indexed) == ("starting", 0, 0)
    done = scry.run("index", "--json")
    assert done.out.count("\n") == 1
    assert (state(done.out).state, state(done.out).files_indexed) == ("ready", 3)
    after = scry.run("status", "--json").out
    states = [msgspec.structs.replace(state(out), message="", graph="") for out in (after, done.out)]
    assert states[0] == states[1]  # but for the code graph, which may be completed meanwhile


def test_status_for_people_starts_nothing(sample: IndexerProject) -> None:
    done = CommandLine(sample.root).run("status")
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines()[:3] == [
        str(sample.root),
        "  state    starting",
        "  files    0 of 0 indexed, 0 left out",
    ]
    assert not sample.project.cache.exists()


def test_rebuild_recreates_the_index(sample: IndexerProject) -> None:
    scry = CommandLine(sample.root)
    first = state(scry.run("index", "--json").out)
    second = state(scry.run("index", "--rebuild", "--json").out)
    assert second.generation > first.generation
    assert (second.state, second.files_indexed) == ("ready", 3)


@pytest.mark.acceptance("F11")
def test_answers_report_a_pause_until_resumed(sample: IndexerProject) -> None:
    scry = CommandLine(sample.root)
    assert scry.run("index", "--pause").status == 1
    scry.run("index")
    assert state(scry.run("index", "--pause", "--json").out).state == "paused"
    sample.write_file("shop/refund.py", "def refund():\n    pass\n")
    answer = scry.find("refund")
    assert answer.index.state == "paused"
    assert "indexing is paused" in scry.run("refund").out
    assert "  state    paused" in scry.run("status").out
    assert state(scry.run("index", "--resume", "--json").out).state == "ready"
    assert scry.find("refund").results[0].doc_id == "./shop/refund.py::refund"


def test_two_actions_at_once_are_refused(sample: IndexerProject) -> None:
    done = CommandLine(sample.root).run("index", "--pause", "--rebuild", "--json")
    assert done.status == 2
    assert json.loads(done.out)["error"]["field"] == "action"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such terminal")
def test_terminal_shows_a_bar_and_stdout_stays_clean(sample: IndexerProject) -> None:
    import pty

    sample.write_many_files(1500)
    terminal, theirs = pty.openpty()
    process = subprocess.Popen([*SCRY, "step_7_3", "--json"], cwd=sample.root, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown = _read_all(terminal)
    assert process.stdout is not None
    out = process.stdout.read()
    process.stdout.close()
    assert process.wait(TIMEOUT) == 0
    assert "indexing files" in shown
    assert json.loads(out)["index"]["state"] == "ready"
    assert out.count(b"\n") == 1
    assert shown.rstrip().endswith("\x1b[2K") or "\x1b[?25h" in shown, "the bar is taken away, the cursor comes back"


def _read_all(terminal: int) -> str:
    data = b""
    try:
        while piece := os.read(terminal, 65536):
            data += piece
    except OSError:  # Linux says so when the other side is closed
        pass
    finally:
        os.close(terminal)
    return data.decode()


def test_doctor_reports_no_problem_in_a_sound_project(sample: IndexerProject) -> None:
    scry = CommandLine(sample.root)
    scry.run("index")
    done = scry.run("doctor", "--json")
    assert (done.status, done.err) == (0, "")
    report = json.loads(done.out)
    levels = {check["name"]: check["level"] for check in report["checks"]}
    expected = [
        "python",
        "packages",
        "grammars",
        "git",
        "cache",
        "data",
        "config",
        "settings",
        "project",
        "index",
        "files",
        "history",
        "notes",
        "indexer",
        "log",
        "learnt",
        "agents",
        "http",
        "team",
        "persona",
        "memory",
        "log data",
        "projects",
        "access",
    ]
    assert list(levels) == expected
    assert {name for name, level in levels.items() if level == "fail"} == set()
    assert levels["index"] == levels["indexer"] == levels["grammars"] == "ok"
    assert report["ok"] is True
    text = scry.run("doctor").out
    assert all(f"{name} " in text for name in expected)


def test_doctor_finds_a_damaged_index_and_its_fix_works(sample: IndexerProject) -> None:
    scry = CommandLine(sample.root)
    scry.run("index")
    sample.end()
    database = sample.project.cache / "index.sqlite"
    content = database.read_bytes()
    database.write_bytes(content[:4096] + bytes(len(content) - 4096))
    database.with_name("index.sqlite-wal").unlink(missing_ok=True)
    done = scry.run("doctor", "--json")
    assert done.status == 1
    found = {check["name"]: check for check in json.loads(done.out)["checks"]}["index"]
    assert found["level"] == "fail"
    assert "scry index --rebuild" in found["advice"]
    assert state(scry.run("index", "--rebuild", "--json").out).state == "ready"
    assert scry.run("doctor").status == 0


def test_doctor_finds_missing_words(sample: IndexerProject) -> None:
    scry = CommandLine(sample.root)
    scry.run("index")
    sample.end()
    (words,) = open_project(sample.root).cache.glob("words-*")
    for path in words.iterdir():
        path.unlink()
    done = scry.run("doctor", "--json")
    found = {check["name"]: check for check in json.loads(done.out)["checks"]}["index"]
    assert (done.status, found["level"]) == (1, "fail")


def test_doctor_reports_invalid_settings_and_project(tmp_path: Path) -> None:
    done = CommandLine(tmp_path, {"SCRY_MAX_FILE_BYTES": "lots"}).run("doctor", "--root", "nowhere", "--json")
    found = {check["name"]: check for check in json.loads(done.out)["checks"]}
    assert done.status == 1
    assert found["settings"]["level"] == found["project"]["level"] == "fail"
    assert "SCRY_MAX_FILE_BYTES" in found["settings"]["found"]


def test_doctor_without_git_warns(sample: IndexerProject) -> None:
    done = CommandLine(sample.root, {"PATH": "/nonexistent"}).run("doctor", "--json")
    found = {check["name"]: check for check in json.loads(done.out)["checks"]}["git"]
    assert (done.status, found["level"]) == (0, "warn")
