"""Tokens of five tasks of an agent in click: `python -m tests.bench.agent_tasks PATH`, with PATH a clone of it.

By Scry a task is one find with five results and the detail of the best; without it a case-insensitive search for one
word of the question in src, and the file that holds the answer. A token is taken as four bytes. The reply to tools/list
is counted once, for a model carries it through the whole conversation.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
from pathlib import Path

import msgspec
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from msgspec import Struct

from tests.e2e.mcp_session import text_of


class Task(Struct, frozen=True):
    """A question, the word that is searched for without Scry, and the file and the name of the answer."""

    question: str
    word: str
    file: str
    name: str


TASKS = (
    Task("where are ansi color codes stripped from text", "ansi", "src/click/_compat.py", "strip_ansi"),
    Task("how is the default value of a parameter resolved", "default", "src/click/core.py", "get_default"),
    Task("where is the terminal width of the help page computed", "width", "src/click/formatting.py", "HelpFormatter"),
    Task("how does a test runner isolate standard input and output", "isolat", "src/click/testing.py", "isolation"),
    Task("where are options and arguments told apart in the parser", "parser", "src/click/parser.py", "_OptionParser"),
)


async def _by_scry(root: Path) -> tuple[int, list[int], int]:
    """Return the tokens of the definitions and of each task, and how many best results name the answer."""
    command = StdioServerParameters(command=sys.executable, args=["-m", "scry", "mcp"], cwd=root, env=dict(os.environ))
    async with Client(command, cache=None) as client:  # pyright: ignore[reportArgumentType]
        tools = (await client.list_tools()).tools
        defined = len(msgspec.json.encode([tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]))
        tokens, right = list[int](), 0
        for task in TASKS:
            found = text_of(await client.call_tool("find", {"query": task.question, "limit": 5}))
            query_id = next(word for word in found.replace(".", " ").split() if word.startswith("q_"))
            detail = text_of(await client.call_tool("detail", {"query_id": query_id, "rank": 1}))
            tokens.append((len(found.encode()) + len(detail.encode())) // 4)
            right += task.name in detail.splitlines()[0]
    return defined // 4, tokens, right


def _by_search(root: Path, task: Task) -> int:
    command = ["grep", "-rniI", task.word, "src"]
    found = subprocess.run(command, cwd=root, check=True, capture_output=True).stdout
    return (len(found) + (root / task.file).stat().st_size) // 4


def main() -> None:
    """Print the tokens."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    root: Path = parser.parse_args().path
    subprocess.run([sys.executable, "-m", "scry", "index"], cwd=root, check=True, capture_output=True)
    defined, tokens, right = asyncio.run(_by_scry(root))
    print(f"definitions: {defined:,}")
    for task, count in zip(TASKS, tokens, strict=True):
        print(f"{count:6,} by find and detail, {_by_search(root, task):7,} by search and file: {task.question}")
    searched = sum(_by_search(root, task) for task in TASKS)
    print(f"{sum(tokens):6,} and {searched:7,} in all; {right} of {len(TASKS)} best results are the expected one")


if __name__ == "__main__":
    main()
