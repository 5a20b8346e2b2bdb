"""A project whose person may choose a model, with the real indexer process."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from scry.core import config_home, load_settings
from scry.engine import Engine, RequestContext
from scry.indexer.client import IndexerClient
from scry_protocol import messages
from tests.sample.indexer import IndexerProject, open_indexer_project

QUESTION = "where is the cart"


@dataclass
class Shop:
    """The project. What asks it is closed with it."""

    sample: IndexerProject
    engines: list[Engine] = field(default_factory=list[Engine])

    def choose(self, model: Path | str) -> None:
        """Write the person's settings, as one would by hand."""
        config_home().mkdir(parents=True, exist_ok=True)
        (config_home() / "config.toml").write_text(f'model = "{model}"\n')

    def connect(self) -> IndexerClient:
        """Return a client of the indexer, which is then ready with all vectors."""
        indexer = self.sample.connect()
        state = indexer.wait_until_current(120, vectors=True)
        assert state.state == "ready", state
        return indexer

    def engine(self) -> Engine:
        """Return what an editor asks: with an indexer behind it, which it does not wait for."""
        engine = Engine.open(self.sample.root, load_settings(self.sample.root, os.environ))
        self.engines.append(engine)
        return engine

    def find(self, engine: Engine, query: str = QUESTION, patience: float = 30.0) -> messages.Answer:
        return engine.find(messages.FindParams(query=query, limit=50), RequestContext(model_timeout_s=patience))

    def model(self) -> str:
        """Return the identity whose vectors answer, as it stands on disk."""
        with self.sample.store() as store:
            maker = store.vectors.embedder if store else None
            return maker.identity if maker else ""

    def progress(self) -> tuple[int, int]:
        """Return the number of stored vectors of the pending model, and the total."""
        with self.sample.store() as store:
            pending = store.vectors.pending_embedder if store else None
            return (pending[1] if pending else 0), (store.state().vectors_total if store else 0)


@contextmanager
def opened_shop(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Shop]:
    """Return a shop with settings and caches of its own, in a folder of the test."""
    for name in ("CACHE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(folder / name.lower()))
    with open_indexer_project(folder / "shop") as sample:
        shop = Shop(sample)
        yield shop
        for engine in shop.engines:
            engine.close()


def semantic(answer: messages.Answer) -> dict[str, float]:
    """Return the semantic oracle's raw scores by doc_id."""
    return {
        result.doc_id: result.contributions["semantic"].raw_score
        for result in answer.results
        if "semantic" in result.contributions
    }
