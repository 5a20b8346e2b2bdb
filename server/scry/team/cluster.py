"""Index the repositories of a team as tasks of Ray, on the processors of this machine or on a cluster.

A task is one repository: a node fetches, parses, embeds and loads it, since its checkout lies in the cache of that
node. Ray gives the task of a node or process that died to another one, which takes up what was staged; what the dead
one had not committed was never visible. Ray is an optional part: the extra `team-index`.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from scry.core.errors import BadRequest, IndexUnavailable, PartMissing
from scry.core.installation import install_command
from scry.core.platform import available_cpus
from scry.store.team.writer import TeamRepository
from scry.team.indexing import RepositoryOutcome, finish_run, index_repository
from scry.team.load import reading_identity

RETRIES = 3
"""How often a repository is tried again after its process or node died; one that always kills its process ends so."""

_OBJECT_STORE_BYTES = 100_000_000
"""Memory of Ray's own store on this machine: tasks take and return a few hundred bytes."""

_CONNECT_TIMEOUT_S = 10.0

_NODE_CHARACTERS = 8

Ray = Any
"""The module of Ray, which has no types where it is not installed."""


def is_ray_installed() -> bool:
    """Return whether repositories can be indexed by Ray."""
    return importlib.util.find_spec("ray") is not None


def index_on_cluster(
    address: str, repositories: Sequence[TeamRepository], *, cluster: str | None = None, tasks: int | None = None
) -> Iterator[RepositoryOutcome]:
    """Index repositories as tasks of Ray, and give the outcome of each as it ends.

    cluster: its address, as HOST:PORT, or `auto` on one of its nodes; None for the processors of this machine. tasks:
    how many run at a time; by default as many as there are processors. Raises IndexUnavailable where the cluster can't
    be reached, and PartMissing.
    """
    return finish_run(address, _index_on_cluster(address, repositories, cluster, tasks))


def _index_on_cluster(
    address: str, repositories: Sequence[TeamRepository], cluster: str | None, tasks: int | None
) -> Iterator[RepositoryOutcome]:
    ray = _connect(cluster, tasks)
    try:
        yield from _run_tasks(ray, address, repositories, tasks)
    finally:
        ray.shutdown()


def _connect(cluster: str | None, tasks: int | None) -> Ray:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray tells its makers of each use unless it is told not to
    try:
        ray: Ray = importlib.import_module("ray")
    except ModuleNotFoundError as error:
        raise PartMissing(f"a cluster needs Ray; install it with: {install_command('team-index')}") from error
    if cluster is not None:
        _require_reachable(cluster)
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if cluster is None:
            ray.init(
                address="local",
                num_cpus=tasks or available_cpus(),
                num_gpus=0,
                object_store_memory=_OBJECT_STORE_BYTES,
                include_dashboard=False,
                **quiet,
            )
        else:
            ray.init(address=cluster, **quiet)
    except Exception as error:  # of many kinds: addresses, versions, ports, time
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise IndexUnavailable(f"Ray can't be used{f' at {cluster}' if cluster else ''}: {reason}") from error
    return ray


def _require_reachable(cluster: str) -> None:
    """Raise IndexUnavailable where nothing listens at HOST:PORT: Ray itself would try for more than five minutes."""
    host, _, port = cluster.rpartition(":")
    if cluster == "auto" or "://" in cluster:
        return
    if not host or not port.isdecimal():
        raise BadRequest("address", f"is HOST:PORT, or auto; {cluster} is neither")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_TIMEOUT_S).close()
    except (OSError, OverflowError) as error:
        raise IndexUnavailable(f"Ray can't be used at {cluster}: {error}") from error


def _run_tasks(
    ray: Ray, address: str, repositories: Sequence[TeamRepository], tasks: int | None
) -> Iterator[RepositoryOutcome]:
    options = {"num_cpus": 1, "max_retries": RETRIES, "scheduling_strategy": "SPREAD"}
    task: Callable[..., object] = ray.remote(**options)(_index_on_node).remote
    reading, waiting = reading_identity(), list(reversed(repositories))
    running: dict[object, TeamRepository] = {}
    while waiting or running:
        while waiting and (tasks is None or len(running) < tasks):
            repository = waiting.pop()
            running[task(address, repository, reading)] = repository
        ended, _ = ray.wait(list(running), num_returns=1)
        for reference in ended:
            repository = running.pop(reference)
            try:
                outcome: RepositoryOutcome = ray.get(reference)
            except Exception as error:  # of Ray: its processes or nodes died too often
                reason = str(error).strip().partition("\n")[0]
                outcome = RepositoryOutcome(repository.name, error=f"{type(error).__name__}: {reason}")
            yield outcome


def _index_on_node(address: str, repository: TeamRepository, reading: str) -> RepositoryOutcome:
    """Index a repository on the node that runs this. reading: the versions that read it on the machine that asked."""
    ray: Ray = importlib.import_module("ray")
    node = str(ray.get_runtime_context().get_node_id())[:_NODE_CHARACTERS]
    if reading_identity() != reading:
        reason = f"node {node} has another version of Scry; install the same on all nodes"
        return RepositoryOutcome(repository.name, error=reason, node=node)
    return replace(index_repository(address, repository), node=node)
