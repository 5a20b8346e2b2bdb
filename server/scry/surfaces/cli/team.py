"""`scry team`: make a team's index, join one, see what is in it, and leave it."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter
from msgspec import Struct

from scry.core.errors import BadRequest
from scry.core.text import format_count
from scry.surfaces.cli.options import JsonOption
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.render.styled_text import StyledLine, make_printable, styled_line

if TYPE_CHECKING:
    from scry.store.team.jumps import TeamJump
    from scry.store.team.repository import RepositoryInfo
    from scry.store.team.writer import TeamRepository
    from scry.team.indexing import RepositoryOutcome

team = App(
    name="team",
    help="Makes, joins and leaves the index of a team: many repositories in one PostgreSQL database.",
    default_parameter=Parameter(negative=(), show_default=False),
)

ServerOption = Annotated[
    str | None,
    Parameter(help="Address of the database, as postgresql://HOST/DATABASE; by default that of the joined team."),
]


class IndexedTeam(Struct, frozen=True):
    """The outcome of indexing a team, as JSON."""

    repositories: Sequence[RepositoryOutcome]
    removed: Sequence[str]


class TeamStatus(Struct, frozen=True):
    """The joined team, as JSON. address: without its password; empty where none is joined."""

    address: str
    repositories: Sequence[RepositoryInfo] = ()


@team.command
def index(
    file: Annotated[Path, Parameter(help="The file that names the repositories and who may read them (TOML).")],
    /,
    *,
    server: ServerOption = None,
    jobs: Annotated[
        int | None,
        Parameter(
            help="Repositories that are indexed at a time; by default one for each processor with Ray, else one."
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        Parameter(name="--address", help="Address of a cluster of Ray, as HOST:PORT, or auto on one of its nodes."),
    ] = None,
    prune: Annotated[bool, Parameter(help="Remove repositories from the index that the file does not name.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Brings a team's index up to date with the newest commits of its repositories.

    Creates the tables first where there are none. A repository that fails costs itself, and is tried again by the next
    run; so is one that was interrupted, which goes on where it was. The exit status is 1 where any failed.

    Ray (the extra team-index) spreads the repositories over this machine's processors, or over a cluster. Without it
    they are indexed by processes of this machine.
    """
    from scry.store.team.database import TeamDatabase
    from scry.team.indexing import remove_unlisted
    from scry.team.sources import read_sources

    if jobs is not None and jobs < 1:
        raise BadRequest("jobs", "is at least 1")
    repositories = read_sources(file)
    address = _server_address(server)
    TeamDatabase.open_for_writing(address).close()  # tells at once what is wrong with the server
    outcomes: list[RepositoryOutcome] = []
    with redirect_stdout(sys.stderr):  # where Ray tells of nodes that died
        for outcome in _start_indexing(address, repositories, jobs, cluster):
            outcomes.append(outcome)
            progress = f"{len(outcomes)}/{len(repositories)} {_describe_outcome(outcome)}"
            print(make_printable(progress), flush=True)
    removed = remove_unlisted(address, repositories) if prune else []
    if as_json:
        print_json(IndexedTeam(outcomes, removed))
    else:
        print_lines([styled_line(_summarize(outcomes, removed))])
    return 1 if any(outcome.error for outcome in outcomes) else 0


def _start_indexing(
    address: str, repositories: Sequence[TeamRepository], jobs: int | None, cluster: str | None
) -> Iterator[RepositoryOutcome]:
    """Return the outcomes as they come: of Ray, if it is installed, else of processes or of this process."""
    from scry.team.cluster import index_on_cluster, is_ray_installed
    from scry.team.indexing import index_in_processes, index_one_by_one

    if cluster is None and (jobs == 1 or len(repositories) < 2):
        return index_one_by_one(address, repositories)
    if cluster is not None or is_ray_installed():
        return index_on_cluster(address, repositories, cluster=cluster, tasks=jobs)
    if jobs is not None:
        return index_in_processes(address, repositories, jobs)
    print("Ray is not installed (the extra team-index): one repository is indexed at a time", flush=True)
    return index_one_by_one(address, repositories)


@team.command
def join(
    url: Annotated[str, Parameter(help="Address of the database, as postgresql://USER@HOST/DATABASE.")],
    /,
    *,
    as_json: JsonOption = False,
) -> int:
    """Joins a team: scry find --team and the pickers then search its index, too.

    A password in the address goes to the keyring of the system. Without one libpq's own files are used (~/.pgpass,
    ~/.pg_service.conf), or certificates. Nothing of it is written into a project. A team that was joined before is left
    once the server of this one has answered.
    """
    from scry.store.team.membership import save_membership, split_off_password

    split_off_password(url)  # tells at once what is no address
    repositories = _read_repositories(url)
    membership = save_membership(url)
    return _print_status(TeamStatus(membership.address, repositories), as_json=as_json)


@team.default
@team.command
def status(*, as_json: JsonOption = False) -> int:
    """Says which team is joined, and which of its repositories you may read, at which commits."""
    from scry.store.team.membership import read_membership

    membership = read_membership()
    if membership is None:
        return _print_status(TeamStatus(""), as_json=as_json)
    repositories = _read_repositories(membership.connection_string())
    return _print_status(TeamStatus(membership.address, repositories), as_json=as_json)


@team.command
def leave(*, as_json: JsonOption = False) -> int:
    """Leaves the joined team, and forgets its address and password. Its index stays."""
    from scry.store.team.membership import forget_membership

    left = forget_membership()
    if as_json:
        print_json(TeamStatus(left.address if left else ""))
    else:
        print_lines([styled_line((left.address, "place"), " is left") if left else _NONE_JOINED])
    return 0


class TeamJumps(Struct, frozen=True):
    """Jumps and the team, as JSON. setting: team_jumps. would_give: jumps of the log, as they would be given."""

    setting: str
    given: Sequence[TeamJump] = ()
    would_give: Sequence[TeamJump] = ()
    taken_back: int = 0


@team.command
def jumps(
    *,
    take_back: Annotated[bool, Parameter(help="Delete all that you gave from the team's server.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Shows the jumps that you gave to the team, and takes them back.

    The setting team_jumps says whether jumps to results of the team are given: off, hashed or clear. While it is off,
    the last jumps of this project's log are shown as they would be given in the clear.
    """
    from scry.core.settings import load_settings
    from scry.store.team.jumps import read_given_jumps, take_back_jumps

    address, setting = _server_address(None), load_settings(None, os.environ).team_jumps
    if take_back:
        shown = TeamJumps(setting, taken_back=take_back_jumps(address))
    else:
        names = {repository.name for repository in _read_repositories(address)}
        shown = TeamJumps(setting, read_given_jumps(address), _read_logged_jumps(names, setting))
    if as_json:
        print_json(shown)
    elif take_back:
        print_lines([styled_line(f"{format_count(shown.taken_back, 'jump')} taken back")])
    else:
        head = styled_line(f"team_jumps is {setting}; {format_count(len(shown.given), 'jump')} given")
        tail = [styled_line("would be given:"), *map(_jump_line, shown.would_give)] if shown.would_give else []
        print_lines([head, *map(_jump_line, shown.given), *tail])
    return 0


def _read_logged_jumps(names: Collection[str], setting: str) -> list[TeamJump]:
    """Return the last jumps of this project's log to documents of these repositories, as they would be given."""
    from scry.core.doc_id import TEAM_SUFFIX, split_off_project
    from scry.engine.activity.team_jumps import prepare_question
    from scry.projects.project import open_project
    from scry.store.events.log import EventReader
    from scry.store.team.jumps import TeamJump

    reader = EventReader.open(open_project(Path.cwd(), force=True).data)
    if reader is None:
        return []
    with closing(reader):
        rows = reader.run_select(
            "SELECT at, query, doc_id, rank FROM usage WHERE how IN ('jump', 'open') AND query IS NOT NULL "
            f"ORDER BY sequence DESC LIMIT {_MAX_LOGGED_JUMPS}"
        ).rows
    way, jumps = "clear" if setting == "off" else setting, list[TeamJump]()
    for at, query, qualified, rank in rows:
        name, doc_id = split_off_project(str(qualified))
        if name.removesuffix(TEAM_SUFFIX) in names:
            question = prepare_question(str(query), way)
            jumps.append(TeamJump(name, doc_id, int(str(rank)), question, way == "hashed", given_at=str(at)))
    return jumps


_MAX_LOGGED_JUMPS = 20


def _jump_line(jump: TeamJump) -> StyledLine:
    document = make_printable(f"{jump.repository}:{jump.doc_id}")
    return styled_line(f"  {jump.given_at}  ", (document, "place"), "  ", (make_printable(jump.question), "quiet"))


_NONE_JOINED = styled_line(("No team is joined; scry team join postgresql://HOST/DATABASE does it.", "quiet"))


def _server_address(server: str | None) -> str:
    if server is not None:
        return server
    from scry.store.team.membership import read_membership

    membership = read_membership()
    if membership is None:
        raise BadRequest("server", "is missing: no team is joined; for example --server postgresql://HOST/DATABASE")
    return membership.connection_string()


def _read_repositories(address: str) -> list[RepositoryInfo]:
    from scry.store.team.database import TeamDatabase
    from scry.store.team.reader import TeamReader

    with TeamDatabase.open_for_reading(address) as database, database.snapshot():
        return list(TeamReader(database).repositories.values())


def _print_status(status: TeamStatus, *, as_json: bool) -> int:
    if as_json:
        print_json(status)
    elif not status.address:
        print_lines([_NONE_JOINED])
    else:
        count = _count_repositories(len(status.repositories))
        head = styled_line((make_printable(status.address), "place"), f": {count} that you may read")
        print_lines([head, *map(_repository_line, status.repositories)])
    return 0


def _repository_line(info: RepositoryInfo) -> StyledLine:
    counts = f"{format_count(info.documents, 'document')}, {format_count(info.commits, 'commit')}"
    return styled_line("  ", (make_printable(info.name), "strong"), f"  {info.commit[:10]}  ", (counts, "quiet"))


def _describe_outcome(outcome: RepositoryOutcome) -> str:
    node = f" on {outcome.node}" if outcome.node else ""
    if outcome.error:
        return f"{outcome.name}: failed{node}: {outcome.error}"
    if outcome.is_unchanged:
        return f"{outcome.name}: unchanged at {outcome.commit[:10]}"
    rate = outcome.documents / max(outcome.seconds, 0.001)
    faults = f", {format_count(outcome.faults, 'file')} not indexed" if outcome.faults else ""
    return (
        f"{outcome.name}: {outcome.commit[:10]}, {format_count(outcome.documents, 'new document')} "
        f"({rate:.0f}/s){faults}{node}"
    )


def _summarize(outcomes: Sequence[RepositoryOutcome], removed: Sequence[str]) -> str:
    failed = sum(bool(outcome.error) for outcome in outcomes)
    unchanged = sum(outcome.is_unchanged for outcome in outcomes)
    parts = [
        f"{_count_repositories(len(outcomes) - failed - unchanged)} indexed",
        f"{unchanged} unchanged" if unchanged else "",
        f"{failed} failed" if failed else "",
        f"{len(removed)} removed" if removed else "",
    ]
    return ", ".join(part for part in parts if part)


def _count_repositories(count: int) -> str:
    return "1 repository" if count == 1 else f"{count} repositories"
