"""Addresses of repositories: one form for all ways to write one, clones, links to files and commits on a forge, and
places of results in a team's index.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote, urlsplit

from msgspec import UnsetType
from msgspec.structs import replace

from scry.core.doc_id import commit_sha_of
from scry.engine.federation.selection import TEAM_SCHEME
from scry.engine.response.merged import LINK_LISTS
from scry.index.scan.read_file import FileContent, decode_text, read_file
from scry.projects.git import run_git
from scry.projects.project import Project
from scry.store.team.repository import RepositoryInfo
from scry_protocol import messages

_SCP_FORM = re.compile(r"(?:[^/\\:@]+@)?(?P<host>[^/\\:@]{2,}):(?P<path>[^\\].*)\Z")
_KNOWN_REMOTES: dict[Path, frozenset[str]] = {}
_LOCK = threading.Lock()


@lru_cache(maxsize=16_384)
def normalize_remote(url: str) -> str:
    """Return the address of a repository without way, user, port and ending: `forge.example/shop/cart`.

    A path of this machine stays a path.
    """
    if "://" in url:
        parts = urlsplit(url)
        place = parts.path.strip("/") if parts.hostname else "/" + parts.path.strip("/")
        address = f"{parts.hostname}/{place}" if parts.hostname else place
    elif match := _SCP_FORM.match(url):
        address = f"{match['host']}/{match['path'].strip('/')}"
    else:
        address = url.rstrip("/\\")
    return address.removesuffix(".git").removesuffix("/").lower()


def remotes_of(root: Path) -> frozenset[str]:
    """Return the addresses that a local project is a clone of, and its own path; read once for each folder."""
    with _LOCK:
        known = _KNOWN_REMOTES.get(root)
    if known is None:
        output = run_git(root, ["config", "--get-regexp", r"^remote\..*\.url$"]) or b""
        urls = [line.partition(" ")[2] for line in output.decode("utf-8", "replace").splitlines()]
        known = frozenset(normalize_remote(url) for url in (*urls, str(root)))
        with _LOCK:
            _KNOWN_REMOTES[root] = known
    return known


def find_in_clones(url: str, roots: Sequence[Path], path: str, text: str) -> str:
    """Return the URI of a file with this text in the first of these folders that is a clone; empty for none.

    url: address of the repository. path: of the file in it.
    """
    address = normalize_remote(url)
    for root in roots:
        if root.is_dir() and address in remotes_of(root):
            max_bytes = 4 * len(text) + 4  # a character has at most four bytes, a byte order mark three
            content = read_file(root, path, max_bytes)
            if isinstance(content, FileContent) and decode_text(content.data, path) == text:
                return (root / path).as_uri()
    return ""


def file_link(url: str, commit: str, path: str, lines: tuple[int, int]) -> str:
    """Return the address of lines of a file on its forge; empty for an unknown one. path: quoted, as in a URI."""
    address = normalize_forge(url)
    first, last = lines
    host = address.partition("/")[0]
    if not address:
        return ""
    if "gitlab" in host:
        return f"https://{address}/-/blob/{commit}/{path}#L{first}-{last}"
    if host == "bitbucket.org":
        return f"https://{address}/src/{commit}/{path}#lines-{first}:{last}"
    if host == "github.com" or host.startswith("github."):
        return f"https://{address}/blob/{commit}/{path}#L{first}-L{last}"
    return f"https://{address}/src/commit/{commit}/{path}#L{first}-L{last}"  # Forgejo, Gitea, Codeberg


def commit_link(url: str, sha: str) -> str:
    """Return the address of a commit on its forge; empty for an unknown one."""
    address = normalize_forge(url)
    way = "/-/commit/" if "gitlab" in address.partition("/")[0] else "/commit/"
    if address.startswith("bitbucket.org/"):
        way = "/commits/"
    return f"https://{address}{way}{sha}" if address else ""


_FORGES = re.compile(
    r"(?:github|gitlab|gitea|forgejo|codeberg)[.-]|bitbucket\.org\Z|(?:.*\.)?(?:gitlab|gitea|forgejo)\."
)
"""Hosts that are taken for a forge: a link to any other could lead anywhere. Bitbucket on another host than its own has
other forms of links."""


def normalize_forge(url: str) -> str:
    """Return host and path of a repository on a known forge; empty for any other."""
    if "://" in url:
        parts = urlsplit(url)
        host, path = parts.hostname or "", parts.path.strip("/")
    elif match := _SCP_FORM.match(url):
        host, path = match["host"].lower(), match["path"].strip("/")
    else:
        return ""
    return f"{host}/{path.removesuffix('.git')}" if path and _FORGES.match(host) else ""


# Repositories and their files -----------------------------------------------------------------------------------------


def team_project(repository: RepositoryInfo) -> Project:
    """Return the project in whose name the results of a repository are presented. None of its folders exists."""
    root = Path.home().joinpath(_NOWHERE, repository.name)
    return Project(root, repository.name, "", root, root)


_NOWHERE = ".scry-team"
"""A folder that no file is read from; locations in it become those of the team's files."""


def add_team_place(result: messages.ResultItem, repository: RepositoryInfo) -> messages.ResultItem:
    """Return a result with its commit, its place in the team's index, and its address on the forge."""
    before = team_project(repository).root.as_uri() + "/"
    after = f"{TEAM_SCHEME}:///{quote(repository.name)}/{repository.commit}/"

    def move(location: messages.Location) -> messages.Location:
        return replace(location, uri=after + location.uri.removeprefix(before))

    further = [replace(place, location=move(place.location)) for place in result.further]
    moved = replace(result, commit=repository.commit, further=further, link=_link_of(result, repository, before))
    if not isinstance(result.full, UnsetType):
        moved = replace(moved, full=_move_links(result.full, move))
    if not isinstance(result.annotations.proof, UnsetType):
        proof = [_move_link(edge, move) for edge in result.annotations.proof]
        moved = replace(moved, annotations=replace(moved.annotations, proof=proof))
    return moved if isinstance(result.location, UnsetType) else replace(moved, location=move(result.location))


def _move_links(full: messages.Full, move: Callable[[messages.Location], messages.Location]) -> messages.Full:
    """Return a result in full; what it relates to lies where `move` says."""
    if isinstance(full.graph, UnsetType):
        return full
    lists = {name: [_move_link(link, move) for link in getattr(full.graph, name)] for name in LINK_LISTS}
    return replace(full, graph=replace(full.graph, **lists))


Located = TypeVar("Located", messages.Link, messages.Edge)


def _move_link(link: Located, move: Callable[[messages.Location], messages.Location]) -> Located:
    return link if isinstance(link.location, UnsetType) else replace(link, location=move(link.location))


def _link_of(result: messages.ResultItem, repository: RepositoryInfo, before: str) -> str:
    sha = commit_sha_of(result.doc_id)
    if sha is not None:
        return commit_link(repository.url, sha)
    if isinstance(result.location, UnsetType):
        return ""
    path = result.location.uri.removeprefix(before)
    return file_link(repository.url, repository.commit, path, shown_lines(result.location.range))


def shown_lines(lines: messages.Range) -> tuple[int, int]:
    """Return the first and last line that a link to a range names, 1-based."""
    return lines.start.line + 1, lines.end.line + (
        1 if lines.end.character or lines.end.line == lines.start.line else 0
    )
