"""Options of the commands that ask a question: output, result filters, and projects to ask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from cyclopts import Parameter, Token

from scry.core.errors import BadRequest
from scry.engine.context import RequestContext
from scry.surfaces.cli.engines import OutputFormat, make_request_context
from scry.surfaces.cli.options import ForceOption, JsonOption, RootOption
from scry_protocol.messages.answer import ContentType

NeighborsBy = Literal["cochange", "dependency", "similar"]


def _parse_integer(_: type[int], tokens: Sequence[Token]) -> int:
    """Convert a token to an integer. Cyclopts by itself would round `1.5`."""
    try:
        return int(tokens[0].value)
    except ValueError:
        raise ValueError(f"{tokens[0].value!r} is no whole number") from None


LimitOption = Annotated[
    int,
    Parameter(alias="-n", converter=_parse_integer, show_default=True, help="How many results at most, 1 to 1000."),
]
FullOption = Annotated[bool, Parameter(help="Show each result in full: its text, and what it is tied to.")]
TypeOption = Annotated[
    tuple[ContentType, ...], Parameter(name="--type", alias="--content-type", help="Only this; may be repeated.")
]


@Parameter(name="*")
@dataclass(frozen=True)
class QuestionOptions:
    """Options of all commands that ask a question: how it is asked and how its answer is printed."""

    explain: Annotated[bool, Parameter(help="Show the figures behind each result; JSON always has them.")] = False
    form: Annotated[
        OutputFormat,
        Parameter(
            name="--format", show_default=True, help="llm is Markdown in groups, for a language model; json is --json."
        ),
    ] = "text"
    as_json: JsonOption = False
    root: RootOption = None
    force: ForceOption = False
    wait: Annotated[
        bool, Parameter(negative="--no-wait", help="Bring the index up to date first, or answer from what is there.")
    ] = True

    @property
    def request_context(self) -> RequestContext:
        """The context that the engine answers with under these options."""
        return make_request_context(wait=self.wait)


DEFAULT_QUESTION_OPTIONS = QuestionOptions()

SourceFilter = Literal["project", "persona"]


@Parameter(name="*")
@dataclass(frozen=True)
class ResultFilters:
    """Filters of the results: only those that match every filter given are returned."""

    types: TypeOption = ()
    source: Annotated[SourceFilter | None, Parameter(help="Only what the project holds, or only your own notes.")] = (
        None
    )
    persona: Annotated[bool, Parameter(help="Only your own notes, as --source persona.")] = False
    domain: Annotated[
        tuple[str, ...],
        Parameter(alias="--dimension", help="Only knowledge about this, as it was noted; may be repeated."),
    ] = ()

    def to_params(self) -> dict[str, object]:
        """Return the filters as fields of the protocol's params. Raises BadRequest for two sources."""
        if self.persona and self.source == "project":
            raise BadRequest("source", "project and --persona exclude each other; give one of them")
        source = "persona" if self.persona else self.source
        return {"types": self.types, "source": source, "domains": self.domain}


NO_FILTERS = ResultFilters()


@Parameter(name="*")
@dataclass(frozen=True)
class ProjectOptions:
    """The projects that a question is asked of; the current one unless any option is given."""

    projects: Annotated[
        tuple[str, ...],
        Parameter(alias="--project", help="Ask these registered projects, by name with commas between, as one."),
    ] = ()
    all_projects: Annotated[bool, Parameter(help="Ask all registered projects and this one.")] = False
    linked_projects: Annotated[bool, Parameter(help="Ask also the projects that these are linked to.")] = False

    def to_params(self) -> dict[str, object]:
        """Return the projects as fields of the protocol's params. Raises BadRequest where `--projects` names none."""
        names = list(self._project_names()) if self.projects else []
        if self.projects and not names:
            raise BadRequest("projects", "names no project; for example: --projects app,lib")
        return {"projects": names, "all_projects": self.all_projects, "linked_projects": self.linked_projects}

    def _project_names(self) -> Iterator[str]:
        for given in self.projects:
            yield from (name.strip() for name in given.split(",") if name.strip())


CURRENT_PROJECT = ProjectOptions()
