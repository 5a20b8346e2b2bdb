"""What a person reads names commands of the command line; an editor with commands of its own names those instead.

An editor says which one it is in `initializationOptions.scry.editor`. In any other, whose person has nothing but the
command line, the words stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeVar

import msgspec

from scry.surfaces.lsp.envelope import is_json_object

T = TypeVar("T", bound=msgspec.Struct)


class EditorCommandNames(NamedTuple):
    """What an editor has for a command of the command line; nothing where it does that by itself."""

    vscode: str
    neovim: str


EDITOR_COMMANDS: Mapping[str, EditorCommandNames] = MappingProxyType(
    {
        " (scry index)": EditorCommandNames("", ""),  # an editor's sidecar makes the index without being told
        "scry index --resume": EditorCommandNames("Resume Indexing", ":Scry index resume"),
        "scry log on": EditorCommandNames("log = true in Scry's config.toml", "log = true in Scry's config.toml"),
        "scry memory on": EditorCommandNames("memory = true in Scry's config.toml", "memory = true in Scry's config.toml"),
        "scry project add FOLDER": EditorCommandNames("Scry: Add Project…", ":Scry projects add FOLDER"),
        "scry project list": EditorCommandNames("Scry: Find in Other Projects…", ":Scry projects"),
        "scry status": EditorCommandNames("Scry: Show Status", ":Scry status"),
    }
)
"""What the sidecar's words name. A test holds that whatever they name is here or is for a terminal alone."""

_CLI_COMMAND = re.compile(rf"(?:{'|'.join(re.escape(name) for name in sorted(EDITOR_COMMANDS, key=len, reverse=True))})(?![\w-])")


class EditorWording:
    """The words of one session, as its editor's person can act on them. Pure."""

    def __init__(self, options: object = None) -> None:
        """options: what the client sent as `initializationOptions`."""
        ours = options.get("scry") if is_json_object(options) else None
        editor = ours.get("editor") if is_json_object(ours) else None
        self._editor = next((name for name in EditorCommandNames._fields if name == editor), None)

    def adapt_result(self, answer: T) -> T:
        """An answer with its words for a person in this editor's terms; what was indexed stays as it is."""
        if self._editor is None:
            return answer
        changed: dict[str, object] = {}
        for name in ("notice", "note", "message"):
            said = getattr(answer, name, None)
            if isinstance(said, str) and (own := self.adapt_text(said)) != said:
                changed[name] = own
        index = getattr(answer, "index", None)
        if isinstance(index, msgspec.Struct) and (own := self.adapt_result(index)) is not index:
            changed["index"] = own
        return msgspec.structs.replace(answer, **changed) if changed else answer

    def adapt_text(self, words: str) -> str:
        """Words with the editor's own commands."""
        return words if self._editor is None or "scry " not in words else _CLI_COMMAND.sub(self._editor_command, words)

    def _editor_command(self, named: re.Match[str]) -> str:
        own = EDITOR_COMMANDS[named.group()]
        return own.vscode if self._editor == "vscode" else own.neovim
