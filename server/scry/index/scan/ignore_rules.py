"""Decide whether ignore rules exclude a folder's entry, and which line of which file says so.

Rules come in layers. The strongest layer with a matching rule decides, and in a layer the last matching line. From the
strongest to the weakest:

1. `.scryignore` files, the deepest first: Scry's own; they can re-include what git ignores (`!vendor/`);
2. the setting `ignore`, read as if it stood in the project's top folder;
3. `.gitignore` files, the deepest first, up to the top of the repository;
4. the repository's `info/exclude`;
5. the user's own git excludes (`core.excludesFile`, or git's default place for it);
6. the built-in rules.

`.git`, `.hg` and `.svn` are ignored whatever the rules say. As in git, nothing inside an ignored folder can be
re-included, and a repository inside the repository starts with git rules of its own (3 and 4). If the opened folder is
itself ignored by the repository around it, the rules from around it do not apply: whoever opens
such a folder wants to see it. For the same reason the `.gitignore` of an opened folder in no repository does not apply
where it leaves none of the folder's entries, as that of Debian's unpacked kernel source, whose repository holds other
files.
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
from scry.index.scan.gitignore import IgnoreRuleSet, byte_text, parse_patterns, parse_rules
from scry.projects.git import GitRepository, find_repository, read_small_file, repository_at, run_git

ALWAYS_IGNORED = frozenset({".git", ".hg", ".svn"})
"""Folders of version control, ignored whatever the rules say."""

BUILT_IN_SOURCE = "built-in rule"
_CACHE_PATTERNS = (
    "node_modules/",
    "__pycache__/",
    ".tox/",
    ".nox/",
    ".mypy_cache/",
    ".ruff_cache/",
    ".pytest_cache/",
)


_GIT_CONFIG_VARIABLES = ("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")


_CACHEDIR_SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55"
"""The first bytes of a tag file, by the Cache Directory Tagging Specification."""

GITIGNORE_FILE, SCRYIGNORE_FILE = ".gitignore", ".scryignore"
IGNORE_FILES = frozenset({GITIGNORE_FILE, SCRYIGNORE_FILE})
"""Names of the files that hold rules. When one changes, every decision below its folder may change."""

IGNORE_MARKERS = ("pyvenv.cfg", "CACHEDIR.TAG")
"""Names of files by which a folder is ignored: that of a virtual environment, and a cache tag."""

FOLDER_RULE_NAMES = frozenset({*IGNORE_FILES, *IGNORE_MARKERS, ".git"})
"""Names of entries of a folder that decide on the folder itself, or on what is in it."""

_MAX_IGNORE_FILE_BYTES = 1_000_000


class IgnoreDecision(Struct, frozen=True):
    """The outcome of a matching rule: whether it ignores or re-includes, and where it stands (".gitignore line 4")."""

    ignored: bool
    detail: str


class _RuleLayer(Struct, frozen=True):
    source: str
    rules: IgnoreRuleSet
    numbered: bool = True

    def decide(self, name: str, is_folder: bool) -> IgnoreDecision | None:
        rule = self.rules.last_match(name, is_folder)
        if rule is None:
            return None
        return IgnoreDecision(not rule.negated, f"{self.source} line {rule.line}" if self.numbered else self.source)

    def for_subfolder(self, folder: str) -> _RuleLayer:
        rules = self.rules.for_subfolder(folder)
        return self if rules is self.rules else _RuleLayer(self.source, rules, self.numbered)


_RuleLayers = tuple[_RuleLayer, ...]


class FolderIgnoreRules(Struct, frozen=True):
    """All rules narrowed to the entries of one folder, each group from the strongest layer to the weakest.

    applies_gitignore: whether the `.gitignore` in the folder itself applies.
    """

    scry: _RuleLayers
    settings: _RuleLayers
    git: _RuleLayers
    personal: _RuleLayers
    built_in: _RuleLayers
    applies_gitignore: bool = True

    def decide(self, name: str, is_folder: bool) -> IgnoreDecision | None:
        """Return the decision of the strongest matching rule on an entry; None when no rule matches, so that it stays
        in.
        """
        name = byte_text(name)
        for group in (self.scry, self.settings, self.git, self.personal, self.built_in):
            for layer in group:
                decision = layer.decide(name, is_folder)
                if decision is not None:
                    return decision
        return None

    def for_subfolder(self, folder: str) -> FolderIgnoreRules:
        """Return the rules narrowed to a folder in this one, whose own ignore files are not read yet."""
        name = byte_text(folder)

        def narrow(group: _RuleLayers) -> _RuleLayers:
            return tuple(layer.for_subfolder(name) for layer in group)

        return FolderIgnoreRules(
            narrow(self.scry), narrow(self.settings), narrow(self.git), narrow(self.personal), narrow(self.built_in)
        )

    def with_ignore_files(self, folder: str, prefix: str, present: Container[str]) -> FolderIgnoreRules:
        """Return these rules and those of the ignore files in the folder itself.

        prefix: the folder's path from the project's top, as reasons show it, with a slash at its end.
        present: names that exist in the folder; only these are looked for.
        """
        rules = self
        repository = repository_at(Path(folder)) if ".git" in present else None
        if repository is not None:
            rules = replace(rules, git=_git_exclude_layers(repository, prefix), personal=_personal_layers())
        scry = _read_layers(folder, prefix, SCRYIGNORE_FILE, present)
        git = _read_layers(folder, prefix, GITIGNORE_FILE, present) if self.applies_gitignore else ()
        return replace(rules, scry=scry + rules.scry, git=git + rules.git) if scry or git else rules


def load_root_rules(root: Path, settings: Settings) -> FolderIgnoreRules:
    """Return the rules that apply to a project's top folder, whose own ignore files are not read yet."""
    built_in = (
        _built_in_layer(BUILT_IN_SOURCE, _CACHE_PATTERNS),
        _built_in_layer(f"{BUILT_IN_SOURCE}: lock files", LOCK_FILES),
    )
    from_settings = _RuleLayer(
        "settings: ignore", IgnoreRuleSet.from_rules(parse_patterns(settings.ignore)), numbered=False
    )
    repository = find_repository(root)
    rules = replace(_repository_rules(repository, root), settings=(from_settings,), built_in=built_in)
    is_foreign = repository is None and _ignores_all_entries(root, rules)
    return replace(rules, applies_gitignore=False) if is_foreign else rules


def _ignores_all_entries(root: Path, rules: FolderIgnoreRules) -> bool:
    """Return whether the rules with the ignore files of the folder leave none of its entries."""
    try:
        with os.scandir(root) as listing:
            entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in listing]
    except OSError:
        return False
    names = frozenset(name for name, _ in entries)
    if GITIGNORE_FILE not in names:
        return False
    rules = rules.with_ignore_files(str(root), "", names)
    decisions = (rules.decide(name, is_folder) for name, is_folder in entries if name not in ALWAYS_IGNORED)
    return all(decision is not None and decision.ignored for decision in decisions)


def _built_in_layer(source: str, patterns: Sequence[str]) -> _RuleLayer:
    return _RuleLayer(source, IgnoreRuleSet.from_rules(parse_patterns(patterns)), numbered=False)


def _repository_rules(repository: GitRepository | None, root: Path) -> FolderIgnoreRules:
    """Return the rules of the repository around the project's folder that apply to the folder's entries."""
    rules = FolderIgnoreRules((), (), (), _personal_layers(), ())
    if repository is None or repository.work_tree == root:
        return rules
    parts = root.relative_to(repository.work_tree).parts
    for depth, name in enumerate(parts):
        folder = str(repository.work_tree.joinpath(*parts[:depth]))
        rules = rules.with_ignore_files(folder, "../" * (len(parts) - depth), find_ignore_files(folder))
        decision = rules.decide(name, is_folder=True)
        if decision is not None and decision.ignored:
            return FolderIgnoreRules((), (), (), _personal_layers(), ())
        rules = rules.for_subfolder(name)
    return rules


def outside_rule_files(root: Path) -> list[Path]:
    """Return the files outside the project's folders whose rules apply in them, also those that do not exist now.

    Those of a repository inside the project are left out.
    """
    files = [_personal_excludes_path()]
    repository = find_repository(root)
    if repository is not None:
        files.append(_git_exclude_path(repository))
        depth = len(root.relative_to(repository.work_tree).parts)
        files += [folder / name for folder in root.parents[:depth] for name in sorted(IGNORE_FILES)]
    return files


def find_ignore_files(folder: str) -> frozenset[str]:
    """Return the names in the folder that affect its rules, for a folder that is not listed anyway."""
    return frozenset(name for name in (*IGNORE_FILES, ".git") if os.path.lexists(f"{folder}/{name}"))


def _read_layers(folder: str, prefix: str, name: str, present: Container[str]) -> _RuleLayers:
    path = Path(folder, name)
    # Git does not follow a link here, and it might lead out of the project.
    if name not in present or path.is_symlink():
        return ()
    return _parse_layers(f"{prefix}{name}", read_small_file(path, _MAX_IGNORE_FILE_BYTES))


def _git_exclude_layers(repository: GitRepository, prefix: str) -> _RuleLayers:
    return _parse_layers(
        f"{prefix}.git/info/exclude",
        read_small_file(_git_exclude_path(repository), _MAX_IGNORE_FILE_BYTES),
    )


def _git_exclude_path(repository: GitRepository) -> Path:
    return repository.common_dir / "info" / "exclude"


def _personal_layers() -> _RuleLayers:
    path = _personal_excludes_path()
    return _parse_layers(_abbreviate_home(path), read_small_file(path, _MAX_IGNORE_FILE_BYTES))


def _personal_excludes_path() -> Path:
    return _personal_excludes_file(*(os.environ.get(name, "") for name in _GIT_CONFIG_VARIABLES))


@lru_cache(maxsize=8)
def _personal_excludes_file(*variables: str) -> Path:
    """Return the file of the user's own excludes, for these values of the variables that decide it.

    Git runs without a repository: a project must not name this file.
    """
    del variables
    answer = run_git(Path(os.sep), ["--git-dir", os.devnull, "config", "--path", "--get", "core.excludesFile"])
    if answer is not None:
        return Path(os.fsdecode(answer.removesuffix(b"\n")))
    configured = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111 — never raises
    return Path(configured, "git", "ignore")


def _abbreviate_home(path: Path) -> str:
    home = os.path.expanduser("~")  # noqa: PTH111 — never raises, unlike Path.home
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)


def _parse_layers(source: str, content: bytes | None) -> _RuleLayers:
    return (_RuleLayer(source, _cached_rule_set(content)),) if content else ()


@lru_cache(maxsize=256)
def _cached_rule_set(content: bytes) -> IgnoreRuleSet:
    # Called for the same few files at each walk and for each changed path.
    return IgnoreRuleSet.from_rules(parse_rules(content))


def find_ignore_marker(folder: str) -> str | None:
    """Return the built-in rule that excludes a folder by its contents: a cache tag or a virtual environment's file."""
    environment, tag = IGNORE_MARKERS
    if os.path.lexists(f"{folder}/{environment}"):
        return f"{BUILT_IN_SOURCE}: {environment}"
    path = f"{folder}/{tag}"
    if os.path.lexists(path) and (read_small_file(Path(path)) or b"").startswith(_CACHEDIR_SIGNATURE):
        return f"{BUILT_IN_SOURCE}: {tag}"
    return None


def ignore_marker_named(rule: str) -> str | None:
    """Return the name of the file by which this rule ignores a folder; None for another rule."""
    return next((name for name in IGNORE_MARKERS if rule == f"{BUILT_IN_SOURCE}: {name}"), None)
