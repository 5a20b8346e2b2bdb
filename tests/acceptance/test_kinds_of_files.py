"""Documents, code and notebooks: what each file counts as, and what is found in it."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from scry_protocol.messages import DetailParams
from tests.sample.indexed import IndexedProject, doc_ids

DOCUMENTS = {
    "README.md": "# Harbor\n\nHow a lantern is lit.\n",
    "docs/lamps.rst": "Lamps\n=====\n\nA lantern is lit at dusk.\n",
    "docs/oil.adoc": "= Oil\n\nThe lantern burns oil.\n",
    "docs/wicks.org": "* Wicks\n\nA lantern has a wick.\n",
    "docs/light.tex": "\\section{Light}\n\nThe lantern is seen from afar.\n",
    "NOTES.txt": "The lantern is out.\n",
}
CODE = {
    "src/lamp.erl": "-module(lamp).\nlight(lantern) -> lit.\n",
    "src/burn.R": "burn <- function(lantern) lantern\n",
    "src/Lamp.pm": "package Lamp;\nsub lantern { 1 }\n1;\n",
    "src/lamp.dart": "int lantern() => 1;\n",
    "src/lamp.jl": "lantern() = 1\n",
    "src/lamp.ml": "let lantern () = 1\n",
    "src/lamp.clj": "(defn lantern [] 1)\n",
    "src/Lamp.m": "- (int)lantern { return 1; }\n",
    "src/lamp.py": "def lantern():\n    return 1\n",
    "src/Lamp.vue": "<script>\nexport function lantern() {}\n</script>\n",
}
CELLS = [
    {"cell_type": "markdown", "source": ["# Nights with a lantern\n", "Counted by hand.\n"]},
    {"cell_type": "code", "source": ["def count_nights(log):\n", "    return len(log)\n"], "outputs": []},
    {"cell_type": "code", "source": "count_nights(open('lantern.log'))\n", "outputs": [{"text": "lighthouse keeper"}]},
]


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> IndexedProject:
    sample = IndexedProject(tmp_path_factory.mktemp("work") / "harbor").init_repository()
    sample.write({**DOCUMENTS, **CODE, "nights.ipynb": json.dumps({"cells": CELLS, "metadata": {}}, indent=1)})
    sample.commit("Light the lamps")
    sample.update_index()
    return sample


def found_files(sample: IndexedProject, query: str, **params: object) -> set[str]:
    """Return the files of all that a question finds."""
    found = doc_ids(sample.find(query, limit=200, **params))
    return {each.removeprefix("./").partition("::")[0].partition("#")[0] for each in found}


@pytest.mark.acceptance("F8", "F9")
@pytest.mark.parametrize(("kind", "files"), [("doc", DOCUMENTS), ("code", CODE)])
def test_documents_and_code_are_told_apart_in_every_language(
    harbor: IndexedProject, kind: str, files: dict[str, str]
) -> None:
    for found in (found_files(harbor, f"lantern type:{kind}"), found_files(harbor, "lantern", types=[kind])):
        assert found - {"nights.ipynb"} == set(files)
    other = "code" if kind == "doc" else "doc"
    assert found_files(harbor, f"lantern -type:{other} -type:commit") - {"nights.ipynb"} == set(files)


@pytest.mark.acceptance("F2", "D1", "J2")
def test_notebook_is_found_by_its_cells_and_by_what_they_define(harbor: IndexedProject) -> None:
    answer = harbor.find("count_nights")
    best = answer.results[0]
    assert (best.doc_id, best.kind, best.title) == ("./nights.ipynb::count_nights", "function", "count_nights")
    lines = (harbor.root / "nights.ipynb").read_text().splitlines()
    assert best.location
    assert "def count_nights" in lines[best.location.range.start.line], "the place is one in the file"
    with closing(harbor.engine()) as engine:
        full = engine.detail(DetailParams(answer.query_id, 1)).result.full
    assert full
    assert full.body == "def count_nights(log):\n    return len(log)"
    assert doc_ids(harbor.find("nights with a lantern"))[0] == "./nights.ipynb::Nights with a lantern"
    assert doc_ids(harbor.find('"lighthouse keeper"')) == [], "outputs are not indexed"


def test_notebook_that_is_no_json_is_found_as_text(tmp_path: Path) -> None:
    sample = IndexedProject(tmp_path / "torn").init_repository()
    sample.write({"torn.ipynb": '{"cells": [{"cell_type": "code", "source": "def halyard(): pass'})
    sample.commit("Tear")
    sample.update_index()
    assert found_files(sample, "halyard -type:commit") == {"torn.ipynb"}
