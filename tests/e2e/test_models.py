"""Another model than the bundled one, chosen by the person's settings, through the real indexer process."""

from __future__ import annotations

import importlib
import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np
import pytest

from scry.core.places import cache_home, config_home
from scry.core.settings import load_settings
from scry.embedding.choose import bundled
from scry.embedding.embedder import Passage
from scry.embedding.transformers import passage_text
from scry.engine.engine import Engine
from scry.engine.manner import Manner
from scry.index.indexer import Indexer
from scry.lab.replay import Replay
from scry_protocol import messages
from tests.e2e.command_line import CommandLine
from tests.e2e.indexer_scene import Scene, lives, opened_scene, wait_for
from tests.e2e.lsp_client import LspClient
from tests.small_model import make_model

Library: TypeAlias = Any
"""sentence_transformers is not in the default environment."""

QUESTION = "where is the cart"
NOT_INSTALLED = "raise ModuleNotFoundError(\"No module named '{0}'\", name='{0}')\n"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@dataclass
class Shop:
    """A project whose person may choose a model."""

    scene: Scene
    engines: list[Engine] = field(default_factory=list[Engine])

    def choose(self, model: Path | str) -> None:
        """Writes the person's settings, as one would by hand."""
        config_home().mkdir(parents=True, exist_ok=True)
        (config_home() / "config.toml").write_text(f'model = "{model}"\n')

    def connect(self) -> Indexer:
        """A client of the indexer, which is then ready with all vectors."""
        indexer = self.scene.connect()
        state = indexer.wait_until_current(120, vectors=True)
        assert state.state == "ready", state
        return indexer

    def engine(self) -> Engine:
        """What an editor asks: with an indexer behind it, which it does not wait for."""
        engine = Engine.open(self.scene.root, load_settings(self.scene.root, os.environ))
        self.engines.append(engine)
        return engine

    def find(self, engine: Engine, query: str = QUESTION, patience: float = 30.0) -> messages.Answer:
        return engine.find(messages.FindParams(query=query, limit=50), Manner(patience=patience))

    def model(self) -> str:
        """The identity whose vectors answer, as it stands on disk."""
        with self.scene.store() as store:
            maker = store.embedder if store else None
            return maker.identity if maker else ""

    def progress(self) -> tuple[int, int]:
        """How many vectors of the model that is to answer are on disk, and of how many."""
        with self.scene.store() as store:
            filling = store.filling if store else None
            return (filling[1] if filling else 0), (store.state().vectors_total if store else 0)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    for name in ("CACHE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    with opened_scene(tmp_path / "shop") as scene:
        shop = Shop(scene)
        yield shop
        for engine in shop.engines:
            engine.close()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("models") / "small-e5")


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some 50 passages a second on one core."""
    return make_model(tmp_path_factory.mktemp("models") / "slow", width=384, layers=4)


def semantic(answer: messages.Answer) -> dict[str, float]:
    """The semantic oracle's raw scores by doc_id."""
    return {
        result.doc_id: result.contributions["semantic"].raw_score
        for result in answer.results
        if "semantic" in result.contributions
    }


def heard(indexer: Indexer) -> list[str]:
    """All messages from now on."""
    messages_: list[str] = []
    indexer.subscribe(lambda state: messages_.append(state.message))
    return messages_


def kept_vectors() -> int:
    with sqlite3.connect(cache_home() / "blobs.sqlite") as db:
        return int(db.execute("SELECT count(*) FROM parsed").fetchone()[0])


# Switching ------------------------------------------------------------------------------------------------------------


@pytest.mark.transformers
@pytest.mark.acceptance("F11", "S1")
def test_another_model_takes_over_and_gives_back(shop: Shop, small: Path) -> None:
    indexer = shop.connect()
    engine = shop.engine()
    assert shop.find(engine).index.model == shop.model() == bundled().identity
    told = heard(indexer)

    shop.choose(small)
    wait_for(lambda: "Loading the model" in " ".join(told), 20, "the change is noticed")
    answer = shop.find(engine)
    assert (answer.index.model, answer.faults, bool(semantic(answer))) == (bundled().identity, [], True)
    wait_for(lambda: shop.model().startswith("small-e5@"), 120, "it has taken over")
    answer = shop.find(engine)
    assert answer.faults == []
    computed = _computed(small)
    assert {doc_id: semantic(answer)[doc_id] for doc_id in computed} == pytest.approx(computed, abs=0.01)
    assert any(f"with {small}" in words for words in told), told
    state = indexer.wait_until_current(60, vectors=True)
    assert (state.state, state.model, state.message) == ("ready", shop.model(), "")
    assert state.vectors == state.vectors_total > 0

    before = kept_vectors()
    shop.choose("bundled")
    wait_for(lambda: shop.model() == bundled().identity, 20, "the bundled one is back")
    back = shop.find(engine)
    assert (back.index.model, back.faults) == (bundled().identity, [])
    shop.choose(small)
    wait_for(lambda: shop.model().startswith("small-e5@"), 60, "and the other again")
    assert semantic(shop.find(engine)) == semantic(answer)
    assert kept_vectors() == before, "nothing was encoded again"


def _computed(folder: Path) -> dict[str, float]:
    """What the library itself says of the scene's documents."""
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
def test_what_answers_never_imports_torch(shop: Shop, small: Path) -> None:
    shop.choose(small)
    shop.connect()
    with LspClient(shop.scene.root) as client:
        client.initialize(shop.scene.root)
        client.wait_until_ready(shop.scene.root)
        found: dict[str, Any] = {}

        def answered() -> bool:
            found.update(client.find(QUESTION))
            return not found["faults"]

        wait_for(answered, 30, "the model answers")
        assert found["index"]["model"].startswith("small-e5@")
        assert "semantic" in found["results"][0]["contributions"]
        assert _maps(client.process.pid, "numpy")
        assert not _maps(client.process.pid, "torch"), "it is in the indexer's process alone"
    assert _maps(shop.scene.address().pid, "torch")


def _maps(pid: int, library: str) -> bool:
    return f"/{library}/" in Path(f"/proc/{pid}/maps").read_text()


@pytest.mark.transformers
def test_saves_come_first_while_a_slow_model_works(shop: Shop, slow: Path) -> None:
    shop.scene.write_many(150)
    indexer = shop.connect()
    engine = shop.engine()
    told = heard(indexer)
    shop.choose(slow)
    wait_for(lambda: shop.progress()[0] > 0, 60, "it is being filled")
    times: list[float] = []
    for number in range(4):
        shop.scene.write("shop/saved.py", f"def saved_now_{number}():\n    pass\n")
        start = time.perf_counter()
        indexer.changed(["shop/saved.py"])
        shop.scene.until_found(f"saved_now_{number}", 10)
        times.append(time.perf_counter() - start)
        time.sleep(0.3)
    answer = shop.find(engine, "saved_now_3")
    done, total = shop.progress()
    assert 0 < done < total, "it is still at work"
    print(
        f"\na saved file is found after {sorted(round(1000 * each) for each in times)} ms, {done} of {total} are done"
    )
    assert answer.index.model == bundled().identity
    assert answer.results[0].doc_id == "./shop/saved.py::saved_now_3"
    start = time.monotonic()
    assert indexer.wait_until_current(60).state == "ready", "who only wants words and the old vectors does not wait"
    assert time.monotonic() - start < 10
    assert shop.progress()[0] < total
    assert any("left" in words and "embedding" in words for words in told), told
    with shop.scene.store() as store:
        assert store is not None
        assert not store.lacks_vectors, "what was saved has its old model's vector already"


@pytest.mark.transformers
@pytest.mark.acceptance("F11")
def test_killed_in_the_middle_it_goes_on_where_it_was(shop: Shop, slow: Path) -> None:
    shop.scene.write_many(30)
    shop.connect()
    shop.choose(slow)
    wait_for(lambda: shop.progress()[0] > 20, 60, "it is being filled")
    os.kill(shop.scene.address().pid, signal.SIGKILL)
    killed_at, total = shop.progress()
    assert 0 < killed_at < total
    engine = shop.engine()
    answer = shop.find(engine)
    assert (answer.index.model, answer.faults) == (bundled().identity, [])
    least = killed_at
    deadline = time.monotonic() + 200
    while shop.model() == bundled().identity:
        done = shop.progress()[0]
        if shop.model() == bundled().identity and done:
            assert done >= least, "nothing that was on disk is done again"
            least = done
        assert time.monotonic() < deadline
        time.sleep(0.2)
    with shop.scene.store() as store:
        assert store is not None
        assert not store.lacks_vectors
        near = store.nearest(shop.model(), np.ones(384, np.float32) / np.sqrt(np.float32(384)), 10_000)
        assert len(near) == len(dict(near)) == store.state().vectors_total
    assert shop.find(engine).faults == []


@pytest.mark.transformers
def test_a_change_of_mind_in_the_middle(shop: Shop, slow: Path, small: Path) -> None:
    shop.scene.write_many(30)
    indexer = shop.connect()
    shop.choose(slow)
    wait_for(lambda: shop.progress()[0] > 0, 60, "it is being filled")
    shop.choose("bundled")
    wait_for(lambda: shop.progress()[0] == 0, 20, "it is given up")
    state = indexer.wait_until_current(30, vectors=True)
    assert (state.state, state.model, state.message) == ("ready", bundled().identity, "")
    shop.choose(small)
    wait_for(lambda: shop.model().startswith("small-e5@"), 60, "a third one took over")


# Trouble --------------------------------------------------------------------------------------------------------------


def _bundled_goes_on(shop: Shop, named: str) -> None:
    """One clear message wherever a person looks, and answers as before."""
    command = CommandLine(shop.scene.root)
    done = command.run("index")
    assert done.status == 0
    assert done.out.count(named) == 1, done
    assert "The bundled model goes on." in done.out
    answer = command.find(QUESTION)
    assert answer.faults == []
    assert answer.index.model == bundled().identity
    assert semantic(answer)
    assert named in answer.index.message or "is not ready" in answer.index.message
    status = command.run("status")
    assert named in status.out
    indexer = shop.scene.connect()
    assert indexer.wait_until_current(30, vectors=True).state == "ready"


@pytest.mark.transformers
@pytest.mark.acceptance("F3")
def test_offline_a_missing_model_is_told_and_the_bundled_one_goes_on(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    shop.choose("team/absent-e5")
    _bundled_goes_on(shop, "The model team/absent-e5 is not on this machine and could not be fetched")


@pytest.mark.acceptance("F3")
def test_without_the_extra_it_is_told_how_to_install_it(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sentence_transformers", "huggingface_hub"):
        (tmp_path / "blocked" / name).mkdir(parents=True)
        (tmp_path / "blocked" / name / "__init__.py").write_text(NOT_INSTALLED.format(name))
    known = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "blocked")] + ([known] if known else [])))
    shop.choose("team/some-e5")
    _bundled_goes_on(shop, "pip install 'scry-sidecar[transformers]'")


def test_the_environment_s_model_reaches_an_indexer_that_runs_already(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    shop.connect()
    pid = shop.scene.address().pid
    done = CommandLine(shop.scene.root).run("index", SCRY_MODEL=str(tmp_path / "nowhere"))
    assert (done.status, shop.scene.address().pid) == (0, pid)
    assert f"The model {tmp_path / 'nowhere'} is no sentence-transformers folder" in done.out


def test_vectors_of_an_earlier_version_of_the_bundled_model_are_never_compared_and_made_anew(shop: Shop) -> None:
    shop.connect()
    before = semantic(shop.find(shop.engine()))
    pid = shop.scene.address().pid
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not lives(pid), 10, "the indexer has ended")
    with sqlite3.connect(shop.scene.project.cache / "index.sqlite") as db:
        db.execute("UPDATE vector_sets SET identity = 'scry-static@0123456789abcdef/256'")
    alone = Engine.open(shop.scene.root, load_settings(shop.scene.root, os.environ), start_indexer=False)
    shop.engines.append(alone)
    answer = shop.find(alone)
    assert [each.oracle for each in answer.faults] == ["semantic"]
    assert "another version of the bundled model" in answer.faults[0].message
    assert not semantic(answer)
    assert "./shop/cart.py::add_to_cart" in {result.doc_id for result in answer.results}, "words answer meanwhile"
    shop.connect()
    assert shop.model() == bundled().identity
    after = shop.find(alone)
    assert (semantic(after), after.faults) == (before, [])


def test_lost_vectors_are_made_again_when_a_file_is_saved(shop: Shop) -> None:
    indexer = shop.connect()
    engine = shop.engine()
    before = semantic(shop.find(engine))
    (file,) = shop.scene.project.cache.glob("vectors-*")
    file.unlink()
    shop.scene.write("shop/later.py", "def later():\n    pass\n")
    indexer.changed(["shop/later.py"])
    wait_for(lambda: "./shop/later.py::later" in semantic(shop.find(engine, "later")), 20, "vectors are back")
    answer = semantic(shop.find(engine))
    assert {doc_id: answer[doc_id] for doc_id in before} == before


@pytest.mark.transformers
@pytest.mark.acceptance("F3")
def test_a_model_that_does_not_answer_in_time_is_a_fault_and_the_others_answer(shop: Shop, small: Path) -> None:
    shop.choose(small)
    shop.connect()
    engine = shop.engine()
    wait_for(_without_fault(shop, engine), 30, "the model answers")
    pid = shop.scene.address().pid
    os.kill(pid, signal.SIGSTOP)
    try:
        start = time.monotonic()
        answer = shop.find(engine, "add_to_cart", patience=0.5)
        assert time.monotonic() - start < 5
        assert [each.oracle for each in answer.faults] == ["semantic"]
        assert "within 0.5 s" in answer.faults[0].message
        assert answer.results[0].doc_id == "./shop/cart.py::add_to_cart"
        assert shop.find(engine, patience=0.5).faults == [], "a question that was asked before is known"
    finally:
        os.kill(pid, signal.SIGCONT)


def _without_fault(shop: Shop, engine: Engine) -> Callable[[], bool]:
    return lambda: not shop.find(engine).faults


@pytest.mark.acceptance("L3")
def test_logged_questions_are_replayed_with_another_model(shop: Shop, small: Path) -> None:
    project = CommandLine(shop.scene.root)
    asked = project.find(QUESTION)
    assert asked.index.model is not None
    assert "scry-static" in asked.index.model
    chosen = {"SCRY_MODEL": str(small)}
    done = project.run("lab", "replay", "--json", **chosen)
    assert done.status == 0, done.err
    replay = msgspec.json.decode(done.out, type=Replay)
    assert (replay.questions, replay.same) == (1, 0)
    assert "small-e5" in shop.model()
    assert replay.moved[0].before == [result.doc_id for result in asked.results]
