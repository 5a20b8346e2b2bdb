"""Helpers shared by `scry belief` and `scry persona`: build parameters, run an action, print it.

What the commands about knowledge have in common: params from options, and an engine that need not be current.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from scry.core.errors import BadRequest
from scry.core.text import escape_unencodable
from scry.surfaces.cli.options import ForceOption, JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines
from scry_protocol.messages import Beliefs, Params, PersonaNotes

if TYPE_CHECKING:
    from scry.engine.engine import Engine

P = TypeVar("P", bound=Params)
CommandOutcome = TypeVar("CommandOutcome", PersonaNotes, Beliefs)


def convert_options(params_type: type[P], options: Mapping[str, str | Sequence[str] | None]) -> P:
    """Options as a message. Raises BadRequest naming the parameter."""
    values = {name: _encodable_value(value) for name, value in options.items() if value is not None}
    try:
        return msgspec.convert(values, params_type)
    except msgspec.ValidationError as error:
        field = str(error).rpartition("$.")[2].strip("`")
        raise BadRequest(field if field in options else "arguments", str(error)) from error


def _encodable_value(value: str | Sequence[str]) -> str | list[str]:
    return escape_unencodable(value) if isinstance(value, str) else [escape_unencodable(each) for each in value]


def run_knowledge_action(
    action: Callable[[Engine], CommandOutcome],
    root: RootOption,
    force: ForceOption,
    as_json: JsonOption,
    *,
    update_first: bool = False,
    is_failure: Callable[[CommandOutcome], bool] = lambda _: False,
) -> int:
    """Does it with the project's engine and shows the outcome; returns the exit status. Raises ScryError.

    current: with the index brought up to date first. fails: whether an outcome is none that a script may go on with.
    """
    from scry.surfaces.cli.answering import open_updated_engine
    from scry.surfaces.cli.question_options import QuestionOptions
    from scry.surfaces.render.full_result import render_beliefs, render_persona_notes

    with open_updated_engine(QuestionOptions(root=root, force=force, wait=update_first)) as engine:
        outcome = action(engine)
    if as_json:
        print_json(outcome)
    else:
        print_lines(render_persona_notes(outcome) if isinstance(outcome, PersonaNotes) else render_beliefs(outcome))
    return int(is_failure(outcome))
