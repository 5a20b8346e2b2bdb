"""Memory as a person and an editor use it: the real program and the real sidecar (M5)."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from scry.store.precious import list_kept_files
from tests.e2e.command_line import CommandLine, doc_ids
from tests.e2e.lsp_client import LspClient, RpcError
from tests.live_files import read_live, walk_live
from tests.planted_secrets import planted_secrets
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

SCENARIOS = {
    "resume work": ("summary", "Intent: make receipts arrive"),
    "why did tests fail": ("error", "AssertionError: receipt was sent twice"),
    "what was decided": ("summary", "Decided: Receipts are sent once a minute"),
}
"""A question, and what its answer has to begin with or hold: a kind, and words."""


@pytest.fixture
def shop(tmp_path: Path) -> CommandLine:
    world = {
        f"XDG_{name}_HOME": str(tmp_path / "world" / name.lower()) for name in ("CACHE", "DATA", "CONFIG", "STATE")
    }
    return CommandLine(make_repository(tmp_path / "shop", SHOP), world)


@pytest.fixture
def shop_with_memory(shop: CommandLine) -> CommandLine:
    """Return a shop in which something was done, some of it long ago and for something else."""
    for words in (
        ("session", "start", "tidy the cart"),
        ("observe", "note", "prices are in cents"),
        ("observe", "command", "make lint", "--status", "2"),
        ("session", "end"),
        ("session", "start", "make receipts arrive"),
        ("observe", "decision", "Receipts are sent once a minute", "--ref", "shop/mail.py:1"),
        ("observe", "command", "pytest -q", "--status", "1", "--detail", "E assert 2 == 1"),
        ("observe", "error", "AssertionError: receipt was sent twice"),
        ("session", "end"),
    ):
        done = shop.run(*words)
        assert done.status == 0, done.err
    return shop


@pytest.fixture
def sidecar(shop: CommandLine) -> Iterator[LspClient]:
    with LspClient(shop.folder, environ=shop.environ) as client:
        client.initialize(shop.folder)
        client.wait_until_ready(shop.folder)
        yield client


def memories(shop: CommandLine, *words: str) -> list[Mapping[str, Any]]:
    """Return what `scry memory list` shows, the oldest first."""
    report = json.loads(shop.run("memory", "list", "--json", "--limit", "1000", *words).out)
    return report["memories"][::-1]


@pytest.mark.acceptance("M5")
@pytest.mark.parametrize("question", SCENARIOS)
def test_memory_question_is_answered_from_memory(shop_with_memory: CommandLine, question: str) -> None:
    kind, words = SCENARIOS[question]
    answer = shop_with_memory.find(question, "--limit", "10")
    first = [result for result in answer.results if result.content_type == "memory"][:3]
    assert answer.results[0].content_type == "memory"
    assert any(result.kind == kind and " ".join(words.split()) in result.snippet for result in first), first
    assert "memory" in answer.results[0].contributions
    found = json.loads(shop_with_memory.run("memory", "search", question, "--json").out)["memories"]
    assert any(each["kind"] == kind and words in each["text"] for each in found[:3])
    assert all(0 < len(each["why"]) < 100 for each in found)


@pytest.mark.acceptance("M5", "F3")
def test_editor_gets_the_same_memory_answer(shop_with_memory: CommandLine, sidecar: LspClient) -> None:
    for question in SCENARIOS:
        reply = sidecar.find(question)
        assert [result["doc_id"] for result in reply["results"]] == doc_ids(shop_with_memory.find(question)), question
        assert list(reply["scoring"]["weights"])[-1] == "memory"


@pytest.mark.acceptance("J2a", "J3", "J5")
def test_memory_result_supports_detail_why_and_feedback(shop_with_memory: CommandLine) -> None:
    answer = shop_with_memory.find("receipts sent once a minute", "--type", "memory")
    result = next(each for each in answer.results if each.kind == "decision")
    assert result.doc_id.startswith("memory:")
    assert result.contributions["memory"].score_type == "relevance"
    assert str(result.contributions["memory"].snippet).startswith("matched '")
    assert {"receipts", "minute"} <= set(result.contributions["memory"].matches or ())
    assert result.metadata.code_refs == ["shop/mail.py:1"]  # type: ignore[union-attr]
    assert result.metadata.session_id and result.metadata.timestamp  # type: ignore[union-attr]  # noqa: PT018
    explained = shop_with_memory.run("why", result.doc_id, "receipts sent once a minute")
    assert "Memory" in explained.out
    assert explained.status == 0
    detail = shop_with_memory.run("detail", answer.query_id, str(result.rank))
    assert "Receipts are sent once a minute" in detail.out
    text = shop_with_memory.run("receipts sent once a minute", "--type", "memory").out
    assert "[memory]" in text
    assert "mem #1" in text


@pytest.mark.acceptance("K5", "F3")
def test_memory_does_not_change_other_ranks(shop: CommandLine) -> None:
    questions = ("send receipt", "compute total of the cart", "receipts")
    before = [shop.find(question) for question in questions]
    for words in (("session", "start", "receipts"), ("observe", "decision", "send receipt once, compute total twice")):
        assert shop.run(*words).status == 0
    for earlier, question in zip(before, questions, strict=True):
        now = shop.find(question, "--limit", "50")
        assert any(result.content_type == "memory" for result in now.results)
        others = [result for result in now.results if result.content_type != "memory"]
        assert [result.doc_id for result in others][: len(earlier.results)] == doc_ids(earlier)
        for one, other in zip(earlier.results, others, strict=False):
            assert one.contributions == other.contributions


@pytest.mark.acceptance("F3")
def test_damaged_memory_is_kept_and_begun_anew_while_others_answer(
    shop_with_memory: CommandLine, tmp_path: Path
) -> None:
    (file,) = (tmp_path / "world").rglob("memory.sqlite")
    for each in file.parent.glob("memory.sqlite*"):
        each.unlink(missing_ok=True)
    file.write_bytes(b"not a database" * 500)
    answer = shop_with_memory.find("send receipt")
    assert answer.results
    assert {fault.oracle for fault in answer.faults} <= {"memory"}, "the indexer may have begun it anew by then"
    observed = shop_with_memory.run("observe", "note", "x")
    assert observed.status == 0, observed
    again = shop_with_memory.find("send receipt")
    assert "the memory of this project" in again.notice
    assert "was damaged" in again.notice
    assert not again.faults
    (kept,) = list_kept_files(file)
    assert kept.path.read_bytes() == b"not a database" * 500


@pytest.mark.acceptance("M1")
def test_editor_activity_is_recorded(sidecar: LspClient, shop: CommandLine) -> None:
    for _ in range(2):
        uri = (shop.folder / "shop/cart.py").as_uri()
        sidecar.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    answer = sidecar.find("compute_total")
    used = {"query_id": answer["query_id"], "rank": 1, "how": "jump", "act_id": "one"}
    assert sidecar.request("scry/use", used)["recorded"] is True
    observed = sidecar.request("scry/observe", {"kind": "decision", "text": "Totals are cents", "act_id": "two"})
    again = sidecar.request("scry/observe", {"kind": "decision", "text": "Totals are cents", "act_id": "two"})
    assert (observed["recorded"], again["recorded"], observed["doc_id"]) == (True, False, again["doc_id"])
    (shop.folder / "new.txt").write_text("new")
    for words in (["add", "-A"], ["commit", "-q", "-m", "Add a text"]):
        subprocess.run(["git", *words], cwd=shop.folder, check=True)
    sidecar.notify(
        "workspace/didChangeWatchedFiles", {"changes": [{"uri": shop.folder.as_uri() + "/new.txt", "type": 1}]}
    )
    eventually(lambda: len(memories(shop)) == 4, "all events are recorded")
    found = {each["kind"]: each for each in memories(shop)}
    assert (found["edit"]["text"], found["edit"].get("times")) == ("shop/cart.py", 2)
    assert found["jump"]["text"] == f"{answer['results'][0]['doc_id']} (asked: compute_total)"
    assert found["commit"]["text"].endswith(" Add a text")
    with pytest.raises(RpcError, match="text: "):
        sidecar.request("scry/observe", {"kind": "note", "text": "  "})


@pytest.mark.acceptance("M1")
def test_memory_is_switched_off_on_every_surface(sidecar: LspClient, shop: CommandLine, tmp_path: Path) -> None:
    assert shop.run("memory", "off").out.startswith("Memory is off")
    reply = sidecar.request("scry/observe", {"kind": "note", "text": "x"})
    assert (reply["recorded"], reply["doc_id"]) == (False, "")
    assert "memory is off" in reply["note"]
    sidecar.notify("textDocument/didSave", {"textDocument": {"uri": (shop.folder / "shop/cart.py").as_uri()}})
    assert shop.run("observe", "note", "x").status == 1
    assert shop.run("session", "start", "x").status == 1
    sidecar.shut_down()
    assert list((tmp_path / "world").rglob("memory.sqlite")) == []
    assert shop.run("memory", "on").out.startswith("Memory is on")
    assert shop.run("observe", "note", "x").status == 0


@pytest.mark.acceptance("M1")
def test_forgotten_memory_is_gone_from_files_and_answers(sidecar: LspClient, shop: CommandLine, tmp_path: Path) -> None:
    for kind, text in (("decision", "zebrafish are fed at noon"), ("note", "the till closes at six")):
        sidecar.request("scry/observe", {"kind": kind, "text": text, "detail": "zebrafish"})
    answer = sidecar.find("zebrafish at noon")
    assert "zebrafish" in json.dumps(answer["results"])
    assert shop.find("zebrafish noon").results
    reply = json.loads(shop.run("memory", "forget", "--text", "zebrafish", "--yes", "--json").out)
    assert (reply["memories"], reply["removed"], reply["is_clean"]) == (2, True, True)
    assert not [each for each in sidecar.find("fed at noon")["results"] if each["content_type"] == "memory"]
    log = {"events.sqlite", "events.sqlite-wal"}
    left = [
        path
        for path, _ in walk_live(tmp_path / "world")
        if path.is_file() and path.name not in log and b"zebrafish are fed" in read_live(path)
    ]
    assert left == []


def test_forgetting_memory_mentions_queries_with_the_text(shop: CommandLine) -> None:
    for text in ("zebrafish at noon", "zebrafish at six"):
        assert shop.run("observe", "note", text).status == 0
    asked = shop.find("zebrafish").query_id
    output = shop.run("memory", "forget", "--text", "zebrafish", "--yes").out
    assert output.endswith(
        "Forgot 2 memories.\nWhat you asked holds it too, in the log: scry log forget --text zebrafish\n"
    )
    assert "Forgot 1 event" in shop.run("log", "forget", "--text", "zebrafish", "--yes").out
    assert asked not in shop.run("log").out
    shop.run("observe", "note", "quokka")
    assert shop.run("memory", "forget", "--text", "quokka", "--yes").out.endswith("Forgot 1 memory.\n")


@pytest.mark.acceptance("S2")
def test_purge_removes_memory_after_showing_it(shop_with_memory: CommandLine, tmp_path: Path) -> None:
    assert list((tmp_path / "world").rglob("memory.sqlite"))
    assert shop_with_memory.run("purge", "--yes").status == 0
    assert list((tmp_path / "world").rglob("memory*")) == []


def test_memory_is_shown_exported_and_imported_from_reports(shop_with_memory: CommandLine, tmp_path: Path) -> None:
    exported = [json.loads(line) for line in shop_with_memory.run("memory", "export").out.splitlines()]
    assert [each["id"] for each in exported] == [
        each["id"] for each in sorted(memories(shop_with_memory), key=lambda e: e["time"])
    ]
    shown = shop_with_memory.run("memory", "show", exported[-1]["id"]).out
    assert exported[-1]["text"].splitlines()[0] in shown
    report = tmp_path / "report.xml"
    report.write_text("<testsuite><testcase name='t'><failure message='3 != 4'/></testcase></testsuite>")
    assert shop_with_memory.run("memory", "import", str(report)).out == "2 noted.\n"
    assert shop_with_memory.run("memory", "import", str(report)).out == "0 noted; 2 were known.\n"
    pinned = shop_with_memory.run("memory", "pin", f"memory:{exported[0]['id']}").out
    assert "pinned" in pinned
    listed = shop_with_memory.run("session", "list").out
    assert listed.index("make receipts arrive") < listed.index("tidy the cart")


def test_odd_input_is_refused_by_name_or_kept(shop: CommandLine) -> None:
    for words, output in (
        (("observe", "dream", "x"), "dream"),
        (("observe", "note", ""), "text: is empty"),
        (("observe", "note", "-", "--detail", "-"), "standard input can be read once"),
        (("session", "start", " "), "intent: is empty"),
        (("session", "end"), "session: none is open"),
        (("memory", "show", "nonsense"), "id: no memory is named"),
        (("memory", "pin", "nonsense"), "id: no memory is named"),
        (("memory", "search", ""), "query: is empty"),
        (("memory", "search", "x", "--limit", "0"), "limit: is a number"),
        (("memory", "--limit", "9" * 25), "limit: is a number"),
        (("session", "list", "--limit", "9" * 25), "limit: is a number"),
        (("observe", "note", "x", "--status", "9" * 25), "status: is an exit status"),
        (("neighbors", "--file", "shop/cart.py", "--by", "similar", "--line", "9" * 25), "line: is a number"),
        (("memory", "forget"), "all: say what to forget"),
        (("memory", "forget", "nonsense"), "ids: no memory is named nonsense"),
        (("memory", "forget", "nonsense", "--yes"), "ids: no memory is named nonsense"),
        (("memory", "forget", "--text", ""), "text: is empty"),
        (("memory", "summarize"), "of: nothing was noted"),
        (("memory", "import", "nowhere.xml"), "nowhere.xml can't be read"),
    ):
        done = shop.run(*words)
        assert (done.status, output in done.err) == (2, True), (words, done)
    odd = "\x1b]0;title\x07 \u202ereversed 検索 😀 'quotes' \"; DROP TABLE memories;"
    assert shop.run("observe", "note", "--", odd).status == 0
    assert "\x1b" not in shop.run("memory").out
    assert "検索 😀" in memories(shop)[-1]["text"]
    assert shop.run("memory", "search", "検索").status == 0
    assert shop.run("observe", "note", b"\xff\xfe bytes").status == 0


def test_secret_in_a_memory_question_is_masked(shop: CommandLine) -> None:
    secret = planted_secrets()[0]
    assert "1 secret masked" in shop.run("observe", "error", secret.text).out
    assert "[masked] was refused" in shop.run("memory", "search", "refused").out
