"""List the repositories whose histories are mined, each pinned to a commit, with its licence and language.

repositories.toml is written by `scan` from a folder of clones. A repository is refused, and its reason counted, where
it bears the name of a project that judges retrieval quality or shares its first commit (a fork), where it is a fork of
another one in the list, where its licence is not permissive, and where it is the source of a held-out package but not
itself held out.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from scry.index.git.stream import GitFailed
from training.histories.changes import is_source, language_at
from training.histories.clones import Clone, find_clone
from training.leaks import names_judged
from training.manifest import Package

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

REPOSITORIES = Path(__file__).parent / "repositories.toml"
_HELD_OUT = Path(__file__).parent / "held_out.txt"
_HEAD = "# Written by `python -m training --mirror FOLDER --only scan`; do not edit. See repositories.py.\n"


@dataclass(frozen=True, slots=True)
class Repository:
    """A public repository at one commit. A held-out one is for measures only.

    files_only: the files of the commit are mined, and no other commits.
    """

    name: str
    url: str
    commit: str
    licence: str
    language: str
    held_out: bool = False
    files_only: bool = False

    @property
    def package(self) -> str:
        """The name that its records bear as their package."""
        return f"github:{self.name}"

    @property
    def file_name(self) -> str:
        """The name of its files of records."""
        return f"{self.name.replace('/', '+')}.jsonl"


def held_out_names() -> list[str]:
    """Return the repositories that are never trained on, as `owner/name`."""
    return _HELD_OUT.read_text(encoding="utf-8").split()


def load_repositories(path: Path = REPOSITORIES) -> list[Repository]:
    """Read the list; raises TypeError for a field that is missing or unknown."""
    with path.open("rb") as file:
        rows: list[dict[str, Any]] = tomllib.load(file).get("repository", [])
    return [Repository(**row) for row in rows]


def write_repositories(repositories: Sequence[Repository], refused: Mapping[str, Sequence[str]], path: Path) -> None:
    """Write the list, and what was refused and why as comments."""
    lines = [_HEAD]
    lines += [
        f"# refused, {reason} ({len(names)}): {', '.join(sorted(names))}\n" for reason, names in sorted(refused.items())
    ]
    lines.append("repository = [\n")
    for repository in sorted(repositories, key=lambda one: one.name.lower()):
        fields = {key: value for key, value in asdict(repository).items() if value is not False}
        shown = (f"{key} = {json.dumps(value)}" for key, value in fields.items())
        lines.append(f"  {{ {', '.join(shown)} }},\n")
    path.write_text("".join((*lines, "]\n")), encoding="utf-8")


def scan(
    mirror: Path, packages: Sequence[Package], held_out: Iterable[str]
) -> tuple[list[Repository], dict[str, list[str]]]:
    """Return the usable repositories of a folder of clones at their newest commits, and the refused ones by reason.

    Those of the present list without commits stay so.
    """
    held = set(held_out)
    without_commits = {one.name for one in load_repositories() if one.files_only}
    clones = {name: clone for name in names_in(mirror) if (clone := find_clone(mirror, name))}
    judged = {name for name in clones if is_judged(name)}
    roots: dict[str, str] = {}
    for name in sorted(clones, key=lambda name: (name not in judged, name not in held, name)):
        for root in _roots(clones[name]):
            roots.setdefault(root, name)
    found: list[Repository] = []
    refused: dict[str, list[str]] = defaultdict(list)
    for name in sorted(clones):
        kin = {roots[root] for root in _roots(clones[name])} - {name}
        reason = _reason(name, kin, judged, held, packages)
        repository = None if reason else _repository(name, clones[name], held_out=name in held)
        if repository:
            found.append(replace(repository, files_only=name in without_commits))
        else:
            refused[reason or "licence not permissive, or none in the root folder"].append(name)
    return found, refused


def is_judged(name: str) -> bool:
    """Tell whether the owner or the name of `owner/name` is that of a project that judges retrieval quality."""
    return any(map(names_judged, name.split("/")))


def names_in(mirror: Path) -> list[str]:
    """Return the names of the repositories in a folder of clones."""
    stems = (entry.name.removesuffix(".git") for entry in mirror.iterdir() if entry.is_dir())
    return sorted(stem.replace("+", "/", 1) for stem in stems if "+" in stem)


def _reason(name: str, kin: set[str], judged: set[str], held: set[str], packages: Sequence[Package]) -> str:
    """Return the reason to refuse a repository; "" for none. kin: the repositories whose first commit it shares."""
    if name in judged:
        return "name of a judged project"
    if kin & judged:
        return "fork of a judged project"
    if kin and name not in held:
        return "fork of another one in the list"
    if name not in held and _is_held_out_package(name, packages):
        return "source of a held-out package"
    return ""


def _is_held_out_package(name: str, packages: Sequence[Package]) -> bool:
    stem = name.partition("/")[2].lower().removesuffix(".js").removesuffix(".git")
    held = {package.name.lower().rpartition("/")[2] for package in packages if package.held_out}
    starts = ("librust-", "golang-google-", "golang-github-", "ruby-", "php-", "haskell-", "lua-", "lib")
    ends = ("-dev", "-java", "-build", "-lang")
    for package in list(held):
        short = package
        for start in starts:
            short = short.removeprefix(start)
        for end in ends:
            short = short.removesuffix(end)
        held.add(short)
    return stem in held


def _roots(clone: Clone) -> frozenset[str]:
    try:
        return clone.roots(clone.resolve("HEAD"))
    except GitFailed:
        return frozenset()


def _repository(name: str, clone: Clone, *, held_out: bool) -> Repository | None:
    try:
        commit = clone.resolve("HEAD")
        licence = clone.licence(commit)
    except GitFailed:
        return None
    bytes_by_language: Counter[str] = Counter()
    for file in clone.files(commit):
        if is_source(file.path) and "." in file.path.rpartition("/")[2]:
            bytes_by_language[language_at(file.path)] += file.size
    if not licence or not bytes_by_language:
        return None
    language = bytes_by_language.most_common(1)[0][0]
    return Repository(name, f"https://github.com/{name}", commit, licence, language, held_out)
