"""The file of `scry doctor --report`: what a bug report needs, without secrets, names of people, projects and files.

Replaced are secrets, by the mask of memory; folders of the person and of Scry, by what they are; the names of the
person, the machine and every project; the paths of files, each by its number and ending; addresses; and quoted text in
messages of errors, which may be a line of a file. Values of settings are shown where they are numbers, switches, or one
of a list that Scry defines.
"""

from __future__ import annotations

import getpass
import os
import platform
import re
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path, PurePath

from scry import __version__
from scry.core.errors import BadRequest, ScryError
from scry.core.files import replace_file_text
from scry.core.memory.masking import mask_secrets
from scry.core.platform import cache_home, config_home, data_home
from scry.core.settings import BUNDLED_MODEL, SETTING_DEFINITIONS, load_settings
from scry.projects.project import Project, open_project
from scry.surfaces.cli.upkeep.findings import CheckResult
from scry.surfaces.render.styled_text import make_printable

HEADING = "# Report of scry doctor"
LOG_LINES = 80
"""Lines of the indexer's log that are shown, from its end."""
MAX_LOG_BYTES = 100_000
_MIN_NAME = 3
"""Shorter names are words and parts of words by chance; the paths that hold them are replaced all the same."""

_INTRODUCTION = """\
Replaced are secrets, folders, addresses, the names of you, this machine, your projects and their files. A file keeps
its number in the whole report. Read the report before you send it: a text that looks like neither a name nor a secret
stays."""

_WORD = re.compile(r"[^\s'\"`,;()\[\]{}=|]+")
_NAME = re.compile(r"([\w-]+)")
_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")


def write_report(path: Path, root: Path, checks: Sequence[CheckResult]) -> Path:
    """Write the report of these checks and return its file. Raises BadRequest for a file that is no earlier report."""
    try:
        if path.exists() and not path.read_bytes().startswith(HEADING.encode()):
            raise BadRequest("file", f"{path} exists and is no report; name another file, or remove it")
        replace_file_text(path, make_report(root, checks))
    except OSError as error:
        raise BadRequest("file", f"{path} can't be written: {error.strerror or error}") from error
    return path


def make_report(root: Path, checks: Sequence[CheckResult]) -> str:
    """Return the text of the report, masked."""
    project: Project | None = None
    with suppress(ScryError):
        project = open_project(root, force=True)
    masker = _Masker(root, project)
    sections = {
        "Versions": _versions(),
        "Settings": _settings(root),
        "Checks": [line for check in checks for line in _check_lines(check, masker)],
        "Log of the indexer": [masker.mask(line) for line in _log_tail(project)],
    }
    parts = [f"## {title}\n\n```text\n{chr(10).join(lines) or 'nothing'}\n```" for title, lines in sections.items()]
    return "\n\n".join([HEADING, _INTRODUCTION, *parts]) + "\n"


def _versions() -> Iterator[str]:
    yield f"scry {__version__}"
    yield f"python {platform.python_implementation()} {platform.python_version()}"
    yield f"platform {platform.system()} {platform.release()} {platform.machine()}"
    for name in ("tantivy", "numpy", "simsimd", "tree-sitter", "pygls", "mcp", "psycopg", "sentence-transformers"):
        with suppress(metadata.PackageNotFoundError):
            yield f"{name} {metadata.version(name)}"


def _settings(root: Path) -> Iterator[str]:
    try:
        settings = load_settings(root, os.environ)
    except ScryError:
        yield "can't be read: see the check"
        return
    for entry in settings.entries():
        source = "default" if entry.source == "default" else "variable" if entry.source.isupper() else "file"
        yield f"{entry.name} = {_setting_text(entry.name, entry.value)} ({source})"
    moved = [f"XDG_{name}_HOME" for name in ("CACHE", "CONFIG", "DATA", "RUNTIME") if f"XDG_{name}_HOME" in os.environ]
    yield f"moved folders: {', '.join(moved) or 'none'}"


def _setting_text(name: str, value: object) -> str:
    """Return a value that can name nothing of the person's, otherwise how much there is."""
    if isinstance(value, tuple):
        return f"{len(value)} of them"  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, str):
        return value if value == BUNDLED_MODEL or SETTING_DEFINITIONS[name].choices else "another one"
    return str(value).lower()


def _check_lines(check: CheckResult, masker: _Masker) -> Iterator[str]:
    yield f"{check.level:5}{check.name:12}{check.code}"
    yield from (f"     {line}" for line in masker.mask(check.found).splitlines())
    if check.advice:
        yield f"     -> {masker.mask(check.advice, keeps_quotes=True)}"


def _log_tail(project: Project | None) -> list[str]:
    if project is None:
        return []
    try:
        with (project.cache / "indexer.log").open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - MAX_LOG_BYTES))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return []
    return text.split("\n")[-LOG_LINES:]


def _without_quotes(line: str) -> str:
    """Return a line with its quoted texts left out, but for the file names of tracebacks."""
    return line if line.lstrip().startswith('File "') else _QUOTED.sub("'…'", line)


class _Masker:
    """Replaces what names the person, the machine, a project or a file."""

    def __init__(self, root: Path, project: Project | None) -> None:
        self._folders = _folders(root, project)
        names = _names(root, project)
        self._names = {name.casefold(): shown for name, shown in names.items()}
        self._odd_names = {name: shown for name, shown in names.items() if not _NAME.fullmatch(name)}
        self._files = _known_files(project)
        self._odd_files = sorted((path for path in self._files if not _WORD.fullmatch(path)), key=len, reverse=True)
        self._numbers: dict[str, int] = {}

    def mask(self, line: str, *, keeps_quotes: bool = False) -> str:
        """Return a line without secrets and names, as it can be shown. Secrets first: an escape would split one."""
        line = mask_secrets(line).text
        line = make_printable(line if keeps_quotes else _without_quotes(line))
        for text, shown in self._folders.items():
            line = line.replace(text, shown)
        for text in self._odd_files:
            if text in line:
                line = line.replace(text, self._file(text))
        for text, shown in self._odd_names.items():
            line = line.replace(text, shown)
        return _WORD.sub(lambda match: self._mask_word(match.group()), line)

    def _mask_word(self, word: str) -> str:
        core = word.strip(".,:;*")
        if "://" in core:
            return word.replace(core, "<address>")
        if core.startswith(("<scry>", "<python>")) or core.casefold() in _OWN_FILES:
            return word
        if core.casefold() in self._names:
            return word.replace(core, self._mask_name(core))
        if core.startswith("<") and "/" not in core and "\\" not in core:
            return word
        path, separator, symbol = core.removeprefix("./").partition("::")
        if "/" in core or "\\" in core or separator or path in self._files:
            return word.replace(core, self._file(path) + ("::…" if symbol else ""))
        return "".join(self._mask_name(part) for part in _NAME.split(word))

    def _mask_name(self, part: str) -> str:
        return self._names.get(part.casefold(), part)

    def _file(self, path: str) -> str:
        kept, bare = ("", path)
        if path.startswith("<"):
            kept, _, bare = path.partition("/")
        if not bare:
            return kept
        number = self._numbers.setdefault(bare, len(self._numbers) + 1)
        suffix = PurePath(bare).suffix
        return f"{kept}{'/' if kept else ''}<file-{number}>{suffix if len(suffix) < 8 and suffix.isascii() else ''}"


_OWN_FILES = frozenset(
    {"indexer.log", "index.sqlite", "config.toml", ".scry/config.toml", "docs/events.md", "persona/memory", "and/or"}
)
"""Words with the form of a path that are Scry's own."""


def _folders(root: Path, project: Project | None) -> Mapping[str, str]:
    """Return folders with what is shown for them, the longest first."""
    folders = {
        str(Path(__file__).parents[4]): "<scry>",
        sys.prefix: "<python>",
        sys.base_prefix: "<python>",
        str(cache_home()): "<cache>",
        str(data_home()): "<data>",
        str(config_home()): "<config>",
        str(root.absolute()): "<project>",
        str(Path.home()): "~",
    }
    if project is not None:
        folders |= {str(project.root): "<project>", str(project.cache): "<cache>/<project>"}
        folders[str(project.data)] = "<data>/<project>"
    named = {folder: shown for folder, shown in folders.items() if len(folder) > 1}
    return dict(sorted(named.items(), key=lambda item: -len(item[0])))


def _names(root: Path, project: Project | None) -> Mapping[str, str]:
    """Return the names of the person, the machine and all projects, with what is shown for each."""
    shown: dict[str, str] = {}
    with suppress(Exception):
        shown[getpass.getuser()] = "<person>"
    shown[Path.home().name] = "<person>"
    shown[socket.gethostname()] = "<machine>"
    from scry.store.registry import RegistryStore

    with suppress(ScryError):
        for number, each in enumerate(RegistryStore(data_home()).list_projects(), 1):
            shown |= {each.name: f"<project-{number}>", Path(each.root).name: f"<project-{number}>"}
    for folder in (root.absolute(), *([project.root] if project else [])):
        shown[folder.name] = "<project>"
    return {name: text for name, text in shown.items() if len(name) >= _MIN_NAME}


def _known_files(project: Project | None) -> frozenset[str]:
    """Return the paths of indexed files, by which a name without a folder is told from a word."""
    if project is None:
        return frozenset()
    from scry.store.index.store import IndexStore

    try:
        return frozenset(IndexStore.open(project.cache, write=False).files.known_paths())
    except Exception:  # whatever is wrong with the index stands in the checks
        return frozenset()
