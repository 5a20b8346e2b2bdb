"""`scry index` and `scry status`: update, pause and inspect the index."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from msgspec.structs import replace

from scry.core.errors import BadRequest, IndexUnavailable
from scry.engine.response.answer import describe_incomplete, describe_size
from scry.surfaces.cli.options import ForceOption, JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.render.activity import render_index_state
from scry.surfaces.render.styled_text import styled_line
from scry_protocol.messages import IndexState

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry.engine.project_index import IndexAction


def index(
    *,
    rebuild: Annotated[bool, Parameter(help="Forget the index and make it from nothing.")] = False,
    pause: Annotated[bool, Parameter(help="Let the running indexer rest, until it is resumed or has ended.")] = False,
    resume: Annotated[bool, Parameter(help="Go on after a pause, to the end.")] = False,
    root: RootOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Brings the index up to date with the files, and says when it is.

    It need not come before a find, which does the same.
    """
    from scry.surfaces.cli.engines import open_engine

    action = _choose_action(rebuild=rebuild, pause=pause, resume=resume)
    started_at = time.monotonic()
    with open_engine(root, force=force) as engine:
        state = _run_action(engine, action)
        folder = str(engine.project.root)
        if as_json:
            now = engine.status()
            state = replace(state, learning=now.learning, replay=now.replay)
    if state.state == "failed":
        raise IndexUnavailable(state.message)
    if as_json:
        print_json(state)
    else:
        print_lines([styled_line((folder, "place"), f": {_describe_outcome(state, time.monotonic() - started_at)}")])
    return 0


def _choose_action(*, rebuild: bool, pause: bool, resume: bool) -> IndexAction:
    if rebuild + pause + resume > 1:
        raise BadRequest("action", "--rebuild, --pause and --resume exclude each other; give one of them")
    if pause:
        return "pause"
    return "rebuild" if rebuild else "resume" if resume else "start"


def _run_action(engine: Engine, action: IndexAction) -> IndexState:
    from scry.surfaces.cli.progress import ProgressBars

    if action == "start" and engine.index.is_complete():
        return engine.status()
    if action == "pause":
        return _pause_indexer(engine)
    with ProgressBars(quiet=False) as bars:  # an indexer that is being started goes on, too
        engine.control(action)
        return engine.wait_until_current(None, bars, vectors=True)


def _pause_indexer(engine: Engine) -> IndexState:
    """Pause the running indexer. Raises IndexUnavailable where none runs, rather than starting one to pause it."""
    from scry.indexer.client.connection import probe_indexer

    if probe_indexer(engine.project) is None:
        raise IndexUnavailable("no indexer is running for this project, so there is nothing to pause")
    return engine.control("pause")


def _describe_outcome(state: IndexState, seconds: float) -> str:
    if state.state == "ready":
        remark = f". {state.message}" if state.message else ""
        return f"{describe_size(state)} ready, after {seconds:.1f} s{remark}"
    return describe_incomplete(state)


def status(
    *,
    languages: Annotated[bool, Parameter(help="Name the languages of the index, with the files of each.")] = False,
    root: RootOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Says how fresh and complete the index is. Changes nothing and starts nothing."""
    from scry.surfaces.cli.engines import open_engine

    with open_engine(root, force=force) as engine:
        state = engine.status(languages=languages)
        folder = str(engine.project.root)
    if as_json:
        print_json(state)
    else:
        print_lines(render_index_state(state, folder))
    return 0
