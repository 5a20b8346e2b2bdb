"""Read the file that names the repositories of a team.

    readers = ["public"]                            # for all below that name none

    [[repository]]
    url = "https://forge.example/shop/cart.git"     # or a path, relative to this file
    branch = "main"                                 # the default branch of the repository where absent
    name = "cart"                                   # the last part of the URL where absent
    readers = ["payments"]                          # roles of the database that may read it

The role `public` stands for every role that may connect to the database.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections import Counter
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct

from scry.core.errors import BadRequest
from scry.store.team.writer import TeamRepository

_SCP_FORM = re.compile(r"[^/\\:@]+@[^/\\:@]+:")
"""The beginning of git's short form of an address: user@host:path."""

_BAD_IN_NAME = re.compile(r"[/\\:#\x00-\x1f]")
"""Characters that no name has, because doc_ids begin with it."""


class _Entry(Struct, frozen=True, forbid_unknown_fields=True):
    url: Annotated[str, Meta(min_length=1)]
    branch: str = ""
    name: str = ""
    readers: tuple[str, ...] = ()


class _Sources(Struct, frozen=True, forbid_unknown_fields=True):
    repository: tuple[_Entry, ...]
    readers: tuple[str, ...] = ()


def read_sources(path: Path) -> list[TeamRepository]:
    """Return the repositories that a file names. Raises BadRequest."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadRequest("file", f"{path} can't be read: {error.strerror}") from error
    try:
        sources = msgspec.toml.decode(data.removeprefix(BOM_UTF8), type=_Sources)
    except (msgspec.MsgspecError, ValueError, UnicodeDecodeError) as error:
        raise BadRequest("file", f"{path} is no list of repositories: {error}") from error
    repositories = [_to_repository(entry, sources.readers, path) for entry in sources.repository]
    repeated = [name for name, count in Counter(each.name for each in repositories).items() if count > 1]
    if repeated:
        raise BadRequest("file", f"{path}: several repositories are called {repeated[0]}; give each its own name")
    return repositories


def _to_repository(entry: _Entry, readers: tuple[str, ...], path: Path) -> TeamRepository:
    url, is_path = entry.url, False
    if "://" in url:
        parts = urlsplit(url)
        if parts.scheme not in ("https", "http", "ssh", "git", "file"):
            raise BadRequest("file", f"{path}: {parts.scheme} is no way to a repository")
        if parts.password or (parts.username and parts.scheme in ("https", "http")):
            raise BadRequest("file", f"{path}: an address of {parts.hostname} holds a secret; use a helper of git")
    elif not _SCP_FORM.match(url):
        url, is_path = str((path.parent / url).resolve()), True
    name = entry.name or url.replace("\\", "/").rstrip("/").replace(":", "/").rpartition("/")[2].removesuffix(".git")
    if not name or _BAD_IN_NAME.search(name) or (is_path and name in (".", "..")):
        raise BadRequest("file", f"{path}: {entry.url!r} needs a name without / \\ : and #")
    if entry.branch.startswith("-"):
        raise BadRequest("file", f"{path}: {entry.branch!r} is no branch")
    if not (entry.readers or readers):
        raise BadRequest("file", f'{path}: who may read {name}? For everybody: readers = ["public"]')
    return TeamRepository(name, url, entry.branch, entry.readers or readers)
