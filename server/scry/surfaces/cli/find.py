"""`scry find`, which is also `scry "<question>"`."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from cyclopts import Parameter, Token

from scry.core.errors import BadRequest, IndexUnavailable
from scry.surfaces.cli.options import Force, Json, Root
from scry.surfaces.cli.output import print_json, print_lines, print_text
from scry_protocol.messages import Answer, FindParams

Intent = Literal["general", "temporal", "rationale", "mechanism", "definition"]
ContentType = Literal["code", "doc", "commit"]
Form = Literal["text", "llm", "json"]

DEFAULTS = FindParams(query="")

MODEL_WITHIN_S = 30.0
"""So long a model other than the bundled one may take to be loaded and to answer, unless told not to wait."""

_AT = re.compile(r"(?P<what>.*) - at `\$\.(?P<field>\w+)[^`]*`", re.DOTALL)


def _whole_number(_: type[int], tokens: Sequence[Token]) -> int:
    """Cyclopts alone would round."""
    return int(tokens[0].value)


def find(
    *query: Annotated[
        str, Parameter(help='Words, names, "exact text"; lang:, path: and type: filter, with - in front they exclude.')
    ],
    limit: Annotated[
        int, Parameter(converter=_whole_number, show_default=True, help="How many results at most, 1 to 1000.")
    ] = DEFAULTS.limit,
    min_score: Annotated[
        float, Parameter(show_default=True, help="Leave out results with a lower score, 0 to 1.")
    ] = DEFAULTS.min_score,
    intent: Annotated[Intent | None, Parameter(help="What you are after; by default told from the words.")] = None,
    types: Annotated[tuple[ContentType, ...], Parameter(name="--type", help="Only this; may be repeated.")] = (),
    explain: Annotated[bool, Parameter(help="Show the figures behind each result; JSON always has them.")] = False,
    form: Annotated[
        Form,
        Parameter(
            name="--format", show_default=True, help="llm is Markdown in groups, for a language model; json is --json."
        ),
    ] = "text",
    as_json: Json = False,
    root: Root = None,
    force: Force = False,
    wait: Annotated[
        bool, Parameter(negative="--no-wait", help="Bring the index up to date first, or answer from what is there.")
    ] = True,
) -> int:
    """Finds code and documents, best first, and says what found each.

    The word find may be left out: scry "where is the retry limit". A question that begins with a dash or is the name of
    a command comes after two dashes: scry -- status. Columns of places in JSON count UTF-16 units, as in LSP.
    """
    if as_json and form == "llm":
        raise BadRequest("format", "--json and --format llm ask for different forms; give one of them")
    params = _params(query, limit=limit, min_score=min_score, intent=intent, types=types)
    answer, home = _ask(params, root, force=force, wait=wait)
    if as_json or form == "json":
        print_json(answer)
    else:
        _show(answer, home, form, explain)
    return 0


def _params(words: Sequence[str], **options: object) -> FindParams:
    """The request, checked by the protocol's own rules. Raises BadRequest naming the field."""
    if not words:
        raise BadRequest("query", "what are you looking for? For example: scry find 'where is the retry limit'")
    query = " ".join(words).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    try:
        return msgspec.convert({"query": query, **options}, FindParams)
    except msgspec.ValidationError as error:
        match = _AT.fullmatch(str(error))
        what, field = (match["what"], match["field"]) if match else (str(error), "params")
        raise BadRequest(field, what.replace("`", "")) from None


def _ask(params: FindParams, root: Path | None, *, force: bool, wait: bool) -> tuple[Answer, str]:
    """The answer and the name of the project that was asked in."""
    from scry.engine.engine import PATIENCE_S
    from scry.surfaces.cli.opening import open_engine
    from scry.surfaces.cli.progress import ProgressBars

    with open_engine(root, force=force) as engine:
        if wait and not engine.is_current():
            with ProgressBars(quiet=True) as bars:
                state = engine.wait_until_current(None, bars)
            if state.state == "failed" and not state.generation:
                raise IndexUnavailable(state.message)
        patience = MODEL_WITHIN_S if wait else PATIENCE_S
        return engine.find(params, patience=patience), engine.project.name


def _show(answer: Answer, home: str, form: Form, explain: bool) -> None:
    if form == "llm":
        from scry.surfaces.text.prompt import show_for_model

        print_text(show_for_model(answer, home=home, explain=explain))
    else:
        from scry.surfaces.cli.colours import screen_width
        from scry.surfaces.text.results import show_answer

        print_lines(show_answer(answer, home=home, explain=explain, width=screen_width(sys.stdout)))
