"""The real `scry mcp` as a process, queried by the client of the SDK."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from mcp import Client, types
from mcp.client.stdio import StdioServerParameters

T = TypeVar("T")

TIMEOUT = 60.0

MODES = ("legacy", "auto")
"""The handshake of all clients, and the newest protocol version, which needs none."""


STRUCTURED = ("--structured",)
"""The form that most tests read; agents get text alone."""


def in_session(
    folder: Path,
    work: Callable[[Client], Awaitable[T]],
    *words: str,
    mode: str = "auto",
    form: Sequence[str] = STRUCTURED,
) -> T:
    """Return what `work` returns, done with a client of a server of its own that was started in a folder."""
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "scry", "mcp", *form, *words], cwd=folder, env=dict(os.environ)
    )

    async def run() -> T:
        async with Client(command, mode=mode, cache=None) as client:  # pyright: ignore[reportArgumentType]
            return await work(client)

    return asyncio.run(asyncio.wait_for(run(), TIMEOUT))


def call(folder: Path, tool: str, *words: str, **arguments: object) -> types.CallToolResult:
    """Call a tool once and return its result."""
    return in_session(folder, lambda client: client.call_tool(tool, arguments), *words)


def text_of(result: types.CallToolResult) -> str:
    """Return the text form; the test fails where there is more than one, or another."""
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


def structure_of(result: types.CallToolResult) -> dict[str, Any]:
    """Return the structured output; the test fails on an error."""
    assert not result.is_error, text_of(result)
    found: dict[str, Any] = result.structured_content
    return found
