"""The faults that tests provoke and that last, each with the row of `scry doctor` that has to name it."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from scry.core import IndexingStage, IndexState, SkippedFile, SkipReason, load_settings
from scry.embedding import load_bundled_model
from scry.index import project_parser
from scry.index.git import GitFailed
from scry.indexer import refresh_index
from scry.projects import Project
from scry.projects.precious_files import precious_files
from scry.store.events.log import LEARNT_FILE, WEIGHTS_FILE
from scry.store.history import HistoryStore
from scry.store.index import IndexStore
from scry.store.memory import MEMORY_FILE
from scry.store.notes import ProjectNoteDatabase
from scry.store.precious import ensure_intact, make_backup
from scry.store.registry import RegisteredProject, RegistryStore
from scry.surfaces.cli.upkeep import doctor
from scry.surfaces.serving.tokens import load_or_create_token, token_path
from scry_protocol.messages import ObserveParams, RememberParams
from tests.sample.indexed import IndexedProject
from tests.trust.damage import WAYS, delete, empty, overwrite
from tests.unit.indexer import test_history_boundaries as history_faults
from tests.unit.indexer import test_stage_boundaries as file_faults

MARK = file_faults.MARK
assert MARK == history_faults.MARK
FILES = {
    **{path: text for path, text in file_faults.FILES.items() if not path.startswith(".scry")},
    f"{MARK}.py": "def two():\n    return 2\n",
}
NOTES = {
    ".scry/beliefs/noon.md": file_faults.FILES[".scry/beliefs/noon.md"],
    ".scry/beliefs/bad.md": history_faults.BELIEF.format(MARK),
}


class World:
    """A project with all that Scry keeps of it, which a fault is provoked in."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder, self.patch = folder, patch
        self.sample = IndexedProject(folder / "project")
        for name in ("CACHE", "DATA", "CONFIG"):
            patch.setenv(f"XDG_{name}_HOME", str(folder / name))

    @property
    def project(self) -> Project:
        return self.sample.project

    def build(self) -> None:
        """Index the project, and note something in each file that can't be made again."""
        self.sample.write(FILES)
        self.sample.init_repository()
        self.sample.commit(f"Parcels {MARK}")
        self.sample.write(NOTES)
        with closing(self.sample.engine()) as engine:
            engine.knowledge.remember(RememberParams("I like short functions"))
            engine.observe(ObserveParams("decision", "totals stay integers"))
        self.sample.update_index()
        self.sample.find("one")
        with closing(IndexStore.open(self.project.cache, write=True)) as index:
            assert index.seal()
        with closing(HistoryStore.open(self.project.cache)) as history:
            assert history.seal()
        with closing(ProjectNoteDatabase.open(self.project.cache, write=True)) as notes:
            assert notes.seal()
        RegistryStore(self.folder / "DATA" / "scry").add(RegisteredProject("p", self.sample.root))
        for file in precious_files(self.project).values():
            assert file.path.exists(), file.path
            make_backup(file.path, time.time())

    def index_again(self, stage: Callable[[pytest.MonkeyPatch], None] | None = None) -> None:
        """Read everything anew, with a fault in one stage."""
        shutil.rmtree(self.folder / "CACHE")
        with pytest.MonkeyPatch.context() as patch:
            if stage:
                stage(patch)
            self.sample.update_index()
            self.sample.update_graph()

    def cache_file(self, pattern: str) -> Path:
        """Return the largest file of the project's cache with such a name."""
        return max(self.project.cache.rglob(pattern), key=lambda path: path.stat().st_size)

    def damage(self, path: Path, way: Callable[[Path, random.Random], None]) -> None:
        for journal in path.parent.glob(f"{path.name}-*"):
            journal.unlink()
        way(path, random.Random(20))


class Fault(NamedTuple):
    """A fault, and how doctor has to name it: by which row, at which level, and with which words."""

    provoke: Callable[[World], object]
    row: str
    level: str
    found: str
    advice: str


_faults: dict[str, Fault] = {}


def _index_with(stage: Callable[[pytest.MonkeyPatch], None]) -> Callable[[World], None]:
    return lambda world: world.index_again(stage)


def _add_stages() -> None:
    """Add a fault in each stage of indexing; one that no test provokes fails here."""
    for stage in sorted(set(IndexingStage) - file_faults.HISTORY_STAGES):
        patch = file_faults._stages()[stage]  # pyright: ignore[reportPrivateUsage]
        found, advice = f"({stage.value}: LookupError: provoked here)", "tried again when it changes"
        _faults[f"stage {stage.value}"] = Fault(_index_with(patch), "files", "warn", found, advice)
    for name, (stage, _, patch) in history_faults.STAGES.items():
        found, advice = f"({stage.value}: ", "another version of Scry tries"
        _faults[name] = Fault(_index_with(patch), "history", "warn", found, advice)


_add_stages()


# Files and notes --------------------------------------------------------------------------------------------------


def _refuse_a_file(world: World) -> None:
    read = project_parser.read_file

    def refuse(root: Path, path: str, limit: int) -> object:
        return SkippedFile(SkipReason.UNREADABLE, "permission denied") if path == "a.py" else read(root, path, limit)

    world.index_again(lambda patch: patch.setattr(project_parser, "read_file", refuse))


def _nest_definitions(world: World) -> None:
    world.sample.write({"deep.py": "".join(f"{'  ' * n}def f{n}():\n" for n in range(300)) + "  " * 300 + "pass\n"})
    world.sample.update_index()


def _write_malformed_belief(world: World) -> None:
    world.sample.write({".scry/beliefs/x.md": "---\nstatement: [\n---\n"})
    world.sample.update_index()


def _note_what_fails(world: World) -> None:
    with pytest.MonkeyPatch.context() as patch, closing(world.sample.engine()) as engine:
        history_faults._raising(type(load_bundled_model()), "encode_passages")(patch)  # pyright: ignore[reportPrivateUsage]
        engine.knowledge.remember(RememberParams(f"I like {MARK}"))


def _store_no_note(patch: pytest.MonkeyPatch) -> None:
    history_faults._raising(ProjectNoteDatabase, "_insert_file_note")(patch)  # pyright: ignore[reportPrivateUsage]


def _damage_references(world: World) -> None:
    with closing(sqlite3.connect(world.project.data / MEMORY_FILE)) as file:
        file.execute("UPDATE memories SET refs = '[\"./a.p'")
        file.commit()


_faults |= {
    "file without permission": Fault(_refuse_a_file, "files", "warn", "./a.py (permission denied)", "readable for you"),
    "file that nests too deep": Fault(_nest_definitions, "files", "warn", "./deep.py (parse: ", "tried again when it"),
    "malformed belief": Fault(
        _write_malformed_belief, "files", "warn", ".scry/beliefs/x.md", "correct its first lines"
    ),
    "belief that can't be stored": Fault(
        _index_with(_store_no_note), "files", "warn", ".scry/beliefs/bad.md (store: LookupError", "tried again when it"
    ),
    "belief that can't be embedded": Fault(
        _index_with(history_faults._raising(type(load_bundled_model()), "encode_passages")),  # pyright: ignore[reportPrivateUsage]
        "notes", "warn", "belief:bad (vectors: LookupError: provoked here)", "tried again when it changes",
    ),
    "note of the person that can't be embedded": Fault(
        _note_what_fails, "notes", "warn", "(vectors: LookupError: provoked here)", "tried again when it changes"
    ),
    "memory with damaged references": Fault(
        _damage_references, "memory", "fail", "a row of memories is not as it was written", "`scry index` saves"
    ),
}  # fmt: skip


# Index, history and repository ------------------------------------------------------------------------------------


def _end_a_pass_early(world: World) -> None:
    """Fail as a whole before the first publication, and forget the indexer that would say so."""
    shutil.rmtree(world.folder / "CACHE")
    with closing(IndexStore.open(world.project.cache, write=True)) as store, pytest.MonkeyPatch.context() as patch:

        def fail(*_: object, **__: object) -> None:
            raise OSError(28, "No space left on device")

        patch.setattr(IndexStore, "publish", fail)
        with pytest.raises(OSError, match="No space"):
            refresh_index(
                world.project,
                load_settings(world.sample.root, {}),
                store,
                only_paths=None,
                report=lambda _: None,
                checkpoint=lambda: None,
            )


def _damage_cache(pattern: str, way: Callable[[Path, random.Random], None]) -> Callable[[World], None]:
    return lambda world: world.damage(world.cache_file(pattern), way)


def _break_head_commit(world: World) -> None:
    head = world.sample.git("rev-parse", "HEAD")
    world.sample.commit("Later")
    path = world.sample.root / ".git" / "objects" / head[:2] / head[2:]
    path.chmod(0o600)
    path.write_bytes(b"no object")
    with suppress(GitFailed):
        world.sample.update_index()


def _break_head(world: World) -> None:
    (world.sample.root / ".git" / "HEAD").write_bytes(b"\0" * 41)


CACHES = {"index.sqlite": "index", "words-*/*": "index", "vectors-*": "index", "history.sqlite": "history",
          "commit-words-*/*": "history", "knowledge.sqlite": "notes"}  # fmt: skip
_faults |= {
    "pass that fails as a whole": Fault(_end_a_pass_early, "index", "warn", "not complete", "`scry index` completes"),
    "commit that git can't read": Fault(_break_head_commit, "history", "warn", "can't be read", "`git fsck`"),
    "repository that git can't read": Fault(_break_head, "project", "warn", "git can't read", "`git fsck`"),
    **{
        f"{pattern} {way.__name__}": Fault(_damage_cache(pattern, way), row, "fail", "", "`scry index --rebuild`")
        for pattern, row in CACHES.items()
        for way in WAYS
    },
}  # fmt: skip


# What can't be made again -----------------------------------------------------------------------------------------

TITLES = {"persona": "persona", "memory": "memory", "log": "log data", "projects": "projects"}


def _damage_data(name: str, way: Callable[[Path, random.Random], None]) -> Callable[[World], None]:
    return lambda world: world.damage(precious_files(world.project)[name].path, way)


def _salvage(name: str) -> Callable[[World], None]:
    def provoke(world: World) -> None:
        file = precious_files(world.project)[name]
        world.damage(file.path, overwrite)
        assert ensure_intact(file, thorough=True)

    return provoke


def _make_newer(name: str) -> Callable[[World], None]:
    def provoke(world: World) -> None:
        with closing(sqlite3.connect(precious_files(world.project)[name].path)) as file:
            file.execute("PRAGMA user_version=99")

    return provoke


for _name, _title in TITLES.items():
    _faults |= {
        f"{_name} deleted": Fault(_damage_data(_name, delete), _title, "warn", "is gone", f"`scry restore {_name}`"),
        f"{_name} saved": Fault(_salvage(_name), _title, "warn", "was damaged", "remove "),
        f"{_name} of a newer Scry": Fault(_make_newer(_name), _title, "fail", "newer version", "update this one"),
    }


for _name in ("persona", "memory", "log"):
    _faults |= {
        f"{_name} overwritten": Fault(
            _damage_data(_name, overwrite), TITLES[_name], "fail", "is damaged", "`scry restore`"
        ),
        f"{_name} emptied": Fault(_damage_data(_name, empty), TITLES[_name], "fail", "it is empty", "`scry restore`"),
    }
for _way in (overwrite, empty):  # every command opens the list of projects, and saves what it can of it
    _faults[f"projects {_way.__name__}"] = Fault(
        _damage_data("projects", _way), "projects", "warn", "was damaged", "remove "
    )


# The machine ------------------------------------------------------------------------------------------------------


def _return(value: object, *_: object) -> object:
    return value


def _put_a_file_in_place(name: str) -> Callable[[World], None]:
    def provoke(world: World) -> None:
        shutil.rmtree(world.folder / name, ignore_errors=True)
        (world.folder / name).write_text("in the way")

    return provoke


def _fill_disk(world: World) -> None:
    usage = shutil.disk_usage(world.folder)._replace(free=1_000_000)
    world.patch.setattr(shutil, "disk_usage", partial(_return, usage))


def _run_indexer(version: str, state: str, message: str = "") -> Callable[[World], None]:
    def provoke(world: World) -> None:
        from scry.indexer.client import connection
        from scry.indexer.freshness import index_format_version

        running = connection.RunningIndexer(
            1, version or index_format_version(), IndexState(state=state, message=message)
        )  # type: ignore[arg-type]
        world.patch.setattr(connection, "probe_indexer", partial(_return, running))

    return provoke


def _hide_git(world: World) -> None:
    world.patch.setenv("PATH", "/nowhere")


def _write_settings(text: str) -> Callable[[World], None]:
    return lambda world: world.sample.write({".scry/config.toml": text})


def _open_to_others(world: World) -> None:
    (world.folder / "CACHE" / "scry").chmod(0o755)


def _lose_packages(world: World) -> None:
    world.patch.setattr(doctor, "_installed_version", partial(_return, None))


def _lose_grammars(world: World) -> None:
    from scry.index.parse import captures

    def fail(*_: object) -> None:
        raise OSError("no such library")

    world.patch.setattr(captures, "run_query", fail)


def _lock_log(world: World) -> None:
    data, may_access = world.project.data, os.access

    def may_not_access(path: str | Path, mode: int) -> bool:
        return not Path(path).is_relative_to(data) and may_access(path, mode)

    world.patch.setattr(os, "access", may_not_access)


def _break_an_agent(world: World) -> None:
    (world.sample.root / ".mcp.json").write_text(
        '{"mcpServers": {"scry": {"command": "/nowhere/scry", "args": ["mcp"]}}}'
    )


_faults |= {
    "no git": Fault(_hide_git, "git", "warn", "no git", "install git"),
    "missing package": Fault(_lose_packages, "packages", "fail", "missing: ", "pip install"),
    "missing grammars": Fault(_lose_grammars, "grammars", "fail", "can't be loaded", "pip install"),
    "cache that can't be written": Fault(_put_a_file_in_place("CACHE"), "cache", "fail", "can't be written", "make "),
    "data that can't be written": Fault(_put_a_file_in_place("DATA"), "data", "fail", "can't be written", "make "),
    "settings that can't be read": Fault(
        _write_settings("max_file_bytes = ["), "settings", "warn", "config.toml", "correct it"
    ),
    "settings of a stranger": Fault(
        _write_settings('model = "theirs"'), "settings", "warn", "model", "take it out"
    ),
    "disk that is nearly full": Fault(_fill_disk, "data", "warn", "free", "free some space"),
    "folders open to others": Fault(_open_to_others, "access", "warn", "others can look", "chmod 700"),
    "indexer that fails": Fault(_run_indexer("", "failed", "no room"), "indexer", "fail", "no room", "indexer.log"),
    "indexer of another version": Fault(_run_indexer("0.0", "ready"), "indexer", "warn", "0.0", "restart your editor"),
    "log that can't be written": Fault(
        _lock_log, "log", "fail", "is not yours to write", "all else works"
    ),
    "agent whose server does not start": Fault(_break_an_agent, "agents", "fail", "can't start", "scry mcp install"),
}  # fmt: skip


# Servers, learning and a team -------------------------------------------------------------------------------------


def _damage_learnt(world: World) -> None:
    world.project.data.joinpath(LEARNT_FILE).write_bytes(b"no database" * 1000)


def _damage_weights(world: World) -> None:
    world.project.data.joinpath(WEIGHTS_FILE).write_text("[")


def _open_token(world: World) -> None:
    load_or_create_token()
    token_path().chmod(0o644)


def _empty_token(world: World) -> None:
    load_or_create_token()
    token_path().write_text("")


def _join(address: str) -> Callable[[World], None]:
    def provoke(world: World) -> None:
        (world.folder / "DATA" / "scry" / "team.json").write_text(address)

    return provoke


def _lose_psycopg(world: World) -> None:
    _join('{"address": "host=localhost"}')(world)
    world.patch.setitem(sys.modules, "psycopg", None)


_DEAF = '{"address": "host=127.0.0.1 port=1 dbname=team"}'
_faults |= {
    "learnt file that can't be read": Fault(_damage_learnt, "learnt", "warn", "learnt", "made anew"),
    "weights that can't be read": Fault(_damage_weights, "learnt", "warn", "weights", "`scry learn reset`"),
    "token that others can read": Fault(_open_token, "http", "fail", "others can read", "remove "),
    "token that is none": Fault(_empty_token, "http", "fail", "holds no token", "remove "),
    "team whose server is down": Fault(_join(_DEAF), "team", "fail", "can't be used", "`scry team status`"),
    "team file that can't be read": Fault(_join("{"), "team", "fail", "can't be read", "`scry team join URL`"),
    "team without its packages": Fault(_lose_psycopg, "team", "fail", "psycopg", "pip install"),
}

FAULTS: Mapping[str, Fault] = _faults
"""Every fault by its name."""
