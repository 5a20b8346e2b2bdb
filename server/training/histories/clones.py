"""Read clones of repositories from a folder: the pinned commit, licences, files and the texts of past versions.

A clone of `owner/name` is DIR/owner+name, DIR/owner+name.git, or `repo` in the first, each bare or with a `.git`.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scry.index.git.stream import GitFailed, GitStream
from scry.projects.git import safe_git_command, safe_git_environment

LARGEST_FILE = 200_000
"""Bytes of the longest file that is read: larger ones are mostly generated."""

_LICENCE_FILE = re.compile(r"(?:licen[cs]e|copying|unlicense)", re.IGNORECASE)
_RESTRICTIVE = re.compile(
    r"gnu (?:lesser |affero |library )?general public licen[cs]e|mozilla public licen[cs]e|eclipse public licen[cs]e"
    r"|business source licen[cs]e|server side public|elastic licen[cs]e|commons clause|functional source licen[cs]e"
    r"|european union public|creative commons|fair source|non-?commercial",
    re.IGNORECASE,
)
_PERMISSIVE = (
    ("Apache-2.0", "apache license"),
    ("MIT", "permission is hereby granted, free of charge, to any person"),
    ("BSD", "redistribution and use in source and binary forms"),
    ("ISC", "permission to use, copy, modify, and/or distribute this software"),
    ("ISC", "permission to use, copy, modify, and distribute this software"),
    ("Zlib", "permission is granted to anyone to use this software for any purpose"),
    ("BSL-1.0", "boost software license"),
    ("Unlicense", "this is free and unencumbered software"),
)


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file of a commit: its path, the name of its content, and its length in bytes."""

    path: str
    blob: str
    size: int


@dataclass(frozen=True, slots=True)
class Clone:
    """A repository on this machine, whose git directory or work tree is `folder`."""

    folder: Path

    def resolve(self, revision: str) -> str:
        """Return the full name of a commit; raises GitFailed where the clone lacks it."""
        with GitStream(
            self.folder, ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"]
        ) as out:
            return out.read_until(b"\n").decode("ascii")

    def roots(self, commit: str) -> frozenset[str]:
        """Return the first commits of a history, which its forks share."""
        with GitStream(self.folder, ["rev-list", "--max-parents=0", commit, "--"]) as out:
            return frozenset(iter(lambda: out.read_until(b"\n").decode("ascii"), ""))

    def files(self, commit: str) -> list[TreeFile]:
        """Return the regular files of a commit, by path; those whose path is not UTF-8 are left out."""
        found: list[TreeFile] = []
        with GitStream(self.folder, ["ls-tree", "-r", "-l", "-z", commit]) as out:
            while entry := out.read_until(b"\0"):
                head, _, name = entry.partition(b"\t")
                mode, kind, blob, size = head.split()
                try:
                    path = name.decode("utf-8")
                except UnicodeDecodeError:
                    continue
                if kind == b"blob" and mode in (b"100644", b"100755") and size.isdigit():  # absent in a partial clone
                    found.append(TreeFile(path, blob.decode("ascii"), int(size)))
        return sorted(found, key=lambda file: file.path)

    def read(self, names: Sequence[str]) -> Iterator[str | None]:
        """Yield the text of each object (`commit:path`, or a blob's name); None where absent, too large or no UTF-8."""
        if not names:
            return
        with GitStream(self.folder, ["cat-file", "--batch"], names) as out:
            for _ in names:
                yield _read_object(out)

    def licence(self, commit: str) -> str:
        """Return the permissive licences in the root folder, joined by " or "; "" where one of them is another."""
        files = [file for file in self.files(commit) if "/" not in file.path and _LICENCE_FILE.search(file.path)]
        return name_licences(text or "" for text in self.read([file.blob for file in files]))


def name_licences(texts: Iterable[str]) -> str:
    """Return the names of permissive licences, joined by " or "; "" for none, and where one text is restrictive."""
    names: dict[str, None] = {}
    for text in texts:
        plain = " ".join(text.lower().split())
        found = [name for name, words in _PERMISSIVE if words in plain]
        if _RESTRICTIVE.search(plain[:1500]) or (_RESTRICTIVE.search(plain) and "Apache-2.0" not in found):
            return ""
        names.update(dict.fromkeys(found))
    return " or ".join(names)


def find_clone(mirror: Path, name: str) -> Clone | None:
    """Return the clone of `owner/name` in a folder of clones, if there is one."""
    base = mirror / name.replace("/", "+")
    for folder in (base, base / "repo", base.with_name(f"{base.name}.git")):
        if (folder / ".git").exists() or ((folder / "HEAD").is_file() and (folder / "objects").is_dir()):
            return Clone(folder)
    return None


def clone_from(url: str, mirror: Path, name: str) -> Clone:
    """Clone a repository without a work tree into the folder of clones; raises GitFailed."""
    mirror.mkdir(parents=True, exist_ok=True)
    target = mirror / name.replace("/", "+")
    command = safe_git_command(["clone", "--quiet", "--bare", "--", url, str(target)])
    environment = safe_git_environment(os.environ) | {"GIT_ALLOW_PROTOCOL": "https:file"}
    result = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    if result.returncode != 0:
        raise GitFailed(result.stderr.strip()[-300:])
    return Clone(target)


def _read_object(out: GitStream) -> str | None:
    parts = out.read_until(b"\n").rsplit(b" ", 2)
    if len(parts) < 3 or not parts[2].isdigit():
        return None
    size = int(parts[2])
    if size > LARGEST_FILE:
        left = size
        while left > 0:
            step = min(left, LARGEST_FILE)
            if len(out.peek(step)) < step:
                raise GitFailed("git's output ended within a file")
            out.skip(step)
            left -= step
        data = None
    else:
        data = out.peek(size)[:size]
        out.skip(size)
    out.skip(len(out.peek(1)))
    try:
        return None if data is None or parts[1] != b"blob" else data.decode("utf-8")
    except UnicodeDecodeError:
        return None
