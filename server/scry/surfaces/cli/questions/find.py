"""`scry find`, which is also `scry "<question>"`: search the project."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.surfaces.cli.engines import ask, ask_projects, replace_undecodable
from scry.surfaces.cli.questions.question_options import (
    CURRENT_PROJECT,
    DEFAULT_QUESTION_OPTIONS,
    NO_FILTERS,
    FullOption,
    LimitOption,
    NeighborsBy,
    ProjectOptions,
    QuestionOptions,
    ResultFilters,
)
from scry.surfaces.serving.params import parse_params
from scry_protocol.messages import FindParams

IntentOption = Literal["general", "temporal", "rationale", "mechanism", "definition"]

QUERY_HELP = (
    'Words, names, "exact text"; lang:, path:, type:, source: and domain: filter, with - in front they exclude.'
)
NeighborsByOption = Annotated[
    NeighborsBy | None,
    Parameter(help="With --file: what changed with it, which is the default, or imports and calls."),
]
FIND_DEFAULTS = FindParams(query="")


def find(
    *query: Annotated[str, Parameter(help=QUERY_HELP)],
    limit: LimitOption = FIND_DEFAULTS.limit,
    min_score: Annotated[
        float,
        Parameter(
            show_default=True, help="Leave out results with a lower confidence, 0 to 1; 0.1 leaves out weak matches."
        ),
    ] = FIND_DEFAULTS.min_score,
    intent: Annotated[
        IntentOption | None, Parameter(help="What you are after; by default told from the words.")
    ] = None,
    only: ResultFilters = NO_FILTERS,
    full: FullOption = False,
    excerpt: Annotated[
        int, Parameter(help="Show so many lines of each result's text, those that match best.")
    ] = FIND_DEFAULTS.excerpt,
    reason: Annotated[
        bool, Parameter(help="Ask over the code graph: 'what calls foo and is called by bar', 'subclasses of Base'.")
    ] = False,
    team: Annotated[bool, Parameter(help="Search the index of the joined team, too; see scry team.")] = False,
    file: Annotated[str | None, Parameter(help="Ask for what belongs to this file, as scry neighbors does.")] = None,
    by: NeighborsByOption = None,
    belief: Annotated[str | None, Parameter(help="Ask for what this belief reaches, as scry neighbors does.")] = None,
    detail: Annotated[
        tuple[str, int] | None, Parameter(help="Show one result of an earlier answer in full, as scry detail does.")
    ] = None,
    project_options: ProjectOptions = CURRENT_PROJECT,
    question_options: QuestionOptions = DEFAULT_QUESTION_OPTIONS,
) -> int:
    """Finds code and documents, best first, and says what found each.

    The word find may be left out: scry "where is the retry limit". A question that begins with a dash or is the name of
    a command comes after two dashes: scry -- status. Columns of places in JSON count UTF-16 units, as in LSP.
    """
    options = {
        "limit": limit,
        "min_score": min_score,
        "intent": intent,
        "full": full,
        "excerpt": excerpt,
        "reason": reason,
        "team": team,
    }
    words = {"query": replace_undecodable(" ".join(query))}
    params = parse_params(FindParams, {**words, **options, **only.to_params(), **project_options.to_params()})
    if detail is not None:
        return _show_detail(*detail, params, question_options)
    if belief is not None:
        return _ask_for_belief_neighbors(belief, params, question_options)
    if file is not None:
        return _ask_for_file_neighbors(file, by, params, question_options)
    if by is not None:
        raise BadRequest("by", "says what belongs to a file; name the file with --file")
    if not query:
        raise BadRequest("query", "what are you looking for? For example: scry find 'where is the retry limit'")
    context = question_options.request_context
    if project_options != CURRENT_PROJECT or team:
        return ask_projects(lambda projects: projects.find(params, context), question_options, with_graph=reason)
    return ask(lambda engine: engine.find(params, context), question_options, with_graph=reason)


def _ask_for_file_neighbors(
    file: str, by: NeighborsBy | None, params: FindParams, question_options: QuestionOptions
) -> int:
    """Answer as `scry neighbors --file` does. Raises BadRequest for options of a search."""
    from scry.surfaces.cli.questions.browse import ask_for_neighbors

    if params != FindParams("", limit=params.limit):
        raise BadRequest("file", "asks for what belongs to one file; of the options of find it goes with --limit alone")
    return ask_for_neighbors(file, by or "cochange", params.limit, question_options)


def _ask_for_belief_neighbors(belief: str, params: FindParams, question_options: QuestionOptions) -> int:
    """Answer as `scry neighbors --belief` does. Raises BadRequest for options of a search."""
    from scry.surfaces.cli.questions.browse import neighbors

    if params != FindParams("", limit=params.limit, types=params.types):
        raise BadRequest(
            "belief", "asks for what one belief reaches; of the options of find, --limit and --type go with it"
        )
    return neighbors(belief=belief, types=tuple(params.types), limit=params.limit, question_options=question_options)


def _show_detail(query_id: str, rank: int, params: FindParams, question_options: QuestionOptions) -> int:
    """Answer as `scry detail` does. Raises BadRequest for options of a search."""
    from scry.surfaces.cli.questions.explain import detail

    if params != FindParams(""):
        raise BadRequest("detail", "shows one result of an earlier answer; no option of find goes with it")
    as_json = question_options.as_json or question_options.form == "json"
    return detail(query_id, rank, as_json=as_json, root=question_options.root, force=question_options.force)
