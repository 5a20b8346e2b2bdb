"""Storing, logging, using and rating answers."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scry.core import BadRequest, config_home, load_settings, new_query_id
from scry.engine.activity import TYPING_SETTLE_S, Recorder
from scry.engine.response import record_answer, record_feedback, record_use
from scry.projects import Project, open_project
from scry.store import answers as answer_store
from scry.store.events import EventReader
from scry.store.events import log as event_store
from scry_protocol.messages import Answer, FeedbackParams, FindParams, UseParams
from tests.polling import eventually
from tests.unit.surfaces.render.sample_answers import FUSE
from tests.unit.surfaces.render.sample_answers import answer as sample


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name in ("CACHE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    (tmp_path / "shop").mkdir()
    return open_project(tmp_path / "shop")


@pytest.fixture
def recorder(project: Project) -> Iterator[Recorder]:
    recorder = Recorder(project, load_settings(None, {}), "cli")
    yield recorder
    recorder.close()


def record(recorder: Recorder, query: str = "where is it", picker: str | None = None) -> Answer:
    answer = msgspec.structs.replace(
        sample(FUSE, msgspec.structs.replace(FUSE, rank=2)), query=query, query_id=new_query_id()
    )
    return record_answer(recorder, answer, FindParams(query, picker=picker, limit=7))


def events(project: Project) -> list[tuple[str, dict[str, Any]]]:
    reader = EventReader.open(project.data)
    return [] if reader is None else [(each.event.kind, json.loads(each.event.body)) for each in reader.iter_events()]


def queries(project: Project) -> list[str]:
    return [body["query"] for kind, body in events(project) if kind == "scry.query"]


@pytest.mark.acceptance("E1")
def test_logged_query_names_the_oracles_of_each_result(recorder: Recorder, project: Project) -> None:
    answer = record(recorder)
    recorder.close()
    ((kind, body),) = events(project)
    assert kind == "scry.query"
    assert (body["mode"], body["query"], body["options"]["limit"]) == ("find", "where is it", 7)
    assert (body["surface"], body["index"]["state"]) == ("cli", answer.index.state)
    assert [result["doc_id"] for result in body["results"]] == [result.doc_id for result in answer.results]
    for logged, result in zip(body["results"], answer.results, strict=True):
        assert {name: (found["rank"], found["raw_score"]) for name, found in logged["contributions"].items()} == {
            name: (found.rank, found.raw_score) for name, found in result.contributions.items()
        }
        assert logged["annotations"] == msgspec.to_builtins(result.annotations)


@pytest.mark.acceptance("D1")
def test_stored_answer_is_readable_by_another_process(recorder: Recorder, project: Project) -> None:
    answer = record(recorder)
    other = Recorder(project, load_settings(None, {}), "lsp")
    assert other.answers.require(answer.query_id).answer == answer
    found = other.answers.latest_with(answer.results[0].doc_id)
    assert found
    assert found.query_id == answer.query_id


@pytest.mark.acceptance("D1", "E3")
def test_unknown_query_id_or_rank_is_explained(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch, project: Project
) -> None:
    answer = record(recorder)
    count = len(answer.results)
    for name, rank, words in (
        ("q_1", 1, "no name of an answer"),
        ("q_20991121_092600_abcd2345", 1, "no answer in this project"),
        (answer.query_id, count + 1, f"no result {count + 1}: .* has {count} results"),
    ):
        with pytest.raises(BadRequest, match=words):
            record_use(recorder, UseParams(name, rank, "jump", "a"))
    with pytest.raises(BadRequest, match="no name of an answer"):
        record_feedback(recorder, FeedbackParams("q_1", "good"))
    few = Recorder(project, load_settings(None, {}), "cli")
    monkeypatch.setattr(few.answers, "_store", answer_store.AnswerStore(project.data, lambda: None, max_answers=1))
    record(few, "one more")
    with pytest.raises(BadRequest, match="has expired: the last 1,000"):
        few.answers.require(answer.query_id)


@pytest.mark.acceptance("E2")
def test_repeated_use_is_acknowledged_once(recorder: Recorder, project: Project) -> None:
    answer = record(recorder)
    first, again = (record_use(recorder, UseParams(answer.query_id, 1, "jump", "act-1")) for _ in range(2))
    assert (first.recorded, again.recorded, again.note) == (True, False, "this act was recorded before")
    kinds = [kind for kind, _ in events(project)]
    assert kinds == ["scry.query", "scry.use"]
    body = events(project)[1][1]
    assert (body["rank"], body["result_used"], body["how"]) == (1, answer.results[0].doc_id, "jump")


@pytest.mark.acceptance("E2", "E3")
def test_expired_answer_can_be_rated_and_used(recorder: Recorder, project: Project) -> None:
    answer = record(recorder)
    recorder.close()
    (project.data / answer_store.ANSWERS_FILE).unlink()
    assert record_feedback(recorder, FeedbackParams(answer.query_id, "bad", "not this")).recorded
    assert record_use(recorder, UseParams(answer.query_id, 1, "open", "act-1")).recorded
    assert events(project)[2][1]["result_used"] == answer.results[0].doc_id
    with pytest.raises(BadRequest, match="no result 99"):
        record_use(recorder, UseParams(answer.query_id, 99, "open", "act-2"))


@pytest.mark.acceptance("E1")
def test_typed_query_is_logged_after_the_debounce(recorder: Recorder, project: Project) -> None:
    typed = [record(recorder, "where is it"[:end], picker="p") for end in range(1, 5)]
    began = time.monotonic()
    record(recorder, "elsewhere", picker="other")
    eventually(lambda: len(queries(project)) == 2, "both queries are logged")
    assert time.monotonic() - began > TYPING_SETTLE_S * 0.9, "no sooner; a busy machine only takes longer"
    assert queries(project) == [typed[-1].query, "elsewhere"]


@pytest.mark.acceptance("E1")
def test_typed_query_is_logged_when_used_or_rated(recorder: Recorder, project: Project) -> None:
    first, second, _ = (record(recorder, text, picker="p") for text in ("w", "wh", "whe"))
    assert record_use(recorder, UseParams(first.query_id, 1, "jump", "a")).recorded
    assert record_feedback(recorder, FeedbackParams(second.query_id, "good")).recorded
    assert queries(project) == ["w", "wh"]
    recorder.close()
    assert queries(project) == ["w", "wh", "whe"]


@pytest.mark.acceptance("E4")
def test_the_log_is_switched_off_and_on_while_processes_run(recorder: Recorder, project: Project) -> None:
    record(recorder, "before")
    mine = config_home() / "config.toml"
    mine.parent.mkdir(parents=True)
    mine.write_text("log = false\n")
    off = record(recorder, "off")
    acts = [
        record_use(recorder, UseParams(off.query_id, 1, "jump", "a")),
        record_feedback(recorder, FeedbackParams(off.query_id, "good")),
    ]
    mine.write_text("log = true\n\n")
    acts.append(record_use(recorder, UseParams(off.query_id, 1, "jump", "a")))
    assert [(act.recorded, "log" in act.note) for act in acts] == [(False, True)] * 3
    record(recorder, "after")
    recorder.close()
    assert queries(project) == ["before", "after"]


@pytest.mark.acceptance("E1")
def test_failing_log_is_reported_once_and_fails_no_query(recorder: Recorder, project: Project) -> None:
    project.data.mkdir(parents=True)
    (project.data / event_store.EVENTS_FILE).mkdir()
    first = record(recorder, "one")
    eventually(lambda: recorder.trouble, "the recorder has noticed the trouble")
    told = [record(recorder, text).index.message for text in ("two", "three")]
    assert "can't be written" in told[0]
    assert told[1] == ""
    refused = record_use(recorder, UseParams(first.query_id, 1, "jump", "a"))
    assert (refused.recorded, "can't be written" in refused.note) == (False, True)
    (project.data / event_store.EVENTS_FILE).rmdir()
    assert record_use(recorder, UseParams(first.query_id, 1, "jump", "a")).recorded
    assert (queries(project), recorder.trouble) == (["one", "two", "three"], "")


@pytest.mark.acceptance("E1")
def test_unwritable_data_folder_fails_no_query(tmp_path: Path, project: Project, recorder: Recorder) -> None:
    (tmp_path / "DATA").write_text("a file where the folder should be")
    answer = record(recorder)
    assert "can't be kept" in answer.index.message
    assert recorder.answers.require(answer.query_id).results
    assert record(recorder).index.message == ""


def test_locked_log_gets_its_events_later(
    recorder: Recorder, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_store, "BUSY_TIMEOUT_S", 0.05)
    record(recorder, "one")
    eventually(lambda: queries(project) == ["one"], "the query is logged")
    holder = sqlite3.connect(project.data / event_store.EVENTS_FILE, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    second = record(recorder, "two")
    note = record_use(recorder, UseParams(second.query_id, 1, "jump", "a")).note
    assert "held by another program" in note
    holder.close()
    assert record_use(recorder, UseParams(second.query_id, 1, "jump", "a")).recorded
    assert queries(project) == ["one", "two"]


def test_lone_surrogate_in_a_query_is_escaped(recorder: Recorder, project: Project) -> None:
    answer = record(recorder, "half \ud83d")
    assert record_use(recorder, UseParams(answer.query_id, 1, "jump", "a")).recorded
    assert queries(project) == ["half \\ud83d"]


def test_clock_set_back_changes_no_event_order(
    recorder: Recorder, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = record(recorder, "before")
    eventually(lambda: queries(project) == ["before"], "the query is logged")
    earlier = time.time_ns() - 3_600_000_000_000
    monkeypatch.setattr(time, "time_ns", lambda: earlier)
    second = record(recorder, "after", picker="p")
    for answer in (second, first):
        assert record_use(recorder, UseParams(answer.query_id, 1, "jump", answer.query_id)).recorded
    assert queries(project) == ["before", "after"]
    last = recorder.answers.latest_with(second.results[0].doc_id)
    assert last
    assert last.query_id == second.query_id
    reader = EventReader.open(project.data)
    assert reader
    assert list(reader.run_select("SELECT * FROM reformulations").rows) == []
