"""What a model asked for, checked; what is wrong is told by the parameter's name, so that the model can mend it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

import msgspec

from scry.core.errors import BadRequest
from scry.surfaces.mcp.schemas import BUDGET, LEAST_BUDGET, MOST_BUDGET, USUAL_BUDGET
from scry.surfaces.mcp.tools import Tool
from scry.surfaces.wire.calls import CALLS
from scry.surfaces.wire.params import read_params

_SESSION = secrets.token_hex(8)
"""Names the acts of this process: an agent that says twice that it used a result used it once."""


def read_arguments(tool: Tool, given: Mapping[str, object]) -> tuple[msgspec.Struct, int]:
    """The mode's params, and the budget in tokens. Raises BadRequest naming the parameter."""
    known = [*tool.parameters, BUDGET]
    for name in given:
        if name not in known:
            raise BadRequest(name, f"unknown parameter of {tool.mode} (known: {', '.join(known)})")
    values = {name: value for name, value in given.items() if name != BUDGET}
    if tool.mode == "use":
        values |= {"how": "agent", "act_id": f"mcp-{_SESSION}-{given.get('query_id')}-{given.get('rank')}"[:200]}
    return read_params(CALLS[tool.mode].params, values), _budget(given.get(BUDGET, tool.budget or USUAL_BUDGET))


def _budget(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not LEAST_BUDGET <= value <= MOST_BUDGET:
        raise BadRequest(BUDGET, f"Expected int from {LEAST_BUDGET} to {MOST_BUDGET}")
    return value
