"""The last word of a query that is being typed into a picker also matches the words that begin with it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scry.projects import open_project
from scry.store.events import EventReader
from tests.e2e.lsp_client import LspClient, Message
from tests.polling import eventually
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.acceptance("C1", "C2")]

CARTS = {
    "shop/cart.py": (
        '"""Carts."""\n\n\nclass Cart:\n    """What is bought."""\n\n    def add(self, item):\n'
        '        """Puts an item into the cart."""\n        self.items.append(item)\n'
    ),
    "shop/basket.py": "def fill(cart, things):\n    for thing in things:\n        cart.add(thing)\n",
    "printer/toner.py": (
        'def replace_cartridge(printer):\n    """Replace the cartridge of a printer."""\n    printer.cartridge = None\n'
    ),
    **{f"rooms/room_{n}.py": f"def paint_room_{n}(colour):\n    return colour * {n}\n" for n in range(12)},
}
MAPS = {
    "maps/draw.py": (
        'def draw_map(cartographer):\n    """Let the cartographer draw a map."""\n    return cartographer.draw()\n'
    ),
    "maps/trolley.py": 'def push(cart):\n    """Push the cart."""\n    return cart\n',
}
QUERIES = ("cart", "replace the cart", "which cart", "paint colour cart", "draw a map of a cart", "room add")


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("typing")
    return make_repository(folder / "carts", CARTS), make_repository(folder / "maps", MAPS)


@pytest.fixture(scope="module")
def client(roots: tuple[Path, Path]) -> Iterator[LspClient]:
    with LspClient(roots[0]) as client:
        client.initialize(roots[0])
        client.wait_until_ready()
        yield client


@pytest.fixture(scope="module")
def both(roots: tuple[Path, Path]) -> Iterator[LspClient]:
    with LspClient(roots[0]) as client:
        client.initialize(*roots)
        for root in roots:
            client.wait_until_ready(root)
        yield client


def by_prefix(answer: Message) -> list[str]:
    """Return the doc_ids of the results that hold only words that begin with the last one."""
    named = (
        result for result in answer["results"] if [each["name"] for each in result["adjustments"]][-1:] == ["prefix"]
    )
    return [result["doc_id"] for result in named]


def holds(result: Message, word: str) -> bool:
    """Return whether a result matched a word as it is."""
    return word in result["contributions"].get("lexical", {}).get("matches", ())


def ahead(answer: Message, doc_id: str) -> set[str]:
    ids = [result["doc_id"] for result in answer["results"]]
    return set(ids[: ids.index(doc_id)])


def test_word_that_occurs_matches_the_words_that_begin_with_it(client: LspClient) -> None:
    answer = client.find("cart", picker="p", limit=5)
    assert by_prefix(answer) == ["./printer/toner.py::replace_cartridge"]
    before = scores(client.find("cart"))["./printer/toner.py::replace_cartridge"]
    assert scores(answer)["./printer/toner.py::replace_cartridge"] > before
    added = answer["results"][-1]
    assert added["contributions"]["lexical"]["matches"] == ["cart…"]
    assert added["adjustments"][-1]["reason"].startswith("only words that begin with cart")
    assert (answer["query"], answer["scoring"]["prefix"]) == ("cart", "cart")
    assert answer["notice"] == "words that begin with cart match too"


@pytest.mark.parametrize("query", QUERIES)
def test_nothing_that_holds_the_word_is_displaced(client: LspClient, both: LspClient, query: str) -> None:
    for asked in (client, both):
        typed, finished = asked.find(query, picker="p", limit=50), asked.find(query, limit=50)
        holding = [result["doc_id"] for result in finished["results"] if holds(result, query.split()[-1])]
        assert holding
        for doc_id in holding:
            assert ahead(typed, doc_id) <= ahead(finished, doc_id), doc_id
            assert scores(typed)[doc_id] == scores(finished)[doc_id]


def scores(answer: Message) -> dict[str, float]:
    return {result["doc_id"]: result["fused_score"] for result in answer["results"]}


@pytest.mark.parametrize("query", QUERIES)
def test_scores_follow_from_contributions_and_adjustments(client: LspClient, query: str) -> None:
    answer = client.find(query, picker="p", limit=50)
    scoring: Message = answer["scoring"]
    for result in answer["results"]:
        terms = [
            scoring["weights"][name] / (scoring["k"] + result["contributions"][name]["rank"])
            for name in scoring["weights"]
            if name in result["contributions"]
        ]
        factors = math.prod(each["factor"] for each in result["adjustments"])
        assert result["fused_score"] == pytest.approx(sum(terms) * factors / scoring["ceiling"], rel=1e-12)
    assert [result["fused_score"] for result in answer["results"]] == sorted(scores(answer).values(), reverse=True)


@pytest.mark.acceptance("W1")
def test_why_ranks_as_the_answer_and_names_the_prefix(client: LspClient) -> None:
    answer = client.find("replace the cart", picker="p", limit=50)
    for result in answer["results"]:
        why = client.request("scry/why", {"doc_id": result["doc_id"], "query_id": answer["query_id"]})
        assert (why["result"]["rank"], why["result"]["fused_score"]) == (result["rank"], result["fused_score"])
        assert [each["name"] for each in why["result"]["adjustments"]] == [
            each["name"] for each in result["adjustments"]
        ]


def test_several_projects_share_the_last_word(both: LspClient) -> None:
    answer = both.find("cart", picker="p", limit=50)
    assert sorted(by_prefix(answer)) == ["carts:./printer/toner.py::replace_cartridge", "maps:./maps/draw.py::draw_map"]
    completed = both.find("cartogr", picker="p")
    assert completed["query"] == "cartographer", "the word is only in the second project"
    assert "cartogr… is taken as cartographer" in completed["notice"]
    assert completed["results"][0]["doc_id"] == "maps:./maps/draw.py::draw_map"


@pytest.mark.parametrize("typed", ["cart ", '"cart', "ca", "replace cart.py"])
def test_finished_words_match_as_they_are(client: LspClient, typed: str) -> None:
    assert by_prefix(client.find(typed, picker="p", limit=50)) == []


@pytest.mark.acceptance("E1")
def test_log_keeps_the_prefix_so_that_the_question_can_be_asked_again(
    client: LspClient, roots: tuple[Path, Path]
) -> None:
    answer = client.find("fill the cart", picker="kept")

    def options() -> dict[str, Any] | None:
        reader = EventReader.open(open_project(roots[0]).data)
        events = reader.iter_events() if reader is not None else ()
        bodies = (json.loads(each.event.body) for each in events if each.event.query_id == answer["query_id"])
        return next((body["options"] for body in bodies), None)

    eventually(lambda: options() is not None, "the query in the log")
    assert (options() or {})["prefix"] == "cart"
