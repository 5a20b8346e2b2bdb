"""The sharp tests on Scry's own code, word for word: the quiet file comes first; a word for a kind is no subject."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.sample.indexed import IndexedProject

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def scry(tmp_path_factory: pytest.TempPathFactory) -> IndexedProject:
    """Return Scry's server, tests and documents as they are in this work tree, without history."""
    root = tmp_path_factory.mktemp("own") / "scry"
    for folder in ("server", "docs", "tests", "protocol"):
        skipped = shutil.ignore_patterns("__pycache__", "node_modules", ".*", "*.bin", "*.npz", "*.safetensors")
        shutil.copytree(REPOSITORY / folder, root / folder, ignore=skipped)
    sample = IndexedProject(root)
    sample.update_index()
    return sample


@pytest.mark.acceptance("F13")
def test_where_fusion_is_implemented_finds_the_fusion_file_first(scry: IndexedProject) -> None:
    first = scry.find("Where is RRF fusion implemented?").results[0]
    assert first.doc_id.startswith("./server/scry/engine/search/fusion.py")
    assert {"semantic", "lexical"} <= set(first.contributions)


@pytest.mark.acceptance("F12")
def test_question_about_a_module_is_about_its_name(scry: IndexedProject) -> None:
    fusion = scry.find("What should I know about the fusion module?").results
    assert fusion[0].doc_id.startswith("./server/scry/engine/search/fusion.py")
    retrieval = scry.find("What should I know about the retrieval module?").results
    for result in (*fusion, *retrieval):
        assert "module" not in result.title.lower()
    assert any(result.doc_id.startswith("./server/scry/engine/search/pipeline.py") for result in retrieval[:3])
