from __future__ import annotations

import pytest

from scry.core import errors
from scry.surfaces.lsp import conversion as wire
from scry_protocol.messages import FindParams, IndexParams, StatusParams
from scry_protocol.version import PROTOCOL


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({}, "query: required"),
        ({"query": 5}, "query: Expected str, got int"),
        ({"query": "x", "limit": 0}, "limit: Expected int >= 1"),
        ({"query": "x", "limit": 1001}, "limit: Expected int <= 1000"),
        ({"query": "x", "limit": "10"}, "limit: Expected int, got str"),
        ({"query": "x", "limit": True}, "limit: Expected int, got bool"),
        ({"query": "x", "min_score": 2}, "min_score: Expected"),
        ({"query": "x", "intent": "guess"}, "intent: Invalid enum value 'guess'"),
        ({"query": "x", "types": ["code", "cat"]}, "types[1]: Invalid enum value 'cat'"),
        ({"query": "x", "limits": 3}, "limits: unknown field (known: query, limit"),
        ([], "params: Expected object"),
        (None, "query: required"),
    ],
)
@pytest.mark.acceptance("F9")
def test_wrong_params_are_refused_by_name(params: object, words: str) -> None:
    with pytest.raises(wire.RequestError) as refused:
        wire.decode_params(FindParams, params)
    assert refused.value.code == -32602
    assert refused.value.message.startswith(words)


def test_right_params_are_decoded() -> None:
    assert wire.decode_params(FindParams, {"query": "x", "min_score": 1}) == FindParams(query="x", min_score=1.0)
    assert wire.decode_params(StatusParams, None) == StatusParams()
    assert wire.decode_params(IndexParams, {"action": "pause"}) == IndexParams(action="pause")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.BadRequest("limit", "is odd"), -32602),
        (errors.Cancelled("no longer wanted"), -32800),
        (errors.IndexUnavailable("the index is locked"), -32803),
        (errors.ProjectMissing("no such folder"), -32803),
        (wire.RequestError(-32002, "not yet"), -32002),
        (ValueError("oops"), -32603),
    ],
)
def test_every_error_has_its_code_and_keeps_its_words(error: Exception, code: int) -> None:
    refusal = wire.to_request_error(error)
    assert refusal.code == code
    assert str(error) in refusal.message


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [(None, "utf-16"), ([], "utf-16"), (["utf-16"], "utf-16"), (["utf-32"], "utf-16"), (["utf-16", "utf-8"], "utf-8")],
)
def test_utf8_is_chosen_where_it_is_offered(offered: list[str] | None, chosen: str) -> None:
    assert wire.negotiate_encoding(offered) == chosen


@pytest.mark.parametrize("options", [None, {}, [], {"scry": None}, {"scry": {}}, {"scry": {"protocol": PROTOCOL}}])
def test_absent_or_equal_protocol_is_no_mismatch(options: object) -> None:
    assert wire.describe_protocol_mismatch(options) is None


def test_mismatch_names_both_protocols_and_what_to_update() -> None:
    newer = wire.describe_protocol_mismatch({"scry": {"protocol": PROTOCOL + 1}})
    older = wire.describe_protocol_mismatch({"scry": {"protocol": PROTOCOL - 1}})
    assert newer
    assert f"protocol {PROTOCOL + 1}" in newer
    assert "Update the sidecar" in newer
    assert older
    assert "Update the plugin" in older
