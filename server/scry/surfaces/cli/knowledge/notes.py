"""Build parameters, run an action and print its outcome: helpers shared by `scry belief` and `scry persona`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from scry.core.decoding import convert
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
    """Convert the options that are not None to params of the protocol. Raises BadRequest with an option's name."""
    values = {name: _encodable_value(value) for name, value in options.items() if value is not None}
    try:
        return convert(values, params_type)
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
    """Run an action with the project's engine, print the outcome, and return the exit status. Raises ScryError.

    update_first: whether to bring the index up to date first. is_failure: whether an outcome exits with status 1.
    """
    from scry.surfaces.cli.engines import open_engine
    from scry.surfaces.render.full_result import render_beliefs, render_persona_notes

    with open_engine(root, force=force, update=update_first) as engine:
        outcome = action(engine)
    if as_json:
        print_json(outcome)
    else:
        print_lines(render_persona_notes(outcome) if isinstance(outcome, PersonaNotes) else render_beliefs(outcome))
    return int(is_failure(outcome))
