from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from scry.surfaces.lsp import (
    SYMBOL_KINDS,
    EditMapping,
    WorkspaceFolder,
    empty_index_state,
    map_result_to_editor,
    to_symbol_information,
    unsaved_in_folder,
)
from scry_protocol.messages import Annotations, Answer, FurtherPlace, Location, Position, Range, ResultItem, Scoring


def result(uri: str, doc_id: str = "./src/a.py::Outer.inner", kind: str = "method", title: str = "inner") -> ResultItem:
    place = Range(start=Position(line=3, character=4), end=Position(line=5, character=0))
    return ResultItem(
        rank=1,
        doc_id=doc_id,
        content_type="code",
        title=title,
        kind=kind,
        fused_score=0.5,
        contributions={},
        adjustments=[],
        annotations=Annotations(),
        snippet="",
        sources=[],
        project="p",
        location=Location(uri=uri, range=place),
    )


def answer(*results: ResultItem) -> Answer:
    return Answer(
        query="q",
        mode="find",
        query_id="q_1",
        intent="general",
        scoring=Scoring(k=60, depth=200, weights={}, ceiling=1.0),
        index=empty_index_state("ready"),
        results=list(results),
        faults=[],
    )


def opened(shown: Path, real: Path) -> WorkspaceFolder:
    return WorkspaceFolder(shown.as_uri(), "p", str(shown), roots=(str(shown), str(real)))


def map_answer(found: Answer, folder: WorkspaceFolder, unsaved: Mapping[str, EditMapping]) -> Answer:
    return replace(found, results=[map_result_to_editor(each, folder, unsaved) for each in found.results])


def locations(landed: Answer) -> list[Location]:
    return [item.location for item in landed.results if isinstance(item.location, Location)]


@pytest.mark.acceptance("F1")
def test_only_results_in_unsaved_files_move(tmp_path: Path) -> None:
    folder = opened(tmp_path, tmp_path)
    edits = EditMapping(["x"] * 9, ["new", *["x"] * 9], "utf-16")
    found = answer(result((tmp_path / "src/a.py").as_uri()), result((tmp_path / "src/b.py").as_uri()))
    edited, untouched = locations(map_answer(found, folder, {"src/a.py": edits}))
    assert (edited.range.start.line, untouched.range.start.line) == (4, 3)
    assert edited.uri == (tmp_path / "src/a.py").as_uri()


def test_result_uris_use_the_folder_as_opened(tmp_path: Path) -> None:
    real, shown = tmp_path / "real", tmp_path / "shown as"
    landed = map_answer(answer(result((real / "src/ä b.py").as_uri())), opened(shown, real), {})
    assert locations(landed)[0].uri == (shown / "src/ä b.py").as_uri()


def test_results_outside_open_folders_are_unchanged(tmp_path: Path) -> None:
    elsewhere = answer(result("file:///elsewhere/a.py"), result("untitled:x"))
    assert map_answer(elsewhere, opened(tmp_path / "a", tmp_path / "b"), {}) == elsewhere


@pytest.mark.acceptance("F1", "F14")
def test_further_places_move_with_unsaved_edits(tmp_path: Path) -> None:
    folder = opened(tmp_path, tmp_path)
    found = result((tmp_path / "src/a.py").as_uri())
    assert isinstance(found.location, Location)
    place = FurtherPlace("./src/a.py::Outer.other", "other", "method", 0.4, found.location)
    edits = {"src/a.py": EditMapping(["x"] * 9, ["new", *["x"] * 9], "utf-16")}
    (shown,) = map_answer(answer(replace(found, further=[place])), folder, edits).results
    assert [each.location.range.start.line for each in shown.further] == [4]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_unsaved_files_are_found_under_either_name(tmp_path: Path) -> None:
    real, shown = tmp_path / "real", tmp_path / "shown"
    (real / "src").mkdir(parents=True)
    shown.symlink_to(real)
    edits = EditMapping(["a"], ["b"], "utf-16")
    folder = opened(shown, real)
    for path in (shown / "src/a.py", real / "src/a.py"):
        assert list(unsaved_in_folder(folder, {str(path): edits})) == ["src/a.py"]
    beside = {str(tmp_path / "shown2" / "x.py"): edits, str(tmp_path / "x.py"): edits}
    assert unsaved_in_folder(folder, beside) == {}


@pytest.mark.acceptance("C3")
@pytest.mark.parametrize(
    ("doc_id", "kind", "title", "container"),
    [
        ("./src/a.py::Outer.inner", "method", "inner", "src/a.py::Outer"),
        ("./src/a.py::Outer.inner~2", "method", "inner", "src/a.py::Outer"),
        ("./src/a.py::main", "function", "main", "src/a.py"),
        ("./README.md::Top > Use of a.b", "section", "Use of a.b", "README.md::Top"),
        ("./src/a.py#L1-L4", "text", "a.py", "src/a.py"),
        ("./src/a.py", "text", "a.py", "src/a.py"),
        ("shop:./src/a.py::main", "function", "main", "shop:src/a.py"),
    ],
)
def test_a_symbol_is_contained_in_its_file(doc_id: str, kind: str, title: str, container: str) -> None:
    symbol = to_symbol_information(result("file:///p/src/a.py", doc_id, kind, title))
    assert symbol
    assert (symbol.name, symbol.container_name, symbol.kind) == (title, container, SYMBOL_KINDS[kind])
    assert symbol.location.range.start.line == 3


def test_unknown_symbol_kind_is_shown() -> None:
    assert to_symbol_information(result("file:///p/a.py", kind="spell"))
