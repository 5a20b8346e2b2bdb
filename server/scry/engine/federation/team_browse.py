"""Ask repositories of a team about their structure, by the code that answers for local projects: orient and neighbors
of one repository, and relational questions to all that know the names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, cast
from urllib.parse import unquote

from msgspec.structs import replace

from scry.core.doc_id import split_off_project
from scry.core.errors import BadRequest
from scry.core.text import escape_unencodable, normalize_name
from scry.core.types import Answer, IndexState
from scry.engine.browse.neighbors import list_neighbors
from scry.engine.browse.orient import orient
from scry.engine.context import DEFAULT_CONTEXT, FindRequest, NeighborsRequest, OrientRequest, RequestContext
from scry.engine.federation.fan_out import BlankAnswer, Participant, arrange_participants, find_in_projects
from scry.engine.federation.selection import TEAM_SCHEME
from scry.engine.federation.team_answer import RETRIED, TEAM, TeamAccess, present_part, remotes_of_projects
from scry.engine.federation.team_documents import read_texts, require_repository
from scry.engine.federation.team_links import normalize_remote, team_project
from scry.engine.federation.team_recent import TeamTask
from scry.engine.federation.team_results import TeamAnswer, repository_state
from scry.engine.graph_query.evaluate import answer_relation_query
from scry.engine.graph_query.lookup import last_part
from scry.engine.graph_query.parse import RelationQuery, names_in, parse_relation_query, rename
from scry.engine.index_view import IndexView
from scry.engine.modes import reject_knowledge_filters
from scry.engine.notices import RelationsOfFirstRepositories
from scry.engine.response.merged import FederatedAnswer, ProjectAnswer, ProjectFault
from scry.store.index.rows import hash_name_key
from scry.store.team.reader import TeamReader
from scry.store.team.repository import RepositoryIndex, RepositoryInfo

if TYPE_CHECKING:
    from scry.store.history.reader import HistoryReader
    from scry.store.index.store import IndexStore


def browse_team(
    request: OrientRequest | NeighborsRequest, context: RequestContext, reader: TeamReader
) -> list[TeamAnswer]:
    """Return the answer of the repository that the request's path names. Raises BadRequest."""
    if isinstance(request, OrientRequest):
        index, path = _open_repository("path", request.path, reader)
        answer = orient(replace(request, path=path), team_project(index.info).root, view_repository(index), context)
    else:
        if request.belief is not None:
            raise BadRequest("belief", "of a team's repository: its detail shows what it reaches")
        index, file = _open_repository("file", request.file, reader)
        root, reading = team_project(index.info).root, view_repository(index)
        answer = list_neighbors(replace(request, file=file), root, reading, context)
    return [TeamAnswer(index.info, _name_repository(answer, index))]


def _open_repository(field: str, text: str, reader: TeamReader) -> tuple[RepositoryIndex, str]:
    """Return the repository that is named before a path, and the path in it. text: see `OrientParams.team`."""
    if text.startswith(f"{TEAM_SCHEME}:"):
        name, _, rest = text.removeprefix(f"{TEAM_SCHEME}:").lstrip("/").partition("/")
        name, path = unquote(name), unquote(rest.partition("/")[2])
    else:
        name, colon, path = text.partition(":")
        if not colon or "/" in name:
            raise BadRequest(field, "name a repository of the team before it, as in cart:./src; see scry team status")
    return require_repository(reader, name, field), path or "."


def _name_repository(answer: Answer, index: RepositoryIndex) -> Answer:
    """Return an answer whose question names the repository."""
    path = "" if answer.question.text == "." else answer.question.text.removeprefix("./")
    return replace(answer, question=replace(answer.question, text=f"{index.info.name}:./{path}"))


def view_repository(index: RepositoryIndex) -> IndexView:
    """Return a repository as the modes without oracles read a local index."""
    # A team's repository has the methods of the local stores that answer questions; tests/team holds it to that.
    history = cast("HistoryReader", index.history) if index.info.commits else None
    return IndexView(cast("IndexStore", index), repository_state(index.info), history)


# Relational questions -------------------------------------------------------------------------------------------------

MAX_REPOSITORIES = 16
"""Repositories that answer a relational question; of those that know its names the first ones by name."""


def relate_with_team(
    access: TeamAccess,
    projects: Sequence[Participant],
    request: FindRequest,
    context: RequestContext,
    on_late: Callable[[], None] | None = None,
) -> FederatedAnswer:
    """Return the answers of these projects and of the team's repositories to a relational question.

    Raises BadRequest for one that can't be read, and where its names are known in none of them.
    """
    reject_knowledge_filters(request)
    tree, ordered = parse_relation_query(escape_unencodable(request.query)), arrange_participants(projects)
    excluded = remotes_of_projects(ordered)
    read = partial(relate_repositories, request, tree, excluded)
    asked = TeamTask(access, ("reason", repr(request), *excluded), read, on_late)
    refusal: BadRequest | None = None
    try:
        local = find_in_projects(ordered, request, context)
    except BadRequest as error:
        refusal, local = error, FederatedAnswer([], request.limit)
    answers, fault = asked.wait(context.team_timeout_s)
    names = [each.name for each in ordered]
    parts = [*local.parts, *(present_part(each, request, context, names) for each in answers)]
    if not parts:
        if refusal is not None and fault is None:
            raise refusal
        blank = BlankAnswer("find", request.query, context).with_state(IndexState(state="ready"))
        parts = [ProjectAnswer(TEAM, blank.answer, is_team=True)]
    faults = [] if fault is None else [ProjectFault(TEAM, fault, is_late=fault in RETRIED)]
    return replace(local, parts=parts, faults=[*local.faults, *faults])


def relate_repositories(
    request: FindRequest, tree: RelationQuery, excluded: Sequence[str], reader: TeamReader
) -> list[TeamAnswer]:
    """Return the answers of the repositories that know all names of a question; those with results, where any has."""
    known = _repositories_that_know(names_in(tree), reader)
    left = [each for each in known if normalize_remote(each.url) not in excluded]
    answers: list[TeamAnswer] = []
    for info in left[:MAX_REPOSITORIES]:
        view = view_repository(reader.open(info.repository_id))
        own = rename(tree, lambda name: split_off_project(name)[1])
        with suppress(BadRequest):  # a name is known, but not with what is before it
            answers.append(TeamAnswer(info, answer_relation_query(request, own, view, DEFAULT_CONTEXT)))
    answers = [each for each in answers if each.answer.hits] or answers[:1]
    if answers and len(left) > MAX_REPOSITORIES:
        notice = RelationsOfFirstRepositories(MAX_REPOSITORIES, len(left))
        first = replace(answers[0].answer, notices=(*answers[0].answer.notices, notice))
        answers[0] = replace(answers[0], answer=first)
    if request.with_full_results or request.excerpt_lines:
        return read_texts(answers, reader, with_graph=request.with_full_results)
    return answers


def _repositories_that_know(names: Sequence[str], reader: TeamReader) -> list[RepositoryInfo]:
    """Return the repositories that may know all of these names, by name; a name may begin with that of one."""
    known = set(reader.repositories)
    for text in names:
        repository, name = split_off_project(text)
        if repository:
            known &= {require_repository(reader, repository, "query").info.repository_id}
        key = normalize_name(last_part(name))
        found = reader.repositories_with_name(hash_name_key(key)) if key else set[int]()
        if not found & known or "/" in name or "." in name:
            path = name.removeprefix("./").partition("::")[0]
            found |= reader.repositories_with_file((path, path.replace(".", "/")))
        known &= found
    return sorted((reader.repositories[each] for each in known), key=lambda info: info.name)
