"""Acts on an answer over LSP, and the log events that they create."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scry_protocol.version import PROTOCOL
from tests.e2e.command_line import CommandLine
from tests.e2e.lsp_client import LspClient, Message, RpcError, events
from tests.polling import eventually
from tests.sample.project import make_repository

pytestmark = pytest.mark.slow


@pytest.fixture
def client(shop: Path) -> Iterator[LspClient]:
    with LspClient(shop) as client:
        client.initialize(shop)
        client.wait_until_ready(shop)
        yield client


def use(client: LspClient, answer: Message, act: str, **params: object) -> Message:
    use_params = {"query_id": answer["query_id"], "rank": 1, "how": "jump", "act_id": act, **params}
    result: Message = client.request("scry/use", use_params)
    return result


@pytest.mark.acceptance("E1", "E2")
def test_acknowledged_jump_is_on_disk(client: LspClient, shop: Path) -> None:
    answer = client.find("add_item")
    assert use(client, answer, "one")["recorded"] is True
    client.process.kill()
    assert [(kind, name) for kind, name, _ in events(shop)] == [
        ("scry.query", answer["query_id"]),
        ("scry.use", answer["query_id"]),
    ]
    assert events(shop)[1][2]["result_used"] == answer["results"][0]["doc_id"]


@pytest.mark.acceptance("F14", "E2", "E3")
def test_jump_to_a_further_place_is_logged_as_that_place(client: LspClient, shop: Path) -> None:
    lines = "".join(f"def weigh_parcel_{n}(parcel):\n    return {n}\n\n\n" for n in range(9))
    (shop / "parcels.py").write_text(lines)

    def answered() -> Message | None:
        answer = client.find("weigh parcel", limit=3)
        return answer if answer["results"] and answer["results"][0]["further"] else None

    answer = eventually(answered, "the new file in the index")
    assert answer
    place = answer["results"][0]["further"][0]
    assert use(client, answer, "one", doc_id=place["doc_id"])["recorded"] is True
    assert use(client, answer, "two", doc_id=place["doc_id"], how="copy")["text"].startswith("parcels.py:")
    with pytest.raises(RpcError, match="no further place"):
        use(client, answer, "three", doc_id="./elsewhere.py")
    used = [body for kind, query_id, body in events(shop) if (kind, query_id) == ("scry.use", answer["query_id"])]
    assert [(body["rank"], body["result_used"], body["how"]) for body in used] == [
        (1, place["doc_id"], "jump"),
        (1, place["doc_id"], "copy"),
    ]


@pytest.mark.acceptance("C3", "E2")
@pytest.mark.parametrize("method", ["documentHighlight", "hover", "selectionRange"])
def test_jump_of_an_editor_without_plugin_is_inferred(client: LspClient, shop: Path, method: str) -> None:
    symbol = client.request("workspace/symbol", {"query": "compute_total"})[0]
    document, start = {"uri": symbol["location"]["uri"]}, symbol["location"]["range"]["start"]
    opened = {**document, "languageId": "python", "version": 1, "text": (shop / "shop/cart.py").read_text()}
    where = {"positions": [start]} if method == "selectionRange" else {"position": start}
    client.request(f"textDocument/{method}", {"textDocument": document, **where})
    client.notify("textDocument/didOpen", {"textDocument": opened})
    client.request(f"textDocument/{method}", {"textDocument": document, **where})
    client.request(f"textDocument/{method}", {"textDocument": document, **where})
    used = eventually(lambda: [body for kind, _, body in events(shop) if kind == "scry.use"], "the use in the log")
    assert [(body["how"], body["rank"], body["result_used"]) for body in used] == [
        ("inferred", 1, "./shop/cart.py::Cart.compute_total")
    ]


@pytest.mark.acceptance("C3", "E5", "L3")
def test_inferred_uses_are_told_from_chosen_ones_by_all_that_reads_them(client: LspClient, shop: Path) -> None:
    """Two jumps, one of which an editor's plugin reported, and one that was only seen."""
    symbol = client.request("workspace/symbol", {"query": "compute_total"})[0]
    document, start = {"uri": symbol["location"]["uri"]}, symbol["location"]["range"]["start"]
    text = (shop / "shop/cart.py").read_text()
    opened = {**document, "languageId": "python", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": opened})
    client.request("textDocument/documentHighlight", {"textDocument": document, "position": start})
    use(client, client.find("add_item"), "one")
    eventually(lambda: len([1 for kind, *_ in events(shop) if kind == "scry.use"]) == 2, "both uses")
    cli = CommandLine(shop)

    def rows(statement: str) -> list[list[Any]]:
        done = cli.run("log", "--sql", statement, "--json")
        assert done.status == 0, done
        table: list[list[Any]] = json.loads(done.out)["rows"]
        return table

    assert rows("SELECT how, doc_id FROM usage ORDER BY sequence") == [
        ["inferred", "./shop/cart.py::Cart.compute_total"],
        ["jump", "./shop/cart.py::Cart.add_item"],
    ]
    of_first = "FROM query_analysis WHERE rank = 1 ORDER BY sequence"
    assert rows(f"SELECT query, uses, inferred_uses, used_how, query_uses {of_first}") == [
        ["compute_total", 0, 1, "inferred", 0],
        ["add_item", 1, 0, "jump", 1],
    ]
    assert rows("SELECT queries, used, inferred FROM modes WHERE mode = 'find'") == [[2, 1, 1]]
    assert rows("SELECT query, was_used FROM reformulations") == [["compute_total", 0]]
    assert "inferred  #1 ./shop/cart.py::Cart.compute_total" in cli.run("log").out
    chosen, inferred = (json.loads(cli.run("lab", "gold", *how).out) for how in ((), ("--how", "inferred")))
    assert (chosen["query"], inferred["query"]) == ("add_item", "compute_total")

    (shop / "shop/cart.py").write_text(text.replace("compute_total", "sum_up"))
    replayed = json.loads(cli.run("lab", "replay", "--json").out)
    moved = next(each for each in replayed["moved"] if each["query"] == "compute_total")
    lost = {"doc_id": "./shop/cart.py::Cart.compute_total", "before": 1, "after": None, "is_inferred": True}
    assert moved["used"] == [lost]
    assert replayed["used"]["mean"] == 0, "an inferred use that is lost does not count"
    assert "opened, as inferred, 1 →" in cli.run("lab", "replay").out.replace("#", "")


def test_clients_with_a_plugin_are_not_asked_for_highlights(shop: Path) -> None:
    for editor, offered in (("neovim", False), ("vscode", False), ("other", True)):
        with LspClient(shop) as client:
            client.initialize(shop, options={"scry": {"protocol": PROTOCOL, "editor": editor}})
            names = {"documentHighlightProvider", "selectionRangeProvider"}
            assert {name for name in names if client.capabilities.get(name)} == (names if offered else set()), editor


@pytest.mark.acceptance("D1", "E2")
def test_detail_records_the_use_unless_the_client_does(client: LspClient, shop: Path) -> None:
    answer = client.find("add_item")
    reference = {"query_id": answer["query_id"], "rank": 1}
    client.request("scry/detail", {**reference, "record_use": False})
    use(client, answer, "one", how="detail")
    assert [body["how"] for kind, _, body in events(shop) if kind == "scry.use"] == ["detail"]
    client.request("scry/detail", reference)
    eventually(lambda: len([1 for kind, *_ in events(shop) if kind == "scry.use"]) == 2, "the second use")


@pytest.mark.acceptance("E1", "W4")
def test_unrecorded_why_and_detail_leave_no_trace(client: LspClient, shop: Path) -> None:
    answer = client.find("compute_total")
    reference = {"query_id": answer["query_id"], "rank": 1}
    asked = {"doc_id": answer["results"][0]["doc_id"], "query_id": answer["query_id"]}
    in_full = client.request("scry/why", asked)["text"]
    brief = client.request("scry/why", {**asked, "brief": True, "record": False})
    assert brief["summary"] in brief["text"].replace("\\", "")
    assert len(brief["text"].splitlines()) < len(in_full.splitlines())
    client.request("scry/detail", {**reference, "record": False})
    use(client, answer, "one")
    modes = [str(body.get("mode")) for kind, _, body in events(shop) if kind == "scry.query"]
    assert sorted(modes) == ["find", "why"]
    assert [body["how"] for kind, _, body in events(shop) if kind == "scry.use"] == ["jump"]


@pytest.mark.acceptance("E2")
def test_repeated_act_counts_once(client: LspClient, shop: Path) -> None:
    answer = client.find("add_item")
    assert [use(client, answer, "one")["recorded"] for _ in range(2)] == [True, False]
    assert [kind for kind, _, _ in events(shop)] == ["scry.query", "scry.use"]


def test_copy_returns_the_clipboard_text(client: LspClient, shop: Path) -> None:
    answer = client.find("compute_total")
    assert use(client, answer, "one", how="copy")["text"] == "shop/cart.py:11-13"
    cart = shop / "shop/cart.py"
    cart.write_text("import os\n\n" + cart.read_text())
    assert use(client, answer, "two", how="copy")["text"] == "shop/cart.py:13-15"
    cart.unlink()
    with pytest.raises(RpcError, match="is gone since this was answered"):
        use(client, answer, "three", how="copy")


@pytest.mark.acceptance("E3")
def test_feedback_is_good_or_bad_for_a_known_answer(client: LspClient, shop: Path) -> None:
    answer = client.find("receipt")
    rated = {"query_id": answer["query_id"], "signal": "bad", "comment": "too many"}
    assert client.request("scry/feedback", rated)["recorded"] is True
    assert events(shop)[1][2]["comment"] == "too many"
    for wrong, words in (
        ({"signal": "fine"}, "signal: "),
        ({"query_id": "q_20991121_092600_abcd2345"}, "query_id: no answer"),
        ({"rank": 1000}, "rank: there is no result 1000"),
    ):
        with pytest.raises(RpcError, match=words) as refused:
            client.request("scry/feedback", rated | wrong)
        assert refused.value.code == -32602
    assert len(events(shop)) == 2


@pytest.mark.acceptance("E1")
def test_typed_query_is_logged_once_it_settles(client: LspClient, shop: Path) -> None:
    for end in range(1, len("add_item") + 1):
        client.find("add_item"[:end], picker="one")
    assert {kind for kind, _, _ in events(shop)} <= {"scry.query"}, "a use is logged where it led, with its question"
    eventually(lambda: len(events(shop)) == 1, "the query is logged")
    assert events(shop)[0][2]["query"] == "add_item"


def test_symbol_search_is_debounced_like_typing(client: LspClient, shop: Path) -> None:
    for query in ("re", "rece", "receipt"):
        client.request("workspace/symbol", {"query": query})
    eventually(lambda: len(events(shop)) == 1, "the query is logged")
    assert events(shop)[0][2]["query"] == "receipt"


@pytest.mark.acceptance("E1")
def test_last_typed_query_is_logged_at_session_end(client: LspClient, shop: Path) -> None:
    client.find("receipt", picker="one")
    client.shut_down()
    assert [body["query"] for _, _, body in events(shop)] == ["receipt"]


@pytest.mark.acceptance("E2")
def test_answer_of_two_folders_has_one_query_id(tmp_path: Path, shop: Path) -> None:
    other = make_repository(tmp_path / "other", {"engine.py": "def add_item() -> None:\n    pass\n"})
    with LspClient(shop) as client:
        client.initialize(shop, other)
        for root in (shop, other):
            client.wait_until_ready(root)
        answer = client.find("add_item")
        ranks = {result["doc_id"]: result["rank"] for result in answer["results"]}
        copied = use(client, answer, "one", rank=ranks["other:./engine.py::add_item"], how="copy")
        assert (copied["recorded"], copied["text"]) == (True, f"{other}/engine.py:1-2")
        alone = client.find("add_item", folder=other.as_uri())
        assert use(client, alone, "two")["recorded"] is True
    assert {kind for kind, _, _ in events(shop)} <= {"scry.query"}, "a use is logged where it led, with its question"
    assert [(kind, name) for kind, name, _ in events(other)] == [
        ("scry.query", answer["query_id"]),
        ("scry.use", answer["query_id"]),
        ("scry.query", alone["query_id"]),
        ("scry.use", alone["query_id"]),
    ]


@pytest.mark.acceptance("K1", "K2", "K3", "M1")
def test_acknowledged_knowledge_is_there_for_whoever_asks_next(client: LspClient, shop: Path) -> None:
    """The editor that wrote it, another sidecar and the command line find it without waiting."""
    with LspClient(shop) as other:
        other.initialize(shop)
        other.wait_until_ready(shop)
        for number, word in enumerate(("quokka", "wombat", "numbat")):
            params = {"statement": f"Never feed a {word}", "evidence": ["shop/cart.py:1"]}
            written = (client if number % 2 else other).request("scry/believe", params)["beliefs"][0]
            assert "./shop/cart.py" in [each["doc_id"] for each in written["impact"]["reaches"]]
            for asker in (client, other):
                listed = {each["doc_id"]: each for each in asker.request("scry/beliefs", {"action": "list"})["beliefs"]}
                assert listed[written["doc_id"]]["impact"]["reaches"]
                found = asker.find(f"feed a {word}", types=["belief"])["results"]
                assert found[0]["doc_id"] == written["doc_id"]
            note = client.request("scry/remember", {"text": f"I like a {word}"})["notes"][0]["doc_id"]
            memory = other.request("scry/observe", {"kind": "decision", "text": f"The {word} stays"})["doc_id"]
            for asker in (client, other):
                assert note in [each["doc_id"] for each in asker.request("scry/persona", {"action": "list"})["notes"]]
                assert memory in [
                    each["doc_id"] for each in asker.request("scry/memory", {"action": "list"})["memories"]
                ]
                types = {each["doc_id"] for each in asker.find(word, types=["persona", "memory"])["results"]}
                assert {note, memory} <= types
        told = CommandLine(shop).run("belief", "add", "Never feed a bilby", "--json")
        bilby = json.loads(told.out)["beliefs"][0]["doc_id"]
        assert client.find("feed a bilby", types=["belief"])["results"][0]["doc_id"] == bilby


@pytest.mark.acceptance("M1")
def test_memories_and_sessions_are_managed_over_lsp(client: LspClient) -> None:
    begun = client.request("scry/session", {"action": "start", "intent": "make login work"})["sessions"][0]
    doc_id = client.request("scry/observe", {"kind": "decision", "text": "Totals are kept in cents"})["doc_id"]
    (found,) = client.request("scry/memory", {"action": "search", "query": "cents"})["memories"]
    assert (found["doc_id"], found["kind"], found["session_id"]) == (doc_id, "decision", begun["session_id"])
    assert found["why"]
    (open_one,) = client.request("scry/session", {"action": "list"})["sessions"]
    assert (open_one["intent"], open_one["memories"], "ended" in open_one) == ("make login work", 1, False)
    assert "ended" in client.request("scry/session", {"action": "end"})["sessions"][0]
    client.request("scry/memory", {"action": "forget", "ids": [doc_id]})
    assert doc_id not in [each["doc_id"] for each in client.request("scry/memory", {"action": "list"})["memories"]]
    for method, params, field in (
        ("scry/memory", {"action": "forget"}, "ids"),
        ("scry/memory", {"action": "search"}, "query"),
        ("scry/session", {"action": "start"}, "intent"),
    ):
        with pytest.raises(RpcError, match=field):
            client.request(method, params)
