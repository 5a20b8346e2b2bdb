from __future__ import annotations

from contextlib import suppress

import pytest

from scry.surfaces.cli import ProgressBars
from tests.unit.surfaces.render.sample_answers import state


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_progress_without_a_terminal_prints_occasional_lines(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressBars(quiet=False, clock=clock) as bars:
        for second in range(12):
            clock.now = second
            bars(state(files_indexed=100 * second, files_total=1200))
    assert capsys.readouterr().err == "500 of 1200 files read\n1000 of 1200 files read\n"


def test_progress_tells_files_that_are_read_from_vectors_that_are_missing(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    """All files are read long before all vectors are made: the index is not complete by then."""
    with ProgressBars(quiet=False, clock=clock) as bars:
        clock.now = 5.0
        bars(state(files_indexed=346, files_total=346, vectors=120, vectors_total=4000))
    assert capsys.readouterr().err == "346 of 346 files read, 120 of 4000 vectors made\n"


@pytest.mark.parametrize("ends_with", [None, KeyboardInterrupt, ValueError])
def test_only_an_interrupted_wait_names_the_indexer_that_goes_on(
    ends_with: type[BaseException] | None, capsys: pytest.CaptureFixture[str]
) -> None:
    with suppress(KeyboardInterrupt, ValueError), ProgressBars(quiet=True):
        if ends_with:
            raise ends_with
    words = "scry: indexing goes on in the background; scry status says how far it is, scry index --pause halts it\n"
    assert capsys.readouterr() == ("", words if ends_with is KeyboardInterrupt else "")


def test_quiet_without_a_terminal_is_silence(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressBars(quiet=True, clock=clock) as bars:
        clock.now = 60
        bars(state())
    assert capsys.readouterr() == ("", "")


def test_terminal_shows_a_bar_only_for_long_waits(
    clock: Clock, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with ProgressBars(quiet=True, clock=clock) as bars:
        clock.now = 0.3
        bars(state(files_indexed=1, files_total=1200))
    assert capsys.readouterr().err == ""
    with ProgressBars(quiet=True, clock=clock) as bars:
        clock.now = 1.0
        bars(state(files_indexed=300, files_total=1200, vectors=7, vectors_total=90))
    shown = capsys.readouterr().err
    assert "indexing files" in shown
    assert "300/1200" in shown
    assert "making vectors" in shown


def test_slow_model_progress_is_printed(
    clock: Clock, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "embedding 1,200 of 30,000 with [b]X[/b], about 4 minutes left"
    with ProgressBars(quiet=False, clock=clock) as bars:
        clock.now = 5.0
        bars(state(message=words))
    assert capsys.readouterr().err == f"{words}\n"
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with ProgressBars(quiet=False, clock=clock) as bars:
        clock.now = 10.0
        bars(state(message=words))
        bars(state(message="about 3 minutes left"))
    shown = capsys.readouterr().err
    assert "about 3 minutes left" in shown
