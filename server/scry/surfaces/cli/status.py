"""`scry status`: how fresh and complete the index is."""

from __future__ import annotations

from scry.surfaces.cli.options import ForceOption, JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.text.state import render_index_state


def status(*, root: RootOption = None, force: ForceOption = False, as_json: JsonOption = False) -> int:
    """Says how fresh and complete the index is. Changes nothing and starts nothing."""
    from scry.surfaces.cli.opening import open_engine

    with open_engine(root, force=force) as engine:
        state = engine.status()
        folder = str(engine.project.root)
    if as_json:
        print_json(state)
    else:
        print_lines(render_index_state(state, folder))
    return 0
