"""Components of Vue, Svelte and Astro: each file is a symbol that is found by the file's name."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from scry_protocol.messages import DetailParams, OrientParams, WhyParams
from tests.sample.indexed import IndexedProject, doc_ids

CARD = """<!-- Shows a person on a card. -->
<script setup lang="ts">
const props = defineProps<{ name: string }>()
function greet() { return props.name }
</script>

<template>
  <p @click="greet">{{ name }}</p>
</template>
"""
FILES = {
    "src/UserCard.vue": CARD,
    "src/App.vue": "<script setup>\nimport UserCard from './UserCard.vue'\n</script>\n\n"
    "<template>\n  <UserCard />\n</template>\n",
    "src/SideBar.svelte": "<!-- @component Holds the links beside the page. -->\n"
    "<script>\n  export let open = false\n</script>\n\n<nav />\n",
    "src/PageFoot.astro": "---\nconst year = 2026\n---\n<footer>{year}</footer>\n",
    "src/empty.vue": "\n",
    "README.md": "# Cards\n\nA UserCard, a SideBar and a PageFoot are user cards, side bars and page feet.\n",
}


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> IndexedProject:
    sample = IndexedProject(tmp_path_factory.mktemp("work") / "cards").init_repository()
    sample.write(FILES)
    sample.commit("Show people")
    sample.update_index()
    sample.update_graph()
    return sample


@pytest.mark.acceptance("F2", "F8")
@pytest.mark.parametrize(
    ("name", "doc_id", "snippet"),
    [
        ("UserCard", "./src/UserCard.vue::UserCard", "component UserCard — Shows a person on a card."),
        ("SideBar", "./src/SideBar.svelte::SideBar", "component SideBar — Holds the links beside the page."),
        ("PageFoot", "./src/PageFoot.astro::PageFoot", "component PageFoot"),
    ],
)
def test_component_is_found_by_its_name(cards: IndexedProject, name: str, doc_id: str, snippet: str) -> None:
    result = cards.find(name).results[0]
    assert (result.doc_id, result.kind, result.snippet) == (doc_id, "class", snippet)


@pytest.mark.acceptance("D1", "W1", "N3")
def test_component_is_read_in_full_explained_and_called(cards: IndexedProject) -> None:
    with closing(cards.engine()) as engine:
        answer = cards.find("UserCard")
        full = engine.detail(DetailParams(answer.query_id, 1)).result.full
        assert full
        assert full.body == CARD.rstrip("\n")
        assert full.graph
        assert [link.doc_id for link in full.graph.callers] == ["./src/App.vue::App"]
        assert engine.why(WhyParams("./src/UserCard.vue::UserCard", "UserCard")).status == "indexed"
        summaries = {each.doc_id: each.snippet for each in engine.orient(OrientParams(path="src")).results}
        assert summaries["./src/UserCard.vue"] == "Shows a person on a card."
    assert doc_ids(cards.find("what calls UserCard", reason=True)) == ["./src/App.vue::App"]
    assert "./src/UserCard.vue::greet" in doc_ids(cards.find("greet")), "what the script defines keeps its name"


def test_component_without_content_is_no_symbol(tmp_path: Path) -> None:
    sample = IndexedProject(tmp_path / "bare").init_repository()
    sample.write({"src/empty.vue": "\n", "src/.vue": "<template />\n"})
    sample.commit("Begin")
    sample.update_index()
    assert not [each for each in sample.find("empty").results if each.kind == "class"]
