"""Two hundred secrets, sent into memory over every surface: none is in any file that Scry wrote."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pytest

from tests.e2e.command_line import CommandLine
from tests.e2e.lsp_client import LspClient
from tests.live_files import read_live, walk_live
from tests.planted_secrets import Planted, planted_secrets
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

PLANTED = planted_secrets()
IN_XML = [each for each in PLANTED if "\x1b" not in each.text]


@pytest.fixture
def world(tmp_path: Path) -> Mapping[str, str]:
    """Folders of the test's own, so that every file in them is known."""
    return {f"XDG_{name}_HOME": str(tmp_path / "world" / name.lower()) for name in ("CACHE", "DATA", "CONFIG", "STATE")}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", SHOP)


@pytest.fixture
def command(shop: Path, world: Mapping[str, str]) -> CommandLine:
    return CommandLine(shop, world)


def found_in(folder: Path, planted: Sequence[Planted]) -> list[tuple[str, str]]:
    """Return the secrets found in each file."""
    files = {path: read_live(path) for path, _ in walk_live(folder) if path.is_file()}
    assert any(path.name == "memory.sqlite" for path in files)
    return [
        (path.name, each.text)
        for path, data in files.items()
        for each in planted
        if each.secret.encode() in data or each.secret.encode("utf-16-le") in data
    ]


@pytest.fixture
def sidecar(shop: Path, world: Mapping[str, str]) -> Iterator[LspClient]:
    with LspClient(shop, environ=world) as client:
        client.initialize(shop)
        client.wait_until_ready(shop)
        yield client


@pytest.mark.acceptance("M1")
def test_secrets_in_observations_are_masked(sidecar: LspClient, tmp_path: Path) -> None:
    ways = ("text", "detail", "refs", "agent")
    stored: set[str] = set()
    for number, each in enumerate(PLANTED):
        fields = dict.fromkeys(ways[number % 2 :] if number % 5 == 0 else ways[:2], each.text)
        refs = [fields.pop("refs")] if "refs" in fields else []
        kind = ("note", "error", "command", "decision", "message", "test")[number % 6]
        observed = sidecar.request("scry/observe", {"text": "x", **fields, "kind": kind, "refs": refs})
        assert observed["recorded"] is True or observed["doc_id"] in stored, observed  # of equal texts once masked, one
        stored.add(observed["doc_id"])
        assert observed["masked"] >= 1, each.text
    answer = sidecar.find("error refused", types=["memory"])
    assert answer["results"]
    for result in answer["results"]:
        sidecar.request("scry/detail", {"query_id": answer["query_id"], "rank": result["rank"]})
    sidecar.request("scry/why", {"doc_id": answer["results"][0]["doc_id"], "query_id": answer["query_id"]})
    assert found_in(tmp_path / "world", PLANTED) == []
    sidecar.shut_down()
    assert found_in(tmp_path / "world", PLANTED) == []


@pytest.mark.acceptance("M1")
def test_secrets_in_test_reports_are_masked(command: CommandLine, tmp_path: Path) -> None:
    cases = "".join(
        f"<testcase classname='t' name={quoteattr(f'case {number}')}><failure message={quoteattr(each.text)}>"
        f"{escape(each.text)}</failure><system-out>{escape(each.text)}</system-out></testcase>"
        for number, each in enumerate(IN_XML)
    )
    report = tmp_path / "report.xml"
    report.write_text(f"<testsuite>{cases}</testsuite>", encoding="utf-8")
    done = command.run("memory", "import", str(report))
    assert done.status == 0, done.err
    assert "secrets masked" in done.out
    assert found_in(tmp_path / "world", PLANTED) == []


@pytest.mark.acceptance("M1")
def test_secrets_on_the_command_line_are_masked(command: CommandLine, tmp_path: Path) -> None:
    """Many at a time: a process each would take minutes."""
    for number in range(0, len(PLANTED), 20):
        part = "\n".join(each.text for each in PLANTED[number : number + 20])
        ways = (
            ("session", "start", "--", part),
            ("observe", "decision", f"--ref={part}", "--", part),
            ("observe", "command", "make", "--status", "1", f"--detail={part}"),
            ("memory", "summarize", "--", part),
        )
        for words in ways[:: 1 if number == 0 else 3] if number % 40 else ways[1:3]:
            done = command.run(*words)
            assert done.status == 0, done.err
    assert command.run("session", "end").status == 0
    assert found_in(tmp_path / "world", PLANTED) == []


@pytest.mark.acceptance("M1")
def test_secrets_in_commits_are_masked(command: CommandLine, shop: Path, tmp_path: Path) -> None:
    some = [each for each in PLANTED if "\n" not in each.text and "\x1b" not in each.text][::9]
    assert command.run("observe", "note", "so that there is a memory").status == 0
    for number, each in enumerate(some):
        (shop / "a.txt").write_text(str(number))
        for words in (["add", "-A"], ["commit", "-q", "-m", each.text]):
            subprocess.run(["git", *words], cwd=shop, check=True)
    assert command.run("observe", "note", "and now the commits are looked at").status == 0
    listed = command.run("memory", "list", "--kind", "commit", "--limit", "100").out
    assert listed.count("commit ") == len(some)
    assert found_in(tmp_path / "world", PLANTED) == []


@pytest.mark.acceptance("M1")
def test_secrets_in_saved_file_names_are_masked(sidecar: LspClient, shop: Path, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    path = shop / f"token={secret}.txt"
    sidecar.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
    sidecar.notify("textDocument/didSave", {"textDocument": {"uri": (shop / "shop/cart.py").as_uri()}})
    memory = CommandLine(shop, {"XDG_DATA_HOME": str(tmp_path / "world" / "data")})
    eventually(lambda: memory.run("memory", "list", "--kind", "edit").out.count("edit ") == 2, "both are noted")
    assert found_in(tmp_path / "world" / "data", [Planted(secret, secret)]) == []
