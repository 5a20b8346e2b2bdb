from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

import scry.embedding.static_model
from scry.embedding import Passage, StaticModel
from training.export import export_sentence_transformers

Exported: TypeAlias = Any
"""A SentenceTransformer; the library is not in the default environment."""

BUNDLED = Path(scry.embedding.static_model.__file__).parent / "model"
PASSAGES = [
    Passage("retry_upload", "src/net/upload.py", "Uploader", "for attempt in range(3):\n    send(attempt)\n"),
    Passage("", "README.md", "", "How to install"),
    Passage("解析", "", "", "x = 1"),
    Passage("", "", "", ""),
]
QUERIES = ["where are uploads retried", "解析 http", "", "a a a b"]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    library: Any = importlib.import_module("sentence_transformers")
    folder = tmp_path_factory.mktemp("exported")
    export_sentence_transformers(BUNDLED, folder / "model")
    return library.SentenceTransformer(str(folder / "model"), device="cpu", trust_remote_code=True)


@pytest.mark.transformers
def test_both_paths_give_the_same_queries(exported: Exported) -> None:
    model = StaticModel.load()
    expected = np.stack([model.encode_query(query) for query in QUERIES])
    assert np.abs(exported.encode(QUERIES) - expected).max() <= 1e-5


@pytest.mark.transformers
def test_both_paths_give_the_same_passages(exported: Exported) -> None:
    given = [{"name": one.name, "path": one.path, "container": one.container, "text": one.text} for one in PASSAGES]
    assert np.abs(exported.encode(given) - StaticModel.load().encode_passages(PASSAGES)).max() <= 1e-5
