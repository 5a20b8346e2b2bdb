"""Another model than the bundled one, chosen by the person's settings, through the real indexer process."""

from __future__ import annotations

import importlib
import os
import signal
import sqlite3
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np
import pytest

from scry.core import cache_home
from scry.embedding import Passage, load_bundled_model, passage_text
from scry.indexer.client import IndexerClient
from scry.lab import ReplayReport
from tests.e2e.command_line import CommandLine
from tests.e2e.lsp_client import LspClient
from tests.e2e.models.model_shop import QUESTION, Shop, semantic
from tests.polling import eventually
from tests.small_model import make_model

Library: TypeAlias = Any
"""sentence_transformers is not in the default environment."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return some 50 passages a second on one core."""
    return make_model(tmp_path_factory.mktemp("models") / "slow", width=384, layers=4)


def state_messages(indexer: IndexerClient) -> list[str]:
    """Return a list that gets all later state messages."""
    messages_: list[str] = []
    indexer.subscribe(lambda state: messages_.append(state.message))
    return messages_


def stored_vectors() -> int:
    with sqlite3.connect(cache_home() / "blobs.sqlite") as db:
        return int(db.execute("SELECT count(*) FROM parsed").fetchone()[0])


@pytest.mark.transformers
@pytest.mark.acceptance("F11", "S1")
def test_model_switch_and_switch_back(shop: Shop, small: Path) -> None:
    indexer = shop.connect()
    engine = shop.engine()
    assert shop.find(engine).index.model == shop.model() == load_bundled_model().identity
    messages = state_messages(indexer)

    shop.choose(small)
    eventually(lambda: "Loading the model" in " ".join(messages), "the change is noticed")
    answer = shop.find(engine)
    assert (answer.index.model, answer.faults, bool(semantic(answer))) == (load_bundled_model().identity, [], True)
    eventually(lambda: shop.model().startswith("small-e5@"), "the model has taken over", patience_s=120)
    answer = shop.find(engine)
    assert answer.faults == []
    computed = _computed(small)
    assert {doc_id: semantic(answer)[doc_id] for doc_id in computed} == pytest.approx(computed, abs=0.01)
    assert any(f"with {small}" in words for words in messages), messages
    state = indexer.wait_until_current(60, vectors=True)
    assert (state.state, state.model, state.message) == ("ready", shop.model(), "")
    assert state.vectors == state.vectors_total > 0

    before = stored_vectors()
    shop.choose("bundled")
    eventually(lambda: shop.model() == load_bundled_model().identity, "the bundled one is back")
    back = shop.find(engine)
    assert (back.index.model, back.faults) == (load_bundled_model().identity, [])
    shop.choose(small)
    eventually(lambda: shop.model().startswith("small-e5@"), "and the other again")
    assert semantic(shop.find(engine)) == semantic(answer)
    assert stored_vectors() == before, "nothing was encoded again"


def _computed(folder: Path) -> dict[str, float]:
    """Return what the library itself says of the sample's documents."""
    library: Library = importlib.import_module("sentence_transformers")
    model = library.SentenceTransformer(str(folder), device="cpu")
    texts = {
        "./shop/cart.py::add_to_cart": Passage(
            "add_to_cart", "shop/cart.py", "", "def add_to_cart(item):\n    return item"
        ),
        "./shop/checkout.py::Checkout": Passage("Checkout", "shop/checkout.py", "", "class Checkout:"),
        "./shop/checkout.py::Checkout.pay": Passage(
            "pay", "shop/checkout.py", "Checkout", "    def pay(self):\n        pass"
        ),
    }
    query = model.encode(QUESTION, prompt="query: ", normalize_embeddings=True)
    rows = model.encode([passage_text(each) for each in texts.values()], prompt="passage: ", normalize_embeddings=True)
    return dict(zip(texts, (rows @ query).tolist(), strict=True))


@pytest.mark.transformers
@pytest.mark.acceptance("F3")
def test_answering_process_never_imports_torch(shop: Shop, small: Path) -> None:
    shop.choose(small)
    shop.connect()
    with LspClient(shop.sample.root) as client:
        client.initialize(shop.sample.root)
        client.wait_until_ready(shop.sample.root)
        found: dict[str, Any] = {}

        def answered() -> bool:
            found.update(client.find(QUESTION))
            return not found["faults"]

        eventually(answered, "the model answers")
        assert found["index"]["model"].startswith("small-e5@")
        assert "semantic" in found["results"][0]["contributions"]
        assert _maps(client.process.pid, "numpy")
        assert not _maps(client.process.pid, "torch"), "it is in the indexer's process alone"
    assert _maps(shop.sample.address().pid, "torch")


def _maps(pid: int, library: str) -> bool:
    return f"/{library}/" in Path(f"/proc/{pid}/maps").read_text()


@pytest.mark.transformers
def test_saved_files_precede_slow_embedding(shop: Shop, slow: Path) -> None:
    shop.sample.write_many_files(150)
    indexer = shop.connect()
    engine = shop.engine()
    messages = state_messages(indexer)
    shop.choose(slow)
    eventually(lambda: shop.progress()[0] > 0, "vectors of the model are being made")
    for number in range(4):
        shop.sample.write_file("shop/saved.py", f"def saved_now_{number}():\n    pass\n")
        indexer.report_changed_paths(["shop/saved.py"])
        shop.sample.wait_until_found(f"saved_now_{number}")
    answer = shop.find(engine, "saved_now_3")
    done, total = shop.progress()
    assert 0 < done < total, "it is still at work"
    assert answer.index.model == load_bundled_model().identity
    assert answer.results[0].doc_id == "./shop/saved.py::saved_now_3"
    assert indexer.wait_until_current(60).state == "ready", "who only wants words and the old vectors does not wait"
    assert shop.progress()[0] < total
    assert any("left" in words and "embedding" in words for words in messages), messages
    with shop.sample.store() as store:
        assert store is not None
        assert not store.vectors.is_incomplete, "what was saved has its old model's vector already"


@pytest.mark.transformers
@pytest.mark.acceptance("F11")
def test_killed_embedding_resumes_where_it_stopped(shop: Shop, slow: Path) -> None:
    shop.sample.write_many_files(30)
    shop.connect()
    shop.choose(slow)
    eventually(lambda: shop.progress()[0] > 20, "vectors of the model are being made")
    os.kill(shop.sample.address().pid, signal.SIGKILL)
    killed_at, total = shop.progress()
    assert 0 < killed_at < total
    engine = shop.engine()
    answer = shop.find(engine)
    assert (answer.index.model, answer.faults) == (load_bundled_model().identity, [])
    least = killed_at

    def taken_over() -> bool:
        nonlocal least
        done = shop.progress()[0]
        if shop.model() != load_bundled_model().identity:
            return True
        if done:
            assert done >= least, "nothing that was on disk is done again"
            least = done
        return False

    eventually(taken_over, "the chosen model has taken over", patience_s=200, interval_s=0.2)
    with shop.sample.store() as store:
        assert store is not None
        assert not store.vectors.is_incomplete
        near = store.vectors.nearest(shop.model(), np.ones(384, np.float32) / np.sqrt(np.float32(384)), 10_000)
        assert len(near) == len(dict(near)) == store.state().vectors_total
    assert shop.find(engine).faults == []


@pytest.mark.transformers
def test_model_setting_changed_while_embedding(shop: Shop, slow: Path, small: Path) -> None:
    shop.sample.write_many_files(30)
    indexer = shop.connect()
    shop.choose(slow)
    eventually(lambda: shop.progress()[0] > 0, "vectors of the model are being made")
    shop.choose("bundled")
    eventually(lambda: shop.progress()[0] == 0, "the model is given up")
    state = indexer.wait_until_current(30, vectors=True)
    assert (state.state, state.model, state.message) == ("ready", load_bundled_model().identity, "")
    shop.choose(small)
    eventually(lambda: shop.model().startswith("small-e5@"), "a third one took over")


@pytest.mark.transformers
@pytest.mark.acceptance("L3")
def test_logged_questions_are_replayed_with_another_model(shop: Shop, small: Path) -> None:
    project = CommandLine(shop.sample.root)
    first_answer = project.find(QUESTION)
    assert first_answer.index.model is not None
    assert "scry-static" in first_answer.index.model
    chosen = {"SCRY_MODEL": str(small)}
    done = project.run("lab", "replay", "--json", **chosen)
    assert done.status == 0, done.err
    replay = msgspec.json.decode(done.out, type=ReplayReport)
    assert (replay.questions, replay.same) == (1, 0)
    assert "small-e5" in shop.model()
    assert replay.moved[0].before == [result.doc_id for result in first_answer.results]
