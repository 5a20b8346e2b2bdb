"""`scry open`, `copy`, `feedback` and `log` as a person runs them."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scry.core import data_home
from scry.projects import open_project
from scry.store.events import EVENTS_FILE
from scry.store.precious import list_backups, list_kept_files
from scry_protocol.messages import Answer
from tests.e2e.command_line import SCRY, CommandLine, Done
from tests.live_files import read_live, walk_live
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = pytest.mark.slow

SHOW = 'sh -c \'echo "$0" "$@" > shown\''
"""An editor that records its arguments."""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    for name in ("DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    for name in ("NVIM", "TERM_PROGRAM", "VISUAL", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    return CommandLine(make_repository(tmp_path / "shop", SHOP), {"EDITOR": SHOW})


def printed(done: Done) -> dict[str, Any]:
    assert done.status == 0, done.err
    assert done.out.count("\n") == 1
    return json.loads(done.out)


def events(shop: CommandLine) -> list[tuple[str, Mapping[str, Any]]]:
    """Return all events, oldest first."""
    lines = shop.run("log", "export").out.splitlines()
    return [(each["kind"], each["body"]) for each in map(json.loads, lines)]


def rank_of(answer: Answer, doc_id: str) -> str:
    return next(str(result.rank) for result in answer.results if result.doc_id == doc_id)


@pytest.mark.acceptance("E1", "E2", "D1")
def test_result_is_opened_at_its_current_place_by_another_process(shop: CommandLine) -> None:
    answer = shop.find("compute_total")
    cart = shop.folder / "shop/cart.py"
    cart.write_text("import os\n\n" + cart.read_text())
    shop.run("index")
    done = shop.run("open", answer.query_id, rank_of(answer, "./shop/cart.py::Cart.compute_total"))
    assert (done.status, done.out, done.err) == (0, "", "")
    assert (shop.folder / "shown").read_text().split() == [str(cart)]
    kinds = [(kind, body.get("how"), body.get("result_used")) for kind, body in events(shop)]
    assert kinds == [("scry.query", None, None), ("scry.use", "open", "./shop/cart.py::Cart.compute_total")]


@pytest.mark.acceptance("E2")
def test_open_reports_the_line_and_the_use(shop: CommandLine, tmp_path: Path) -> None:
    program = tmp_path / "vim"
    program.write_text('#!/bin/sh\necho drawing\necho "$@" > shown\n')
    program.chmod(0o755)
    answer = shop.find("compute_total")
    rank = rank_of(answer, "./shop/cart.py::Cart.compute_total")
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    report = printed(shop.run("open", answer.query_id, rank, "--json", EDITOR="vim", PATH=path))
    assert report["command"] == ["vim", "+11", str(shop.folder / "shop/cart.py")]
    assert report["recorded"]["recorded"] is True
    assert report["result"]["doc_id"] == "./shop/cart.py::Cart.compute_total"
    assert (shop.folder / "shown").read_text() == f"+11 {shop.folder}/shop/cart.py\n"


def last_answer(done: Done) -> str:
    """Return the name of the answer that a command with a number alone says it takes."""
    assert done.status == 0, done.err
    said = re.match(r"scry: of the last answer, (q_\w+) compute_total$", done.err.splitlines()[0])
    assert said, done.err
    return said[1]


@pytest.mark.acceptance("E2", "D1")
def test_number_alone_means_the_last_answer_of_this_terminal(shop: CommandLine) -> None:
    earlier = shop.find("receipt")
    answer = shop.find("compute_total")
    rank = rank_of(answer, "./shop/cart.py::Cart.compute_total")
    shop.run("why", answer.results[-1].doc_id, "receipt")  # an explanation is no answer to choose from
    other_terminal = [*SCRY, "find", "receipt"]
    subprocess.run(other_terminal, cwd=shop.folder, check=True, capture_output=True, start_new_session=True)
    opened = shop.run("open", rank)
    assert (last_answer(opened), opened.out) == (answer.query_id, "")
    assert (shop.folder / "shown").read_text().split() == [str(shop.folder / "shop/cart.py")]
    copied = shop.run("copy", rank)
    assert (last_answer(copied), copied.out) == (answer.query_id, "shop/cart.py:11-13\n")
    shown = shop.run("detail", rank, "--json")
    assert (last_answer(shown), printed(shown)["query_id"]) == (answer.query_id, answer.query_id)
    rated = shop.run("feedback", "bad", "--comment", "old")
    assert (last_answer(rated), rated.out) == (answer.query_id, "Noted: bad.\n")
    assert shop.run("detail", earlier.query_id, "1", "--json").err == ""
    assert "there is no result 99" in shop.run("open", "99").err
    assert "which result? Give its place in the answer, such as scry copy q_1 1" in shop.run("copy", "q_1").err
    assert "good or bad? Say which, such as scry feedback q_1 good" in shop.run("feedback", "q_1").err


def test_number_alone_where_nothing_was_asked_is_explained(shop: CommandLine) -> None:
    for command, words in (("open", "1"), ("copy", "1"), ("detail", "1"), ("feedback", "good")):
        done = shop.run(command, words)
        assert (done.status, done.out) == (2, "")
        assert f"nothing was asked of this project in this terminal; name the answer: scry {command} q_… {words}" in (
            done.err
        )


@pytest.mark.acceptance("D1")
def test_failed_open_is_explained_and_not_logged(shop: CommandLine) -> None:
    answer = shop.find("compute_total receipt")
    name = answer.query_id
    commit = next((str(r.rank) for r in answer.results if r.content_type == "commit"), "1000")
    (shop.folder / "shop/mail.py").unlink()
    gone = rank_of(answer, "./shop/mail.py::send_receipt")
    for words, message in (
        ((name, "99"), "rank: there is no result 99"),
        ((name, "0"), "rank: there is no result 0"),
        ((name, commit), "rank: "),
        ((name, gone), "is gone since this was answered"),
        (("q_20201121_092600_abcd2345", "1"), "query_id: no answer in this project"),
        (("nonsense", "1"), "query_id: 'nonsense' is no name of an answer"),
    ):
        done = shop.run("open", *words)
        assert (done.status, done.out) == (2, "")
        assert message in done.err
    assert "set EDITOR" in shop.run("open", name, "1", EDITOR="").err
    assert "there is no program nowhere-vim" in shop.run("open", name, "1", EDITOR="nowhere-vim").err
    assert [kind for kind, _ in events(shop)] == ["scry.query"]


@pytest.mark.acceptance("E2")
def test_location_is_copied_and_printed(shop: CommandLine) -> None:
    answer = shop.find("compute_total")
    rank = rank_of(answer, "./shop/cart.py::Cart.compute_total")
    assert shop.run("copy", answer.query_id, rank).out == "shop/cart.py:11-13\n"
    assert printed(shop.run("copy", answer.query_id, rank, "--json"))["text"] == "shop/cart.py:11-13"
    assert [body.get("how") for _, body in events(shop)] == [None, "copy", "copy"]


@pytest.mark.acceptance("E2", "D1")
def test_copy_takes_the_lines_of_the_file_as_it_is_now(shop: CommandLine) -> None:
    answer = shop.find("compute_total receipt")
    copy = ("copy", answer.query_id, rank_of(answer, "./shop/cart.py::Cart.compute_total"))
    cart, before = shop.folder / "shop/cart.py", (shop.folder / "shop/cart.py").read_text()
    cart.write_text("import os\n\n" + before)
    assert shop.run(*copy).out == "shop/cart.py:13-15\n"
    assert printed(shop.run(*copy, "--json"))["text"] == "shop/cart.py:13-15"
    shop.run("index")
    assert shop.run(*copy).out == "shop/cart.py:13-15\n"
    cart.write_text(before.replace("compute_total", "add_up"))
    for _ in range(2):
        gone = shop.run(*copy)
        assert (gone.status, gone.out) == (2, "")
        assert "./shop/cart.py::Cart.compute_total is gone since this was answered" in gone.err
        shop.run("index")
    (shop.folder / "shop/mail.py").unlink()
    mail = shop.run("copy", answer.query_id, rank_of(answer, "./shop/mail.py::send_receipt"))
    assert (mail.status, "is gone since this was answered" in mail.err) == (2, True)
    assert [body["how"] for kind, body in events(shop) if kind == "scry.use"] == ["copy"] * 3, "none of what is gone"


@pytest.mark.acceptance("F14", "E2")
def test_further_place_is_named_in_the_answer_and_used_by_its_doc_id(shop: CommandLine) -> None:
    parcels = "".join(f"def weigh_parcel_{n}(parcel):\n    return {n}\n\n\n" for n in range(9))
    (shop.folder / "shop/parcels.py").write_text(parcels)
    text = shop.run("find", "weigh parcel", "--limit", "3").out
    assert re.search(r" \| \+\d more in parcels.py: weigh_parcel_\d, (weigh_parcel_\d, )+…\)$", text, re.MULTILINE)
    answer = shop.find("weigh parcel", "--limit", "3")
    place = answer.results[0].further[1]
    which = (answer.query_id, "1", "--doc-id", place.doc_id)
    line = place.location.range.start.line + 1
    assert shop.run("copy", *which).out == f"shop/parcels.py:{line}-{line + 1}\n"
    assert shop.run("open", *which).status == 0
    assert (shop.folder / "shown").read_text().split() == [str(shop.folder / "shop/parcels.py")]
    assert f"def {place.title}(parcel)" in shop.run("detail", *which).out
    used = [body for kind, body in events(shop) if kind == "scry.use"]
    assert [body["how"] for body in used] == ["copy", "open", "detail"]
    assert {(body["rank"], body["result_used"], body["further"]) for body in used} == {(1, place.doc_id, True)}
    refused = shop.run("copy", answer.query_id, "1", "--doc-id", "./shop/cart.py")
    assert (refused.status, "is no further place of result 1" in refused.err) == (2, True)


@pytest.mark.acceptance("E3")
def test_feedback_is_good_or_bad(shop: CommandLine) -> None:
    answer = shop.find("receipt")
    assert shop.run("feedback", answer.query_id, "good", "--comment", "just it").out == "Noted: good.\n"
    rated = printed(shop.run("feedback", answer.query_id, "bad", "--rank", "1", "--json"))
    assert rated == {"query_id": answer.query_id, "recorded": True, "note": "", "text": ""}
    for words in ((answer.query_id, "fine"), ("q_20201121_092600_abcd2345", "good")):
        assert shop.run("feedback", *words).status == 2
    assert [(body["signal"], body["comment"]) for _, body in events(shop)[1:]] == [("good", "just it"), ("bad", "")]


@pytest.mark.acceptance("E3")
def test_answer_is_rated_from_another_folder(shop: CommandLine, tmp_path: Path) -> None:
    assert shop.run("project", "add").status == 0
    answer = shop.find("receipt")
    (tmp_path / "elsewhere").mkdir()
    home = tmp_path / "home"
    home.mkdir()
    for folder in (tmp_path / "elsewhere", home):
        away = CommandLine(folder, {**shop.environ, "HOME": str(home)})
        assert away.run("feedback", answer.query_id, "good").out == "Noted: good.\n"
    assert [body["signal"] for _, body in events(shop)[1:]] == ["good", "good"]


@pytest.mark.acceptance("E4", "J7")
def test_log_is_shown_queried_and_exported(shop: CommandLine, tmp_path: Path) -> None:
    assert "nothing yet" in shop.run("log").out
    assert "Nothing has been logged" in shop.run("log", "--sql", "SELECT 1").out
    answer = shop.find("a \x1b[31mred\x1b[0m receipt")
    shop.run("copy", answer.query_id, "1")
    shown = shop.run("log", "--limit", "2").out
    assert "\\x1b[31mred" in shown
    assert "\x1b" not in shown
    report = printed(shop.run("log", "--json", "--limit", "1"))
    assert [event["kind"] for event in report["events"]] == ["scry.use"]
    assert report["is_on"] is True
    table = printed(shop.run("log", "--sql", "SELECT mode, queries, used FROM modes", "--json"))
    assert table == {"columns": ["mode", "queries", "used"], "rows": [["find", 1, 1]]}
    assert shop.run("log", "--sql", "SELECT mode, used FROM modes").out == "mode  used\nfind     1\n"
    assert shop.run("log", "--sql", "DELETE FROM events").err == "scry: sql: only SELECT is allowed here\n"
    target = tmp_path / "events.jsonl"
    assert printed(shop.run("log", "export", str(target), "--json"))["events"] == 2
    assert [json.loads(each)["sequence"] for each in target.read_text().splitlines()] == [1, 2]
    assert "exists already" in shop.run("log", "export", str(target)).err


@pytest.mark.acceptance("E4")
def test_log_survives_the_index_in_the_repository_folder(shop: CommandLine, tmp_path: Path) -> None:
    answer = shop.find("receipt")
    shop.run("cache", "clear")
    assert printed(shop.run("copy", answer.query_id, "1", "--json"))["recorded"] is True
    tree = CommandLine(tmp_path / "tree")
    subprocess.run(["git", "worktree", "add", "-q", str(tree.folder)], cwd=shop.folder, check=True)
    tree.find("receipt")
    assert [kind for kind, _ in events(tree)] == ["scry.query", "scry.use", "scry.query"]
    assert len(list(data_home().iterdir())) == 1


@pytest.mark.acceptance("E4")
def test_logging_is_switched_off_and_on(shop: CommandLine) -> None:
    assert "Logging is off" in shop.run("log", "off").out
    answer = shop.find("receipt")
    assert "asked while the log was off" in shop.run("feedback", answer.query_id, "good").out
    assert "logging is off" in shop.run("log").out
    assert printed(shop.run("log", "on", "--json"))["is_on"] is True
    shop.find("cart")
    assert [body["query"] for _, body in events(shop)] == ["cart"]
    shop.run("find", "mail", SCRY_LOG="off")
    assert len(events(shop)) == 1
    assert "decides otherwise" in shop.run("log", "on", SCRY_LOG="off").err


@pytest.mark.acceptance("E4")
def test_log_forget_shows_confirms_and_removes_for_good(shop: CommandLine) -> None:
    kept, secret = shop.find("receipt"), shop.find("marmalade")
    assert shop.run("log", "forget").status == 2
    unasked = shop.run("log", "forget", "--text", "marmalade")
    assert (unasked.status, "1 event" in unasked.out, "add --yes" in unasked.err) == (2, True, True)
    assert printed(shop.run("log", "forget", "--text", "marmalade", "--json"))["removed"] is False
    assert printed(shop.run("log", "forget", "--text", "marmalade", "--yes", "--json"))["answers"] == 1
    data = open_project(shop.folder).data
    assert b"marmalade" not in b"".join(read_live(path) for path, _ in walk_live(data) if path.is_file())
    assert shop.run("copy", secret.query_id, "1").status == 2
    assert shop.run("copy", kept.query_id, "1").status == 0
    shop.run("log", "forget", "--since", "1h", "--yes")
    assert [kind for kind, _ in events(shop)] == ["scry.forget", "scry.forget"]
    assert "is no time" in shop.run("log", "forget", "--since", "yesterday").err


@pytest.mark.acceptance("S2")
def test_purge_shows_and_removes_the_log_and_the_answers(shop: CommandLine) -> None:
    shop.find("receipt")
    data = open_project(shop.folder).data
    assert {path.name for path in data.iterdir()} >= {"events.sqlite", "answers.sqlite"}
    shown = printed(shop.run("purge", "--json"))
    assert str(data) in {entry["path"] for entry in shown["entries"]}
    shop.run("purge", "--yes")
    assert not data.exists()


@pytest.mark.acceptance("E4")
def test_gigabyte_log_suggests_compaction_and_loses_nothing(shop: CommandLine) -> None:
    shop.run("find", "compute_total")
    assert "scry log compact" not in shop.run("log").out
    os.truncate(open_project(shop.folder).data / EVENTS_FILE, 1_100_000_000)  # a hole: it takes no room on the disk
    done = shop.run("log")
    assert done.status == 0
    assert "the log of events is 1.1 GB: scry log compact makes it smaller" in done.out + done.err
    assert [kind for kind, _ in events(shop)] == ["scry.query"]


@pytest.mark.acceptance("E1")
def test_damaged_log_is_kept_and_restored_from_its_backup(shop: CommandLine) -> None:
    first = shop.find("receipt").query_id
    log = open_project(shop.folder).data / "events.sqlite"
    eventually(lambda: list_backups(log), "a backup of the log, which the resting indexer makes")
    journal = log.with_name(f"{log.name}-wal")  # what it holds is not damaged
    eventually(lambda: not journal.exists() or not journal.stat().st_size, "all pages in the log itself")
    log.write_bytes(b"nonsense " * 1000)
    done = shop.run("find", "receipt", "--json")
    assert done.status == 0
    assert json.loads(done.out)["results"]
    assert done.err == ""
    logged = [json.loads(line)["query_id"] for line in shop.run("log", "export").out.splitlines()]
    assert logged == [first, json.loads(done.out)["query_id"]]
    assert "was damaged" in printed(shop.run("status", "--json"))["message"]
    assert "was damaged" in shop.run("doctor").out
    (kept,) = list_kept_files(log)
    assert kept.path.read_bytes() == b"nonsense " * 1000


@pytest.mark.needs("resource")
@pytest.mark.acceptance("E1", "E4")
def test_full_disk_prints_one_line_and_loses_no_acknowledged_event(shop: CommandLine) -> None:
    """Limit the file size to zero, which acts like a full disk on any machine."""
    import resource  # Windows has none

    answer = shop.find("receipt")
    assert printed(shop.run("copy", answer.query_id, "1", "--json"))["recorded"] is True
    before = events(shop)

    def no_file_may_grow() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*SCRY, *words], cwd=shop.folder, capture_output=True, text=True, check=False, preexec_fn=no_file_may_grow
        )

    done = run("find", "receipt", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["results"]
    assert "can't be kept" in json.loads(done.stdout)["index"]["message"]
    assert done.stderr == ""
    refused = run("feedback", answer.query_id, "good")
    assert refused.stderr == ""
    assert (refused.returncode, "the disk is full" in refused.stdout) == (1, True)
    assert events(shop) == before
    assert printed(shop.run("feedback", answer.query_id, "good", "--json"))["recorded"] is True
    assert len(events(shop)) == len(before) + 1


@pytest.mark.acceptance("U3")
def test_insights_count_what_was_asked_and_opened(shop: CommandLine, tmp_path: Path) -> None:
    answer = shop.find("compute_total")
    shop.run("open", answer.query_id, rank_of(answer, "./shop/cart.py::Cart.compute_total"))
    shop.run("find", "zebra path:nowhere/")
    page = tmp_path / "page.html"
    found = printed(shop.run("insights", "--json", "--html", str(page)))
    insights = found["insights"]
    assert (insights["questions"], insights["chosen"], insights["used"]) == (2, 1, 1)
    assert insights["files"] == [{"path": "shop/cart.py", "chosen": 1, "questions": 1}]
    assert [each["query"] for each in insights["in_vain"]] == ["zebra path:nowhere/"]
    assert page.read_bytes().startswith(b"<!doctype html>")
    assert page.stat().st_mode & 0o077 == 0
    off = shop.run("insights", SCRY_LOG="false")
    assert "The log is off" in off.out
    assert "compute_total" not in off.out  # nothing but what is listed: it was answered
    assert shop.run("insights", "--days", "0").status == 2
    assert shop.run("insights", "--html", str(tmp_path / "no" / "page.html")).status == 2
