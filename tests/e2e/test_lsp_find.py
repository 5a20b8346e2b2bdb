"""Results, states, symbols and positions that an editor gets from the sidecar."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scry_protocol.messages import Answer, IndexState
from tests.e2e.lsp_client import LspClient, Message, RpcError, frame
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repository(tmp_path_factory.mktemp("find") / "shop", SHOP)


@pytest.fixture(scope="module")
def client(shop: Path) -> Iterator[LspClient]:
    with LspClient(shop) as client:
        client.initialize(shop)
        client.wait_until_ready()
        yield client


def ids(answer: Message) -> list[str]:
    return [result["doc_id"] for result in answer["results"]]


def marked(result: Message, root: Path) -> str:
    """Return the text of a result's range, read from the file by UTF-16 columns."""
    start, end = result["location"]["range"]["start"], result["location"]["range"]["end"]
    path = next(path for path in root.rglob("*") if path.as_uri() == result["location"]["uri"])
    lines = [line.encode("utf-16-le") for line in path.read_text(encoding="utf-8").split("\n")]
    inside = lines[start["line"] : end["line"] + 1]
    inside[-1] = inside[-1][: end["character"] * 2]
    inside[0] = inside[0][start["character"] * 2 :]
    return b"\n\0".join(inside).decode("utf-16-le")


@pytest.mark.acceptance("F1", "F8", "F11")
def test_exact_name_comes_first_with_its_location(client: LspClient, shop: Path) -> None:
    answer = client.find("compute_total")
    msgspec.convert(answer, Answer)
    first = answer["results"][0]
    assert first["doc_id"] == "./shop/cart.py::Cart.compute_total"
    assert marked(first, shop).startswith("def compute_total(self)")
    assert answer["index"]["state"] == "ready"
    assert answer["index"]["files_indexed"] == answer["index"]["files_total"] == len(SHOP)


@pytest.mark.acceptance("F1", "F14")
def test_location_names_the_symbol_below_its_doc_comment(tmp_path: Path) -> None:
    comment = "".join(f"/// Line {number} of what a parcel is.\n" for number in range(40))
    text = f"{comment}#[derive(Debug)]\npub struct Parcel {{\n    weight: u32,\n}}\n"
    root = make_repository(tmp_path / "rust", {"src/parcel.rs": text})
    with LspClient(root) as client:
        client.initialize(root)
        client.wait_until_ready()
        location = client.find("Parcel")["results"][0]["location"]
        [symbol] = [
            each for each in client.request("workspace/symbol", {"query": "Parcel"}) if each["name"] == "Parcel"
        ]
    assert location["range"]["start"]["line"] < 40
    assert location["name"] == {"line": 41, "character": len("pub struct ")}
    assert symbol["location"]["range"] == {"start": location["name"], "end": location["range"]["end"]}


@pytest.mark.acceptance("F1", "F10")
def test_every_session_gives_the_same_answer(client: LspClient, shop: Path) -> None:
    with LspClient(shop, environ={"PYTHONHASHSEED": "7"}) as other:
        other.initialize(shop)
        other.wait_until_ready()
        for query in ("receipt", "what a customer buys", "price"):
            first, second = client.find(query), other.find(query)
            assert first["results"] == second["results"]
            assert first["results"]


@pytest.mark.acceptance("F11")
def test_status_is_complete_and_typed(client: LspClient) -> None:
    state = msgspec.convert(client.request("scry/status"), IndexState)
    assert (state.state, state.files_indexed, state.unsaved) == ("ready", len(SHOP), [])
    assert state.head_commit


@pytest.mark.acceptance("F8a")
@pytest.mark.parametrize(
    "query",
    ["multi-agent", "don't", "20.04", "AND", '"', "*", "\0", "😀", "検索", "a" * 1_000_000, "NOT (", "lang:", "\ud800"],
    ids=lambda query: repr(query[:12]),
)
def test_odd_questions_are_answered(client: LspClient, query: str) -> None:
    assert isinstance(client.find(query)["results"], list)


@pytest.mark.acceptance("F9")
@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({}, "query"),
        ({"query": None}, "query"),
        ({"query": " "}, "query"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "limit": "ten"}, "limit"),
        ({"query": "x", "intent": "guess"}, "intent"),
        ({"query": "x", "types": ["cat"]}, "types[0]"),
        ({"query": "x", "colour": "red"}, "colour"),
        ({"query": "x", "folder": "file:///nowhere"}, "folder"),
        (["x"], "params"),
    ],
)
def test_invalid_params_are_refused_by_name_and_session_continues(
    client: LspClient, params: object, field: str
) -> None:
    with pytest.raises(RpcError) as refused:
        client.request("scry/find", params)
    assert refused.value.code == -32602
    assert refused.value.message.startswith(f"{field}: ")
    assert client.find("cart")["results"]


@pytest.mark.acceptance("F9")
def test_limit_is_exact(client: LspClient) -> None:
    full = ids(client.find("cart price receipt", limit=50))
    assert len(full) > 2
    assert ids(client.find("cart price receipt", limit=2)) == full[:2]


def test_cancelled_request_is_an_error_and_next_is_answered(client: LspClient) -> None:
    request = 900_001
    call = {"jsonrpc": "2.0", "id": request, "method": "scry/find", "params": {"query": "cart"}}
    cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": request}}
    client.raw(frame(call) + frame(cancel))
    with pytest.raises(RpcError) as cancelled:
        client.result(request, 5)
    assert cancelled.value.code == -32800
    assert client.find("cart")["results"]


def test_newer_find_cancels_only_the_same_picker(client: LspClient) -> None:
    def call(request: int, picker: str | None) -> bytes:
        params: Message = {"query": "cart", "picker": picker}
        return frame({"jsonrpc": "2.0", "id": request, "method": "scry/find", "params": params})

    client.raw(call(910_001, "main") + call(910_002, "other") + call(910_003, None) + call(910_004, "main"))
    with pytest.raises(RpcError) as cancelled:
        client.result(910_001, 5)
    assert cancelled.value.code == -32800
    for request in (910_002, 910_003, 910_004):
        assert client.result(request)["results"]


def test_concurrent_requests_are_all_answered(client: LspClient) -> None:
    requests = [client.post("scry/find", {"query": f"cart {number}"}) for number in range(200)]
    assert all(client.result(request)["results"] for request in requests)


@pytest.mark.parametrize(("encoding", "end"), [("utf-8", len("    return '😀'".encode())), ("utf-16", 15)])
def test_columns_are_counted_as_negotiated(shop: Path, encoding: str, end: int) -> None:
    with LspClient(shop) as client:
        client.initialize(shop, encodings=[encoding])
        client.wait_until_ready()
        first = client.find("größe_prüfen")["results"][0]
    assert first["location"]["range"]["end"] == {"line": 1, "character": end}
    assert first["location"]["uri"] == (shop / "shop" / "größe.py").as_uri()


@pytest.mark.acceptance("C3", "F1")
def test_workspace_symbol_returns_the_results_of_find(client: LspClient) -> None:
    symbols = client.request("workspace/symbol", {"query": "compute_total"})
    results = client.find("compute_total", limit=50)["results"]
    places = [result["location"] for result in results if result["content_type"] != "commit"]
    assert [(symbol["location"]["uri"], symbol["location"]["range"]) for symbol in symbols] == [
        (place["uri"], {**place["range"], "start": place.get("name", place["range"]["start"])}) for place in places
    ]
    first = symbols[0]
    assert (first["name"], first["kind"], first["containerName"]) == ("compute_total", 6, "shop/cart.py::Cart")
    kinds = {
        symbol["name"]: symbol["kind"] for symbol in client.request("workspace/symbol", {"query": "cart receipts"})
    }
    assert kinds["Cart"] == 5
    assert client.request("workspace/symbol", {"query": ""}) == []


@pytest.mark.acceptance("C1", "C2")
@pytest.mark.parametrize("typed", ["receip", "mail the custo", "SEND receip"])
def test_last_word_that_is_being_typed_is_completed(client: LspClient, typed: str) -> None:
    answer = client.find(typed, picker="p")
    whole = {"receip": "receipt", "custo": "customer"}[typed.split()[-1]]
    assert answer["query"] == f"{typed[: -len(typed.split()[-1])]}{whole}"
    assert ids(answer) == ids(client.find(answer["query"]))
    assert "./shop/mail.py::send_receipt" in ids(answer)
    assert answer["notice"] == f"{typed.split()[-1]}… is taken as {whole}"
    best = answer["results"][0]
    why = client.request("scry/why", {"doc_id": best["doc_id"], "query_id": answer["query_id"]})
    assert (why["query"], why["result"]["rank"]) == (answer["query"], 1)


@pytest.mark.parametrize(
    ("typed", "picker"), [("receip", None), ("receip ", "p"), ('"receip', "p"), ("re", "p"), ("cart", "p")]
)
def test_other_queries_are_not_completed(client: LspClient, typed: str, picker: str | None) -> None:
    assert client.find(typed, picker=picker)["query"] == typed


def test_answers_are_found_by_query_id_of_its_form(client: LspClient) -> None:
    ids_seen = {client.find("cart")["query_id"] for _ in range(5)}
    assert len(ids_seen) == 5


# Changing files ---------------------------------------------------------------------------------------------------


@pytest.fixture
def changing(tmp_path: Path) -> Iterator[tuple[LspClient, Path]]:
    root = make_repository(tmp_path / "shop", SHOP)
    with LspClient(root) as client:
        client.initialize(root)
        client.wait_until_ready()
        yield client, root


def find_until(client: LspClient, query: str, first: str) -> Message:
    """Ask until this document comes first."""
    answers: list[Message] = []

    def comes_first() -> bool:
        answers.append(client.find(query))
        return ids(answers[-1])[:1] == [first]

    eventually(comes_first, f"{first} comes first")
    return answers[-1]


def where(answer: Message) -> tuple[Message, Message]:
    """Return the range of the first result, and where the name is in there."""
    location = answer["results"][0]["location"]
    return location["range"], location["name"]


def open_text(client: LspClient, path: Path) -> Message:
    """Open a file in the editor; returns its identifier."""
    text = path.read_text(encoding="utf-8")
    document = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": document})
    return {"uri": path.as_uri(), "version": 2}


@pytest.mark.acceptance("F1")
def test_unsaved_text_is_mapped_and_found_after_saving(changing: tuple[LspClient, Path]) -> None:
    client, root = changing
    cart = root / "shop" / "cart.py"
    before, named_before = where(client.find("compute_total"))
    document = open_text(client, cart)
    assert client.find("compute_total")["index"]["unsaved"] == []
    new = "def refund_everything() -> None:\n    pass\n\n\n"
    start = {"line": 2, "character": 0}
    change = {"range": {"start": start, "end": start}, "text": new}
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    answer = client.find("compute_total")
    assert answer["index"]["unsaved"] == ["shop/cart.py"]
    assert client.request("scry/status")["unsaved"] == ["shop/cart.py"]
    after, named = where(answer)
    assert named == {**named_before, "line": named_before["line"] + 4}
    assert after["start"] == {**before["start"], "line": before["start"]["line"] + 4}
    assert after["end"] == {**before["end"], "line": before["end"]["line"] + 4}
    assert "./shop/cart.py::refund_everything" not in ids(client.find("refund_everything"))
    check_unsaved_files_after_saving_another(client, root)

    lines = cart.read_text(encoding="utf-8").split("\n")
    cart.write_text("\n".join(lines[:2]) + "\n" + new + "\n".join(lines[2:]), encoding="utf-8")
    client.notify("textDocument/didSave", {"textDocument": {"uri": cart.as_uri()}})
    found = find_until(client, "refund_everything", "./shop/cart.py::refund_everything")
    assert found["index"]["unsaved"] == []
    assert where(client.find("compute_total")) == (after, named)


def check_unsaved_files_after_saving_another(client: LspClient, root: Path) -> None:
    readme, received = root / "README.md", len(client.received)
    readme.write_text("# Shop\n\nSells things.\n", encoding="utf-8")
    client.notify("textDocument/didSave", {"textDocument": {"uri": readme.as_uri()}})

    def names_cart(message: Message) -> bool:
        is_change = message.get("method") == "scry/statusChanged"
        return is_change and message["params"]["status"]["unsaved"] == ["shop/cart.py"]

    client.wait_for(names_cart, 10, received)


def test_discarded_edit_leaves_no_mapping(changing: tuple[LspClient, Path]) -> None:
    client, root = changing
    path = root / "shop" / "mail.py"
    document = open_text(client, path)
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": "x = 1\n"}]})
    assert client.request("scry/status")["unsaved"] == ["shop/mail.py"]
    client.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
    assert client.request("scry/status")["unsaved"] == []


def test_files_reported_by_the_client_are_indexed(changing: tuple[LspClient, Path]) -> None:
    client, root = changing
    made = root / "shop" / "gift.py"
    made.write_text("def wrap_gift() -> None:\n    pass\n", encoding="utf-8")
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": made.as_uri(), "type": 1}]})
    find_until(client, "wrap_gift", "./shop/gift.py::wrap_gift")
    made.unlink()
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": made.as_uri(), "type": 3}]})
    eventually(lambda: "./shop/gift.py::wrap_gift" not in ids(client.find("wrap_gift")), "the file is forgotten")


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_a_folder_opened_through_a_link_keeps_its_name(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "real", SHOP)
    link = tmp_path / "link"
    link.symlink_to(root)
    with LspClient(link) as client:
        client.initialize(link)
        client.wait_until_ready()
        answer = client.find("send_receipt")
        assert answer["results"][0]["location"]["uri"] == (link / "shop" / "mail.py").as_uri()
        open_text(client, link / "shop" / "mail.py")
        text: dict[str, Any] = {"uri": (link / "shop" / "mail.py").as_uri(), "version": 2}
        client.notify("textDocument/didChange", {"textDocument": text, "contentChanges": [{"text": "\n\nx = 1\n"}]})
        assert client.find("send_receipt")["index"]["unsaved"] == ["shop/mail.py"]


def test_answers_are_plain_json_in_ascii_frames(client: LspClient) -> None:
    answer = client.find("größe_prüfen")
    assert json.loads(json.dumps(answer)) == answer
