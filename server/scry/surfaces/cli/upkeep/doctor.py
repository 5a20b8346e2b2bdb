"""`scry doctor`: check the installation, the folders, the settings and the index.

Each check reports what it found and, for a warning or a failure, what to do.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from importlib import metadata
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from scry import __version__
from scry.core.doc_id import file_doc_id
from scry.core.errors import BadRequest, IndexUnavailable, PartMissing, ScryError
from scry.core.files import format_size
from scry.core.installation import DISTRIBUTION, install_command
from scry.core.platform import IS_WINDOWS, OTHERS, cache_home, config_home, data_home
from scry.core.settings import load_settings
from scry.core.text import format_count
from scry.core.types import SkipReason
from scry.projects.precious_files import precious_files
from scry.projects.project import Project, head_commit, open_project
from scry.store.precious import PreciousFile
from scry.surfaces.cli.options import ForceOption, JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.cli.upkeep.findings import FINDINGS, CheckLevel, CheckResult
from scry.surfaces.render.styled_text import StyledLine, TextStyle, styled_line

DEFAULT_REPORT = "scry-report.md"
MINIMUM_PYTHON = (3, 10)
LOW_DISK_SPACE_BYTES = 500_000_000
"""Free bytes on a folder's disk below which its check warns."""

_REQUIREMENT_NAME = re.compile(r"[A-Za-z0-9._-]+")


def run_checks(root: Path, *, force: bool) -> Iterator[CheckResult]:
    """Run all checks in the order in which they depend on one another. Never raises."""
    yield from _run_check("python", _check_python)
    yield from _run_check("packages", _check_packages)
    yield from _run_check("grammars", _check_grammars)
    yield from _run_check("git", _check_git)
    for name, folder in (("cache", cache_home()), ("data", data_home()), ("config", config_home())):
        yield from _run_check(name, lambda folder=folder, name=name: _check_folder(name, folder))
    yield from _run_check("settings", lambda: _check_settings(root))
    try:
        project = open_project(root, force=force)
    except ScryError as error:
        yield FINDINGS["project.refused"].at(str(error))
        return
    yield from _run_check("project", lambda: _check_project(project))
    yield from _run_check("index", lambda: _check_index(project))
    yield from _run_check("files", lambda: _check_files(project))
    yield from _run_check("history", lambda: _check_history(project))
    yield from _run_check("notes", lambda: _check_notes(project))
    yield from _run_check("indexer", lambda: _check_indexer(project))
    yield from _run_check("log", lambda: _check_log(project))
    yield from _run_check("learnt", lambda: _check_learnt(project))
    yield from _run_check("agents", lambda: _check_agents(project.root))
    yield from _run_check("http", _check_token)
    yield from _run_check("team", _check_team)
    for name, file in precious_files(project).items():
        yield from _run_check(name, lambda file=file, name=name: _check_data(name, file))
    yield from _run_check("access", _check_access)


def _run_check(name: str, check: Callable[[], CheckResult]) -> Iterator[CheckResult]:
    """Run one check; report an exception that it raises as a failure."""
    try:
        yield check()
    except Exception as error:
        yield FINDINGS["check.failed"].at(f"{type(error).__name__}: {error}", name)


def _check_python() -> CheckResult:
    version = f"{platform.python_implementation()} {platform.python_version()}, {sys.executable}"
    if sys.version_info < MINIMUM_PYTHON:
        return FINDINGS["python.old"].at(version)
    return CheckResult("python", "ok", version)


def _check_packages() -> CheckResult:
    try:
        wanted = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return FINDINGS["packages.not_installed"].at(f"scry {__version__}, not installed as a package")
    names = [match.group() for each in wanted if ";" not in each and (match := _REQUIREMENT_NAME.match(each))]
    versions = {name: _installed_version(name) for name in names}
    missing = [name for name, version in versions.items() if version is None]
    if missing:
        return FINDINGS["packages.missing"].at(f"missing: {', '.join(missing)}", command=install_command())
    listed = ", ".join(f"{name} {version}" for name, version in versions.items())
    return CheckResult("packages", "ok", f"scry {__version__} with {listed}")


def _installed_version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _check_grammars() -> CheckResult:
    from scry.index.parse.captures import run_query
    from scry.index.parse.languages import LANGUAGES

    broken: list[str] = []
    loaded: list[str] = []
    for language in LANGUAGES:
        if language.grammar is None:
            continue
        try:
            run_query(language, b"", 1.0)
            loaded.append(language.name)
        except Exception as error:
            broken.append(f"{language.name} ({error})")
    if broken:
        return FINDINGS["grammars.broken"].at(f"can't be loaded: {', '.join(broken)}", command=install_command())
    return CheckResult("grammars", "ok", ", ".join(dict.fromkeys(loaded)))


def _check_git() -> CheckResult:
    from scry.projects.git import run_git

    answer = run_git(Path(tempfile.gettempdir()), ["--version"])
    if answer is None:
        return FINDINGS["git.missing"].at("there is no git command")
    return CheckResult("git", "ok", answer.decode("utf-8", "replace").strip())


def _check_folder(name: str, folder: Path) -> CheckResult:
    """Check that a folder is writable, or else its nearest existing parent; create nothing."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        return FINDINGS["folder.unwritable"].at(f"{folder} can't be written", name, folder=existing)
    free = shutil.disk_usage(existing).free
    description = f"{folder}, {format_size(free)} free"
    if free < LOW_DISK_SPACE_BYTES:
        return FINDINGS["folder.full"].at(description, name)
    return CheckResult(name, "ok", description)


def _check_settings(root: Path) -> CheckResult:
    try:
        settings = load_settings(root, os.environ)
    except ScryError as error:
        return FINDINGS["settings.wrong"].at(str(error))
    if settings.warnings:
        return FINDINGS["settings.ignored"].at("; ".join(settings.warnings))
    changed = ", ".join(name for name, _ in settings.sources)
    return CheckResult("settings", "ok", f"set: {changed}" if changed else "all at their defaults")


def _check_project(project: Project) -> CheckResult:
    if not os.access(project.root, os.R_OK | os.X_OK):
        return FINDINGS["project.unreadable"].at(f"{project.root} can't be read")
    commit = head_commit(project.root)
    if commit is None and not _has_sound_head(project.root):
        found = f"git can't read the repository in {project.root}: there is no history"
        return FINDINGS["project.git_damaged"].at(found)
    return CheckResult("project", "ok", f"{project.root}, {f'at commit {commit[:7]}' if commit else 'without commits'}")


def _has_sound_head(root: Path) -> bool:
    """Return whether git can read what is checked out, where there is a repository and git: at least a new branch."""
    from scry.projects.git import run_git

    if not (root / ".git").exists() or run_git(root, ["--version"]) is None:
        return True
    return run_git(root, ["status", "--porcelain", "--untracked-files=no", "--ignore-submodules"]) is not None


def _check_index(project: Project) -> CheckResult:
    from scry.store.index.store import IndexStore, describe_damage, describe_opening_damage

    if not (project.cache / "index.sqlite").exists():
        if damage := describe_opening_damage(project.cache):
            return FINDINGS["index.damaged"].at(damage)
        return FINDINGS["index.none"].at("there is none yet")
    try:
        damage = describe_damage(project.cache)
        state = IndexStore.open(project.cache, write=False).state()
    except ScryError as error:
        return FINDINGS["index.damaged"].at(str(error))
    if damage:
        return FINDINGS["index.damaged"].at(damage)
    description = f"{state.files_indexed} files, generation {state.generation}, in {project.cache}"
    if state.state != "ready":
        return FINDINGS["index.incomplete"].at(f"not complete: {description}")
    return CheckResult("index", "ok", description)


_MAX_LISTED_FAULTS = 5


def _check_files(project: Project) -> CheckResult:
    """Check whether a stage of indexing failed for a file, or a file could not be read or understood."""
    from scry.store.index.store import IndexStore

    if not (project.cache / "index.sqlite").exists():
        return CheckResult("files", "ok", "none is indexed yet")
    files = IndexStore.open(project.cache, write=False).files
    failed = (files.fault_count(), files.faults(_MAX_LISTED_FAULTS))
    groups = [
        (failed, "found less well or not at all", "files.faults"),
        (files.skipped(SkipReason.UNREADABLE, _MAX_LISTED_FAULTS), "not readable", "files.unreadable"),
        (files.skipped(SkipReason.MALFORMED, _MAX_LISTED_FAULTS), "malformed", "files.malformed"),
    ]
    found, code = "", ""
    for (count, faults), state, group in groups:
        if count:
            listed = _list_faults([(file_doc_id(path), fault) for path, fault in faults], count)
            found += f"{'; ' if found else ''}{format_count(count, 'file')} {state}: {listed}"
            code = code or group
    if not code:
        return CheckResult("files", "ok", "no stage of indexing failed for any of them")
    return FINDINGS[code].at(found, log=project.cache / "indexer.log")


def _list_faults(faults: Sequence[tuple[str, str]], count: int) -> str:
    """Return items with their faults, in one line. count: of all, of which only the first are listed."""
    more = f"; and {count - len(faults)} more" if count > len(faults) else ""
    return "; ".join(f"{item} ({fault})" if fault else item for item, fault in faults) + more


def _check_history(project: Project) -> CheckResult:
    """Check the files of the history, and whether a stage failed for a commit, commits of a file, or a belief."""
    from scry.store.history import describe_history_damage
    from scry.store.history.database import HISTORY_FILE
    from scry.store.history.reader import HistoryReader, read_history_state

    if damage := describe_history_damage(project.cache):
        return FINDINGS["history.damaged"].at(damage)
    if not (project.cache / HISTORY_FILE).exists():
        return CheckResult("history", "ok", "none is read yet")
    with closing(HistoryReader.open(project.cache)) as history:
        faults, commits = sorted(history.faults().items()), history.commit_count
        note = read_history_state(head_commit(project.root), history).note
    if note:
        return FINDINGS["history.unreadable"].at(note)
    if not faults:
        return CheckResult("history", "ok", format_count(commits, "commit"))
    listed = _list_faults(faults[:_MAX_LISTED_FAULTS], len(faults))
    found = f"{format_count(len(faults), 'item')} found less well or not at all: {listed}"
    return FINDINGS["history.faults"].at(found, log=project.cache / "indexer.log")


def _check_notes(project: Project) -> CheckResult:
    """Check the file of the project's notes, and whether a note or memory of any store could not be embedded."""
    from scry.projects.project import note_store_locations
    from scry.store.notes import NoteReader, describe_project_note_damage

    damage = describe_project_note_damage(project.cache)
    if damage:
        return FINDINGS["notes.damaged"].at(damage)
    faults: list[tuple[str, str]] = []
    for location in note_store_locations(project):
        with suppress(IndexUnavailable):  # which the check of that file says
            if location.path.exists():
                with closing(location.open(write=False)) as database:
                    faults += sorted(NoteReader(database).list_vector_faults().items())
    if faults:
        listed = _list_faults(faults[:_MAX_LISTED_FAULTS], len(faults))
        found = f"{format_count(len(faults), 'note')} found by words alone: {listed}"
        return FINDINGS["notes.faults"].at(found)
    return CheckResult("notes", "ok", "the project's beliefs and notes are intact")


def _check_data(name: str, file: PreciousFile) -> CheckResult:
    """Check a file that can't be made again: its structure, damaged files that are kept, and its backups."""
    from scry.store.precious import describe_file_damage, list_backups, list_kept_files

    title = f"{name} data" if name == "log" else name
    damage = describe_file_damage(file, thorough=True)
    if damage:
        return FINDINGS["data.damaged"].at(f"{file.path} is damaged: {damage}", title)
    if _is_of_newer_version(file):
        return FINDINGS["data.newer"].at(f"{file.path} was written by a newer version of Scry", title)
    backups = list_backups(file.path)
    listed = f"backups of {', '.join(backup.day for backup in backups)}" if backups else "no backup yet"
    if kept := list_kept_files(file.path):
        return FINDINGS["data.kept"].at(f"{kept[0].report}; {listed}", title, path=kept[0].path)
    if not file.path.exists():
        if backups:
            gone = f"{file.path} is gone; {listed}"
            return FINDINGS["data.gone"].at(gone, title, store=name, day=backups[0].day)
        return CheckResult(title, "ok", "there is nothing yet")
    return CheckResult(title, "ok", f"intact, {format_size(file.path.stat().st_size)}, {listed}")


def _is_of_newer_version(file: PreciousFile) -> bool:
    from scry.store.sqlite.database import open_database, schema_version

    if not file.path.exists() or not file.path.stat().st_size:
        return False
    with closing(open_database(file.path, write=False)) as database:
        return schema_version(database) > len(file.migrations)


def _check_access() -> CheckResult:
    """Check that nobody else can read what is stored."""
    if IS_WINDOWS:
        return CheckResult("access", "ok", "the folders of your profile are yours alone")
    homes = [folder for folder in (cache_home(), data_home(), config_home()) if folder.exists()]
    open_homes = [str(folder) for folder in homes if folder.stat().st_mode & OTHERS]
    if open_homes:
        found = f"others can look into {', '.join(open_homes)}"
        return FINDINGS["access.open"].at(found, folders=" ".join(open_homes))
    return CheckResult("access", "ok", "nobody else can read what is stored")


def _check_indexer(project: Project) -> CheckResult:
    from scry.indexer.client.connection import probe_indexer
    from scry.indexer.freshness import index_format_version

    indexer = probe_indexer(project)
    if indexer is None:
        return CheckResult("indexer", "ok", "none runs; one is started when it is needed")
    description = f"process {indexer.pid} of Scry {indexer.version} is {indexer.state.state}"
    if indexer.state.state == "failed":
        found = f"{description}: {indexer.state.message}"
        return FINDINGS["indexer.failed"].at(found, log=project.cache / "indexer.log")
    if indexer.version != index_format_version():
        return FINDINGS["indexer.other_version"].at(description, version=index_format_version())
    return CheckResult("indexer", "ok", description)


def _check_log(project: Project) -> CheckResult:
    from scry.store.events.log import EVENTS_FILE, explain_unwritable_log, warn_of_log_size, warn_of_network_folder

    path = project.data / EVENTS_FILE
    if trouble := explain_unwritable_log(project.data):
        return FINDINGS["log.unwritable"].at(trouble)
    size = path.stat().st_size if path.exists() else 0
    if note := "; ".join(part for part in (warn_of_log_size(size), warn_of_network_folder(project.data)) if part):
        return FINDINGS["log.large"].at(note)
    return CheckResult("log", "ok", f"{path}, {format_size(size)}" if size else "nothing was logged yet")


def _check_agents(root: Path) -> CheckResult:
    """Check that the MCP servers start that clients are configured to start, here or for all projects."""
    from scry.surfaces.cli.clients import CLIENTS
    from scry.surfaces.cli.clients.client import UnwritableConfig
    from scry.surfaces.cli.clients.proof import prove_server

    started: list[str] = []
    broken: list[str] = []
    for client in CLIENTS.values():
        for locate in client.config_paths.values():
            path = locate(root)
            try:
                server = client.read(path.read_text("utf-8")) if path.exists() else None
            except (OSError, UnicodeDecodeError, UnwritableConfig) as error:
                broken.append(f"{client.title} ({path}: {error})")
                continue
            if server is None:
                continue
            problem = prove_server(server, root).problem
            (broken if problem else started).append(f"{client.title} ({problem})" if problem else client.title)
    if broken:
        return FINDINGS["agents.broken"].at(f"can't start Scry: {'; '.join(broken)}")
    if not started:
        return CheckResult("agents", "ok", "none is configured; `scry mcp install` configures yours")
    return CheckResult("agents", "ok", f"Scry starts for {', '.join(started)}")


def _check_learnt(project: Project) -> CheckResult:
    """Check that learnt weights and what the oracle of use learnt from the log can be read."""
    from scry.store.events.learnt import LearntUses, WeightsFile
    from scry.store.events.log import LEARNT_FILE, WEIGHTS_FILE

    weights = WeightsFile(project.data / WEIGHTS_FILE)
    weights.read()
    if weights.trouble:
        return FINDINGS["learnt.weights"].at(f"the weights of {project.data / WEIGHTS_FILE}: {weights.trouble}")
    if not (project.data / LEARNT_FILE).exists():
        return CheckResult("learnt", "ok", "nothing yet")
    try:
        with closing(LearntUses(project.data / LEARNT_FILE)) as learnt:
            questions, places = learnt.count()
    except IndexUnavailable as error:
        return FINDINGS["learnt.damaged"].at(str(error))
    return CheckResult(
        "learnt", "ok", f"{format_count(places, 'place')} used for {format_count(questions, 'question')}"
    )


def _check_token() -> CheckResult:
    """Check that the token of the HTTP servers can be kept secret, where there is one."""
    from scry.surfaces.serving.tokens import load_or_create_token, token_path

    if not token_path().exists():
        return CheckResult("http", "ok", "no token yet; `scry serve` makes it")
    try:
        load_or_create_token()
    except ScryError as error:
        return FINDINGS["http.token"].at(str(error), path=token_path())
    return CheckResult("http", "ok", "you alone can read the token")


def _check_team() -> CheckResult:
    """Check that the joined team's server answers, where one is joined; nothing of it is imported otherwise."""
    from scry.store.team.membership import membership_path, read_membership

    try:
        membership = read_membership()
    except IndexUnavailable as error:
        return FINDINGS["team.membership"].at(str(error), path=membership_path())
    if membership is None:
        return CheckResult("team", "ok", "none is joined")
    try:
        from scry.store.team.database import TeamDatabase
        from scry.store.team.reader import TeamReader

        with TeamDatabase.open_for_reading(membership.connection_string()) as database, database.snapshot():
            count = len(TeamReader(database).repositories)
    except (ImportError, PartMissing) as error:
        return FINDINGS["team.parts"].at(str(error), command=install_command("team"))
    except ScryError as error:
        return FINDINGS["team.unreachable"].at(str(error))
    return CheckResult("team", "ok", f"{membership.address}: {count} repositories that you may read")


_STYLE_OF_LEVEL: dict[CheckLevel, TextStyle] = {"ok": "good", "warn": "warning", "fail": "bad"}


class DoctorReport(msgspec.Struct, frozen=True):
    """Outcomes of all checks. ok: whether none failed. report: the file that was written; empty for none."""

    ok: bool
    checks: list[CheckResult]
    report: str = ""


def doctor(
    file: Annotated[
        Path | None,
        Parameter(help=f"With --report: the file; {DEFAULT_REPORT} here when left out.", allow_leading_hyphen=False),
    ] = None,
    /,
    *,
    report: Annotated[
        bool, Parameter(help="Also write the outcomes to a file for a bug report, without secrets and names.")
    ] = False,
    root: RootOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Looks for whatever could keep Scry from working, and says what to do about it. Changes nothing.

    For example: scry doctor --report writes scry-report.md. The file has versions, settings, the state of the index and
    the end of its log. Secrets, your home folder, names of projects and of their files are replaced.
    """
    from scry.surfaces.cli.engines import resolve_project_folder

    if file is not None and not report:
        raise BadRequest("file", f"is written with --report only: scry doctor --report {file}")
    folder = resolve_project_folder(root)
    checks = list(run_checks(folder, force=force))
    outcome = DoctorReport(all(check.level != "fail" for check in checks), checks)
    written = ""
    if report:
        from scry.surfaces.cli.upkeep.bug_report import write_report

        written = str(write_report(file or Path(DEFAULT_REPORT), folder, checks))
    if as_json:
        print_json(msgspec.structs.replace(outcome, report=written))
    else:
        print_lines([line for check in checks for line in _check_lines(check)])
        if written:
            print_lines([styled_line("Written: ", (written, "place"), ". Read it before you send it.")])
    return 0 if outcome.ok else 1


def _check_lines(check: CheckResult) -> list[StyledLine]:
    lines = [styled_line((f"{check.level:5}", _STYLE_OF_LEVEL[check.level]), f"{check.name:9} {check.found}")]
    if check.advice:
        lines.append(styled_line(" " * 15, (check.advice, "strong")))
    return lines
