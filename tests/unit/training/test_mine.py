from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from training.archives import SourceFile
from training.languages import GRAMMARS, LANGUAGES
from training.mine import mine_file, mine_markdown
from training.records import Record

DOC = "Sends the given file to the server."
SOURCES = {
    file.name.removesuffix(".txt"): file.read_text(encoding="utf-8")
    for file in sorted((Path(__file__).parent / "sources").iterdir())
}
"""The same function in every language, under file names without the .txt that keeps linters away."""


def installed() -> list[str]:
    """Return what can be parsed here: all with the extra `training`, the product's own languages without it."""
    suffixes = {suffix for one in GRAMMARS if importlib.util.find_spec(one.module) for suffix in one.suffixes}
    return [path for path in SOURCES if "." + path.rpartition(".")[2] in suffixes]


def test_every_language_has_a_training_source() -> None:
    assert len(SOURCES) == len(LANGUAGES) == 19


@pytest.mark.parametrize("path", installed())
def test_a_function_is_paired_with_its_documentation(path: str) -> None:
    records = list(mine_file("p", SourceFile(path, SOURCES[path])))
    found = next(one for one in records if one.name.lower().replace("_", "") == "sendfile")
    assert found.doc == DOC
    assert found.kind == "definition"
    assert DOC not in found.code
    assert "put" in found.code.lower() or "curl" in found.code
    assert found.container in ("", "Sender")


def test_methods_know_their_class() -> None:
    records = list(mine_file("p", SourceFile("a.py", SOURCES["sender.py"])))
    assert [(one.name, one.container) for one in records] == [("Sender", ""), ("send_file", "Sender")]


def test_comment_is_paired_with_the_lines_below() -> None:
    text = (
        "def run(items):\n    total = 0\n"
        "    # the newest items come first so we stop at the first old one\n"
        "    for item in items:\n        if item.is_old():\n            break\n\n    return total\n"
    )
    remark = next(one for one in mine_file("p", SourceFile("a.py", text)) if one.kind == "comment")
    assert remark.doc == "the newest items come first so we stop at the first old one"
    assert remark.code == "for item in items:\n    if item.is_old():\n        break"


def test_licences_are_no_documentation() -> None:
    text = (
        "// Copyright 2026 by the authors, all rights reserved.\nfunction send(path) {\n  const data = read(path);\n}\n"
    )
    assert [one.doc for one in mine_file("p", SourceFile("a.js", text))] == [""]


def test_section_is_paired_with_its_code_or_named_symbols() -> None:
    text = (
        "# Sender\n\nNothing here.\n\n## Retrying\n\nFailed files are sent again by the sender:\n\n"
        "```python\n# not a heading\nsender.send_file('a', retries=3, pause=0.1)\n```\n\n"
        "## Names\n\nSee `Sender.send_file()`, `Sender.retry_limit` and `Sender.pause_seconds` for sending files.\n"
    )
    sections = list(mine_markdown("p", SourceFile("README.md", text)))
    assert [(one.doc.partition(".")[0], one.code.splitlines()[-1]) for one in sections] == [
        ("Retrying", "sender.send_file('a', retries=3, pause=0.1)"),
        ("Names", "Sender.pause_seconds"),
    ]
    assert all(isinstance(one, Record) for one in sections)
