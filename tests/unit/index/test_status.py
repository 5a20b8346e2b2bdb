from __future__ import annotations

from msgspec.structs import replace

from scry.core.types import IndexState
from scry.index.status import Status

_READY = IndexState("ready", files_indexed=5, files_total=5, generation=3)


def _status() -> tuple[Status, list[IndexState]]:
    heard: list[IndexState] = []
    return Status(heard.append), heard


def test_a_failure_hides_a_pause_and_ends_with_the_next_word_of_the_index() -> None:
    status, heard = _status()
    status.set_index(_READY)
    status.set_paused(True)
    status.set_failure("The disk is full.")
    assert status.show() == replace(_READY, state="failed", message="The disk is full.")
    status.set_index(_READY)
    assert status.show() == replace(_READY, state="paused")
    status.set_paused(False)
    assert status.show() == _READY
    assert [state.state for state in heard] == ["ready", "paused", "failed", "paused", "ready"]


def test_a_note_is_shown_while_nothing_more_important_is_to_be_said() -> None:
    status, _ = _status()
    status.set_index(_READY)
    status.set_note("Files are compared every 3 s.")
    assert status.show().message == "Files are compared every 3 s."
    assert status.show().state == "ready"
    status.set_failure("gone")
    assert status.show().message == "gone"


def test_what_changes_nothing_is_not_told() -> None:
    status, heard = _status()
    status.set_index(_READY)
    status.set_index(_READY)
    status.set_paused(False)
    status.set_note("")
    assert heard == [_READY]


def test_a_stage_keeps_the_counts() -> None:
    status, _ = _status()
    status.set_index(_READY)
    status.set_stage("indexing")
    assert status.show() == replace(_READY, state="indexing")


def test_it_is_not_ready_while_a_vector_lacks() -> None:
    status, _ = _status()
    status.set_index(replace(_READY, vectors=3, vectors_total=9))
    assert status.show().state == "indexing"
    status.set_vectors(replace(IndexState(), vectors=9, vectors_total=9, generation=7, model="m"))
    assert status.show() == replace(_READY, vectors=9, vectors_total=9, generation=7, model="m")


def test_vectors_that_were_told_while_a_task_ran_are_not_taken_back_at_its_end() -> None:
    status, heard = _status()
    told = replace(_READY, vectors=0, vectors_total=9)
    status.set_index(told)
    status.set_vectors(replace(_READY, vectors=9, vectors_total=9, generation=7))
    status.set_ended(told)
    assert [state.state for state in heard] == ["indexing", "ready"]
    status.set_index(replace(told, generation=1))
    assert status.show().vectors == 0


def test_what_a_model_does_is_said_after_what_is_more_important() -> None:
    status, _ = _status()
    status.set_index(_READY)
    status.set_note("a note")
    status.set_model("embedding 1 of 2 with X")
    assert status.show() == replace(_READY, message="embedding 1 of 2 with X")
    status.set_failure("gone")
    assert status.show().message == "gone"
    status.set_model("")
    status.set_index(_READY)
    assert status.show().message == "a note"
