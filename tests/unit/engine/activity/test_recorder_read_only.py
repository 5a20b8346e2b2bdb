"""A data folder that can't be written, for a person who is not the machine's root."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from scry.core import load_settings, new_query_id
from scry.engine.activity import Recorder
from scry.engine.response import record_answer, record_use
from scry.projects import Project, open_project
from scry_protocol.messages import Answer, FindParams, Recorded, UseParams
from tests.unit.surfaces.render.sample_answers import FUSE
from tests.unit.surfaces.render.sample_answers import answer as sample

_NOBODY = 65534


@contextmanager
def unprivileged() -> Generator[None]:
    """Nothing is read-only for root: inside, a process of root has nobody's rights. Import what is needed before."""
    if os.geteuid():
        yield
        return
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    with tempfile.TemporaryDirectory(prefix="scry-test-") as folder:
        home = Path(folder)
        home.chmod(0o755)
        for name in ("CACHE", "DATA", "CONFIG"):
            monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name))
        (home / "shop").mkdir()
        yield open_project(home / "shop")


def record_answer_and_use(project: Project) -> tuple[Answer, Recorded, str]:
    """Record an answer and an act in another process; return the answer, the outcome and the messages."""
    recorder = Recorder(project, load_settings(None, {}), "cli")
    answer = msgspec.structs.replace(sample(FUSE), query_id=new_query_id())
    left = record_answer(recorder, answer, FindParams("x"))
    outcome = record_use(recorder, UseParams(answer.query_id, 1, "jump", answer.query_id))
    recorder.close()
    return left, outcome, recorder.trouble


@pytest.mark.acceptance("E1")
@pytest.mark.skipif(os.name == "nt", reason="rights are others there")
def test_read_only_folder_fails_no_query_and_acknowledges_no_act(project: Project) -> None:
    assert record_answer_and_use(project)[1].recorded
    before = {path.name: path.read_bytes() for path in project.data.iterdir()}
    for path in (project.data, *project.data.iterdir()):
        path.chmod(0o555 if path.is_dir() else 0o444)
    for folder in (project.data.parent, project.data.parent.parent):
        folder.chmod(0o755)  # Scry's own folders are closed to others
    with unprivileged():
        left, outcome, trouble = record_answer_and_use(project)
    assert "can't be kept" in left.index.message
    assert "nothing may be written there" in left.index.message
    assert (outcome.recorded, "can't be written" in outcome.note) == (False, True)
    assert "can't be written" in trouble
    assert {name: (project.data / name).read_bytes() for name in before} == before
    for path in (project.data, *project.data.iterdir()):
        path.chmod(0o755)
    assert record_answer_and_use(project)[1].recorded
