"""Every generated file, and whether it is up to date."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from protocol.generate import lua, markdown, schema, typescript
from protocol.generate.model import Protocol

ROOT = Path(__file__).parents[2]

OUTPUTS: Mapping[str, Callable[[Protocol], str]] = {
    "editor/vscode/src/generated/protocol.ts": typescript.emit,
    "editor/neovim/lua/scry/generated/protocol.lua": lua.emit,
    "protocol/generated/schema.json": schema.emit,
    "protocol/scry_protocol/schema.json": schema.emit_compact,  # in the package: MCP and HTTP describe themselves by it
    "protocol/generated/protocol.md": markdown.emit,
}
"""The generated files, relative to the repository, each with the function that makes its text."""


def write(protocol: Protocol, root: Path = ROOT) -> list[str]:
    """Write the files that are not up to date; return their names."""
    written = stale(protocol, root)
    for name in written:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(OUTPUTS[name](protocol).encode())
    return written


def stale(protocol: Protocol, root: Path = ROOT) -> list[str]:
    """Return the files that are missing or differ from the generated text."""
    return [name for name, emit in OUTPUTS.items() if _content(root / name) != emit(protocol).encode()]


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
