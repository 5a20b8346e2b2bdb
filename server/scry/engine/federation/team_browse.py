"""Browse one repository of a team: orient and neighbors, by the code that answers them in a local project."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast
from urllib.parse import unquote, urlsplit

from msgspec.structs import replace

from scry.core.errors import BadRequest
from scry.core.types import Answer
from scry.engine.browse.neighbors import list_neighbors
from scry.engine.browse.orient import orient
from scry.engine.context import NeighborsRequest, OrientRequest, RequestContext
from scry.engine.federation.selection import TEAM_SCHEME
from scry.engine.federation.team_documents import require_repository
from scry.engine.federation.team_links import team_project
from scry.engine.federation.team_results import TeamAnswer, repository_state
from scry.engine.index_view import IndexView
from scry.store.team.reader import TeamReader
from scry.store.team.repository import RepositoryIndex

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
    parts = urlsplit(text)
    if parts.scheme == TEAM_SCHEME:
        name, _, rest = parts.path.lstrip("/").partition("/")
        name, path = unquote(name), unquote(rest.partition("/")[2])
    else:
        name, colon, path = text.partition(":")
        if not colon or "/" in name:
            raise BadRequest(field, "name a repository of the team before it, as in cart:./src; see scry team status")
    return require_repository(reader, name, field), path or "."


def _name_repository(answer: Answer, index: RepositoryIndex) -> Answer:
    """Return an answer whose question names the repository."""
    path = answer.question.text.removeprefix("./").removeprefix(".")
    return replace(answer, question=replace(answer.question, text=f"{index.info.name}:./{path}"))


def view_repository(index: RepositoryIndex) -> IndexView:
    """Return a repository as the modes without oracles read a local index."""
    # A team's repository has the methods of the local stores that answer questions; tests/team holds it to that.
    history = cast("HistoryReader", index.history) if index.info.commits else None
    return IndexView(cast("IndexStore", index), repository_state(index.info), history)
