"""Models that are missing, lost, of another version or silent: reported, and the bundled model or words answer."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from scry.core import install_command, load_settings
from scry.embedding import load_bundled_model
from scry.engine import Engine
from tests.e2e.command_line import CommandLine
from tests.e2e.models.model_shop import QUESTION, Shop, semantic
from tests.polling import eventually
from tests.processes import is_running

NOT_INSTALLED = "raise ModuleNotFoundError(\"No module named '{0}'\", name='{0}')\n"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def _bundled_goes_on(shop: Shop, named: str) -> None:
    """Every surface shows one clear message and answers as before."""
    command = CommandLine(shop.sample.root)
    done = command.run("index")
    assert done.status == 0
    assert done.out.count(named) == 1, done
    assert "The bundled model goes on." in done.out
    answer = command.find(QUESTION)
    assert answer.faults == []
    assert answer.index.model == load_bundled_model().identity
    assert semantic(answer)
    assert named in answer.index.message or "is not ready" in answer.index.message
    status = command.run("status")
    assert named in status.out
    indexer = shop.sample.connect()
    assert indexer.wait_until_current(30, vectors=True).state == "ready"


@pytest.mark.transformers
@pytest.mark.acceptance("F3")
def test_missing_model_offline_is_reported_and_bundled_one_answers(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    shop.choose("team/absent-e5")
    _bundled_goes_on(shop, "The model team/absent-e5 is not on this machine and could not be fetched")


@pytest.mark.acceptance("F3")
def test_missing_extra_reports_the_install_command(shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("sentence_transformers", "huggingface_hub"):
        (tmp_path / "blocked" / name).mkdir(parents=True)
        (tmp_path / "blocked" / name / "__init__.py").write_text(NOT_INSTALLED.format(name))
    known = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "blocked")] + ([known] if known else [])))
    shop.choose("team/some-e5")
    _bundled_goes_on(shop, install_command("transformers"))


def test_model_from_the_environment_reaches_a_running_indexer(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    shop.connect()
    pid = shop.sample.address().pid
    done = CommandLine(shop.sample.root).run("index", SCRY_MODEL=str(tmp_path / "nowhere"))
    assert (done.status, shop.sample.address().pid) == (0, pid)
    assert f"The model {tmp_path / 'nowhere'} is no sentence-transformers folder" in done.out


def test_vectors_of_an_older_bundled_model_are_rebuilt(shop: Shop) -> None:
    shop.connect()
    before = semantic(shop.find(shop.engine()))
    _make_outdated(shop)
    alone = Engine.open(shop.sample.root, load_settings(shop.sample.root, os.environ), start_indexer=False)
    shop.engines.append(alone)
    answer = shop.find(alone)
    assert [each.oracle for each in answer.faults] == ["semantic"]
    assert "another version of the bundled model" in answer.faults[0].message
    assert not semantic(answer)
    assert "./shop/cart.py::add_to_cart" in {result.doc_id for result in answer.results}, "words answer meanwhile"
    shop.connect()
    assert shop.model() == load_bundled_model().identity
    with sqlite3.connect(shop.sample.project.cache / "index.sqlite") as db:
        assert db.execute("SELECT identity, active FROM vector_sets").fetchall() == [(load_bundled_model().identity, 1)]
    after = shop.find(alone)
    assert (semantic(after), after.faults) == (before, [])


@pytest.mark.parametrize("asked", [("find", QUESTION), ("index",)])
def test_command_line_rebuilds_vectors_of_an_older_bundled_model(shop: Shop, asked: tuple[str, ...]) -> None:
    command = CommandLine(shop.sample.root)  # and no client that starts the indexer again
    assert command.run("index").status == 0
    eventually(lambda: shop.model() == load_bundled_model().identity, "there are vectors")
    _make_outdated(shop)
    assert command.run(*asked).status == 0
    eventually(lambda: shop.model() == load_bundled_model().identity, "the vectors are new, though no file changed")
    answer = command.find(QUESTION)
    assert semantic(answer)
    assert answer.faults == []


def _make_outdated(shop: Shop) -> None:
    """End the indexer, and let the stored vectors be those of an older bundled model."""
    pid = shop.sample.address().pid
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: not is_running(pid), "the indexer has ended")
    with sqlite3.connect(shop.sample.project.cache / "index.sqlite") as db:
        db.execute("UPDATE vector_sets SET identity = 'scry-static@0123456789abcdef/256'")


def test_lost_vectors_are_made_again_when_a_file_is_saved(shop: Shop) -> None:
    indexer = shop.connect()
    engine = shop.engine()
    before = semantic(shop.find(engine))
    (file,) = shop.sample.project.cache.glob("vectors-*")
    file.unlink()
    shop.sample.write_file("shop/later.py", "def later():\n    pass\n")
    indexer.report_changed_paths(["shop/later.py"])
    eventually(lambda: "./shop/later.py::later" in semantic(shop.find(engine, "later")), "vectors are back")
    answer = semantic(shop.find(engine))
    assert {doc_id: answer[doc_id] for doc_id in before} == before


@pytest.mark.transformers
@pytest.mark.acceptance("F3")
def test_model_timeout_is_a_fault_and_other_oracles_answer(shop: Shop, small: Path) -> None:
    shop.choose(small)
    shop.connect()
    engine = shop.engine()
    eventually(_without_fault(shop, engine), "the model answers")
    pid = shop.sample.address().pid
    os.kill(pid, signal.SIGSTOP)
    try:
        answer = shop.find(engine, "add_to_cart", patience=0.5)
        assert [each.oracle for each in answer.faults] == ["semantic"]
        assert "within 0.5 s" in answer.faults[0].message
        assert answer.results[0].doc_id == "./shop/cart.py::add_to_cart"
        assert shop.find(engine, patience=0.5).faults == [], "a question that was asked before is known"
    finally:
        os.kill(pid, signal.SIGCONT)


def _without_fault(shop: Shop, engine: Engine) -> Callable[[], bool]:
    return lambda: not shop.find(engine).faults
