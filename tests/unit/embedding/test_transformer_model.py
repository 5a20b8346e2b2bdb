"""Other models: their files, prefixes and identity, the library's own vectors, and clear words when there is none."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import sys
import threading
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

from scry.core import ModelUnavailable, install_command, load_settings
from scry.embedding import Passage, TransformerModel, choose_prefixes, find_model, passage_text
from tests.small_model import make_model

Library: TypeAlias = Any
"""sentence_transformers is not in the default environment."""

PASSAGES = [
    Passage("pay", "shop/checkout.py", "Checkout", "def pay(self):\n    return 1\n"),
    Passage("", "README.md", "Shop > Returns", "Send it back."),
    Passage("big", "a.py", "", "value = other(thing)\n" * 2000),
    Passage("", "caf\udce9.py", "", ""),
    Passage("解析", "", "", "x = 1"),
]
QUERIES = ["where is the cart", "pay", "解析 🙂 \x00", "w" * 5000]
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def _folder(path: Path, *classes: str) -> Path:
    path.mkdir()
    modules = [{"idx": number, "name": str(number), "path": "", "type": each} for number, each in enumerate(classes)]
    (path / "modules.json").write_text(json.dumps(modules))
    return path


# What needs no torch --------------------------------------------------------------------------------------------------


def test_passage_text_is_location_and_text() -> None:
    assert passage_text(PASSAGES[0]) == "shop/checkout.py Checkout pay\ndef pay(self):\n    return 1\n"
    assert passage_text(PASSAGES[1]) == "README.md Shop > Returns\nSend it back."
    assert passage_text(PASSAGES[3]) == "caf?.py\n"


@pytest.mark.parametrize(
    ("name", "prompts", "default", "expected"),
    [
        ("intfloat/e5-small-v2", {"query": "", "document": ""}, None, ("query: ", "passage: ")),
        ("intfloat/multilingual-e5-base", {}, None, ("query: ", "passage: ")),
        ("some/cafe5x", {}, None, ("", "")),
        ("some/bge", {"query": "Represent this: ", "document": ""}, None, ("Represent this: ", "")),
        ("my-e5", {"query": "q ", "document": "", "passage": "p "}, None, ("q ", "p ")),
        ("other", {"any": "text: "}, "any", ("text: ", "text: ")),
        ("other", {"query": "q ", "any": "text: "}, "any", ("q ", "text: ")),
    ],
)
def test_query_and_passage_prefixes_are_applied(
    name: str, prompts: dict[str, str], default: str | None, expected: tuple[str, str]
) -> None:
    assert choose_prefixes(name, prompts, default) == expected


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("./model", "relative path"),
        ("../model", "relative path"),
        ("a/b/c", "neither"),
        ("http://host/model", "neither"),
        ("", "neither"),
        ("/no/such/folder", r"no modules\.json"),
    ],
)
def test_invalid_model_setting_is_reported(setting: str, words: str) -> None:
    with pytest.raises(ModelUnavailable, match=words):
        find_model(setting)


def test_local_model_is_pinned_by_content_not_path(tmp_path: Path) -> None:
    one = _folder(tmp_path / "model", "sentence_transformers.models.Transformer")
    (tmp_path / "elsewhere").mkdir()
    same = Path(shutil.copytree(one, tmp_path / "elsewhere" / "model"))
    first = find_model(str(one))
    assert (first.name, first.revision) == ("model", find_model(str(same)).revision)
    (same / ".git").mkdir()
    (same / ".git" / "HEAD").write_text("x")
    assert find_model(str(same)).revision == first.revision
    (same / "weights").write_bytes(b"\x01")
    assert find_model(str(same)).revision != first.revision


@pytest.mark.parametrize("named", ["os.system", "custom_module.Model", "sentence_transformersx.Model"])
def test_model_with_custom_code_is_refused(tmp_path: Path, named: str) -> None:
    folder = _folder(tmp_path / "model", "sentence_transformers.models.Transformer", named)
    with pytest.raises(ModelUnavailable, match="never runs"):
        find_model(str(folder))


@pytest.mark.parametrize("broken", ["{", "[1]", '[{"type": "sentence_transformers.x"}]', "null", "\xff"])
def test_malformed_model_folder_is_reported(tmp_path: Path, broken: str) -> None:
    (tmp_path / "modules.json").write_bytes(broken.encode("latin-1"))
    with pytest.raises(ModelUnavailable, match=r"modules\.json is broken"):
        find_model(str(tmp_path))


def test_files_outside_the_folder_are_not_read(tmp_path: Path) -> None:
    modules = [{"idx": 0, "name": "0", "path": "../other", "type": "sentence_transformers.models.Transformer"}]
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ModelUnavailable, match="outside"):
        find_model(str(tmp_path))


def test_missing_transformers_extra_reports_the_install_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    folder = _folder(tmp_path / "model", "sentence_transformers.models.Transformer")
    for setting in (str(folder), "some/model"):
        with pytest.raises(ModelUnavailable, match=re.escape(install_command("transformers"))):
            TransformerModel.load(setting)


@pytest.mark.acceptance("S1")
def test_a_project_can_not_name_a_model(tmp_path: Path) -> None:
    (tmp_path / ".scry").mkdir()
    (tmp_path / ".scry" / "config.toml").write_text('model = "evil/model"\n')
    settings = load_settings(tmp_path, {})
    assert settings.model == "bundled"
    assert any("model" in warning for warning in settings.warnings)


# With torch -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("models") / "small-e5")


@pytest.fixture(scope="module")
def model(folder: Path) -> TransformerModel:
    return TransformerModel.load(str(folder))


@pytest.mark.transformers
def test_transformer_vectors_equal_sentence_transformers(folder: Path, model: TransformerModel) -> None:
    library: Library = importlib.import_module("sentence_transformers")
    own = library.SentenceTransformer(str(folder), device="cpu")
    wanted = own.encode([passage_text(each) for each in PASSAGES], prompt="passage: ", normalize_embeddings=True)
    assert np.abs(model.encode_passages(PASSAGES) - wanted).max() < 1e-6
    for query in QUERIES:
        wanted = own.encode([query], prompt="query: ", normalize_embeddings=True)[0]
        assert np.abs(model.encode_query(query) - wanted).max() < 1e-6


@pytest.mark.transformers
@pytest.mark.acceptance("F10")
def test_vector_does_not_depend_on_its_batch_neighbours(model: TransformerModel) -> None:
    together = model.encode_passages(PASSAGES)
    backwards = model.encode_passages(PASSAGES[::-1])[::-1]
    alone = np.concatenate([model.encode_passages([each]) for each in PASSAGES])
    assert together.tobytes() == alone.tobytes() == backwards.tobytes()
    assert model.encode_passages([]).shape == (0, model.dimension)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)


@pytest.mark.transformers
def test_transformer_identity_covers_all_vector_inputs(folder: Path, model: TransformerModel, tmp_path: Path) -> None:
    assert model.identity.startswith("small-e5@")
    for part in ("/32 ", "'query: '", "'passage: '", " 128 "):
        assert part in model.identity
    same = TransformerModel.load(str(shutil.copytree(folder, tmp_path / "small-e5")))
    assert same.identity == model.identity
    bare = TransformerModel.load(str(make_model(tmp_path / "bare" / "small-e5", prompts={})))
    assert bare.identity != model.identity
    assert "'query: '" in bare.identity, "by the family's name"
    other = TransformerModel.load(str(make_model(tmp_path / "seed" / "small-e5", seed=1)))
    assert other.identity != model.identity


@pytest.mark.transformers
def test_questions_and_passages_can_come_from_several_threads(model: TransformerModel) -> None:
    passages, query = model.encode_passages(PASSAGES), model.encode_query("pay")
    problems: list[object] = []

    def work(number: int) -> None:
        for _ in range(10):
            same = (
                np.array_equal(model.encode_passages(PASSAGES), passages)
                if number % 2
                else np.array_equal(model.encode_query("pay"), query)
            )
            if not same:
                problems.append(number)

    threads = [threading.Thread(target=work, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


@pytest.mark.transformers
def test_damaged_model_is_reported(folder: Path, tmp_path: Path) -> None:
    damaged = Path(shutil.copytree(folder, tmp_path / "model"))
    (damaged / "model.safetensors").write_bytes(b"none")
    with pytest.raises(ModelUnavailable, match="can't be loaded"):
        TransformerModel.load(str(damaged))


@pytest.mark.transformers
def test_hub_model_is_read_from_the_cache_by_commit(
    folder: Path, model: TransformerModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    constants: Library = importlib.import_module("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    cached = tmp_path / "models--team--small-e5"
    shutil.copytree(folder, cached / "snapshots" / COMMIT)
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text(COMMIT)
    for setting in ("team/small-e5", "team/small-e5@main", f"team/small-e5@{COMMIT}"):
        found = TransformerModel.load(setting)
        assert found.identity.startswith(f"team/small-e5@{COMMIT[:16]}/32 ")
    assert np.array_equal(found.encode_query("pay"), model.encode_query("pay"))
    with pytest.raises(ModelUnavailable, match=r"team/small-e5@v2 is not on this machine"):
        TransformerModel.load("team/small-e5@v2")
    with pytest.raises(ModelUnavailable, match="Connect to the network once"):
        TransformerModel.load("team/absent")
