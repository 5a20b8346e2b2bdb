from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from protocol.generate import schema
from protocol.generate.compatible import complaints
from protocol.generate.read import read_protocol
from scry_protocol.methods import METHODS

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """A change to the present schema, and what the check says of it; nothing for an additive one."""

    what: str
    apply: Callable[[Json], object]
    said: tuple[str, ...] = ()


def fields(document: Json, struct: str) -> Json:
    return document["$defs"][struct]["properties"]


def add(struct: str, *, required: bool = False, **node: object) -> Callable[[Json], None]:
    def apply(document: Json) -> None:
        fields(document, struct)["added"] = node
        if required:
            document["$defs"][struct]["required"].append("added")

    return apply


def put(struct: str, field: str, **keywords: object) -> Callable[[Json], None]:
    return lambda document: fields(document, struct)[field].update(keywords)


def replace(struct: str, field: str, **node: object) -> Callable[[Json], None]:
    return lambda document: fields(document, struct).update({field: node})


def remove(struct: str, field: str) -> Callable[[Json], None]:
    def apply(document: Json) -> None:
        del fields(document, struct)[field]
        demand(struct, field, wanted=False)(document)

    return apply


def demand(struct: str, field: str, *, wanted: bool) -> Callable[[Json], None]:
    def apply(document: Json) -> None:
        required = document["$defs"][struct]["required"]
        document["$defs"][struct]["required"] = [name for name in required if name != field] + [field] * wanted

    return apply


TEXT_OR_NULL = {"anyOf": [{"type": "string"}, {"type": "null"}]}

ADDITIVE = (
    Change("nothing", lambda document: None),
    Change("a param with a default", add("FindParams", type="boolean", default=False)),
    Change("a result's field that may be absent", add("ResultItem", type="string")),
    Change("a method", lambda document: document["methods"].update({"scry/new": document["methods"]["scry/find"]})),
    Change("words", put("Answer", "query", description="other words")),
    Change("a choice more", lambda document: fields(document, "IndexParams")["action"]["enum"].append("forget")),
    Change(
        "a choice more in a list",
        lambda document: fields(document, "FindParams")["types"]["items"]["enum"].append("belief"),
    ),
    Change("a wider range", put("FindParams", "limit", maximum=5000)),
    Change(
        "null allowed in a param",
        replace(
            "IndexParams",
            "action",
            anyOf=[{"type": "string", "enum": ["start", "pause", "resume", "rebuild"]}, {"type": "null"}],
        ),
    ),
    Change("a param no longer required", demand("FindParams", "query", wanted=False)),
)

BREAKING = (
    Change("a method gone", lambda document: document["methods"].pop("scry/index"), ("scry/index: removed",)),
    Change(
        "a request that is a notification",
        lambda document: document["methods"]["scry/index"].pop("result"),
        ("scry/index: a request became a notification, or the reverse",),
    ),
    Change(
        "a required param more",
        add("FindParams", required=True, type="string"),
        ("scry/find params.added: a new field needs a default",),
    ),
    Change(
        "a result's field more that clients may demand",
        add("Answer", required=True, type="string"),
        ("scry/find result.added: a new field needs a default",),
    ),
    Change("a param gone", remove("FindParams", "picker"), ("scry/find params.picker: removed",)),
    Change(
        "a nested field gone",
        remove("Contribution", "raw_score"),
        ("scry/find result.results[].contributions.*.raw_score: removed",),
    ),
    Change(
        "another type", put("ResultItem", "rank", type="string"), ("scry/find result.results[].rank: its type changed",)
    ),
    Change(
        "another type in a list",
        replace("ResultItem", "sources", type="array", items={"type": "integer"}),
        ("scry/find result.results[].sources[]: its type changed",),
    ),
    Change(
        "a map that is a struct",
        lambda document: fields(document, "Scoring").update(weights={"$ref": "#/$defs/Fault"}),
        ("scry/find result.scoring.weights: its type changed",),
    ),
    Change(
        "null in a result",
        replace("Answer", "query_id", **TEXT_OR_NULL),
        ("scry/find result.query_id: can be null now",),
    ),
    Change(
        "null refused in a param",
        replace("StatusParams", "folder", type="string", default=None),
        ("scry/status params.folder: can't be null any more",),
    ),
    Change(
        "a choice less",
        lambda document: fields(document, "IndexParams")["action"]["enum"].remove("pause"),
        ("scry/index params.action: its values changed: pause",),
    ),
    Change("a closed string", put("Answer", "mode", enum=["find"]), ("scry/find result.mode: its type changed",)),
    Change("a narrower range", put("FindParams", "limit", maximum=100), ("scry/find params.limit: its range changed",)),
    Change("a range of a result", put("Scoring", "k", minimum=60), ("scry/find result.scoring.k: its range changed",)),
    Change("another default", put("FindParams", "limit", default=20), ("scry/find params.limit: its default changed",)),
    Change(
        "an optional param required",
        demand("StatusParams", "folder", wanted=True),
        ("scry/status params.folder: required now",),
    ),
    Change(
        "a result's field that may be absent now",
        demand("ResultItem", "snippet", wanted=False),
        ("scry/find result.results[].snippet: may be absent now",),
    ),
    Change(
        "a struct that two methods and a notification share",
        remove("IndexState", "message"),
        (
            "scry/find result.index.message: removed",
            "scry/status result.message: removed",
            "scry/index result.message: removed",
            "scry/statusChanged params.status.message: removed",
        ),
    ),
    Change(
        "a choice in a notification, which is no param of the client's",
        put("StatusChanged", "folder", minimum=3),
        ("scry/statusChanged params.folder: its range changed",),
    ),
    Change(
        "unknown fields refused",
        lambda document: document["$defs"]["StatusChanged"].update(additionalProperties=False),
        ("scry/statusChanged params: refuses unknown fields now",),
    ),
)


SOME = tuple(m for m in METHODS if m.name in ("scry/find", "scry/status", "scry/index", "scry/statusChanged"))
"""Enough methods to show every rule: a struct that all share would be complained of once for each."""


def judge(change: Change, bump: int = 0) -> list[str]:
    text = schema.emit(read_protocol(SOME))
    changed = json.loads(text)
    change.apply(changed)
    changed["protocol"] += bump
    return complaints(schema.parse(text), schema.parse(json.dumps(changed)))


@pytest.mark.parametrize("change", ADDITIVE, ids=lambda change: change.what)
def test_an_additive_change_needs_no_new_version(change: Change) -> None:
    assert judge(change) == []


@pytest.mark.parametrize("change", BREAKING, ids=lambda change: change.what)
def test_incompatible_changes_are_named_at_every_place(change: Change) -> None:
    assert judge(change) == list(change.said)


@pytest.mark.parametrize("change", BREAKING, ids=lambda change: change.what)
def test_a_higher_version_allows_any_change(change: Change) -> None:
    assert judge(change, bump=1) == []


def test_a_version_never_goes_back() -> None:
    assert judge(ADDITIVE[0], bump=-1) == ["PROTOCOL went back from 1 to 0"]


def test_recursive_structs_are_compared() -> None:
    def nest(document: Json) -> None:
        fields(document, "Fault")["causes"] = {"type": "array", "items": {"$ref": "#/$defs/Fault"}}

    old, new = json.loads(schema.emit(read_protocol(SOME))), json.loads(schema.emit(read_protocol(SOME)))
    nest(old)
    nest(new)
    remove("Fault", "oracle")(new)
    found = complaints(schema.parse(json.dumps(old)), schema.parse(json.dumps(new)))
    assert found == ["scry/find result.faults[].oracle: removed"]
