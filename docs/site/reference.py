"""The pages of the reference, each made from the definitions that the program itself uses."""

from __future__ import annotations

import inspect
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / "editor" / "vscode"


def pages() -> Mapping[str, str]:
    """Return the text of every generated page, by its name on the site."""
    return {name: make() for name, make in PAGES.items()}


def commands_page() -> str:
    """Return every command with its arguments and options, as the command line defines them."""
    from scry.surfaces.cli.app import make_app
    from scry.surfaces.cli.commands import COMMANDS

    app = make_app()
    parts = ["# Commands\n\n`scry QUESTION` is `scry find QUESTION`. Every command has `--help`.", _exit_table()]
    for name in COMMANDS:
        text = app[name].generate_docs(output_format="markdown", recursive=True, heading_level=2)
        text = re.sub(r"\n#+ Table of Contents\n.*?(?=\n\*\*)", "", text, flags=re.DOTALL)
        parts.append(text.replace("```console\n", "```text\nscry "))
    return _joined(parts)


def _exit_table() -> str:
    rows = {
        0: "something was found or done",
        1: "nothing was found, or something failed",
        2: "a wrong argument",
        130: "interrupted by Ctrl-C",
    }
    return _table(("exit status", "when"), ((str(status), when) for status, when in rows.items()))


def settings_page() -> str:
    """Return every setting of the sidecar, and by which name VS Code has it."""
    from scry.core.settings import SETTING_DEFINITIONS, format_setting

    rows = [
        (
            f"`{name}`",
            definition.meaning,
            definition.expected_value,
            f"`{format_setting(definition.default)}`",
            f"`{definition.environment_variable}`",
            "yes" if definition.allowed_in_project else "no",
        )
        for name, definition in SETTING_DEFINITIONS.items()
    ]
    return _joined(
        [
            "# Settings\n\nLater sources override earlier ones: your own `config.toml` (`scry settings` shows where), "
            "the project's `.scry/config.toml`, environment variables, the editor's or command line's own. A project's "
            "file may be a stranger's, so it may set only the marked ones.",
            _table(("setting", "meaning", "values", "default", "variable", "project"), rows),
            "Settings of VS Code are on [its page](vscode.md#settings), options of Neovim on [its page](neovim.md).",
        ]
    )


def vscode_page() -> str:
    """Return the commands, settings and keys of the VS Code extension, from its manifest."""
    manifest = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))["contributes"]
    names: dict[str, str] = json.loads((CLIENT / "package.nls.json").read_text(encoding="utf-8"))

    def text(value: str) -> str:
        return names[value.strip("%")] if value.startswith("%") else value

    commands = ((f"`{each['command']}`", f"{each['category']}: {text(each['title'])}") for each in manifest["commands"])
    settings = (
        (f"`{name}`", text(each.get("markdownDescription") or each["description"]), f"`{json.dumps(each['default'])}`")
        for name, each in manifest["configuration"]["properties"].items()
    )
    keys = ((f"`{each['key']}`", f"`{each['command']}`", f"`{each['when']}`") for each in manifest["keybindings"])
    return _joined(
        [
            "# VS Code\n\n[Start in VS Code](../start/vscode.md) shows how the extension is installed and used.",
            "## Commands",
            _table(("command", "in the palette"), commands),
            "## Settings",
            _table(("setting", "meaning", "default"), settings),
            "## Keys\n\nOnly where Scry itself has the focus; no other key is bound.",
            _table(("key", "command", "when"), keys),
        ]
    )


def neovim_page() -> str:
    """Return the help of the Neovim plugin, a section each."""
    text = (ROOT / "editor" / "neovim" / "doc" / "scry.txt").read_text(encoding="utf-8")
    _, *sections = re.split(r"^=+\n", text, flags=re.MULTILINE)
    parts = ["# Neovim\n\nThe plugin's own help, `:help scry`."]
    for section in sections:
        head, _, body = section.partition("\n")
        title = re.sub(r"\s+\*.*", "", head)
        parts.append(f"## {title}\n\n```text\n{body.strip(chr(10))}\n```")
    return _joined(parts)


def mcp_page() -> str:
    """Return the tools for agents with their parameters, as their definitions say."""
    from scry.surfaces.mcp.tools import TOOLS

    parts = ["# Tools for agents\n\nThe tools of `scry mcp`; [agents](../agents.md) says how clients are configured."]
    for tool in TOOLS:
        facts = "only reads" if tool.is_read_only else "records"
        parts.append(f"## {tool.name}\n\n{tool.description} ({facts}; {tool.budget} tokens by default)")
        parts.append(
            _table(("parameter", "meaning"), ((f"`{name}`", words) for name, words in tool.parameters.items()))
        )
    return _joined(parts)


def events_page() -> str:
    """Return the columns of the log's table and views, as a new log has them."""
    from scry.store.events import EventLog, EventReader

    parts = [
        "# Events and views\n\n[The log of events](../events.md) says what is logged, and has examples of questions."
    ]
    with tempfile.TemporaryDirectory() as folder:
        EventLog.open(Path(folder), lambda: None).append([])
        reader = EventReader.open(Path(folder))
        if reader is None:
            raise ValueError("a new log can't be read")
        found = reader.run_select(
            "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY type, rowid"
        )
        for kind, name in (tuple(row) for row in found.rows):
            columns = reader.run_select(f"SELECT * FROM {name}").columns
            if not str(name).startswith("sqlite_"):
                parts.append(f"## {name}\n\nA {kind}: {', '.join(f'`{column}`' for column in columns)}.")
    return _joined(parts)


def errors_page() -> str:
    """Return every error with its statuses, every notice, and every reason for which a file is left out."""
    from scry.core import errors, notices
    from scry.core.types import IndexingStage, SkipReason
    from scry.engine import notices as engine_notices
    from scry.surfaces.serving.params import error_report
    from scry.surfaces.serving.replies import HTTP_STATUS

    kinds = [each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, errors.ScryError)]

    def row(kind: type[Any]) -> tuple[str, str, str, str]:
        error = kind("field", "words") if issubclass(kind, errors.BadRequest) else kind("words")
        status = next((HTTP_STATUS[each] for each in kind.__mro__ if each in HTTP_STATUS), 500)
        exit_status = 2 if issubclass(kind, errors.BadRequest) else 1
        return f"`{error_report(error).error.code}`", _first_line(kind), str(status), str(exit_status)

    told = [
        each
        for module in (notices, engine_notices)
        for _, each in inspect.getmembers(module, inspect.isclass)
        if issubclass(each, notices.Notice) and each is not notices.Notice and each.__module__ == module.__name__
    ]
    return _joined(
        [
            "# Errors and notices",
            "## Errors\n\n`error.code` of JSON and HTTP. LSP and MCP give the same message as an error of their own.",
            _table(("code", "means", "HTTP", "exit"), map(row, sorted(kinds, key=lambda kind: kind.__name__))),
            "## Notices\n\nWords beside an answer, about what it may lack.",
            _table(("code", "when"), ((f"`{each.__struct_config__.tag}`", _first_line(each)) for each in told)),
            "## Files that are left out\n\n`scry why FILE` names the reason.",
            _table(("reason",), ((f"{reason.value}",) for reason in SkipReason)),
            "## Stages of indexing\n\nA fault of a file, commit, note or belief names the stage that failed.",
            _table(("stage",), ((f"{stage.value}",) for stage in IndexingStage)),
        ]
    )


def faq_page() -> str:
    """Return the questions and answers: every finding of `scry doctor`, from its definition."""
    from scry.surfaces.cli.upkeep.findings import FINDINGS, Finding

    parts = [
        "# Questions and answers\n\nSomething does not work? `scry doctor` checks the installation, the folders, the "
        "settings, the index and all servers, and says the next step. This page explains each of its findings. For a "
        "bug report, `scry doctor --report` writes a file without secrets and names.",
    ]
    rows: dict[str, list[Finding]] = {}
    for finding in FINDINGS.values():
        rows.setdefault(finding.code.partition(".")[0], []).append(finding)
    for subject, findings in rows.items():
        parts.append(f"## {subject}")
        for finding in findings:
            advice = re.sub(r"\{(\w+)\}", lambda match: f"*{match[1]}*", finding.advice)
            advice = "the `pip install` command that doctor prints" if advice == "*command*" else advice
            works = "does not work" if finding.level == "fail" else "works, with less"
            parts.append(f"### {finding.code}\n\n{finding.meaning} ({works})\n\n**Next step**: {advice}.")
    return _joined(parts)


PAGES: Mapping[str, Callable[[], str]] = {
    "reference/commands.md": commands_page,
    "reference/settings.md": settings_page,
    "reference/vscode.md": vscode_page,
    "reference/neovim.md": neovim_page,
    "reference/mcp.md": mcp_page,
    "reference/events.md": events_page,
    "reference/errors.md": errors_page,
    "faq.md": faq_page,
}
"""Every generated page, by its name on the site; none of them is a file of the repository."""


def _first_line(documented: object) -> str:
    return (inspect.getdoc(documented) or "").partition("\n\n")[0].replace("\n", " ")


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *(tuple(cell.replace("|", "\\|") for cell in row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"
