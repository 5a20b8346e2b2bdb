"""Check whether an index on disk is current: format version, settings, ignore rules, file sizes and times.

The check reads the few ignore files outside the project's folders, and otherwise sizes and times alone, so it is cheap
enough before every answer. A file that changes twice within one tick of the file system's clock keeps its time:
`scry.index.scan.read_file` therefore lets a fresh change settle before it reads, and stores the time -1, which equals
none, where that was not possible.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

import msgspec

import scry
from scry.core.decoding import decode_json
from scry.core.files import change_time_ns, folder_change_ns
from scry.core.settings import Settings
from scry.index.parse.parser_version import PARSER_VERSION
from scry.projects.git import find_repository, read_small_file
from scry.projects.project import Project
from scry.store.history.database import HISTORY_SCHEMA
from scry.store.index.database import INDEX_SCHEMA
from scry.store.notes.schema import PROJECT_NOTE_SCHEMA


def index_format_version() -> str:
    """Return Scry's version with the numbers of the formats that an indexer writes, such as 0.1.0+10.1.3.12.

    Two work trees of Scry may have one version and write different formats; a reader of one can't use the other's
    index.
    """
    formats = (INDEX_SCHEMA.format, HISTORY_SCHEMA.format, PROJECT_NOTE_SCHEMA.format, PARSER_VERSION)
    return f"{scry.__version__}+{'.'.join(map(str, formats))}"


def is_newer_format(version: str) -> bool:
    """Return whether an indexer of that version keeps the index. Compared number by number, so that formats only go
    forward.
    """
    return _version_numbers(version) > _version_numbers(index_format_version())


def describe_other_version(version: str) -> str:
    """Return the message for a person about an indexer of another version that keeps the index."""
    return (
        f"This project is indexed by Scry {version}, and this is Scry {index_format_version()}: restart to update it."
    )


def _version_numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


_FINGERPRINT_FILE = "indexed-with"
"""File with the basis of the last complete pass; it is missing while a pass runs. A pass that was cut short may have
stored a folder's time without the files in it, which sizes and times alone would not show.
"""

_MAX_RULES_BYTES = 1_000_000


class StoredFileTimes(Protocol):
    """The part of an index store that the check reads."""

    def file_stats(self) -> Iterable[tuple[str, int, int, int]]:
        """Return path relative to the root, size, mtime_ns and ctime_ns of every known file."""
        ...

    def folder_times(self) -> Iterable[tuple[str, int]]:
        """Return path relative to the root ("" for the root) and `folder_change_ns` of every walked folder."""
        ...


class OutsideRules(msgspec.Struct, frozen=True):
    """The ignore rules outside the project's folders that apply to it.

    work_tree: the top of the repository around the project; empty for none. files: a hash of the content of each file
    of rules by its path, empty where there is no such file. Bytes of paths are one character each.
    """

    work_tree: str
    files: Mapping[str, str]


class _PassBasis(msgspec.Struct, frozen=True):
    """What a complete pass depended on beside the project's files. settings: see `settings_fingerprint`."""

    settings: str
    rules: OutsideRules


def read_outside_rules(root: Path) -> OutsideRules:
    """Return the rules that apply to a resolved folder from outside, as they are now."""
    from scry.index.scan.ignore_rules import outside_rule_files  # late: not needed to ask a current index

    return OutsideRules(_work_tree(root), {_to_text(path): _content_hash(path) for path in outside_rule_files(root)})


def _work_tree(root: Path) -> str:
    repository = find_repository(root)
    return "" if repository is None else _to_text(repository.work_tree)


def _to_text(path: Path) -> str:
    return os.fsencode(path).decode("latin-1")


def _content_hash(path: Path) -> str:
    content = read_small_file(path, _MAX_RULES_BYTES)
    return "" if content is None else hashlib.blake2b(content, digest_size=12).hexdigest()


def _is_unchanged(root: Path, rules: OutsideRules) -> bool:
    try:
        files = [(Path(os.fsdecode(path.encode("latin-1"))), content) for path, content in rules.files.items()]
    except ValueError:  # a damaged file of the basis
        return False
    return rules.work_tree == _work_tree(root) and all(_content_hash(path) == content for path, content in files)


def is_index_current(project: Project, settings: Settings, store: StoredFileTimes) -> bool:
    """Return whether a comparison of the whole tree would change nothing.

    A folder's time shows names that were added or removed, a file's times and size its content. False as soon as
    anything differs, while a pass runs or after one was cut short, and when the index was made with other settings,
    with other ignore rules from outside the project's folders, or by another version of Scry.
    """
    basis = _read_basis(project)
    if (
        basis is None
        or basis.settings != settings_fingerprint(settings)
        or not _is_unchanged(project.root, basis.rules)
    ):
        return False
    root = os.fspath(project.root)
    folders = dict(store.folder_times())
    return bool(folders) and _folders_unchanged(root, folders) and _files_unchanged(root, store.file_stats())


def _folders_unchanged(root: str, folders: dict[str, int]) -> bool:
    prefix = root.rstrip("/") + "/"
    try:
        return all(folder_change_ns(os.lstat(prefix + path)) == changed_ns for path, changed_ns in folders.items())
    except (OSError, ValueError):
        return False


def _files_unchanged(root: str, files: Iterable[tuple[str, int, int, int]]) -> bool:
    look, change_time = os.lstat, change_time_ns
    prefix = root.rstrip("/") + "/"
    try:
        for path, size, mtime_ns, ctime_ns in files:
            status = look(prefix + path)
            if status.st_mtime_ns != mtime_ns or status.st_size != size or change_time(status) != ctime_ns:
                return False
    except (OSError, ValueError):
        return False
    return True


def settings_fingerprint(settings: Settings) -> str:
    """Return a hash of all settings that select the indexed files; equal for equal settings of one version of Scry."""
    version = (scry.__version__, PARSER_VERSION)
    limits = (settings.max_file_bytes, settings.max_parse_seconds)
    basis = (version, settings.ignore, settings.languages, *limits, settings.model)
    return hashlib.blake2b(repr(basis).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _read_basis(project: Project) -> _PassBasis | None:
    """Return the basis of the last complete pass; None before the first one and while one runs."""
    try:
        return decode_json((project.cache / _FINGERPRINT_FILE).read_bytes(), _PassBasis)
    except (OSError, ValueError, msgspec.DecodeError):
        return None


def write_fingerprint(project: Project, settings: Settings, rules: OutsideRules) -> None:
    """Mark a pass as complete. rules: as of its start, so that a later change shows. Raises OSError."""
    draft = project.cache / (_FINGERPRINT_FILE + ".new")
    draft.write_bytes(msgspec.json.encode(_PassBasis(settings_fingerprint(settings), rules)))
    draft.replace(project.cache / _FINGERPRINT_FILE)


def remove_fingerprint(project: Project) -> None:
    """Mark the index as not current until the pass that begins now is complete. Raises OSError."""
    (project.cache / _FINGERPRINT_FILE).unlink(missing_ok=True)
