"""Which rules say that an entry of a folder is ignored, and which line of which file decides.

Rules come in layers. The strongest layer with a matching rule decides, and in a layer the last matching line. From the
strongest to the weakest:

1. `.scryignore` files, the deepest first: Scry's own; they can take back what git ignores (`!vendor/`);
2. the setting `ignore`, read as if it stood in the project's top folder;
3. `.gitignore` files, the deepest first, up to the top of the repository;
4. the repository's `info/exclude`;
5. the person's own git excludes (`core.excludesFile`, or git's default place for it);
6. the built-in rules.

`.git`, `.hg` and `.svn` are ignored whatever the rules say. As in git, nothing inside an ignored folder can be taken
back, and a repository inside the repository starts with git rules of its own (3 and 4). If the opened folder is itself
ignored by the repository around it, the rules from around it are left out: who opens such a folder wants to see it.
"""

from __future__ import annotations

import os
from collections.abc import Container, Sequence
from functools import lru_cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from scry.core.path_kinds import LOCK_FILES
from scry.core.settings import Settings
from scry.index.git_command import ask_git
from scry.index.git_folder import GitFolder, find_git_folder, git_folder_at, read_small
from scry.index.gitignore import RuleSet, read_pattern_list, read_rules
from scry.index.glob import byte_text

NEVER = frozenset({".git", ".hg", ".svn"})
"""Ignored for good: the insides of version control."""

BUILT_IN = "built-in rule"
_CACHES = (
    "node_modules/",
    "__pycache__/",
    ".tox/",
    ".nox/",
    ".mypy_cache/",
    ".ruff_cache/",
    ".pytest_cache/",
)

GIT_FILE, SCRY_FILE = ".gitignore", ".scryignore"
RULE_FILES = frozenset({GIT_FILE, SCRY_FILE})
"""Names of the files that hold rules: when one of them changes, so may the fate of everything below its folder."""

_MOST_BYTES = 1_000_000


class Decision(Struct, frozen=True):
    """A rule matched: whether it ignores or takes back, and where it stands (".gitignore line 4")."""

    ignored: bool
    detail: str


class _Layer(Struct, frozen=True):
    source: str
    rules: RuleSet
    numbered: bool = True

    def decide(self, name: str, is_folder: bool) -> Decision | None:
        rule = self.rules.last_match(name, is_folder)
        if rule is None:
            return None
        return Decision(not rule.negated, f"{self.source} line {rule.line}" if self.numbered else self.source)

    def inside(self, folder: str) -> _Layer:
        rules = self.rules.inside(folder)
        return self if rules is self.rules else _Layer(self.source, rules, self.numbered)


_Layers = tuple[_Layer, ...]


class FolderRules(Struct, frozen=True):
    """All rules as they bear on the entries of one folder, each group from the strongest layer to the weakest."""

    scry: _Layers
    settings: _Layers
    git: _Layers
    personal: _Layers
    built_in: _Layers

    def decide(self, name: str, is_folder: bool) -> Decision | None:
        """What the strongest matching rule says of an entry; None when no rule matches, so that it stays in."""
        name = byte_text(name)
        for group in (self.scry, self.settings, self.git, self.personal, self.built_in):
            for layer in group:
                decision = layer.decide(name, is_folder)
                if decision is not None:
                    return decision
        return None

    def inside(self, folder: str) -> FolderRules:
        """The rules as they bear on the entries of a folder in this one, its own files not yet read."""
        name = byte_text(folder)
        groups = (self.scry, self.settings, self.git, self.personal, self.built_in)
        return FolderRules(*(tuple(layer.inside(name) for layer in group) for group in groups))

    def with_files_of(self, folder: str, prefix: str, present: Container[str]) -> FolderRules:
        """These rules and those of the ignore files in the folder itself.

        prefix: the folder's path from the project's top, as reasons show it, with a slash at its end.
        present: names that exist in the folder; only these are looked for.
        """
        rules = self
        repository = git_folder_at(Path(folder)) if ".git" in present else None
        if repository is not None:
            rules = replace(rules, git=_exclude_layers(repository, prefix), personal=_personal_layers())
        scry = _read_layers(folder, prefix, SCRY_FILE, present)
        git = _read_layers(folder, prefix, GIT_FILE, present)
        return replace(rules, scry=scry + rules.scry, git=git + rules.git) if scry or git else rules


def open_rules(root: Path, settings: Settings) -> FolderRules:
    """The rules that bear on a project's top folder, its own ignore files not yet read."""
    built_in = (_built_in(BUILT_IN, _CACHES), _built_in(f"{BUILT_IN}: lock files", LOCK_FILES))
    from_settings = _Layer("settings: ignore", RuleSet.of(read_pattern_list(settings.ignore)), numbered=False)
    around = _rules_around(root)
    return replace(around, settings=(from_settings,), built_in=built_in)


def _built_in(source: str, patterns: Sequence[str]) -> _Layer:
    return _Layer(source, RuleSet.of(read_pattern_list(patterns)), numbered=False)


def _rules_around(root: Path) -> FolderRules:
    """What the repository around the project's folder says of the folder's entries."""
    repository = find_git_folder(root)
    rules = FolderRules((), (), (), _personal_layers(), ())
    if repository is None or repository.top == root:
        return rules
    below = root.relative_to(repository.top).parts
    for depth, name in enumerate(below):
        folder = str(repository.top.joinpath(*below[:depth]))
        rules = rules.with_files_of(folder, "../" * (len(below) - depth), names_of_rule_files(folder))
        decision = rules.decide(name, is_folder=True)
        if decision is not None and decision.ignored:
            return FolderRules((), (), (), _personal_layers(), ())
        rules = rules.inside(name)
    return rules


def names_of_rule_files(folder: str) -> frozenset[str]:
    """Those names in the folder that bear on its rules, where the folder is not listed anyway."""
    return frozenset(name for name in (*RULE_FILES, ".git") if os.path.lexists(f"{folder}/{name}"))


def _read_layers(folder: str, prefix: str, name: str, present: Container[str]) -> _Layers:
    path = Path(folder, name)
    # Git does not follow a link here, and it might lead anywhere.
    if name not in present or path.is_symlink():
        return ()
    return _layers(f"{prefix}{name}", read_small(path, _MOST_BYTES))


def _exclude_layers(repository: GitFolder, prefix: str) -> _Layers:
    return _layers(f"{prefix}.git/info/exclude", read_small(repository.common / "info" / "exclude", _MOST_BYTES))


def _personal_layers() -> _Layers:
    path = _personal_excludes(*(os.environ.get(name, "") for name in _PERSONAL_VARIABLES))
    return _layers(_with_tilde(path), read_small(path, _MOST_BYTES))


_PERSONAL_VARIABLES = ("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")


@lru_cache(maxsize=8)
def _personal_excludes(*variables: str) -> Path:
    """The file of the person's own excludes, for these values of the variables that decide it.

    Git is asked without a repository: a project must not name this file.
    """
    del variables
    answer = ask_git(Path(os.sep), ["--git-dir", os.devnull, "config", "--path", "--get", "core.excludesFile"])
    if answer is not None:
        return Path(os.fsdecode(answer.removesuffix(b"\n")))
    configured = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111 — never raises
    return Path(configured, "git", "ignore")


def _with_tilde(path: Path) -> str:
    home = os.path.expanduser("~")  # noqa: PTH111 — never raises, unlike Path.home
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)


def _layers(source: str, content: bytes | None) -> _Layers:
    return (_Layer(source, _rule_set(content)),) if content else ()


@lru_cache(maxsize=256)
def _rule_set(content: bytes) -> RuleSet:
    # Asked again and again for the same few files: at each walk, and for each path that changed.
    return RuleSet.of(read_rules(content))


def holds_marker(folder: str) -> str | None:
    """The built-in rule that a folder falls under by what it holds: a cache tag or a virtual environment's settings."""
    if os.path.lexists(f"{folder}/pyvenv.cfg"):
        return f"{BUILT_IN}: pyvenv.cfg"
    tag = f"{folder}/CACHEDIR.TAG"
    if os.path.lexists(tag) and (read_small(Path(tag)) or b"").startswith(_TAG):
        return f"{BUILT_IN}: CACHEDIR.TAG"
    return None


_TAG = b"Signature: 8a477f597d28d172789f06886806bc55"
"""What a tag file starts with, by the Cache Directory Tagging Specification."""
