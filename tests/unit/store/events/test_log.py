"""The log of events on disk: in order, once, for several writers, and refused rather than harmed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from scry.core import FEEDBACK, QUERY, USE, BadRequest, EventFilter, LogEvent, LogUnavailable
from scry.core.platform import network_file_system_type
from scry.store.events import EVENT_MIGRATIONS, EVENTS_FILE, EventLog, EventReader
from scry.store.precious import list_kept_files


def open_log(folder: Path) -> EventLog:
    return EventLog.open(folder, lambda: folder.mkdir(parents=True, exist_ok=True))


def open_reader(folder: Path) -> EventReader:
    reader = EventReader.open(folder)
    assert reader
    return reader


def query(name: str, time_ms: int = 0, text: str = "x") -> LogEvent:
    return LogEvent(QUERY, time_ms, f'{{"mode":"find","query":"{text}","results":[]}}', name)


def use(name: str, act: str, time_ms: int = 0) -> LogEvent:
    return LogEvent(USE, time_ms, '{"rank":1,"how":"jump"}', name, act)


def sequences(folder: Path) -> list[int]:
    return [each.sequence for each in open_reader(folder).iter_events()]


@pytest.mark.acceptance("E4")
def test_events_of_two_writers_are_ordered_without_gaps(tmp_path: Path) -> None:
    one, other = open_log(tmp_path), open_log(tmp_path)
    for number in range(10):
        (one if number % 2 else other).append([query(f"q_{number}")])
    assert [each.event.query_id for each in open_reader(tmp_path).iter_events()] == [f"q_{n}" for n in range(10)]
    assert sequences(tmp_path) == list(range(1, 11))


@pytest.mark.acceptance("E2")
def test_query_and_use_are_logged_once_without_gaps(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    assert log.append([query("q_1"), query("q_1"), use("q_1", "a"), use("q_1", "a")]) == [True, False, True, False]
    assert (
        log.append([use("q_1", "b"), LogEvent(FEEDBACK, 0, "{}", "q_1"), LogEvent(FEEDBACK, 0, "{}", "q_1")])
        == [True] * 3
    )
    assert sequences(tmp_path) == [1, 2, 3, 4, 5]


def test_event_order_ignores_a_clock_set_back(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.append([query("q_1", 5_000_000), query("q_2", 1_000)])
    assert [each.event.query_id for each in open_reader(tmp_path).recent_events(2)] == ["q_2", "q_1"]


@pytest.mark.acceptance("E1", "E4")
def test_a_damaged_log_is_kept_and_a_new_one_begun(tmp_path: Path) -> None:
    (tmp_path / EVENTS_FILE).write_bytes(b"nonsense " * 1000)
    with pytest.raises(LogUnavailable, match="damaged"):
        EventReader.open(tmp_path)
    log = open_log(tmp_path)
    log.append([query("q_1")])
    assert sequences(tmp_path) == [1]
    (kept,) = list_kept_files(tmp_path / EVENTS_FILE)
    assert kept.path.read_bytes() == b"nonsense " * 1000
    assert "the log of events" in kept.report


def test_a_log_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    open_log(tmp_path).close()
    with sqlite3.connect(tmp_path / EVENTS_FILE) as database:
        database.execute(f"PRAGMA user_version={len(EVENT_MIGRATIONS) + 1}")
    for opened in (open_log, open_reader):
        with pytest.raises(LogUnavailable, match="newer version"):
            opened(tmp_path)


def test_removed_log_is_recreated(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    assert log.is_in_place()
    (tmp_path / EVENTS_FILE).unlink()
    assert not log.is_in_place()


def test_missing_log_opens_as_none(tmp_path: Path) -> None:
    assert EventReader.open(tmp_path) is None


@pytest.mark.acceptance("E4")
@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM events",
        "UPDATE events SET body = ''",
        "DROP VIEW usage",
        "PRAGMA user_version=9",
        "ATTACH '/tmp/other.sqlite' AS other",
        "VACUUM INTO '/tmp/other.sqlite'",
        "CREATE TEMP TABLE t (x)",
        "SELECT load_extension('x')",
        "SELECT 1; DELETE FROM events",
        "nonsense",
        "",
    ],
)
def test_sql_queries_are_read_only(tmp_path: Path, sql: str) -> None:
    open_log(tmp_path).append([query("q_1")])
    with pytest.raises(BadRequest, match=r"^sql: "):
        open_reader(tmp_path).run_select(sql)
    assert sequences(tmp_path) == [1]


def test_a_select_answers_with_names_and_rows(tmp_path: Path) -> None:
    open_log(tmp_path).append([query("q_1"), use("q_1", "a")])
    table = open_reader(tmp_path).run_select(
        "WITH u AS (SELECT how, count(*) AS n FROM usage GROUP BY how) SELECT * FROM u"
    )
    assert (list(table.columns), [tuple(row) for row in table.rows]) == (["how", "n"], [("jump", 1)])


def test_event_filter_selects_events_of_its_queries(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.append([query("q_1", 1000, "the secret"), query("q_2", 2000), use("q_1", "a", 3000), use("q_2", "b", 3000)])
    log.append([LogEvent(FEEDBACK, 4000, '{"comment":"a Secret \\"too\\""}', "q_2")])
    reader = open_reader(tmp_path)

    def found(selection: EventFilter) -> list[int]:
        return [each.sequence for each in reader.select_events(selection)]

    assert found(EventFilter()) == [1, 2, 3, 4, 5]
    assert found(EventFilter(query_id="q_2")) == [2, 4, 5]
    assert found(EventFilter(text="SECRET")) == [1, 3, 5]
    assert found(EventFilter(text='secret "too')) == [5]
    assert found(EventFilter(since=2000, until=3000)) == [2, 4, 5]
    assert found(EventFilter(since=3500)) == [5]
    assert found(EventFilter(text="nothing of it")) == []


def test_network_file_system_is_detected_by_mount() -> None:
    mounts = (
        b"21 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
        b"22 21 0:1 / /home rw shared:1 - nfs4 server:/home rw\n"
        b"23 22 0:2 / /home/me/local\\040disk rw - btrfs /dev/sdb rw\n"
        b"24 21 0:3 / /mnt/share rw - cifs //server/share rw\n"
    )
    assert network_file_system_type(b"/home/me/data", mounts) == "nfs4"
    assert network_file_system_type(b"/mnt/share", mounts) == "cifs"
    assert network_file_system_type(b"/home/me/local disk/data", mounts) is None
    assert network_file_system_type(b"/homes/me", mounts) is None
