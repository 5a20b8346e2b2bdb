"""Params that no message has are refused with the field's name, whatever they hold."""

from __future__ import annotations

import msgspec
import pytest

from scry.core import BadRequest, MemoryUnavailable
from scry.surfaces.serving.params import MAX_INTEGER, error_report, parse_params
from scry.surfaces.serving.replies import exception_response
from scry_protocol.messages import FindParams, MemoryParams, NeighborsParams, ObserveParams, PersonaParams

HALF = "\ud800"
ESCAPED = "\\ud800"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"query": "a", "limit": 0}, "limit: Expected int >= 1"),
        ({"query": "a", HALF: 1}, "half a surrogate pair"),
        ({"query": "a", "limit": HALF}, "limit: Expected int, got str"),
        ({"query": "a", "intent": HALF}, "intent: Invalid enum value"),
        ({"query": "a", "types": [HALF]}, r"types\[0\]: Invalid enum value"),
        ({"query": "a", "types": [[HALF]]}, r"types\[0\]: Expected str, got array"),
    ],
)
def test_params_that_cannot_be_read_are_refused(values: dict[str, object], said: str) -> None:
    with pytest.raises(BadRequest, match=said):
        parse_params(FindParams, values)


def test_half_a_surrogate_pair_in_a_text_is_escaped() -> None:
    found = parse_params(FindParams, {"query": HALF, "domains": ["a", HALF]})
    assert (found.query, found.domains) == (ESCAPED, ["a", ESCAPED])
    assert parse_params(MemoryParams, {"action": "forget", "ids": [HALF]}).ids == [ESCAPED]
    assert parse_params(PersonaParams, {"action": "forget", "doc_id": HALF}).doc_id == ESCAPED


@pytest.mark.parametrize("number", [2**53, 2**63, 2**64, 10**30])
def test_number_that_no_database_holds_is_refused(number: int) -> None:
    with pytest.raises(BadRequest, match="line: "):
        parse_params(NeighborsParams, {"file": "a.py", "by": "similar", "line": number})
    with pytest.raises(BadRequest, match="status: "):
        parse_params(ObserveParams, {"kind": "note", "text": "x", "status": -number})
    assert parse_params(NeighborsParams, {"file": "a.py", "line": MAX_INTEGER}).line == MAX_INTEGER


def test_error_does_not_repeat_a_long_value() -> None:
    error = error_report(BadRequest("x" * 100_000, f"no memory is named {'y' * 100_000}; scry memory list names them"))
    assert len(error.error.message) < 700
    assert error.error.message.endswith("; scry memory list names them")
    assert len(error.error.field or "") < 120


@pytest.mark.parametrize("is_off", [False, True])
def test_unavailable_memory_is_a_503_that_says_when_to_retry_unless_it_is_off(*, is_off: bool) -> None:
    response = exception_response(MemoryUnavailable("memory can't be read", is_off=is_off))
    assert response.status_code == 503
    assert msgspec.json.decode(response.body)["error"]["code"] == "memory_unavailable"
    assert ("retry-after" in response.headers) is not is_off
