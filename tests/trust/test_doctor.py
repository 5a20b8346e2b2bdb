"""Every fault that a test provokes and that lasts is named by a row of `scry doctor`, with the one next step."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable
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
from scry.store.events import LEARNT_FILE
from scry.store.history import HistoryStore
from scry.store.index import IndexStore
from scry.store.memory import MEMORY_FILE
from scry.store.notes import ProjectNoteDatabase
from scry.store.precious import ensure_intact, make_backup
from scry.store.registry import RegisteredProject, RegistryStore
from scry.surfaces.cli.upkeep import doctor
from scry.surfaces.cli.upkeep.findings import FINDINGS
from scry.surfaces.serving.tokens import load_or_create_token, token_path
from scry_protocol.messages import ObserveParams, RememberParams
from tests.sample.indexed import IndexedProject
from tests.trust.damage import WAYS, delete, empty, overwrite
from tests.unit.indexer import test_history_boundaries as history_faults
from tests.unit.indexer import test_stage_boundaries as file_faults

pytestmark = pytest.mark.slow

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
    "token that others can read": Fault(_open_token, "http", "fail", "others can read", "remove "),
    "token that is none": Fault(_empty_token, "http", "fail", "holds no token", "remove "),
    "team whose server is down": Fault(_join(_DEAF), "team", "fail", "can't be used", "`scry team status`"),
    "team file that can't be read": Fault(_join("{"), "team", "fail", "can't be read", "`scry team join URL`"),
    "team without its packages": Fault(_lose_psycopg, "team", "fail", "psycopg", "pip install"),
}

FAULTS = _faults


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("doctor") / "world"
    with pytest.MonkeyPatch.context() as patch:
        World(folder, patch).build()
    shutil.copytree(folder, folder.with_name("kept"), symlinks=True)
    return folder


@pytest.fixture
def world(kept: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """Return the world as it was built, with the checks of the installation passing at once."""
    shutil.rmtree(kept)
    shutil.copytree(kept.with_name("kept"), kept, symlinks=True)
    return World(kept, monkeypatch)


def _rows(world: World, *, only: str = "") -> dict[str, doctor.CheckResult]:
    if only != "grammars":  # loading all of them takes a second
        world.patch.setattr(doctor, "_check_grammars", lambda: doctor.CheckResult("grammars", "ok", "loaded"))
    return {check.name: check for check in doctor.run_checks(world.sample.root, force=True)}


def test_sound_project_has_no_fault(world: World) -> None:
    assert {name: row.found for name, row in _rows(world).items() if row.level != "ok"} == {}


def _with_parts(name: str) -> object:
    return pytest.param(name, marks=pytest.mark.needs("postgres")) if name == "team whose server is down" else name


@pytest.mark.parametrize("name", map(_with_parts, FAULTS))
def test_doctor_names_the_fault_and_the_next_step(world: World, name: str) -> None:
    fault = FAULTS[name]
    fault.provoke(world)
    row = _rows(world, only=fault.row)[fault.row]
    assert (row.level, fault.found in row.found, fault.advice in row.advice) == (fault.level, True, True), row
    assert FINDINGS[row.code].level == row.level


def test_every_row_has_a_fault(world: World) -> None:
    assert set(_rows(world)) - {fault.row for fault in FAULTS.values()} == {"python", "config"}


SOURCES: dict[str, tuple[str, ...]] = {
    "unit/indexer/test_stage_boundaries.py": (
        *(f"stage {stage.value}" for stage in sorted(set(IndexingStage) - file_faults.HISTORY_STAGES)),
        "pass that fails as a whole",
    ),
    "unit/indexer/test_history_boundaries.py": (
        *history_faults.STAGES,
        "belief that can't be stored",
        "belief that can't be embedded",
        "note of the person that can't be embedded",
        "memory with damaged references",
        "malformed belief",
    ),
    "trust/test_world.py": ("file without permission", "commit that git can't read", "repository that git can't read"),
    "trust/test_mutations.py": ("file that nests too deep",),
    "trust/test_corpus.py": ("file that nests too deep",),
    "trust/test_damaged_files.py": (
        *(f"{pattern} {way.__name__}" for pattern in CACHES for way in WAYS),
        *(f"{name} {how}" for name in TITLES for how in ("deleted", "saved", "of a newer Scry")),
        *(f"{name} {how}" for name in ("persona", "memory", "log") for how in ("overwritten", "emptied")),
        *(f"projects {way.__name__}" for way in (overwrite, empty)),
    ),
    "trust/test_disks.py": (
        "disk that is nearly full",
        "cache that can't be written",
        "data that can't be written",
        "log that can't be written",
        "folders open to others",
        "indexer that fails",
    ),
    "strangers/test_untrusted_repository.py": ("settings of a stranger",),
    "trust/test_doctor.py": ("missing package", "missing grammars"),
    "e2e/test_cli_index.py": ("no git", "settings that can't be read"),
    "e2e/test_indexer_sharing.py": ("indexer of another version",),
    "e2e/test_http.py": ("token that others can read", "token that is none"),
    "acceptance/test_use.py": ("learnt file that can't be read",),
    "team/test_asking_team.py": ("team whose server is down",),
    "team/test_team_commands.py": ("team file that can't be read", "team without its packages"),
    "e2e/test_mcp_install.py": ("agent whose server does not start",),
}
"""By the file of tests that provokes them: the faults that last."""

NOTHING_LASTS = {
    "trust/test_equal_answers.py",
    "trust/test_half_typed.py",  # what is half typed is text, and no fault
    "trust/test_kills.py",
    "trust/test_load.py",
    "trust/test_protocol.py",
    "trust/test_soak.py",
    "strangers/test_linear_patterns.py",
    "strangers/test_linear_readers.py",
    "strangers/test_published_rules.py",
    "strangers/test_secret_shapes.py",
    "team/test_equal_to_local.py",
    "team/test_permissions.py",
    "team/test_publish.py",
    "team/test_schema.py",  # a server of another version is one that refuses: the row is the same
    "team/test_statements.py",
    "team/test_team_surfaces.py",
    "strangers/test_texts.py",  # a damaged frame or answer is made again by the next question
}


def test_every_file_of_tests_says_what_lasts() -> None:
    tests = Path(__file__).parent.parent
    folders = [tests / name for name in ("trust", "strangers", "team")]
    files = {str(path.relative_to(tests)) for folder in folders for path in folder.glob("test_*")}
    files |= {str(path.relative_to(tests)) for path in (tests / "unit" / "indexer").glob("test_*_boundaries.py")}
    assert files <= set(SOURCES) | NOTHING_LASTS, (
        "say in SOURCES what a new test provokes that lasts, or that nothing does"
    )
    assert sorted(name for names in SOURCES.values() for name in set(names) - set(FAULTS)) == []
    assert set(FAULTS) - {name for names in SOURCES.values() for name in names} == set()
