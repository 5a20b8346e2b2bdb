"""What a model asked for, checked; what is wrong is told by the parameter's name, so that the model can mend it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

import msgspec

from scry.core.errors import BadRequest
from scry.surfaces.mcp.schemas import BUDGET_PARAMETER, MIN_BUDGET, MAX_BUDGET, DEFAULT_BUDGET
from scry.surfaces.mcp.tools import ToolDefinition
from scry.surfaces.wire.calls import OPERATIONS
from scry.surfaces.wire.params import parse_params

_PROCESS_TOKEN = secrets.token_hex(8)
"""Names the acts of this process: an agent that says twice that it used a result used it once."""


def parse_arguments(tool: ToolDefinition, given: Mapping[str, object]) -> tuple[msgspec.Struct, int]:
    """The mode's params, and the budget in tokens. Raises BadRequest naming the parameter."""
    known = [*tool.parameters, BUDGET_PARAMETER]
    for name in given:
        if name not in known:
            raise BadRequest(name, f"unknown parameter of {tool.mode} (known: {', '.join(known)})")
    values = {name: value for name, value in given.items() if name != BUDGET_PARAMETER}
    if tool.mode == "use":
        values |= {"how": "agent", "act_id": f"mcp-{_PROCESS_TOKEN}-{given.get('query_id')}-{given.get('rank')}"[:200]}
    return parse_params(OPERATIONS[tool.mode].params, values), _check_budget(given.get(BUDGET_PARAMETER, tool.budget or DEFAULT_BUDGET))


def _check_budget(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not MIN_BUDGET <= value <= MAX_BUDGET:
        raise BadRequest(BUDGET_PARAMETER, f"Expected int from {MIN_BUDGET} to {MAX_BUDGET}")
    return value
