"""Names and texts that would move a cursor, hide words or pass for something else, in every text form of every command
and every tool: they are shown, and they do nothing (X1, J7, P3).
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import Client

from tests.e2e.command_line import CommandLine
from tests.e2e.mcp_session import in_session, text_of
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.acceptance("J7", "X1", "P3")]

ESCAPE = "\x1b[2J\x1b]0;owned\x07"
HIDDEN = "\u202egnirts\u202c\u200b\u2066\U000e0041"
HOSTILE = f"{ESCAPE}{HIDDEN}"

FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)

FILE = f"letters{HOSTILE}.py"
BELIEF = f"""---
statement: Letters are posted at noon {HOSTILE}
entrenchment: 0.8
evidence: [{json.dumps(FILE)}]
---

Because {HOSTILE}.
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a project whose folder, files, symbols, commits, beliefs, notes and memory all hold hostile text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        doc = f'    """Posts a letter {HOSTILE}."""\n'
        text = f'"""Letters {HOSTILE}."""\n\n\ndef post_letter():\n{doc}    return "{HIDDEN}"\n'
        caller = "from letters import post_letter\n\n\ndef main():\n    post_letter()\n"
        files = {FILE: text, "letters.py": text, "main.py": caller, ".scry/beliefs/noon.md": BELIEF}
        files["notes.md"] = f"# Letters {HOSTILE}\n\nPosted {HOSTILE}.\n"
        root = make_repository(tmp_path_factory.mktemp("work") / f"post{HOSTILE}", files)
        (root / "letters.py").write_text(text + f"\n# {HOSTILE}\n")
        subprocess.run(["git", "commit", "-aqm", f"Post letters {HOSTILE}"], cwd=root, check=True)
        scry = CommandLine(root)
        for words in (
            ("index",),
            ("project", "add", ".", "--name", "post"),
            ("persona", "add", f"Likes letters {HOSTILE}"),
            ("observe", "decision", f"Letters are posted {HOSTILE}", "--ref", "letters.py:4"),
            ("feedback", str(scry.find("post letter").query_id), "bad", "--comment", HOSTILE),
        ):
            assert scry.run(*words).status == 0, words
        yield root


COMMANDS = (
    ("post letter",),
    ("find", "post letter", "--explain"),
    ("find", "post letter", "--full"),
    ("find", "post letter", "--format", "llm"),
    ("find", "post letter", "--all-projects"),
    ("find", "--reason", "what calls post_letter"),
    ("find", f"{HOSTILE} letter"),
    ("find", "letter", "--projects", f"nope{HOSTILE}"),
    ("why", "./letters.py::post_letter", f"letter {HOSTILE}"),
    ("why", f"./{HOSTILE}.py"),
    ("detail", "QUERY_ID", "1"),
    ("orient", "."),
    ("orient", f"nowhere{HOSTILE}"),
    ("recent",),
    ("recent", "letter"),
    ("neighbors", "--file", "letters.py"),
    ("neighbors", "--file", "main.py", "--by", "dependency"),
    ("neighbors", "--belief", "noon"),
    ("belief", "list"),
    ("belief", "show", "noon"),
    ("belief", "check"),
    ("persona", "list"),
    ("persona", "search", "letters"),
    ("memory",),
    ("memory", "search", "letters"),
    ("log",),
    ("log", "--sql", "SELECT * FROM queries"),
    ("insights",),
    ("log", "--sql", f"SELECT '{HIDDEN}' AS \"{HIDDEN}\""),
    ("project", "list"),
    ("project", "add", ".", "--name", f"post{HOSTILE}"),
    ("project", "update", "post", "--name", f"post{HIDDEN}"),
    ("project", "remove", f"nope{HOSTILE}"),
    ("status",),
    ("doctor",),
    ("settings",),
    ("cache",),
    ("index",),
    ("mcp", "install", "claude-code", "--dry-run"),
    ("detail", f"q{HOSTILE}", "1"),
    (f"--limit={HOSTILE}", "letter"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words)[:40].encode("ascii", "replace").decode())
def test_no_command_prints_control_sequences(place: Path, words: tuple[str, ...]) -> None:
    scry = CommandLine(place)
    asked = [scry.find("post letter").query_id if word == "QUERY_ID" else word for word in words]
    done = scry.run(*asked)
    assert "Traceback" not in done.err
    assert done.out or done.err
    for shown in (done.out, done.err):
        assert not FORBIDDEN.search(shown), ascii(shown)


def test_no_mcp_tool_returns_invisible_characters(place: Path) -> None:
    async def ask(client: Client) -> list[str]:
        calls: list[tuple[str, dict[str, object]]] = [
            ("find", {"query": "post letter", "full": True, "budget_tokens": 20_000}),
            ("find", {"query": f"letter {HOSTILE}", "all_projects": True}),
            ("find", {"query": "what calls post_letter", "reason": True}),
            ("orient", {"path": "."}),
            ("orient", {"path": f"nowhere{HOSTILE}"}),
            ("recent", {}),
            ("recent", {"query": "letter"}),
            ("neighbors", {"file": "letters.py"}),
            ("neighbors", {"belief": "noon"}),
            ("why", {"doc_id": "./letters.py::post_letter", "query": HOSTILE}),
            ("why", {"doc_id": f"./{HOSTILE}.py"}),
            ("observe", {"kind": "note", "text": HOSTILE}),
            ("remember", {"text": f"Likes {HOSTILE}"}),
            ("status", {}),
            ("status", {"project": f"nope{HOSTILE}"}),
            ("feedback", {"query_id": HOSTILE, "signal": "good"}),
            ("find", {HOSTILE: 1}),
        ]
        shown = [text_of(await client.call_tool(tool, arguments)) for tool, arguments in calls]
        name = re.findall(r"q_\d{8}_\d{6}_\w+", shown[0])[0]
        for rank in (1, 2, 3, 4, 5):
            shown.append(text_of(await client.call_tool("detail", {"query_id": name, "rank": rank})))
        return [*shown, client.instructions or ""]

    texts = in_session(place, ask)
    assert "\\x1b[2J" in texts[0], "what can't be seen is written out"
    for text in texts:
        assert text
        assert not FORBIDDEN.search(text), ascii(text)


OUTSIDE = ("../..", "/etc", "file:///etc/passwd", "letters.py/../../..", "~root", "%2e%2e/%2e%2e")


def test_no_mcp_path_leads_out_of_the_project(place: Path) -> None:
    async def ask(client: Client) -> list[tuple[str, bool, str]]:
        calls: list[tuple[str, str, str]] = []
        for path in OUTSIDE:
            calls += [("orient", "path", path), ("neighbors", "file", path), ("why", "doc_id", path)]
            calls.append(("find", "query", f"path:{path} root"))
        results = [(tool, await client.call_tool(tool, {name: value})) for tool, name, value in calls]
        return [(tool, bool(result.is_error), text_of(result)) for tool, result in results]

    for tool, is_error, text in in_session(place, ask):
        assert is_error == (tool in ("orient", "neighbors")), text
        assert "1. [" not in text
        assert "root:x:" not in text
