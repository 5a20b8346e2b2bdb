"""A fault in any stage of indexing costs the one file that it is about: all others are found, and the fault is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from scry.core import IndexingStage, ParsedFile, SkipReason
from scry.embedding import Passage, load_bundled_model
from scry.index.graph import import_graph, update_graph
from scry.index.graph import update as graph_module
from scry.index.parse import LineIndex
from scry.store.index import rows
from tests.unit.indexer.test_history_boundaries import HISTORY_STAGES
from tests.unit.indexer.test_refresh import IndexSample

BAD = "bad.py"
MARK = "zerfallen"
FILES = {
    "a.py": "from bad import broken\n\n\ndef one():\n    return broken()\n",
    BAD: f"import a\n\n\ndef broken():\n    return a.one()  # {MARK}\n",
    "c.py": "from a import one\n\n\ndef three():\n    return one()\n",
    ".scry/beliefs/noon.md": f"---\nstatement: Letters {MARK} are posted\nentrenchment: 0.8\n---\n\nBecause.\n",
}

Patch = Callable[[pytest.MonkeyPatch], None]


def _raising(original: Callable[..., object], is_bad: Callable[..., bool]) -> Callable[..., object]:
    """Return the function with a fault: it raises where the arguments are those of the bad file."""

    def call(*arguments: object, **named: object) -> object:
        if is_bad(*arguments, **named):
            raise LookupError("provoked\nhere")
        return original(*arguments, **named)

    return call


def _patch(module: object, name: str, is_bad: Callable[..., bool]) -> Patch:
    return lambda patch: patch.setattr(module, name, _raising(getattr(module, name), is_bad))


def _mentions_bad(*arguments: object, **_: object) -> bool:
    return any(each == BAD or (isinstance(each, str) and MARK in each) for each in arguments)


def _has_bad_path(*arguments: object, **_: object) -> bool:
    return any(getattr(getattr(each, "source_file", each), "path", "") == BAD for each in arguments)


def _has_marked_lines(_: object, lines: LineIndex, *__: object) -> bool:
    return MARK.encode() in lines.data


def _is_sound_parse_of_bad(path: str, parsed: ParsedFile) -> bool:
    return path == BAD and parsed.fault is None


def _has_bad_passage(_: object, passages: Sequence[Passage]) -> bool:
    return any(passage.path == BAD for passage in passages)


def _find_no_blobs(*_: object) -> dict[bytes, bytes]:
    return {}


def _parse_as_text(path: str, text: str, _: object) -> ParsedFile:
    from scry.index import project_parser

    return project_parser.parse_as_text(path, text)


def _stages() -> dict[IndexingStage, Patch]:
    from scry.index import project_parser as reading
    from scry.index.parse import parse as parsing

    model = type(load_bundled_model())
    return {
        IndexingStage.READ: _patch(reading, "read_file", _mentions_bad),
        IndexingStage.DECODE: _patch(reading, "decode_text", _mentions_bad),
        IndexingStage.NOTE: _patch(reading, "parse_note", _mentions_bad),
        IndexingStage.PARSE: _patch(parsing, "_build_symbols", _has_marked_lines),
        IndexingStage.DOCUMENTS: _patch(reading, "make_documents", _is_sound_parse_of_bad),
        IndexingStage.IMPORTS: _patch(reading, "extract_file_imports", _mentions_bad),
        IndexingStage.STORE: _patch_store,
        IndexingStage.VECTORS: _patch(model, "encode_passages", _has_bad_passage),
        IndexingStage.STRUCTURE: _patch(import_graph, "resolve_file_imports", _mentions_bad),
        IndexingStage.GRAPH: _patch(graph_module, "ReferenceResolver", _has_bad_path),
    }


def _patch_store(patch: pytest.MonkeyPatch) -> None:
    from scry.store.index import store

    bad = _raising(rows.pack_text, _mentions_bad)
    patch.setattr(store, "pack_text", bad)
    patch.setattr(rows, "pack_text", bad)


_NOT_FOUND = {IndexingStage.READ, IndexingStage.DECODE, IndexingStage.STORE}
_PLAIN_TEXT = {IndexingStage.PARSE, IndexingStage.DOCUMENTS}


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> IndexSample:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))  # what another test parsed is not known here
    sample = IndexSample(tmp_path / "project")
    for path, text in FILES.items():
        sample.write(path, text)
    return sample


def test_every_stage_has_a_fault_here() -> None:
    assert set(_stages()) | HISTORY_STAGES == set(IndexingStage)


@pytest.mark.parametrize("stage", sorted(set(IndexingStage) - HISTORY_STAGES))
def test_a_fault_in_one_stage_costs_one_file(
    sample: IndexSample, monkeypatch: pytest.MonkeyPatch, stage: IndexingStage
) -> None:
    bad = ".scry/beliefs/noon.md" if stage is IndexingStage.NOTE else BAD
    with monkeypatch.context() as patch:
        _stages()[stage](patch)
        state = sample.update_index()
        update_graph(sample.store, lambda: None)
    assert (state.state, sample.store.state().failed) == ("ready", 1)
    assert sample.store.state().vectors == sample.store.state().vectors_total
    assert sample.store.files.faults(9) == [(bad, f"{stage.value}: LookupError: provoked here")]
    names = sample.names()
    assert {"./a.py::one", "./c.py::three"} <= set(names)
    skip = sample.store.files.skip_for_path(bad)
    if stage in _NOT_FOUND:
        assert skip
        assert (skip.reason, f"{stage.value}: " in skip.detail) == (SkipReason.FAILED, True)
        assert not any(bad in name for name in names)
    elif stage in _PLAIN_TEXT:
        assert "./bad.py#L1-L5" in names
    elif stage is not IndexingStage.NOTE:
        assert "./bad.py::broken" in names
    found = {sample.store.documents.headers([n])[n].path for n, _ in sample.store.lexical.search(["one"], 10)}
    assert {"a.py", "c.py"} <= found


@pytest.mark.parametrize("stage", sorted(set(IndexingStage) - HISTORY_STAGES))
def test_a_failed_file_is_not_read_again_until_it_or_scry_changes(
    sample: IndexSample, monkeypatch: pytest.MonkeyPatch, stage: IndexingStage
) -> None:
    with monkeypatch.context() as patch:
        _stages()[stage](patch)
        sample.update_index()
        update_graph(sample.store, lambda: None)
    before = sample.store.files.faults(9)
    generation = sample.store.state().generation
    sample.update_index()
    update_graph(sample.store, lambda: None)
    assert sample.store.files.faults(9) == before
    assert sample.store.state().generation == generation
    with monkeypatch.context() as patch:
        for module in ("scry.index.scan.changes", "scry.index.project_parser"):
            patch.setattr(f"{module}.reading_version", lambda: "another")
        sample.update_index()
        update_graph(sample.store, lambda: None)
    assert sample.store.files.faults(9) == []
    assert "./bad.py::broken" in sample.names()


def test_the_words_of_a_file_that_is_parsed_otherwise_than_before_stay(
    sample: IndexSample, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scry.core import load_settings
    from scry.index import project_parser
    from scry.indexer.refresh import compact_word_index
    from scry.store import blobs

    sample.update_index()
    monkeypatch.setattr(blobs.BlobCache, "get", _find_no_blobs)
    monkeypatch.setattr(project_parser, "parse", _parse_as_text)
    with project_parser.ProjectParser(sample.project, load_settings(sample.root, {}), "reading") as parser:
        compact_word_index(sample.store, parser)
    found = {sample.store.documents.headers([n])[n].doc_id for n, _ in sample.store.lexical.search([MARK], 10)}
    assert found == {"./bad.py::broken"}


def test_a_failed_file_is_named_by_doctor_and_why(sample: IndexSample, monkeypatch: pytest.MonkeyPatch) -> None:
    from scry.core import load_settings
    from scry.engine.explain.resolve_id import DocumentResolver
    from scry.surfaces.cli.upkeep.doctor import run_checks

    with monkeypatch.context() as patch:
        _stages()[IndexingStage.PARSE](patch)
        _stages()[IndexingStage.NOTE](patch)
        sample.update_index()
    (check,) = [check for check in run_checks(sample.root, force=True) if check.name == "files"]
    assert (check.level, "2 files" in check.found, "./bad.py (parse: LookupError" in check.found) == (
        "warn",
        True,
        True,
    )
    resolver = DocumentResolver(sample.project, load_settings(sample.root, {}), sample.store, None, is_complete=True)
    missing = resolver.resolve("./bad.py::broken")
    assert (missing.status, "parse: LookupError: provoked here" in missing.reason) == ("missing", True)
    skipped = resolver.resolve(".scry/beliefs/noon.md")
    assert (skipped.status, skipped.reason) == ("skipped", "failed: note: LookupError: provoked here")


def test_an_embedder_that_fails_for_every_text_fails_as_a_whole(
    sample: IndexSample, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(type(load_bundled_model()), "encode_passages", _raising(lambda *_: None, lambda *_: True))
        with pytest.raises(LookupError):
            sample.update_index()
    assert sample.store.files.faults(9) == []
    assert sample.update_index().state == "ready"
    assert sample.store.state().vectors == sample.store.state().vectors_total


def test_a_pass_that_fails_keeps_what_it_published_and_the_next_goes_on(
    sample: IndexSample, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scry.indexer import refresh
    from scry.store.index import IndexStore

    publish, calls = IndexStore.publish, iter(range(9))

    def fail_at_third(*arguments: object, **named: object) -> object:
        if next(calls) == 2:
            raise OSError(28, "No space left on device")
        return publish(*arguments, **named)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(refresh, "BATCH_FILES", 1)
        patch.setattr(IndexStore, "publish", fail_at_third)
        with pytest.raises(OSError, match="No space"):
            sample.update_index()
    assert "./a.py::one" in sample.names()
    assert "./c.py::three" not in sample.names()
    assert sample.update_index().state == "ready"
    assert {"./a.py::one", "./bad.py::broken", "./c.py::three"} <= set(sample.names())
    assert sample.store.files.faults(9) == []
