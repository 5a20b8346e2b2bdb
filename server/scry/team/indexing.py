"""Bring a team's index up to date with its repositories, one after the other or in several processes.

Each repository is fetched, loaded and published on its own: one that fails costs itself, and is tried again by the next
run. A run that was interrupted is repeated: what is published at its commit is passed over, and what was staged stays.

The graph of vectors is made once the first run ends; later ones add to it. Until then, and after a first run that was
interrupted, readers compare all vectors.
"""

from __future__ import annotations

import logging
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from msgspec import Struct

from scry.core.errors import IndexUnavailable, ScryError
from scry.store.team.database import TeamDatabase
from scry.store.team.jumps import count_shared_uses
from scry.store.team.writer import TeamRepository, TeamWriter
from scry.team.checkout import check_out
from scry.team.load import load_repository, reading_identity

_log = logging.getLogger(__name__)


class RepositoryOutcome(Struct, frozen=True):
    """The outcome of indexing one repository.

    error: why it could not be indexed; empty for none. is_unchanged: it was published at this commit already.
    documents: those that were new to the index. faults: how many of its files are not indexed, or not as a whole.
    node: that of the cluster which did it; empty where there is no cluster.
    """

    name: str
    commit: str = ""
    error: str = ""
    is_unchanged: bool = False
    documents: int = 0
    faults: int = 0
    seconds: float = 0.0
    node: str = ""


def index_repository(address: str, repository: TeamRepository) -> RepositoryOutcome:
    """Fetch a repository and publish its newest commit, unless that is published; return the outcome. Never raises."""
    started_at = time.monotonic()
    try:
        with TeamDatabase.open_for_writing(address) as database:
            writer = TeamWriter(database)
            repository_id = writer.register(repository)  # readers change even where the forge is away
            with check_out(repository) as (folder, commit):
                if writer.is_published(repository_id, commit, reading_identity()):
                    return RepositoryOutcome(
                        repository.name, commit, is_unchanged=True, seconds=time.monotonic() - started_at
                    )
                report = load_repository(database, repository, folder)
    except ScryError as error:
        return RepositoryOutcome(repository.name, error=str(error), seconds=time.monotonic() - started_at)
    except Exception as error:  # whatever one repository raises, the others are indexed
        _log.error("%s could not be indexed", repository.name, exc_info=error)
        reason = f"{type(error).__name__}: {error}"
        return RepositoryOutcome(repository.name, error=reason, seconds=time.monotonic() - started_at)
    return RepositoryOutcome(
        repository.name,
        report.commit,
        documents=report.documents,
        faults=len(report.faults),
        seconds=time.monotonic() - started_at,
    )


Indexing = Callable[[str, Sequence[TeamRepository]], Iterator[RepositoryOutcome]]
"""Indexes repositories, and gives the outcome of each as it ends."""


def finish_run(address: str, outcomes: Iterator[RepositoryOutcome]) -> Iterator[RepositoryOutcome]:
    """Give the outcomes of a run as they come; then make the graph of vectors where it is missing, and count the jumps
    that members gave.

    outcomes: of a run that begins with the first one. Raises IndexUnavailable where the server can't be used at the
    end; the next run does it.
    """
    try:
        database = TeamDatabase.open_for_writing(address)
    except IndexUnavailable:
        _log.info("the graph of vectors is left as it is: the server is away, as each outcome tells")
    else:
        with database:
            TeamWriter(database).drop_needless_graph()
    is_any_indexed = False
    for outcome in outcomes:
        is_any_indexed = is_any_indexed or not outcome.error
        yield outcome
    if is_any_indexed:
        with TeamDatabase.open_for_writing(address) as database:
            TeamWriter(database).make_missing_graph()
            count_shared_uses(database)


def index_one_by_one(address: str, repositories: Sequence[TeamRepository]) -> Iterator[RepositoryOutcome]:
    """Index repositories in this process."""
    return finish_run(address, (index_repository(address, each) for each in repositories))


def index_in_processes(
    address: str, repositories: Sequence[TeamRepository], processes: int
) -> Iterator[RepositoryOutcome]:
    """Index repositories in several processes of this machine. A process that dies costs its repository."""
    return finish_run(address, _index_in_processes(address, repositories, processes))


def _index_in_processes(
    address: str, repositories: Sequence[TeamRepository], processes: int
) -> Iterator[RepositoryOutcome]:
    waiting = list(repositories)
    while waiting:
        with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
            started = {pool.submit(index_repository, address, each): each for each in waiting}
            broken: list[TeamRepository] = []
            for future in as_completed(started):
                error = future.exception()
                if error is None:
                    yield future.result()
                else:
                    broken.append(started[future])
        if len(broken) == len(waiting):  # none was left alive by a whole pool: each is tried in a process of its own
            for each in broken:
                yield _index_in_own_process(address, each)
            return
        waiting = broken


def _index_in_own_process(address: str, repository: TeamRepository) -> RepositoryOutcome:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        future = pool.submit(index_repository, address, repository)
        error = future.exception()
        return (
            future.result() if error is None else RepositoryOutcome(repository.name, error=f"its process died: {error}")
        )


def remove_unlisted(address: str, repositories: Sequence[TeamRepository]) -> list[str]:
    """Remove the repositories of the index that are none of these; return their names. Raises IndexUnavailable."""
    listed = {each.name for each in repositories}
    with TeamDatabase.open_for_writing(address) as database:
        writer = TeamWriter(database)
        unlisted = [name for name in writer.repository_names() if name not in listed]
        for name in unlisted:
            writer.remove(name)
    return unlisted
