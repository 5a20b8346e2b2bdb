from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import msgspec
import pytest

from protocol.generate import outputs, schema
from protocol.generate.__main__ import main
from protocol.generate.model import Choice, ListOf, Nullable, Reference, Scalar
from protocol.generate.read import read_protocol
from scry_protocol.methods import Method
from scry_protocol.version import PROTOCOL


class Inner(msgspec.Struct):
    """Something inside.

    name: what it is called,
        and more of that.
    """

    name: str


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    """Something outside.

    Its second paragraph; name: is no field here.

    inner: what it holds.
    sizes: some sizes.
    """

    inner: Inner | None = None
    sizes: list[Annotated[int, msgspec.Meta(ge=1)]] = msgspec.field(default_factory=lambda: [1])


class Unexplained(msgspec.Struct):
    """Says nothing of its field."""

    name: str


class Either(msgspec.Struct):
    """A union.

    value: one or the other.
    """

    value: int | str


class Never(msgspec.Struct):
    """A bound that no emitter writes.

    value: above zero, but not zero.
    """

    value: Annotated[int, msgspec.Meta(gt=0)]


def remove(path: Path) -> None:
    path.unlink()


def append(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


def of(struct: type[msgspec.Struct]) -> tuple[Method, ...]:
    return (Method("scry/probe", struct, None, "A probe."),)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a copy of every generated file."""
    for name in outputs.OUTPUTS:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(outputs.ROOT / name, tmp_path / name)
    return tmp_path


def test_generated_files_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().err


@pytest.mark.parametrize("name", outputs.OUTPUTS)
@pytest.mark.parametrize("spoil", [remove, append])
def test_a_stale_file_is_named_and_written_anew(
    tree: Path, name: str, spoil: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--check"], tree) == 0
    spoil(tree / name)
    assert main(["--check"], tree) == 1
    assert capsys.readouterr().err == f"{name} is stale: run `make protocol`\n"
    assert main([], tree) == 0
    assert capsys.readouterr().out == f"wrote {name}\n"
    assert main(["--check"], tree) == 0


def test_a_break_with_a_released_schema_fails_the_check(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    released = tree / "protocol" / "released" / "0.1.0.json"
    released.parent.mkdir()
    released.write_text(schema.emit(read_protocol()), encoding="utf-8")
    assert main(["--check"], tree) == 0
    released.write_text(released.read_text(encoding="utf-8").replace("scry/status", "scry/health"), encoding="utf-8")
    assert main(["--check"], tree) == 1
    assert "0.1.0.json: scry/health: removed" in capsys.readouterr().err
    assert main(["--check-compatible", str(released)]) == 1
    assert "raise PROTOCOL" in capsys.readouterr().err


def test_a_schema_that_can_not_be_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check-compatible", str(tmp_path / "none.json")]) == 1
    assert "none.json can't be read" in capsys.readouterr().err


@pytest.mark.parametrize("name", outputs.OUTPUTS)
def test_output_has_the_version_and_a_generated_header(name: str) -> None:
    protocol = read_protocol(version=987)
    text = outputs.OUTPUTS[name](protocol)
    assert "987" in text
    assert "do not edit" in text[:200]
    assert not re.search(r"[ \t]$", text, re.M)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_fields_are_snake_case_and_methods_begin_with_scry() -> None:
    protocol = read_protocol()
    names = [field.name for struct in protocol.structs.values() for field in struct.fields]
    assert [name for name in names if not re.fullmatch(r"[a-z]+(_[a-z]+)*", name)] == []
    assert [call.name for call in protocol.calls if not re.fullmatch(r"scry/[a-z]+([A-Z][a-z]+)*", call.name)] == []
    assert len({call.name for call in protocol.calls}) == len(protocol.calls)


def test_request_structs_are_closed_and_result_structs_open() -> None:
    protocol = read_protocol()
    requests = [call for call in protocol.calls if call.result]
    sent = {call.params for call in requests}
    assert {name for name, struct in protocol.structs.items() if struct.closed} == sent
    chosen = {name for name, struct in protocol.structs.items() if "Choice(" in repr(struct.fields)}
    assert chosen <= sent
    assert protocol.version == PROTOCOL


def test_model_has_types_defaults_and_words() -> None:
    protocol = read_protocol(of(Outer))
    outer, inner = protocol.structs["Outer"], protocol.structs["Inner"]
    assert outer.doc == "Something outside.\n\nIts second paragraph; name: is no field here."
    assert [field.doc for field in (*outer.fields, *inner.fields)] == [
        "what it holds.",
        "some sizes.",
        "what it is called, and more of that.",
    ]
    assert [field.default for field in (*outer.fields, *inner.fields)] == ["null", "[1]", None]
    assert [field.required for field in (*outer.fields, *inner.fields)] == [False, False, True]
    assert [field.shape for field in outer.fields] == [Nullable(Reference("Inner")), ListOf(Scalar("integer", 1))]
    assert (outer.closed, inner.closed) == (True, False)


def test_model_knows_closed_choices() -> None:
    action = read_protocol().structs["IndexParams"].fields[0]
    assert action.shape == Choice(("pause", "rebuild", "resume", "start"))


def test_field_without_documentation_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"Unexplained.*\['name'\]"):
        read_protocol(of(Unexplained))


@pytest.mark.parametrize("struct", [Either, Never])
def test_unsupported_type_is_named(struct: type[msgspec.Struct]) -> None:
    with pytest.raises(TypeError, match=rf"{struct.__name__}\.value"):
        read_protocol(of(struct))


def test_schema_is_read_back_as_it_was_written() -> None:
    protocol = read_protocol()
    assert schema.parse(schema.emit(protocol)) == schema.build(protocol)


def test_reference_shows_every_field_once() -> None:
    protocol = read_protocol()
    text = outputs.OUTPUTS["protocol/generated/protocol.md"](protocol)
    rows = re.findall(r"^\| `(\w+)` \|", text, re.M)
    assert sorted(rows) == sorted(field.name for struct in protocol.structs.values() for field in struct.fields)
    targets = set(re.findall(r"\]\(#([\w-]+)\)", text))
    headings = {re.sub(r"[^\w-]", "", heading.lower()) for heading in re.findall(r"^#+ (.*)$", text, re.M)}
    assert targets <= headings


def test_schema_says_what_is_required() -> None:
    definitions = json.loads(schema.emit(read_protocol()))["$defs"]
    assert definitions["FindParams"]["required"] == ["query"]
    assert definitions["FindParams"]["additionalProperties"] is False
    assert "location" not in definitions["ResultItem"]["required"]
    assert "index_commit" in definitions["IndexState"]["required"]
    assert "additionalProperties" not in definitions["IndexState"]
