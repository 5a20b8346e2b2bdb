"""Several folders in one sidecar, what it says while they are indexed, and how that is controlled."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.lsp_client import LspClient, Message, RpcError, events, folder
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = pytest.mark.slow

OTHER = {
    "src/engine.py": 'def start_engine() -> None:\n    """Turns the key."""\n\n\ndef add_item() -> None:\n    pass\n'
}


@pytest.fixture
def other(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "other", OTHER)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Enough files that indexing is seen going on, and that no other test has had parsed."""
    text = "".join(f"def function_{n}(x: int) -> int:\n    return x * {n}\n\n\n" for n in range(60))
    files = {f"src/part_{n}.py": f"# {tmp_path.name} {n}\n{text}" for n in range(400)}
    return make_repository(tmp_path / "large", files)


@pytest.fixture
def client(shop: Path) -> Iterator[LspClient]:
    with LspClient(shop) as client:
        yield client


def uris(answer: Message) -> list[str]:
    return [result["location"]["uri"] for result in answer["results"] if "location" in result]


def change_folders(client: LspClient, added: list[Path], removed: list[Path]) -> None:
    event = {"added": [folder(root) for root in added], "removed": [folder(root) for root in removed]}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": event})


def test_two_folders_are_searched_together_or_alone(client: LspClient, shop: Path, other: Path) -> None:
    client.initialize(shop, other)
    for root in (shop, other):
        client.wait_until_ready(root)
    both = client.find("add_item")
    assert {uri.startswith(shop.as_uri()) for uri in uris(both)} == {True, False}
    assert {result["project"] for result in both["results"]} == {"shop", "other"}
    assert both["index"]["files_total"] == len(SHOP) + len(OTHER)
    assert [result["rank"] for result in both["results"]] == list(range(1, len(both["results"]) + 1))
    assert len(client.find("add_item", limit=1)["results"]) == 1
    alone = client.find("add_item", folder=other.as_uri())
    assert uris(alone)
    assert all(uri.startswith(other.as_uri()) for uri in uris(alone))


@pytest.mark.acceptance("P1", "F9")
def test_file_of_a_folder_inside_another_is_found_once_in_the_inner_one(client: LspClient, shop: Path) -> None:
    inner = shop / "tools"
    inner.mkdir()
    (inner / "stock.py").write_text("def add_item_to_stock(item):\n    return item\n")
    client.initialize(shop, inner)
    for root in (shop, inner):
        client.wait_until_ready(root)
    together = [each for each in client.find("add_item", limit=50)["results"] if "location" in each]
    places = [(each["location"]["uri"], str(each["location"]["range"])) for each in together]
    assert len(set(places)) == len(places)
    inside = f"{inner.as_uri()}/"
    assert {each["project"] for each in together if each["location"]["uri"].startswith(inside)} == {"tools"}
    alone = client.find("add_item_to_stock", folder=shop.as_uri())["results"]
    assert alone[0]["doc_id"] == "./tools/stock.py::add_item_to_stock"
    for asked in ("orient", "neighbors"):
        params = {"path" if asked == "orient" else "file": f"{inside}stock.py"}
        assert client.request(f"scry/{asked}", params)["index"]["files_total"] == 1, "the inner folder answers"


@pytest.mark.acceptance("P1", "F8")
def test_folders_with_one_name_are_told_apart(client: LspClient, shop: Path, tmp_path: Path) -> None:
    copy = make_repository(tmp_path / "copy" / "shop", OTHER)
    client.initialize(shop, copy)
    for root in (shop, copy):
        client.wait_until_ready(root)
    answer = client.find("add_item", picker="test")
    roots = {f"shop ({tmp_path.name})": shop, "shop (copy)": copy}
    assert {result["project"] for result in answer["results"]} == set(roots)
    for result in answer["results"]:
        root, act = roots[result["project"]], {"query_id": answer["query_id"], "rank": result["rank"]}
        why = client.request("scry/why", {"doc_id": result["doc_id"], "query_id": answer["query_id"], "record": False})
        assert why["status"] == "indexed", result["doc_id"]
        detail = client.request("scry/detail", {**act, "record": False})
        assert detail["result"].get("location") == result.get("location")
        assert "location" not in result or result["location"]["uri"].startswith(f"{root.as_uri()}/")
        client.request("scry/use", {**act, "how": "jump", "act_id": f"a{result['rank']}"})
        assert [body["rank"] for kind, _, body in events(root) if kind == "scry.use"][-1] == result["rank"]


@pytest.mark.acceptance("E1", "E2", "E3")
def test_questions_and_uses_are_logged_in_the_project_of_the_result(client: LspClient, shop: Path, other: Path) -> None:
    client.initialize(shop, other)
    for root in (shop, other):
        client.wait_until_ready(root)
    client.find("compute_total of the cart", picker="test")  # typed, and answered best by the first folder
    answer = client.find("start_engine cart", picker="test")
    ranks = {result["project"]: result["rank"] for result in reversed(answer["results"])}
    assert ranks["other"] == 1
    for rank in ranks.values():
        act = {"query_id": answer["query_id"], "rank": rank}
        assert client.request("scry/use", {**act, "how": "jump", "act_id": f"a{rank}"})["recorded"]
        assert client.request("scry/feedback", {**act, "signal": "good"})["recorded"]
    client.request("scry/detail", {"query_id": answer["query_id"], "rank": ranks["shop"], "record": False})
    for root in (shop, other):
        logged = [(kind, body.get("query"), body.get("rank")) for kind, _, body in events(root)]
        asked = [query for kind, query, _ in logged if kind == "scry.query"]
        assert asked == (["start_engine cart"] if root.name in ranks else [])
        acts = [(kind, rank) for kind, _, rank in logged if kind != "scry.query"]
        assert acts == [(kind, ranks[root.name]) for kind in ("scry.use", "scry.feedback")]


def test_folders_are_added_and_removed(client: LspClient, shop: Path, other: Path) -> None:
    client.initialize(shop)
    client.wait_until_ready(shop)
    with pytest.raises(RpcError) as unknown:
        client.find("start_engine", folder=other.as_uri())
    assert unknown.value.code == -32602
    change_folders(client, [other], [])
    client.wait_until_ready(other)
    assert uris(client.find("start_engine"))[0].startswith(other.as_uri())
    change_folders(client, [], [shop])
    assert all(uri.startswith(other.as_uri()) for uri in uris(client.find("add_item")))
    change_folders(client, [shop], [other])
    client.wait_until_ready(shop)
    assert uris(client.find("add_item"))
    assert client.shut_down() == 0


def test_differently_spelled_folder_uri_is_the_same_folder(client: LspClient, shop: Path) -> None:
    client.initialize(shop)
    client.wait_until_ready()
    spelled = shop.as_uri().replace("shop", "%73hop") + "/"
    assert client.find("add_item", folder=spelled)["results"]
    assert client.request("scry/status", {"folder": spelled})["state"] == "ready"


@pytest.mark.acceptance("F11")
def test_invalid_folders_fail_alone_with_a_reason(client: LspClient, shop: Path, tmp_path: Path) -> None:
    missing, file = tmp_path / "missing", tmp_path / "file.txt"
    file.write_text("no folder")
    client.initialize(missing, shop, file)
    change_folders(client, [Path("/")], [])
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        {"event": {"added": [{"uri": "vscode-remote://host/x", "name": "remote"}], "removed": []}},
    )
    client.wait_until_ready(shop)
    for uri in (missing.as_uri(), file.as_uri(), "file:///", "vscode-remote://host/x"):
        state = wait_for_state(client, uri, "failed")
        assert state["message"]
    answer = client.find("add_item")
    assert uris(answer)[0].startswith(shop.as_uri())
    assert answer["index"]["message"]
    failed = client.find("add_item", folder=missing.as_uri())
    assert (failed["results"], failed["index"]["state"]) == ([], "failed")
    assert str(missing) in failed["index"]["message"]


def test_failed_folder_is_reopened_on_request(client: LspClient, tmp_path: Path) -> None:
    late = tmp_path / "late"
    client.initialize(late)
    wait_for_state(client, late.as_uri(), "failed")
    make_repository(late, OTHER)
    client.request("scry/index", {"action": "start", "folder": late.as_uri()})
    client.wait_until_ready(late)
    assert uris(client.find("start_engine"))


SLOW_TO_OPEN = """
import time
from scry.surfaces.lsp import workspace
from scry.surfaces.lsp.startup import serve_stdio
open_engine = workspace.open_engine
def open_slowly(*about):
    time.sleep(3.0)
    return open_engine(*about)
workspace.open_engine = open_slowly
raise SystemExit(serve_stdio())
"""
"""The sidecar on a machine so busy that a folder takes seconds to be opened."""


def test_first_command_waits_for_the_folder_and_a_question_does_not(shop: Path) -> None:
    with LspClient(shop, [sys.executable, "-c", SLOW_TO_OPEN]) as client:
        client.initialize(shop)
        answer = client.find("receipt")
        assert (answer["results"], answer["index"]["state"]) == ([], "starting")
        assert client.request("scry/persona", {"action": "search", "query": "nothing of this"})["notes"] == []


def wait_for_state(client: LspClient, uri: str, wanted: str) -> Message:
    def status() -> Message | None:
        state: Message = client.request("scry/status", {"folder": uri})
        return state if state["state"] == wanted else None

    state = eventually(status, f"the state of {uri} is {wanted}")
    assert state is not None
    return state


def test_session_without_a_folder_explains_empty_answers(client: LspClient) -> None:
    client.initialize()
    assert client.request("scry/status")["state"] == "failed"
    with pytest.raises(RpcError) as refused:
        client.find("anything")
    assert "folder" in refused.value.message
    assert client.request("workspace/symbol", {"query": "anything"}) == []
    assert client.shut_down() == 0


@pytest.mark.acceptance("F11")
def test_find_right_after_start_reports_an_incomplete_index(client: LspClient, large: Path) -> None:
    client.initialize(large)
    answer = client.find("function_7")
    assert answer["results"] or answer["index"]["state"] in {"starting", "indexing"}
    client.wait_until_ready()
    assert client.find("function_7")["results"]


def progress_value(message: Message) -> Message:
    """Return the value of a progress notification; an empty one for any other message."""
    return message["params"]["value"] if message.get("method") == "$/progress" else {}


@pytest.mark.acceptance("F11")
def test_progress_is_shown_once_from_begin_to_end(client: LspClient, other: Path, large: Path) -> None:
    client.initialize(other, capabilities={"window": {"workDoneProgress": True}})
    client.wait_until_ready(other)
    change_folders(client, added=[large], removed=[])
    begin = client.wait_for(lambda message: "large" in progress_value(message).get("title", ""))
    token = begin["params"]["token"]
    client.wait_for(
        lambda message: progress_value(message).get("kind") == "end" and message["params"]["token"] == token
    )
    assert [bar["token"] for bar in client.notifications("window/workDoneProgress/create")].count(token) == 1
    values = [value for value in client.notifications("$/progress") if value["token"] == token]
    assert sum("large" in value["value"].get("title", "") for value in client.notifications("$/progress")) == 1
    kinds = [value["value"]["kind"] for value in values]
    assert (kinds[0], kinds[-1], set(kinds[1:-1])) == ("begin", "end", {"report"})
    assert "large" in values[0]["value"]["title"]
    assert all(0 <= value["value"]["percentage"] <= 100 for value in values[:-1])
    assert "400" in values[-1]["value"]["message"]


def test_client_without_progress_support_gets_none(client: LspClient, large: Path) -> None:
    client.initialize(large)
    client.wait_until_ready()
    assert client.notifications("$/progress") == []
    assert client.notifications("window/workDoneProgress/create") == []


@pytest.mark.acceptance("F11")
def test_state_changes_are_notified(client: LspClient, other: Path, large: Path) -> None:
    client.initialize(other)
    client.wait_until_ready(other)
    change_folders(client, added=[large], removed=[])

    def is_ready(message: Message) -> bool:
        changes = message["params"] if message.get("method") == "scry/statusChanged" else None
        return changes is not None and (changes["folder"], changes["status"]["state"]) == (large.as_uri(), "ready")

    client.wait_for(is_ready)
    changes = client.notifications("scry/statusChanged")
    assert {change["folder"] for change in changes} - {other.as_uri()} == {large.as_uri()}
    changes = [change for change in changes if change["folder"] == large.as_uri()]
    states = [change["status"]["state"] for change in changes]
    assert "indexing" in states
    indexed = [change["status"]["files_indexed"] for change in changes]
    assert indexed == sorted(indexed)


def test_indexing_can_be_paused_and_resumed(client: LspClient, large: Path) -> None:
    client.initialize(large)
    state = client.request("scry/index", {"action": "pause"})
    assert state["state"] == "paused"
    time.sleep(0.5)
    assert client.request("scry/status")["state"] == "paused"
    client.request("scry/index", {"action": "resume"})
    client.wait_until_ready()
    with pytest.raises(RpcError) as refused:
        client.request("scry/index", {"action": "stop"})
    assert refused.value.message.startswith("action: ")
