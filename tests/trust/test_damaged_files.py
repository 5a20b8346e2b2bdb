"""Every file of cache and data, damaged in every way: the answer says so, the cache heals alone, notes are kept.

Each case takes some seconds, so `make test` tries a few, drawn by a fixed seed, and `make trust` all of them.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from scry.store.precious import list_kept_files
from tests.polling import eventually
from tests.trust.damage import QUERIES, WAYS, Damage, KeptProject, checked_answer, delete, empty, make_kept_project

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

FEW = 4
SEED = 20
HARMLESS = (".lock", "-shm", ".seal", "project.txt", "indexed-with", "in-hand-", "indexer.", "blobs.sqlite", "-wal")
"""Files that answers do not follow from: damage of these has to be survived, and need not be told.

Journals are empty at rest. An entry of the cache of all projects that can't be read is made again.
"""

PRECIOUS = ("persona.sqlite", "memory.sqlite", "events.sqlite")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[KeptProject, list[tuple[str, str]]]]:
    project = make_kept_project(tmp_path_factory.mktemp("kept"))
    project.restore()
    yield project, project.answers()
    project.wait_for_end()


Kept = tuple[KeptProject, list[tuple[str, str]]]


def cases(project: KeptProject, home: str, *, few: bool) -> list[tuple[str, Damage]]:
    every = [(name, way) for name in project.files(home) for way in WAYS]
    return random.Random(SEED).sample(every, FEW) if few else every


def damage(project: KeptProject, home: str, name: str, way: Damage) -> Path:
    """Bring the project back to how it was, and damage one file of it; the same way in every run."""
    project.restore()
    path = project.home(home) / name
    way(path, random.Random(zlib.crc32(f"{SEED} {Path(name).suffix} {way.__name__}".encode())))
    return path


def check_cache(kept: Kept, name: str, way: Damage) -> None:
    project, before = kept
    unchanged = (project.folder / "kept" / "cache" / "scry" / name).read_bytes()
    path = damage(project, "cache", name, way)
    is_changed = not path.exists() or path.read_bytes() != unchanged
    if is_changed and not any(part in name for part in HARMLESS):
        for command in ("status", "doctor"):
            told = project.scry.run(command)
            assert "Traceback" not in told.err
            assert path.name in told.out, f"{command} is silent on {way.__name__} of {name}: {told.out}"
            assert "scry index" in told.out, f"{command} names no next step"
    first = project.find(QUERIES[0])
    results = [(result.doc_id, result.snippet) for result in first.results]
    is_told = bool(first.notice or first.faults)
    assert results == before[: len(results)] or is_told, f"{name}, {way.__name__}: another answer, without a word"
    if is_changed and first.results and not any(part in name for part in HARMLESS):
        assert is_told or results == before[: len(results)]

    def is_healed() -> bool:
        answer = project.find(QUERIES[0])
        return not answer.notice and not answer.faults and project.answers() == before

    eventually(is_healed, f"answers are as before {way.__name__} of {name}")


def check_data(kept: Kept, name: str, way: Damage) -> None:
    project, before = kept
    path = damage(project, "data", name, way)
    damaged = path.read_bytes() if path.exists() else b""
    checked_answer(project.scry.run("--json", QUERIES[0]))
    for words in (("persona", "add", "I like tests"), ("observe", "note", "all is well"), (QUERIES[1],)):
        done = project.scry.run(*words)
        assert done.status == 0, (name, way.__name__, words, done)

    def code_is_found() -> bool:
        answer = project.find(QUERIES[0])
        found = {result.doc_id for result in answer.results}
        return not answer.faults and {doc_id for doc_id, _ in before if doc_id.startswith("./shop/cart")} <= found

    eventually(code_is_found, f"code is found after {way.__name__} of {name}")
    doctor = project.scry.run("doctor")
    assert "Traceback" not in doctor.err
    assert doctor.status == 0, (name, way.__name__, doctor.out)
    for copy in list_kept_files(path):
        assert copy.path.read_bytes() == damaged, "the damaged file is kept as it was"
        assert copy.report in project.find(QUERIES[0]).notice
        assert copy.path.name in doctor.out
    if path.name in PRECIOUS and way in (empty, delete):
        assert "backup" in doctor.out


def test_cache_heals_after_damage_of_a_few_files(kept: Kept) -> None:
    for name, way in cases(kept[0], "cache", few=True):
        check_cache(kept, name, way)


def test_data_is_kept_after_damage_of_a_few_files(kept: Kept) -> None:
    for name, way in cases(kept[0], "data", few=True):
        check_data(kept, name, way)


@pytest.mark.trust
def test_cache_heals_after_damage_of_any_file(kept: Kept) -> None:
    for name, way in cases(kept[0], "cache", few=False):
        check_cache(kept, name, way)


@pytest.mark.trust
def test_data_is_kept_after_damage_of_any_file(kept: Kept) -> None:
    for name, way in cases(kept[0], "data", few=False):
        check_data(kept, name, way)
