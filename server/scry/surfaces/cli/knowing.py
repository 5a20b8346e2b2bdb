"""What the commands about knowledge have in common: params from options, and an engine that need not be current."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

import msgspec
from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.core.text import encodable
from scry.surfaces.cli.options import Force, Json, Root
from scry.surfaces.cli.output import print_json, print_lines
from scry_protocol.messages import Beliefs, Params, PersonaNotes

if TYPE_CHECKING:
    from scry.engine.engine import Engine

P = TypeVar("P", bound=Params)
Outcome = TypeVar("Outcome", PersonaNotes, Beliefs)

Domains = Annotated[tuple[str, ...], Parameter(name="--domain", help="What it is about; may be repeated.")]


def params_of(kind: type[P], told: Mapping[str, str | Sequence[str] | None]) -> P:
    """Options as a message. Raises BadRequest naming the parameter."""
    values = {name: _plain(value) for name, value in told.items() if value is not None}
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        field = str(error).rpartition("$.")[2].strip("`")
        raise BadRequest(field if field in told else "arguments", str(error)) from error


def _plain(value: str | Sequence[str]) -> str | list[str]:
    return encodable(value) if isinstance(value, str) else [encodable(each) for each in value]


def carry_out(
    act: Callable[[Engine], Outcome],
    root: Root,
    force: Force,
    as_json: Json,
    *,
    current: bool = False,
    fails: Callable[[Outcome], bool] = lambda _: False,
) -> int:
    """Does it with the project's engine and shows the outcome; returns the exit status. Raises ScryError.

    current: with the index brought up to date first. fails: whether an outcome is none that a script may go on with.
    """
    from scry.surfaces.cli.answering import current_engine
    from scry.surfaces.cli.asking import Manner
    from scry.surfaces.text.knowledge import show_beliefs, show_persona

    with current_engine(Manner(root=root, force=force, wait=current)) as engine:
        outcome = act(engine)
    if as_json:
        print_json(outcome)
    else:
        print_lines(show_persona(outcome) if isinstance(outcome, PersonaNotes) else show_beliefs(outcome))
    return int(fails(outcome))
