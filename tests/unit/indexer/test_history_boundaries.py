"""A fault at one commit, one file's commits, one belief, one note or one memory costs that item alone, and is told."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from scry.core import IndexingStage, SkipReason
from scry.core.doc_id import commit_doc_id
from scry.embedding import Passage, load_bundled_model
from scry.index.git import changed_symbols, history, log
from scry.index.notes import belief_coverage
from scry.indexer import embed
from scry.store.history import HistoryReader, HistoryStore, store
from scry.store.memory import MEMORY_FILE
from scry.store.notes import project_notes
from scry.surfaces.cli.upkeep.doctor import run_checks
from scry_protocol.messages import Explanation, ObserveParams, WhyParams
from tests.sample.indexed import IndexedProject, doc_ids

MARK = "zerfallen"
BELIEF = "---\nstatement: {0}\nentrenchment: 0.8\nevidence:\n  - a.py\n---\n\nBecause of {0}.\n"

Patch = Callable[[pytest.MonkeyPatch], None]


def _raising(module: object, name: str) -> Patch:
    """Return the patch after which a function raises where the mark is in its arguments."""
    original = getattr(module, name)

    def call(*arguments: object, **named: object) -> object:
        if MARK in repr((arguments, named)):
            raise LookupError("provoked\nhere")
        return original(*arguments, **named)

    return lambda patch: patch.setattr(module, name, call)


def _raise_while_reading(patch: pytest.MonkeyPatch) -> None:
    original = log._read_commit  # pyright: ignore[reportPrivateUsage]

    def read(stream: object, with_files: bool) -> log.LoggedCommit:
        commit = original(stream, with_files)  # type: ignore[arg-type]
        if MARK in commit.subject:
            raise LookupError("provoked\nhere")
        return commit

    patch.setattr(log, "_read_commit", read)


STAGES: dict[str, tuple[IndexingStage, str, Patch]] = {
    "read a commit": (IndexingStage.COMMIT, "commit", _raise_while_reading),
    "make a commit": (IndexingStage.COMMIT, "commit", _raising(history, "weighted_commit_terms")),
    "store a commit": (IndexingStage.COMMIT, "commit", _raising(store.HistoryStore, "_insert_commit")),
    "trace the commits of a file": (
        IndexingStage.CHANGED_LINES,
        "./zerfallen.py",
        _raising(changed_symbols, "_changes_of_file"),
    ),
    "cover a belief": (
        IndexingStage.COVERAGE,
        "belief:bad",
        _raising(belief_coverage.BeliefCoverageBuilder, "build"),
    ),
}
"""By what fails: its stage, its item and the fault."""

HISTORY_STAGES = frozenset(stage for stage, _, _ in STAGES.values()) | {IndexingStage.GIT}  # test_history_unusual


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> IndexedProject:
    for name in ("CACHE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    project = IndexedProject(tmp_path / "project")
    project.write({"a.py": "def one():\n    return 1\n"})
    project.init_repository()
    project.commit("Letters are posted")
    project.write({f"{MARK}.py": "def two():\n    return 2\n"})
    project.commit(f"Parcels {MARK}")
    project.write({"a.py": "def one():\n    return 11\n"})
    project.commit("Stamps are sold")
    project.write(
        {f".scry/beliefs/{name}.md": BELIEF.format(text) for name, text in (("bad", MARK), ("good", "posts"))}
    )
    return project


def _why(project: IndexedProject, doc_id: str) -> Explanation:
    with closing(project.engine()) as engine:
        return engine.why(WhyParams(doc_id))


@pytest.mark.parametrize("name", STAGES)
def test_a_fault_at_one_item_costs_that_item_and_is_told(
    project: IndexedProject, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    stage, item, patch_stage = STAGES[name]
    bad = project.git("rev-parse", "HEAD~1")
    item = commit_doc_id(bad) if item == "commit" else item
    with monkeypatch.context() as patch:
        patch_stage(patch)
        assert project.update_index().state == "ready"
    with closing(HistoryReader.open(project.project.cache)) as reader:
        faults, subjects = reader.faults(), {commit.subject for commit in reader.newest_commits(0, 0, 9)}
    assert list(faults) == [item]
    assert faults[item].startswith(f"{stage.value}: ")
    assert "provoked here" in faults[item]
    assert {"Letters are posted", "Stamps are sold"} <= subjects
    assert (f"Parcels {MARK}" in subjects) == (stage is not IndexingStage.COMMIT)
    assert doc_ids(project.find("one"))[0] == "./a.py::one"
    with closing(project.engine()) as engine:
        status = engine.status()
    assert "1 item of it failed, see scry doctor" in status.history_extent
    (check,) = [check for check in run_checks(project.root, force=True) if check.name == "history"]
    assert (check.level, faults[item] in check.found) == ("warn", True)
    if stage is IndexingStage.COMMIT:
        told = _why(project, f"commit:{bad[:9]}")
        assert (told.status, told.reason) == ("skipped", f"{SkipReason.FAILED.value}: {faults[item]}")
    _assert_tried_again_by_another_version(project, monkeypatch)


def _assert_tried_again_by_another_version(project: IndexedProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that nothing is tried again by the same version, and all by another."""
    with closing(HistoryStore.open(project.project.cache)) as history_store:
        before = history_store.reader.generation
    project.update_index()
    with closing(HistoryReader.open(project.project.cache)) as reader:
        assert reader.generation == before
        assert reader.faults()
    for module in (history, changed_symbols, belief_coverage):
        monkeypatch.setattr(module, "reading_version", lambda: "another")
    project.update_index()
    with closing(HistoryReader.open(project.project.cache)) as reader:
        assert reader.faults() == {}
        assert f"Parcels {MARK}" in {commit.subject for commit in reader.newest_commits(0, 0, 9)}
        assert not reader.state_at(project.git("rev-parse", "HEAD")).extent


def test_note_that_cannot_be_stored_is_a_row_with_the_reason(
    project: IndexedProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        _raising(project_notes.ProjectNoteDatabase, "_insert_file_note")(patch)
        assert project.update_index().state == "ready"
    told = _why(project, ".scry/beliefs/bad.md")
    assert (told.status, told.reason) == ("skipped", "failed: store: LookupError: provoked here")
    assert "belief:good" in doc_ids(project.find("posts"))
    project.write({".scry/beliefs/bad.md": BELIEF.format(f"{MARK} again")})
    project.update_index()
    assert "belief:bad" in doc_ids(project.find(MARK))


def test_note_that_cannot_be_encoded_is_found_by_its_words(
    project: IndexedProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = type(load_bundled_model())
    with monkeypatch.context() as patch:
        _raising(model, "encode_passages")(patch)
        vectors, faults = embed.encode_notes(load_bundled_model(), [(MARK, "x"), ("good", "y")])
    assert faults.reasons == {0: "vectors: LookupError: provoked here"}
    whole = load_bundled_model().encode_passages([Passage("good", "", "", "y")])
    assert not vectors[0].any()
    assert (vectors[1] == whole[0]).all()


def test_memory_with_a_damaged_row_is_found_with_what_is_left(project: IndexedProject) -> None:
    project.update_index()
    with closing(project.engine()) as engine:
        for text in (f"the {MARK} parcel", "the other parcel"):
            engine.observe(ObserveParams("decision", text, refs=["./a.py"]))
    with closing(sqlite3.connect(project.project.data / MEMORY_FILE)) as file:
        file.execute("UPDATE memories SET refs = ? WHERE instr(text, ?)", (json.dumps(["./a.py"])[:-3], MARK))
        file.commit()
    with closing(project.engine()) as engine:
        found = {match.recalled.memory.text: match.recalled.memory.refs for match in engine.memory.search("parcel", 9)}
    assert found == {f"the {MARK} parcel": (), "the other parcel": ("./a.py",)}
