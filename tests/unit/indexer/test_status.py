from __future__ import annotations

from msgspec.structs import replace

from scry.core import IndexState
from scry.indexer import IndexerStatus

_READY = IndexState("ready", files_indexed=5, files_total=5, generation=3)


def _status() -> tuple[IndexerStatus, list[IndexState]]:
    pushed: list[IndexState] = []
    return IndexerStatus(pushed.append), pushed


def test_failure_hides_a_pause_until_the_next_index_state() -> None:
    status, pushed = _status()
    status.set_index(_READY)
    status.set_paused(True)
    status.set_failure("The disk is full.")
    assert status.current() == replace(_READY, state="failed", message="The disk is full.")
    status.set_index(_READY)
    assert status.current() == replace(_READY, state="paused")
    status.set_paused(False)
    assert status.current() == _READY
    assert [state.state for state in pushed] == ["ready", "paused", "failed", "paused", "ready"]


def test_note_is_shown_unless_something_matters_more() -> None:
    status, _ = _status()
    status.set_index(_READY)
    status.set_notice("Files are compared every 3 s.")
    assert status.current().message == "Files are compared every 3 s."
    assert status.current().state == "ready"
    status.set_failure("gone")
    assert status.current().message == "gone"


def test_unchanged_state_is_not_pushed() -> None:
    status, pushed = _status()
    status.set_index(_READY)
    status.set_index(_READY)
    status.set_paused(False)
    status.set_notice("")
    assert pushed == [_READY]


def test_a_stage_keeps_the_counts() -> None:
    status, _ = _status()
    status.set_index(_READY)
    status.set_stage("indexing")
    assert status.current() == replace(_READY, state="indexing")


def test_state_is_indexing_while_vectors_are_missing() -> None:
    status, _ = _status()
    status.set_index(replace(_READY, vectors=3, vectors_total=9))
    assert status.current().state == "indexing"
    status.set_vectors(replace(IndexState(), vectors=9, vectors_total=9, generation=7, model="m"))
    assert status.current() == replace(_READY, vectors=9, vectors_total=9, generation=7, model="m")


def test_vector_counts_do_not_go_back_when_a_task_ends() -> None:
    status, pushed = _status()
    indexing = replace(_READY, vectors=0, vectors_total=9)
    status.set_index(indexing)
    status.set_vectors(replace(_READY, vectors=9, vectors_total=9, generation=7))
    status.set_task_ended(indexing)
    assert [state.state for state in pushed] == ["indexing", "ready"]
    status.set_index(replace(indexing, generation=1))
    assert status.current().vectors == 0


def test_model_message_yields_to_more_important_ones() -> None:
    status, _ = _status()
    status.set_index(_READY)
    status.set_notice("a note")
    status.set_model_message("embedding 1 of 2 with X")
    assert status.current() == replace(_READY, message="embedding 1 of 2 with X")
    status.set_failure("gone")
    assert status.current().message == "gone"
    status.set_model_message("")
    status.set_index(_READY)
    assert status.current().message == "a note"
