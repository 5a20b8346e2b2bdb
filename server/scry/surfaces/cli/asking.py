"""Options that the commands which ask have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from cyclopts import Parameter, Token

from scry.engine import manner as engine_manner
from scry.surfaces.cli.answering import OutputFormat, make_request_context
from scry.surfaces.cli.options import ForceOption, JsonOption, RootOption

ContentType = Literal["code", "doc", "commit", "belief", "pattern", "session", "memory", "persona"]


def _parse_integer(_: type[int], tokens: Sequence[Token]) -> int:
    """Cyclopts alone would round."""
    return int(tokens[0].value)


LimitOption = Annotated[
    int, Parameter(converter=_parse_integer, show_default=True, help="How many results at most, 1 to 1000.")
]
FullOption = Annotated[bool, Parameter(help="Show each result in full: its text, and what it is tied to.")]
TypeOption = Annotated[tuple[ContentType, ...], Parameter(name="--type", help="Only this; may be repeated.")]


@Parameter(name="*")
@dataclass(frozen=True)
class QuestionOptions:
    """How a question is asked and its answer shown: options that all commands which ask have."""

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
    def request_context(self) -> engine_manner.RequestContext:
        """The same, in the engine's words."""
        return make_request_context(wait=self.wait)


DEFAULT_QUESTION_OPTIONS = QuestionOptions()
