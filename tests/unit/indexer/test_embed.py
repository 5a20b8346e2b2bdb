"""Embedding: what is kept equals what is made, it can be cut short, and never costs the words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from scry.core import BUNDLED_MODEL, Cancelled, Settings
from scry.embedding import Embedder, Passage, Vectors, load_bundled_model
from scry.index import ProjectParser
from scry.indexer import embed_missing_documents, embedder_info, refresh_index
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


class Place:
    """A project whose words are indexed."""

    def __init__(self, folder: Path, name: str) -> None:
        self.root = folder / name
        for number in range(30):
            body = f"def name_{number}():\n    return {number}\n\n\ndef other_{number}():\n    pass\n"
            self.write(f"part/f{number:02}.py", body)
        opened = open_project(self.root)
        self.project = Project(opened.root, opened.name, opened.key, folder / "cache" / name, folder / "data")
        self.store = IndexStore.open(self.project.cache, write=True)
        self.bring()

    def write(self, path: str, text: str) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def bring(self) -> None:
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
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, "one")


def test_lexical_index_is_searchable_before_vectors(place: Place) -> None:
    assert place.store.documents.headers_by_name(["name7"])
    assert place.store.state().vectors == 0
    assert place.store.state().state == "starting", "not ready while vectors lack"
    assert place.store.vectors.embedder is None
    place.embed(load_bundled_model())
    state = place.store.state()
    assert (state.state, state.vectors, state.model) == ("ready", state.vectors_total, load_bundled_model().identity)


@pytest.mark.acceptance("F10")
def test_cached_vectors_score_as_fresh_ones(tmp_path: Path) -> None:
    first = Place(tmp_path, "one")
    fresh = first.embed(Turned(), "turned")
    assert fresh[-1] == first.store.state().vectors_total
    second = Place(tmp_path, "two")
    embedder = Turned()
    assert set(second.embed(embedder, "turned")) == {0}
    assert embedder.encoded == 0, "all of it was kept"
    assert first.nearest(embedder) == second.nearest(embedder) != []


def test_interrupted_embedding_is_resumed(place: Place) -> None:
    def stop() -> None:
        if place.store.state().vectors:
            raise Cancelled("stop here")

    with pytest.raises(Cancelled):
        place.embed(load_bundled_model(), checkpoint=stop)
    done = place.store.state().vectors
    assert 0 < done < place.store.state().vectors_total
    place.embed(load_bundled_model())
    near = place.nearest(load_bundled_model())
    assert len(near) == len(dict(near)) == place.store.state().vectors_total, "nothing lacks and nothing is there twice"


def test_vectors_of_two_models_are_never_compared(place: Place) -> None:
    place.embed(load_bundled_model())
    other = Turned()
    place.embed(other, "turned")
    assert (maker := place.store.vectors.embedder) is not None
    assert maker.identity == load_bundled_model().identity, "the old vectors answer until they are told not to"
    with pytest.raises(EmbedderMismatch):
        place.nearest(other)
    assert place.store.vectors.activate_if_complete(embedder_info("turned", other))
    with pytest.raises(EmbedderMismatch):
        place.nearest(load_bundled_model())
    assert len(place.nearest(other)) == place.store.state().vectors_total


def test_model_is_activated_only_when_complete(place: Place) -> None:
    place.embed(load_bundled_model())
    other = Turned()
    place.embed(other, "turned")
    place.write("part/late.py", "def late():\n    pass\n")
    place.bring()
    assert not place.store.vectors.activate_if_complete(embedder_info("turned", other))
    assert place.store.vectors.is_incomplete
    place.embed(load_bundled_model())
    assert not place.store.vectors.is_incomplete
    assert not place.store.vectors.activate_if_complete(embedder_info("turned", other)), "the other still lacks it"
    place.embed(other, "turned")
    assert place.store.vectors.activate_if_complete(embedder_info("turned", other))


def test_reader_switches_to_the_activated_model(place: Place) -> None:
    place.embed(load_bundled_model())
    reader = IndexStore.open(place.project.cache, write=False)
    query, other = load_bundled_model().encode_query("name 7"), Turned()
    assert len(reader.vectors.nearest(load_bundled_model().identity, query, 5)) == 5
    place.embed(other, "turned")
    place.store.vectors.activate_if_complete(embedder_info("turned", other))
    with pytest.raises(EmbedderMismatch):
        reader.vectors.nearest(load_bundled_model().identity, query, 5)
    assert len(reader.vectors.nearest(other.identity, other.encode_query("name 7"), 5)) == 5
    reader.close()


def test_many_dead_vectors_are_compacted(place: Place) -> None:
    place.embed(load_bundled_model())
    for number in range(30):
        place.write(f"part/f{number:02}.py", f"def changed_{number}():\n    return 1\n")
        place.bring()
        place.embed(load_bundled_model())
    files = list(place.project.cache.glob("vectors-*"))
    total = place.store.state().vectors_total
    assert len(files) == 1
    assert files[0].stat().st_size <= 1.1 * total * (8 + load_bundled_model().dimension)
    assert len(place.nearest(load_bundled_model())) == total


def test_rebuilt_index_has_new_vectors(place: Place) -> None:
    place.embed(load_bundled_model())
    before = place.nearest(load_bundled_model())
    place.store.reset()
    assert replace(place.store.state(), generation=0).vectors_total == 0
    assert place.store.vectors.embedder is None
    place.bring()
    place.embed(load_bundled_model())
    assert place.nearest(load_bundled_model()) == before


@pytest.mark.parametrize("lost", ["all", "half"])
def test_lost_vectors_are_rebuilt(place: Place, lost: str) -> None:
    place.embed(load_bundled_model())
    before = place.nearest(load_bundled_model())
    (file,) = place.project.cache.glob("vectors-*")
    if lost == "all":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    place.store.close()
    place.store = IndexStore.open(place.project.cache, write=True)
    state = place.store.state()
    assert (state.state, state.vectors, state.model) == ("starting", 0, None)
    place.embed(load_bundled_model())
    assert place.nearest(load_bundled_model()) == before


def test_vectors_of_an_earlier_version_are_discarded(place: Place) -> None:
    earlier = Turned()
    place.embed(earlier, BUNDLED_MODEL)
    place.store.vectors.drop_outdated(embedder_info(BUNDLED_MODEL, earlier))
    place.store.vectors.drop_outdated(embedder_info("turned", load_bundled_model()))
    assert not place.store.vectors.is_incomplete, "these are of the version that there is, and of no other model"
    place.store.vectors.drop_outdated(embedder_info(BUNDLED_MODEL, load_bundled_model()))
    assert place.store.state().vectors == 0, "the state says that all lack one"
    place.embed(load_bundled_model())
    assert len(place.nearest(load_bundled_model())) == place.store.state().vectors_total
