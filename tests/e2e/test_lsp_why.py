"""Why, detail and hover, as an editor gets them from the real sidecar."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scry_protocol.messages import Detail, Explanation
from tests.e2e.lsp_client import LspClient, RpcError
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = pytest.mark.slow


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", SHOP)


@pytest.fixture
def client(shop: Path) -> Iterator[LspClient]:
    with LspClient(shop) as client:
        client.initialize(shop)
        client.wait_until_ready()
        yield client


def hover(client: LspClient, path: Path, line: int, character: int = 4) -> Any:  # noqa: ANN401 (JSON)
    position = {"line": line, "character": character}
    return client.request("textDocument/hover", {"textDocument": {"uri": path.as_uri()}, "position": position})


def line_of(path: Path, text: str) -> int:
    return next(at for at, line in enumerate(path.read_text(encoding="utf-8").split("\n")) if text in line)


@pytest.mark.acceptance("C3")
def test_hover_is_aligned_plain_text_for_a_client_that_prefers_it(shop: Path) -> None:
    with LspClient(shop) as client:
        client.initialize(shop, capabilities={"textDocument": {"hover": {"contentFormat": ["plaintext", "markdown"]}}})
        client.wait_until_ready()
        client.request("workspace/symbol", {"query": "compute_total"})
        cart = shop / "shop/cart.py"
        contents = hover(client, cart, line_of(cart, "def compute_total"))["contents"]
    assert contents["kind"] == "plaintext"
    assert "compute_total" in contents["value"]
    assert not set(contents["value"]) & set("\\|*`")
    head, semantic, lexical = [line for line in contents["value"].splitlines() if line.startswith("  ")][:3]
    end = head.index("Rank") + len("Rank")
    assert (semantic[end - 2 : end], lexical[end - 2 : end]) == ("#1", "#1")


@pytest.mark.acceptance("W1", "C1", "C2")
def test_why_returns_the_full_explanation_as_markdown(client: LspClient, shop: Path) -> None:
    answer = client.find("compute_total")
    result = answer["results"][0]
    for doc_id in (result["doc_id"], (shop / "shop/cart.py").as_uri() + "::Cart.compute_total"):
        raw = client.request("scry/why", {"doc_id": doc_id, "query_id": answer["query_id"]})
        explanation = msgspec.convert(raw, Explanation)
        assert raw["result"] == result
        assert explanation.doc_id == result["doc_id"]
        assert explanation.text.startswith("`./shop/cart.py::Cart.compute_total`\n\n**1st: ")
        table = [row for row in explanation.text.splitlines() if row.startswith("| ")]
        assert table[0].startswith("| Oracle ")
        first = explanation.text[explanation.text.index(table[0]) :].partition("\n\n")[0].splitlines()
        assert len(first) > 3
        assert len({len(row) for row in first}) == 1, "its columns are aligned in the text, too"
    assert client.request("scry/why", {"doc_id": result["doc_id"]})["query"] == "compute_total"
    assert client.request("scry/why", {"doc_id": "../../etc/passwd"})["status"] == "outside"
    with pytest.raises(RpcError, match="doc_id"):
        client.request("scry/why", {"doc_id": ""})


@pytest.mark.acceptance("D1")
def test_detail_gives_a_result_in_full(client: LspClient) -> None:
    answer = client.find("compute_total")
    detail = msgspec.convert(client.request("scry/detail", {"query_id": answer["query_id"], "rank": 1}), Detail)
    assert detail.state == "current"
    assert detail.result.full
    assert "def compute_total" in detail.result.full.body
    assert "```python" in detail.text
    for params, words in (
        ({"query_id": answer["query_id"], "rank": 99}, "rank"),
        ({"query_id": "q_20200101_000000_abcdefgh", "rank": 1}, "query_id"),
    ):
        with pytest.raises(RpcError, match=words):
            client.request("scry/detail", params)


@pytest.mark.acceptance("C3")
def test_hover_answers_only_on_results(client: LspClient, shop: Path) -> None:
    cart = shop / "shop/cart.py"
    total = line_of(cart, "def compute_total")
    assert hover(client, cart, total) is None
    client.request("workspace/symbol", {"query": "compute_total"})
    found = hover(client, cart, total + 1)
    assert found["contents"]["kind"] == "markdown"
    assert "compute\\_total" in found["contents"]["value"]
    assert hover(client, shop / "elsewhere.py", 0) is None
    logged = client.request("scry/why", {"doc_id": "./shop/cart.py::Cart.compute_total"})
    assert logged["query"] == "compute_total"


@pytest.mark.acceptance("W1", "D1")
def test_each_document_is_explained_by_its_own_folder(tmp_path: Path) -> None:
    one = make_repository(tmp_path / "one", {"pay.py": "def pay_one():\n    return 1\n"})
    two = make_repository(tmp_path / "two", {"pay.py": "def pay_two():\n    return 2\n"})
    with LspClient(one) as client:
        client.initialize(one, two)
        client.wait_until_ready(one)
        client.wait_until_ready(two)
        answer = client.find("pay", full=True)
        assert {result["doc_id"] for result in answer["results"]} >= {"one:./pay.py::pay_one", "two:./pay.py::pay_two"}
        for result in answer["results"]:
            if result["content_type"] == "commit":
                continue
            detail = client.request("scry/detail", {"query_id": answer["query_id"], "rank": result["rank"]})
            name = result["doc_id"].partition("::")[2]
            assert f"def {name}()" in detail["result"]["full"]["body"]
            assert f"def {name}()" in result["full"]["body"]
            explained = client.request("scry/why", {"doc_id": result["doc_id"]})
            assert (explained["query"], explained["status"]) == ("pay", "indexed")
            assert explained["result"]["doc_id"].endswith(f"./pay.py::{name}")
