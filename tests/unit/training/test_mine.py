from __future__ import annotations

import importlib.util

import pytest
from training.archives import SourceFile
from training.languages import GRAMMARS, LANGUAGES
from training.markdown import mine_markdown
from training.mine import mine_file
from training.records import Record

DOC = "Sends the given file to the server."
SOURCES = {
    "a.py": f'class Sender:\n    def send_file(self, path):\n        """{DOC}"""\n        with open(path) as file:\n            self.put(file.read())\n',
    "a.js": f"class Sender {{\n  /** {DOC} */\n  sendFile(path) {{\n    const data = read(path);\n    this.put(data);\n  }}\n}}\n",
    "a.ts": f"class Sender {{\n  /** {DOC} */\n  sendFile(path: string): void {{\n    const data = read(path);\n    this.put(data);\n  }}\n}}\n",
    "a.go": f"package a\n\n// {DOC}\nfunc SendFile(path string) error {{\n\tdata := read(path)\n\treturn put(data)\n}}\n",
    "a.rs": f"impl Sender {{\n    /// {DOC}\n    #[inline]\n    fn send_file(&self, path: &Path) {{\n        let data = read(path);\n        self.put(data)\n    }}\n}}\n",
    "A.java": f"class Sender {{\n  /** {DOC} */\n  @Override\n  void sendFile(Path path) {{\n    var data = read(path);\n    put(data);\n  }}\n}}\n",
    "a.c": f"/* {DOC} */\nint send_file(const char *path)\n{{\n  char *data = read_all(path);\n  return put(data);\n}}\n",
    "a.cpp": f"// {DOC}\nvoid Sender::sendFile(const Path& path) {{\n  auto data = read(path);\n  put(data);\n}}\n",
    "a.cs": f"class Sender {{\n  /// <summary>{DOC}</summary>\n  void SendFile(string path) {{\n    var data = Read(path);\n    Put(data);\n  }}\n}}\n",
    "a.rb": f"class Sender\n  # {DOC}\n  def send_file(path)\n    data = File.read(path)\n    put(data, path)\n  end\nend\n",
    "a.php": f"<?php\nclass Sender {{\n  /** {DOC} */\n  function sendFile($path) {{\n    $data = read($path);\n    put($data);\n  }}\n}}\n",
    "a.sh": f"# {DOC}\nsend_file() {{\n  local path=$1\n  curl --upload-file \"$path\" \"$server\"\n}}\n",
    "a.lua": f"--- {DOC}\nfunction M.send_file(path)\n  local data = read(path)\n  return put(data)\nend\n",
    "a.kt": f"class Sender {{\n  /** {DOC} */\n  fun sendFile(path: Path) {{\n    val data = read(path)\n    put(data)\n  }}\n}}\n",
    "a.swift": f"class Sender {{\n  /// {DOC}\n  func sendFile(path: String) {{\n    let data = read(path)\n    put(data)\n  }}\n}}\n",
    "a.scala": f"class Sender {{\n  /** {DOC} */\n  def sendFile(path: Path): Unit = {{\n    val data = read(path)\n    put(data)\n  }}\n}}\n",
    "a.ex": f'defmodule Sender do\n  @doc "{DOC}"\n  def send_file(path) do\n    data = File.read!(path)\n    put(data)\n  end\nend\n',
    "a.zig": f"/// {DOC}\nfn sendFile(path: []const u8) !void {{\n    const data = try read(path);\n    try put(data);\n}}\n",
    "a.hs": f"module A where\n\n-- | {DOC}\nsendFile :: FilePath -> IO ()\nsendFile path = do\n  content <- readFile path\n  put content\n",
}  # fmt: skip


def installed() -> list[str]:
    """Return what can be parsed here: all with the extra `training`, the product's own languages without it."""
    suffixes = {suffix for one in GRAMMARS if importlib.util.find_spec(one.module) for suffix in one.suffixes}
    return [path for path in SOURCES if "." + path.rpartition(".")[2] in suffixes]


def test_every_language_has_a_source() -> None:
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
    records = list(mine_file("p", SourceFile("a.py", SOURCES["a.py"])))
    assert [(one.name, one.container) for one in records] == [("Sender", ""), ("send_file", "Sender")]


def test_a_remark_is_paired_with_the_lines_under_it() -> None:
    text = (
        "def run(items):\n    total = 0\n"
        "    # the newest items come first so we stop at the first old one\n"
        "    for item in items:\n        if item.is_old():\n            break\n\n    return total\n"
    )
    remark = next(one for one in mine_file("p", SourceFile("a.py", text)) if one.kind == "comment")
    assert remark.doc == "the newest items come first so we stop at the first old one"
    assert remark.code == "for item in items:\n    if item.is_old():\n        break"


def test_licences_are_no_documentation() -> None:
    text = "// Copyright 2026 by the authors, all rights reserved.\nfunction send(path) {\n  const data = read(path);\n}\n"
    assert [one.doc for one in mine_file("p", SourceFile("a.js", text))] == [""]


def test_a_section_is_paired_with_its_code_or_the_symbols_it_names() -> None:
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
