"""`scry feedback`: whether an answer was good or bad."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.core.text import escape_unencodable
from scry.surfaces.cli.open import QueryIdArgument
from scry.surfaces.cli.options import ForceOption, JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_text
from scry_protocol.messages import FeedbackParams


def feedback(
    query_id: QueryIdArgument,
    signal: Annotated[Literal["good", "bad"], Parameter(help="What you think of it.")],
    /,
    *,
    comment: Annotated[str, Parameter(help="Why, in your words.")] = "",
    rank: Annotated[int | None, Parameter(help="The one result that it is about.")] = None,
    root: RootOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Notes in the log whether an answer was good or bad. Nothing leaves this machine."""
    from scry.surfaces.cli.opening import open_engine

    told = {"query_id": escape_unencodable(query_id), "signal": signal, "comment": escape_unencodable(comment), "rank": rank}
    try:
        params = msgspec.convert(told, FeedbackParams)
    except msgspec.ValidationError as error:
        raise BadRequest("comment" if "comment" in str(error) else "rank", str(error)) from error
    with open_engine(root, force=force) as engine:
        recorded = engine.recorder.feedback(params)
    if as_json:
        print_json(recorded)
    else:
        print_text(f"{f'Noted: {signal}.' if recorded.recorded else recorded.note}\n")
    return 0 if recorded.recorded else 1
