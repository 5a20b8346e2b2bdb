"""Branch switches and kills in a storm: what is there afterwards equals an index made at once.

`SCRY_STORM_ROUNDS` sets how many (the figures in docs/trust.md are of 100 switches and 200 kills), `SCRY_STORM_SEED`
repeats their order; moments are as random as the machine.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scry.core import Settings
from scry.embedding import load_bundled_model
from scry.index.graph import update_graph
from scry.indexer import refresh_index
from scry.projects import open_project
from scry.store import EdgeKind
from scry.store.index import IndexStore
from tests.polling import eventually
from tests.sample.indexer import IndexerProject, open_indexer_project

ROUNDS = int(os.environ.get("SCRY_STORM_ROUNDS") or 0)
"""Read while the tests are collected: later no variable of Scry's is left in the environment."""

SEED = os.environ.get("SCRY_STORM_SEED") or "7"
SWITCHES = ROUNDS or 6
KILLS = 2 * ROUNDS or 8
CHANGED = 1_000 if ROUNDS else 120
CHANGED_BEFORE_KILLS = 300 if ROUNDS else 120
START_S = 0.5
"""Time within which some kills come: the process is still starting, or has just begun."""

Indexed = dict[str, tuple[str, list[str], int, str]]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3000 if ROUNDS else 300)]


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexerProject]:
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "30")
    with open_indexer_project(tmp_path / "shop") as sample:
        yield sample


def fill(sample: IndexerProject, branch: str, changed: int) -> None:
    """Files that differ from branch to branch, and some that only one of them has."""
    for number in range(changed):
        other = (number + 1) % changed
        body = (
            f"from part{other % 20}.f{other} import Part{other}, {branch}_{other}\n\n\n"
            f"def {branch}_{number}():\n    return {number}\n\n\n"
            f"class Part{number}({f'Part{other}' if number % 7 else 'object'}):\n"
            f"    def run(self):\n        return {branch}_{other}()\n"
        )
        sample.write_file(f"part{number % 20}/f{number}.py", body)
    sample.write_file(f"only_{branch}.py", f"def only_{branch}():\n    pass\n")


def two_branches(sample: IndexerProject, changed: int) -> None:
    sample.git("init", "-q", "-b", "one")
    fill(sample, "one", changed)
    sample.commit()
    sample.git("checkout", "-q", "-b", "two")
    sample.git("rm", "-q", "only_one.py")
    fill(sample, "two", changed)
    sample.commit()


def contents(store: IndexStore) -> Indexed:
    """Return the indexed texts, documents, importers and centrality by path."""
    indexed = [path for path, file in store.files.all_files().items() if file.skip is None]
    structures = store.files.get_structures(indexed)
    return {
        path: (
            store.files.get_text(path) or "",
            sorted(doc_id for _, doc_id in store.documents.doc_keys_in_file(path)[1]),
            structures[path].importers,
            structures[path].centrality,
        )
        for path in indexed
    }


def scores(store: IndexStore, folder: Path) -> list[list[tuple[str, float]]]:
    """Return what questions find by words and by meaning, after the words were counted anew."""
    query = load_bundled_model().encode_query("the one that returns 7")
    store.refresh()
    near = store.vectors.nearest(load_bundled_model().identity, query, 100_000)
    words = store.lexical.search(["return", "7"], 100_000)
    return [
        sorted((outlines[number].doc_id, round(score, 4)) for number, score in found if number in outlines)
        for found in (near, words)
        for outlines in [store.documents.headers([number for number, _ in found])]
    ]


def edges(store: IndexStore) -> list[tuple[str, str, str, int, int]]:
    """Return every edge of the code graph by doc_ids: source, kind, target, confidence and line."""
    doc_ids = {key: doc_id for path in store.files.all_files() for key, doc_id in doc_keys(store, path)}
    return sorted(
        (doc_ids[item.edge.source_key], kind.name, doc_ids[item.edge.target_key], item.edge.confidence, item.edge.line)
        for kind in EdgeKind
        for key in doc_ids
        for item in store.graph.neighbors([key], kind, 1000).items
    )


def doc_keys(store: IndexStore, path: str) -> list[tuple[int, str]]:
    return list(store.documents.doc_keys_in_file(path)[1])


def is_linked(sample: IndexerProject) -> bool:
    with sample.store() as store:
        return store is not None and store.graph.is_current


def assert_equals_a_fresh_one(sample: IndexerProject, tmp_path: Path, changed: int) -> None:
    """Return the index on disk against one that is made at once."""
    fresh = IndexStore.open(tmp_path / "fresh" / "index", write=True)
    project = open_project(sample.root)
    refresh_index(project, Settings(), fresh, only_paths=None, report=lambda _: None, checkpoint=lambda: None)
    update_graph(fresh, lambda: None)
    eventually(lambda: is_linked(sample), "the graph is linked", patience_s=120)
    with sample.store() as store:
        assert store is not None
        assert edges(store) == edges(fresh)
        assert len(edges(fresh)) >= changed
        assert contents(store) == contents(fresh)
        near, words = scores(store, sample.root)
        fresh_near, fresh_words = scores(fresh, sample.root)
        assert near == fresh_near
        assert words == fresh_words
    fresh.close()


@pytest.mark.acceptance("F10", "F11")
def test_index_after_a_branch_storm_equals_a_fresh_one(sample: IndexerProject, tmp_path: Path) -> None:
    two_branches(sample, CHANGED)
    client = sample.connect_when_ready()
    chance = random.Random(SEED)
    for switch in range(SWITCHES):
        sample.git("checkout", "-q", "one" if switch % 2 == 0 else "two")
        time.sleep(chance.uniform(0, 0.3))  # the next one comes while this one is being worked on
    state = client.wait_until_current(600)
    assert state.state == "ready"
    assert_equals_a_fresh_one(sample, tmp_path, CHANGED)


@pytest.mark.acceptance("F10", "F11")
def test_index_after_random_kills_equals_a_fresh_one(sample: IndexerProject, tmp_path: Path) -> None:
    """Kill at random moments of the work, which takes as long as this machine needs; what was left is gone on with."""
    two_branches(sample, CHANGED_BEFORE_KILLS)
    chance = random.Random(SEED)
    branch, longest = "two", seconds_of_an_index(sample)
    kills_in_work = kills = 0
    while kills_in_work < KILLS:
        if is_finished(sample, branch) or chance.random() < 0.3:
            branch = "one" if branch == "two" else "two"
            sample.git("checkout", "-q", branch)
        process = sample.start_process()
        if kills % 5 == 4:
            time.sleep(chance.uniform(0, START_S))
        else:
            sample.address_of(process)
            time.sleep(chance.uniform(0, longest))
        process.kill()
        process.wait()
        kills += 1
        if is_finished(sample, branch):
            longest *= 0.9  # the first one was slower than they are now
        else:
            kills_in_work += 1
        with sample.store() as store:
            if store is not None:
                check_whole(store)
    print(f"{kills} kills, {kills_in_work} of them before the work was done, which took up to {longest:.1f} s")
    assert sample.connect().wait_until_current(600).state == "ready"
    assert_equals_a_fresh_one(sample, tmp_path, CHANGED_BEFORE_KILLS)


def seconds_of_an_index(sample: IndexerProject) -> float:
    """Return how long an indexer takes from its start to listen until all is indexed and linked; end it."""
    process = sample.start_process()
    sample.address_of(process)
    start = time.monotonic()
    eventually(lambda: is_finished(sample, "two"), "the first index is made", patience_s=600, interval_s=0.1)
    taken = time.monotonic() - start
    process.kill()
    process.wait()
    return taken


def is_finished(sample: IndexerProject, branch: str) -> bool:
    """Return whether all files of this branch are indexed and linked."""
    is_compared = (sample.project.cache / "indexed-with").exists()
    return is_compared and bool(sample.doc_ids_named(f"only_{branch}")) and is_linked(sample)


def check_whole(store: IndexStore) -> None:
    """Never half a generation: every file that is listed has all its documents, and all functions' words are found."""
    store.refresh()
    found = {number for number, _ in store.lexical.search(["return"], 100_000)}
    for path, (text, doc_ids, _, _) in contents(store).items():
        assert len(doc_ids) >= text.count("def "), path
        if path.startswith("part"):
            functions = {number for number, doc_id in store.documents.doc_keys_in_file(path)[1] if "_" in doc_id}
            assert functions <= found, path
