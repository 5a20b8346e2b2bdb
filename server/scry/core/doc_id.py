"""Format and parse document ids (J2a) and the ids of answers (J5).

    ./path::Outer.inner             a symbol            ./path::Outer.inner~2       the second of that name in its file
    ./path#L10-L34                  text outside        ./path#L10-L34~2            the second text on those lines
    ./README.md::Section > Sub      a section
    ./path                          a file              commit:<sha>                a commit

    belief:<id>   pattern:<id>   session:<id>   memory:<id>   persona:direct:<timestamp>     knowledge

    <project>:<any of these>        of another project than the queried one

Inside a path or a name `%`, `#`, `::`, control characters and undecodable bytes are written as %XX of their UTF-8
bytes, and so is the `~` of a name that ends in `~<digits>`, so that every form can be read back.
"""

from __future__ import annotations

import base64
import re
import secrets
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from itertools import starmap
from urllib.parse import unquote_to_bytes

from msgspec import Struct

_UNSAFE = re.compile(r"[%#\x00-\x1f\x7f\ud800-\udfff\u2028\u2029]|::|:\Z")
_ORDINAL_SUFFIX = re.compile(r"~(\d+)$")
_COMMIT_PREFIX = "commit:"
_LINES_SUFFIX = re.compile(r"#L(\d+)-L(\d+)(?:~(\d+))?$")
_NAME_SEPARATOR = re.compile(r"\.| > ")
SHORT_SHA_LENGTH = 10
"""Digits of a commit's name shown to people: of a million commits, one in a million shares them with another."""

_PROJECT_PREFIX = re.compile(
    r"(?P<name>[^/\\:#]+):(?=\./|commit:|(?:belief|pattern|session|memory|persona):)", re.DOTALL
)


class DocId(Struct, frozen=True):
    """A parsed doc_id. name: the qualified name or "". ordinal: from 0. lines: 1-based, inclusive."""

    path: str
    name: str = ""
    ordinal: int = 0
    lines: tuple[int, int] | None = None


@lru_cache(maxsize=4096)
def file_doc_id(path: str) -> str:
    """Return the doc_id of a file."""
    return "./" + _escape(path)


def move_into_folder(doc_id: str, folder: str) -> str:
    """Return the doc_id that a document in a folder has in the project around it; that of no file as it is."""
    return file_doc_id(folder) + doc_id[1:] if folder and doc_id.startswith("./") else doc_id


def move_out_of_folder(doc_id: str, folder: str) -> str | None:
    """Return the doc_id that a document has in the project in a folder; None where it is not in there."""
    if not folder or not doc_id.startswith("./"):
        return doc_id
    prefix = file_doc_id(folder)
    return "." + doc_id[len(prefix) :] if doc_id.startswith(prefix + "/") else None


def symbol_doc_id(path: str, qualified_name: str, ordinal: int) -> str:
    """Return the doc_id of a symbol or section; `ordinal` 0 is the first of that name in its file."""
    name = _escape(qualified_name)
    if "~" in name:
        name = _ORDINAL_SUFFIX.sub(r"%7E\1", name)
    return f"{file_doc_id(path)}::{name}" + (f"~{ordinal + 1}" if ordinal else "")


def make_doc_id(path: str, name: str, kind: str, container: str, ordinal: int, lines: tuple[int, int]) -> str:
    """Return the doc_id of a document in a file.

    lines: its first and last, 0-based, for one without a name. ordinal: 0 for the first of its name, or without a name
    the first on exactly these lines.
    """
    if not name:
        return f"{file_doc_id(path)}#L{lines[0] + 1}-L{lines[1] + 1}" + (f"~{ordinal + 1}" if ordinal else "")
    return symbol_doc_id(path, qualified_name(name, kind, container), ordinal)


def make_doc_ids(parts: Iterable[tuple[str, str, str, str, int, tuple[int, int]]]) -> list[str]:
    """Return the doc_id of each of many documents, in their order. parts: the arguments of `make_doc_id`."""
    return list(starmap(make_doc_id, parts))


def qualified_name(name: str, kind: str, container: str) -> str:
    """Return a name with its container's before it."""
    return f"{container}{' > ' if kind == 'section' else '.'}{name}" if container else name


def possible_names_of_doc_ids(doc_ids: Iterable[str]) -> list[tuple[str, str, str]]:
    """Return the possible names of the documents with these doc_ids: path of the file, container and simple name.

    A name may hold dots, so that every part behind a dot may be the simple name. A doc_id that names no path is passed
    over.
    """
    names: list[tuple[str, str, str]] = []
    for doc_id in doc_ids:
        with suppress(ValueError):
            named = parse_doc_id(doc_id)
            names.append((named.path, "", named.name))
            for separator in _NAME_SEPARATOR.finditer(named.name):
                names.append((named.path, named.name[: separator.start()], named.name[separator.end() :]))
    return names


def commit_doc_id(sha: str) -> str:
    """Return the doc_id of a commit. sha: its full name in hexadecimal."""
    return f"{_COMMIT_PREFIX}{sha}"


def commit_sha_of(doc_id: str) -> str | None:
    """Return the full name of the commit that a doc_id names; None when it names something else."""
    return doc_id.removeprefix(_COMMIT_PREFIX) if re.fullmatch(_COMMIT_PREFIX + "[0-9a-f]{4,64}", doc_id) else None


def display_doc_id(doc_id: str) -> str:
    """Return a doc_id for display: a commit by its first digits, by which it is found as well."""
    name, plain = split_off_project(doc_id)
    sha = commit_sha_of(plain)
    if sha is None or len(sha) <= SHORT_SHA_LENGTH:
        return doc_id
    return add_project(name, commit_doc_id(sha[:SHORT_SHA_LENGTH])) if name else commit_doc_id(sha[:SHORT_SHA_LENGTH])


def add_project(project: str, doc_id: str) -> str:
    """Return the doc_id of a document of another project."""
    return f"{project}:{doc_id}"


def split_off_project(text: str) -> tuple[str, str]:
    """Return the name of the project before a doc_id, empty where there is none, and the doc_id within it."""
    named = _PROJECT_PREFIX.match(text)
    return (named["name"], text[named.end() :]) if named else ("", text)


TEAM_SUFFIX = " (team)"
"""Behind the name of a team's repository where a local project in the same answer has that name."""


def split_off_repository(text: str) -> tuple[str, str]:
    """Return the name of the team's repository before a doc_id, as the team has it, and the doc_id within it."""
    name, doc_id = split_off_project(text)
    return name.removesuffix(TEAM_SUFFIX), doc_id


def parse_doc_id(text: str) -> DocId:
    """Parse the doc_id of a file, symbol, section or range of lines; a leading `./` may be missing.

    Raises ValueError when it names no path.
    """
    plain = text.removeprefix("./")
    lines = _LINES_SUFFIX.search(plain)
    if lines:
        ordinal = int(lines[3]) - 1 if lines[3] else 0
        return DocId(_unescape(plain[: lines.start()]), "", ordinal, (int(lines[1]), int(lines[2])))
    path, _, name = plain.partition("::")
    if not path:
        raise ValueError("a doc_id begins with a path, as ./src/app.py::main")
    numbered = _ORDINAL_SUFFIX.search(name)
    if numbered:
        return DocId(_unescape(path), _unescape(name[: numbered.start()]), int(numbered[1]) - 1)
    return DocId(_unescape(path), _unescape(name))


def _escape(text: str) -> str:
    if not _UNSAFE.search(text):  # mostly; in a third of the time
        return text
    return _UNSAFE.sub(lambda match: "".join(f"%{byte:02X}" for byte in _encode_utf8(match.group())), text)


def _encode_utf8(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a lone surrogate that no file system made: it must parse back
        return text.encode("utf-8", "surrogatepass")


def _unescape(text: str) -> str:
    return unquote_to_bytes(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")


# Ids of answers -------------------------------------------------------------------------------------------------------

_QUERY_ID_PATTERN = re.compile(r"q_\d{8}_\d{6}_[a-z2-7]{8,64}")


def is_query_id(text: str) -> bool:
    """Return whether a text has the form of an answer's query id (J5)."""
    return bool(_QUERY_ID_PATTERN.fullmatch(text))


def new_query_id(now: float | None = None) -> str:
    """Return `q_YYYYMMDD_HHMMSS_` in UTC, followed by 8 random base32 characters (40 bits)."""
    stamp = time.strftime("%Y%m%d_%H%M%S", time.gmtime(now))
    return f"q_{stamp}_{base64.b32encode(secrets.token_bytes(5)).decode().lower()}"
