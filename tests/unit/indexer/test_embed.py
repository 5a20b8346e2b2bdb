"""Embedding: cached vectors equal fresh ones, and interruptions do not affect the lexical index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from scry.core import BUNDLED_MODEL, Cancelled, Settings
from scry.embedding import Embedder, Passage, Vectors, load_bundled_model
from scry.index import ProjectParser
from scry.indexer import AdaptiveBatchSize, embed_missing_documents, embedder_info, refresh_index
from scry.projects import Project, open_project
from scry.store import EmbedderMismatch
from scry.store.index import IndexStore


class Turned:
    """The bundled model with its axes in another order: a second embedder, whose vectors must not meet the first's."""

    def __init__(self) -> None:
        self.encoded = 0

    @property
    def identity(self) -> str:
        return f"turned {load_bundled_model().identity}"

    @property
    def dimension(self) -> int:
        return load_bundled_model().dimension

    def encode_passages(self, passages: Sequence[Passage]) -> Vectors:
        self.encoded += len(passages)
        return np.ascontiguousarray(load_bundled_model().encode_passages(passages)[:, ::-1])

    def encode_query(self, query: str) -> Vectors:
        return np.ascontiguousarray(load_bundled_model().encode_query(query)[::-1])


class IndexSample:
    """A project whose words are indexed."""

    def __init__(self, folder: Path, name: str) -> None:
        self.root = folder / name
        for number in range(30):
            body = f"def name_{number}():\n    return {number}\n\n\ndef other_{number}():\n    pass\n"
            self.write(f"part/f{number:02}.py", body)
        opened = open_project(self.root)
        self.project = Project(opened.root, opened.name, opened.key, folder / "cache" / name, folder / "data")
        self.store = IndexStore.open(self.project.cache, write=True)
        self.update_index()

    def write(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def update_index(self) -> None:
        nothing = Settings()
        refresh_index(
            self.project,
            nothing,
            self.store,
            only_paths=None,
            report=lambda _: None,
            checkpoint=lambda: None,
            standalone=False,
        )

    def embed(
        self, embedder: Embedder, model: str = "bundled", checkpoint: Callable[[], None] = lambda: None
    ) -> list[int]:
        reported: list[int] = []
        with ProjectParser(self.project, Settings(), "test") as contents:
            embed_missing_documents(
                self.store, contents, embedder, model=model, report=reported.append, checkpoint=checkpoint
            )
        return reported

    def nearest(self, embedder: Embedder) -> list[tuple[str, float]]:
        near = self.store.vectors.nearest(embedder.identity, embedder.encode_query("name 7"), 100)
        documents = self.store.documents.get_documents([number for number, _ in near])
        return sorted((documents[number].doc_id, cosine) for number, cosine in near)


@pytest.fixture
def sample(tmp_path: Path) -> IndexSample:
    return IndexSample(tmp_path, "one")


def test_lexical_index_is_searchable_before_vectors(sample: IndexSample) -> None:
    assert sample.store.documents.headers_by_name(["name7"])
    assert sample.store.state().vectors == 0
    assert sample.store.state().state == "starting", "not ready while vectors lack"
    assert sample.store.vectors.embedder is None
    sample.embed(load_bundled_model())
    state = sample.store.state()
    assert (state.state, state.vectors, state.model) == ("ready", state.vectors_total, load_bundled_model().identity)


@pytest.mark.acceptance("F10")
def test_cached_vectors_score_as_fresh_ones(tmp_path: Path) -> None:
    first = IndexSample(tmp_path, "one")
    fresh = first.embed(Turned(), "turned")
    assert fresh[-1] == first.store.state().vectors_total
    second = IndexSample(tmp_path, "two")
    embedder = Turned()
    assert set(second.embed(embedder, "turned")) == {0}
    assert embedder.encoded == 0, "all vectors were cached"
    assert first.nearest(embedder) == second.nearest(embedder) != []


def test_interrupted_embedding_is_resumed(sample: IndexSample, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scry.indexer.embed.MAX_FILES_PER_BATCH", 2)

    def stop() -> None:
        if sample.store.state().vectors:
            raise Cancelled("stop here")

    with pytest.raises(Cancelled):
        sample.embed(load_bundled_model(), checkpoint=stop)
    done = sample.store.state().vectors
    assert 0 < done < sample.store.state().vectors_total
    sample.embed(load_bundled_model())
    near = sample.nearest(load_bundled_model())
    assert len(near) == len(dict(near)) == sample.store.state().vectors_total, "no document is missing or twice"


def test_vectors_of_two_models_are_never_compared(sample: IndexSample) -> None:
    sample.embed(load_bundled_model())
    other = Turned()
    sample.embed(other, "turned")
    assert (maker := sample.store.vectors.embedder) is not None
    assert maker.identity == load_bundled_model().identity, "the old vectors answer until they are told not to"
    with pytest.raises(EmbedderMismatch):
        sample.nearest(other)
    assert sample.store.vectors.activate_if_complete(embedder_info("turned", other))
    with pytest.raises(EmbedderMismatch):
        sample.nearest(load_bundled_model())
    assert len(sample.nearest(other)) == sample.store.state().vectors_total


def test_model_is_activated_only_when_complete(sample: IndexSample) -> None:
    sample.embed(load_bundled_model())
    other = Turned()
    sample.embed(other, "turned")
    sample.write("part/late.py", "def late():\n    pass\n")
    sample.update_index()
    assert not sample.store.vectors.activate_if_complete(embedder_info("turned", other))
    assert sample.store.vectors.is_incomplete
    sample.embed(load_bundled_model())
    assert not sample.store.vectors.is_incomplete
    assert not sample.store.vectors.activate_if_complete(embedder_info("turned", other)), "the other still lacks it"
    sample.embed(other, "turned")
    assert sample.store.vectors.activate_if_complete(embedder_info("turned", other))


def test_reader_switches_to_the_activated_model(sample: IndexSample) -> None:
    sample.embed(load_bundled_model())
    reader = IndexStore.open(sample.project.cache, write=False)
    query, other = load_bundled_model().encode_query("name 7"), Turned()
    assert len(reader.vectors.nearest(load_bundled_model().identity, query, 5)) == 5
    sample.embed(other, "turned")
    sample.store.vectors.activate_if_complete(embedder_info("turned", other))
    with pytest.raises(EmbedderMismatch):
        reader.vectors.nearest(load_bundled_model().identity, query, 5)
    assert len(reader.vectors.nearest(other.identity, other.encode_query("name 7"), 5)) == 5
    reader.close()


def test_many_dead_vectors_are_compacted(sample: IndexSample) -> None:
    sample.embed(load_bundled_model())
    for number in range(30):
        sample.write(f"part/f{number:02}.py", f"def changed_{number}():\n    return 1\n")
        sample.update_index()
        sample.embed(load_bundled_model())
    files = list(sample.project.cache.glob("vectors-*"))
    total = sample.store.state().vectors_total
    assert len(files) == 1
    assert files[0].stat().st_size <= 1.1 * total * (8 + load_bundled_model().dimension)
    assert len(sample.nearest(load_bundled_model())) == total


def test_rebuilt_index_has_new_vectors(sample: IndexSample) -> None:
    sample.embed(load_bundled_model())
    before = sample.nearest(load_bundled_model())
    sample.store.reset()
    assert replace(sample.store.state(), generation=0).vectors_total == 0
    assert sample.store.vectors.embedder is None
    sample.update_index()
    sample.embed(load_bundled_model())
    assert sample.nearest(load_bundled_model()) == before


@pytest.mark.parametrize("lost", ["all", "half"])
def test_lost_vectors_are_rebuilt(sample: IndexSample, lost: str) -> None:
    sample.embed(load_bundled_model())
    before = sample.nearest(load_bundled_model())
    (file,) = sample.project.cache.glob("vectors-*")
    if lost == "all":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    sample.store.close()
    sample.store = IndexStore.open(sample.project.cache, write=True)
    state = sample.store.state()
    assert (state.state, state.vectors, state.model) == ("starting", 0, None)
    sample.embed(load_bundled_model())
    assert sample.nearest(load_bundled_model()) == before


def test_vectors_of_an_earlier_version_are_discarded(sample: IndexSample) -> None:
    earlier = Turned()
    sample.embed(earlier, BUNDLED_MODEL)
    sample.store.vectors.drop_outdated(embedder_info(BUNDLED_MODEL, earlier))
    sample.store.vectors.drop_outdated(embedder_info("turned", load_bundled_model()))
    assert not sample.store.vectors.is_incomplete, "these are of the version that there is, and of no other model"
    sample.store.vectors.drop_outdated(embedder_info(BUNDLED_MODEL, load_bundled_model()))
    assert sample.store.state().vectors == 0, "the state says that all lack one"
    sample.embed(load_bundled_model())
    assert len(sample.nearest(load_bundled_model())) == sample.store.state().vectors_total


def test_batch_size_grows_to_target_and_shrinks_at_once() -> None:
    batch_size = AdaptiveBatchSize(0.1, 512, 4)
    sizes: list[int] = []
    for _ in range(6):
        batch_size.record(batch_size.size, 0.002 * batch_size.size)
        sizes.append(batch_size.size)
    assert sizes == [8, 16, 32, 50, 50, 50]
    batch_size.record(50, 50.0)
    assert batch_size.size == 1
    for _ in range(12):
        batch_size.record(batch_size.size, 0.0)
    assert batch_size.size == 512
