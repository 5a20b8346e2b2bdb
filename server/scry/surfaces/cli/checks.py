"""What `scry doctor` looks at. Each check says what it found and, where something is amiss, what to do."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Literal

import msgspec

from scry import __version__
from scry.core.errors import ScryError
from scry.core.places import cache_home, config_home, data_home
from scry.core.settings import load_settings
from scry.core.sizes import format_size
from scry.index.project import Project, head_commit, open_project

Level = Literal["ok", "warn", "fail"]

OLDEST_PYTHON = (3, 10)
LITTLE_SPACE = 500_000_000
"""Bytes free on the cache's disk below which there is a warning."""

_DISTRIBUTION = "scry-sidecar"
_NAME = re.compile(r"[A-Za-z0-9._-]+")


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at.

    name: what. level: ok, warn (works, but not as well as it could) or fail (does not work). found: what was found.
    advice: what to do; empty when it is ok.
    """

    name: str
    level: Level
    found: str
    advice: str = ""


def check_all(root: Path, *, force: bool) -> Iterator[Check]:
    """All checks, in the order in which one builds on the other. Never raises."""
    yield from _guarded("python", _check_python)
    yield from _guarded("packages", _check_packages)
    yield from _guarded("grammars", _check_grammars)
    yield from _guarded("git", _check_git)
    for name, folder in (("cache", cache_home()), ("data", data_home()), ("config", config_home())):
        yield from _guarded(name, lambda folder=folder, name=name: _check_folder(name, folder))
    yield from _guarded("settings", lambda: _check_settings(root))
    try:
        project = open_project(root, force=force)
    except ScryError as error:
        yield Check("project", "fail", str(error), "name another folder by --root")
        return
    yield from _guarded("project", lambda: _check_project(project))
    yield from _guarded("index", lambda: _check_index(project))
    yield from _guarded("indexer", lambda: _check_indexer(project))
    yield from _guarded("log", lambda: _check_log(project))


def _guarded(name: str, check: Callable[[], Check]) -> Iterator[Check]:
    """A check that breaks is a finding too."""
    try:
        yield check()
    except Exception as error:
        yield Check(name, "fail", f"{type(error).__name__}: {error}", "please report this")


def _check_python() -> Check:
    found = f"{platform.python_implementation()} {platform.python_version()}, {sys.executable}"
    if sys.version_info < OLDEST_PYTHON:
        return Check("python", "fail", found, "install Python 3.10 or newer")
    return Check("python", "ok", found)


def _check_packages() -> Check:
    try:
        wanted = metadata.requires(_DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return Check("packages", "warn", f"scry {__version__}, not installed as a package", "install it with pip")
    names = [match.group() for each in wanted if ";" not in each and (match := _NAME.match(each))]
    versions = {name: _version(name) for name in names}
    missing = [name for name, version in versions.items() if version is None]
    if missing:
        return Check("packages", "fail", f"missing: {', '.join(missing)}", f"reinstall {_DISTRIBUTION}")
    listed = ", ".join(f"{name} {version}" for name, version in versions.items())
    return Check("packages", "ok", f"scry {__version__} with {listed}")


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _check_grammars() -> Check:
    from scry.index.capture import capture
    from scry.index.languages import LANGUAGES

    broken: list[str] = []
    loaded: list[str] = []
    for language in LANGUAGES:
        if language.grammar is None:
            continue
        try:
            capture(language, b"", 1.0)
            loaded.append(language.name)
        except Exception as error:
            broken.append(f"{language.name} ({error})")
    if broken:
        return Check("grammars", "fail", f"can't be loaded: {', '.join(broken)}", f"reinstall {_DISTRIBUTION}")
    return Check("grammars", "ok", ", ".join(dict.fromkeys(loaded)))


def _check_git() -> Check:
    from scry.index.git_command import ask_git

    answer = ask_git(Path(tempfile.gettempdir()), ["--version"])
    if answer is None:
        advice = "install git; without it, worktrees and unusual repositories are not understood"
        return Check("git", "warn", "there is no git command", advice)
    return Check("git", "ok", answer.decode("utf-8", "replace").strip())


def _check_folder(name: str, folder: Path) -> Check:
    """Writes nothing where there is nothing yet: then the nearest folder that there is must be writable."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        return Check(name, "fail", f"{folder} can't be written", f"make {there} a folder that you can write to")
    free = shutil.disk_usage(there).free
    found = f"{folder}, {format_size(free)} free"
    if free < LITTLE_SPACE:
        return Check(name, "warn", found, "free some space; `scry cache` shows what Scry takes up")
    return Check(name, "ok", found)


def _check_settings(root: Path) -> Check:
    try:
        settings = load_settings(root, os.environ)
    except ScryError as error:
        return Check("settings", "fail", str(error), "correct it; `scry settings` explains each value")
    if settings.warnings:
        return Check("settings", "warn", "; ".join(settings.warnings), "correct it, or take it out")
    changed = ", ".join(name for name, _ in settings.sources)
    return Check("settings", "ok", f"set: {changed}" if changed else "all at their defaults")


def _check_project(project: Project) -> Check:
    if not os.access(project.root, os.R_OK | os.X_OK):
        return Check("project", "fail", f"{project.root} can't be read", "make it readable for you")
    commit = head_commit(project.root)
    return Check("project", "ok", f"{project.root}, {f'at commit {commit[:7]}' if commit else 'without commits'}")


def _check_index(project: Project) -> Check:
    from scry.store.index_store import IndexStore
    from scry.store.integrity import find_damage

    if not (project.cache / "index.sqlite").exists():
        return Check("index", "warn", "there is none yet", "nothing: the first find makes it, and so does `scry index`")
    try:
        damage = find_damage(project.cache)
        state = IndexStore.open(project.cache, write=False).state()
    except ScryError as error:
        return Check("index", "fail", str(error), "`scry index --rebuild` makes it anew")
    if damage:
        return Check("index", "fail", damage, "`scry index --rebuild` makes it anew")
    found = f"{state.files_indexed} files, generation {state.generation}, in {project.cache}"
    if state.state != "ready":
        return Check("index", "warn", f"not complete: {found}", "`scry index` completes it")
    return Check("index", "ok", found)


def _check_indexer(project: Project) -> Check:
    from scry.index.edition import edition
    from scry.index.peek import peek

    seen = peek(project)
    if seen is None:
        return Check("indexer", "ok", "none runs; one is started when it is needed")
    found = f"process {seen.pid} of Scry {seen.version} is {seen.state.state}"
    if seen.state.state == "failed":
        return Check("indexer", "fail", f"{found}: {seen.state.message}", f"see {project.cache / 'indexer.log'}")
    if seen.version != edition():
        return Check("indexer", "warn", found, f"this is Scry {edition()}: restart your editor")
    return Check("indexer", "ok", found)


def _check_log(project: Project) -> Check:
    from scry.store.event_reader import find_trouble
    from scry.store.events import FILE, describe_place, describe_size

    path = project.data / FILE
    if trouble := find_trouble(project.data):
        return Check("log", "fail", trouble, "until then nothing is logged; all else works")
    size = path.stat().st_size if path.exists() else 0
    if note := "; ".join(part for part in (describe_size(size), describe_place(project.data)) if part):
        return Check("log", "warn", note, "see docs/events.md")
    return Check("log", "ok", f"{path}, {format_size(size)}" if size else "nothing was logged yet")
