from __future__ import annotations

import copy
import importlib
import json
from collections.abc import Iterable
from typing import Any, Protocol

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from scry_protocol.methods import METHODS
from tests.contract.samples import INVALID, ROOT, VALID, Json, Sample, each

jsonschema: Any = importlib.import_module("jsonschema")  # it has no types


class SchemaError(Protocol):
    """An error that jsonschema reports."""

    json_path: str
    message: str


class Validator(Protocol):
    """The part of jsonschema's validators that these tests use."""

    def iter_errors(self, instance: Json) -> Iterable[SchemaError]: ...
    def is_valid(self, instance: Json) -> bool: ...


SCHEMA: dict[str, Any] = json.loads((ROOT / "protocol" / "generated" / "schema.json").read_bytes())

ODD_VALUES: tuple[Json, ...] = (
    None,
    True,
    0,
    1,
    -1,
    1.5,
    10**30,
    "",
    "code",
    "start",
    [],
    [None],
    ["code"],
    {},
    {"a": 1},
)
"""Values that no field accepts. No whole number as 2.0: an integer to JSON Schema, none to the decoder."""


def validator(sample: Sample) -> Validator:
    """Judges messages like a sample, as the schema's `methods` says what they are."""
    entry = SCHEMA["methods"][sample.method][sample.role]
    return jsonschema.Draft202012Validator({**entry, "$defs": SCHEMA["$defs"]})


def test_schema_is_valid_json_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for definition in SCHEMA["$defs"].values():
        jsonschema.Draft202012Validator.check_schema(definition)
    assert list(SCHEMA["methods"]) == [method.name for method in METHODS]
    assert all(("result" in SCHEMA["methods"][method.name]) == (method.result is not None) for method in METHODS)


@each(VALID)
def test_valid_sample_fits_the_schema(sample: Sample) -> None:
    assert [error.message for error in validator(sample).iter_errors(sample.value)] == []


@each(INVALID)
def test_invalid_sample_does_not_fit_and_its_field_is_named(sample: Sample) -> None:
    errors = list(validator(sample).iter_errors(sample.value))
    assert errors
    assert any(sample.blamed in f"{error.json_path} {error.message}" for error in errors)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(VALID), st.data())
def test_schema_and_decoder_agree_on_damaged_messages(sample: Sample, data: st.DataObject) -> None:
    message = copy.deepcopy(sample.value)
    for _ in range(data.draw(st.integers(1, 2))):
        damage(message, data)
    assert validator(sample).is_valid(message) == is_decoded(sample, message), message


def damage(message: Json, data: st.DataObject) -> None:
    """Remove, replaces or adds one thing somewhere in an object or list."""
    container = data.draw(st.sampled_from(containers(message)))
    value = copy.deepcopy(data.draw(st.sampled_from(ODD_VALUES)))
    act = data.draw(st.sampled_from(["add", "remove", "replace"])) if container else "add"
    if isinstance(container, dict):
        key = "added" if act == "add" else data.draw(st.sampled_from(list(container)))
        container[key] = value
        if act == "remove":
            del container[key]
    else:
        index = data.draw(st.integers(0, len(container) - (act != "add")))
        container[index : index + (act != "add")] = [] if act == "remove" else [value]


def containers(value: Json) -> list[dict[str, Json] | list[Json]]:
    """Yield every object and list in a JSON value, itself included."""
    if not isinstance(value, dict | list):
        return []
    inner = list(value.values()) if isinstance(value, dict) else value
    return [value, *(found for item in inner for found in containers(item))]


def is_decoded(sample: Sample, message: Json) -> bool:
    """Return whether the decoder of the sidecar accepts a message."""
    try:
        msgspec.json.decode(json.dumps(message), type=sample.kind)
    except msgspec.ValidationError:
        return False
    return True
