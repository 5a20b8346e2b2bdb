"""The samples of protocol/samples, by their names.

<method with . for />/<valid|invalid>-<params|result>-<what>.json; what an invalid one says begins with the field that
is to blame, as in invalid-params-limit-out-of-range-zero.json.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import msgspec
import pytest

from scry_protocol.methods import METHODS, Method

ROOT = Path(__file__).parents[2]
Json: TypeAlias = "dict[str, Json] | list[Json] | str | float | bool | None"

FOLDER = ROOT / "protocol" / "samples"

BY_NAME: Mapping[str, Method] = {method.name: method for method in METHODS}


@dataclass(frozen=True, slots=True)
class Sample:
    """One message. role: params or result. what: the rest of the file name."""

    path: Path
    method: str
    valid: bool
    role: str
    what: str

    @property
    def id(self) -> str:
        """Return the path below protocol/samples without the extension."""
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def data(self) -> bytes:
        """The JSON text."""
        return self.path.read_bytes()

    @property
    def value(self) -> Json:
        """Return the decoded JSON value."""
        return json.loads(self.data)

    @property
    def kind(self) -> type[msgspec.Struct]:
        """The struct that it is meant to be."""
        method = BY_NAME[self.method]
        kind = method.params if self.role == "params" else method.result
        assert kind is not None, f"{self.id}: a notification has no result"
        return kind

    @property
    def blamed(self) -> str:
        """The field of an invalid sample that an error must name."""
        return self.what.partition("-")[0]

    @property
    def newer(self) -> bool:
        """Return whether the sample has fields that only a newer sidecar sends."""
        return self.what == "newer-sidecar"


def _sample(path: Path) -> Sample:
    valid, role, what = path.stem.split("-", 2)
    assert valid in ("valid", "invalid"), path
    assert role in ("params", "result"), path
    return Sample(path, path.parent.name.replace(".", "/"), valid == "valid", role, what)


SAMPLES = tuple(map(_sample, sorted(FOLDER.glob("*/*.json"))))
VALID = tuple(sample for sample in SAMPLES if sample.valid)
INVALID = tuple(sample for sample in SAMPLES if not sample.valid)


def each(samples: Iterable[Sample]) -> pytest.MarkDecorator:
    """Run a test once for each sample, as its argument `sample`."""
    return pytest.mark.parametrize("sample", tuple(samples), ids=lambda sample: sample.id)
