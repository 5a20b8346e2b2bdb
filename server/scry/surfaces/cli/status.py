"""`scry status`: how fresh and complete the index is."""

from __future__ import annotations

from scry.surfaces.cli.options import Force, Json, Root
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.text.state import show_state


def status(*, root: Root = None, force: Force = False, as_json: Json = False) -> int:
    """Says how fresh and complete the index is. Changes nothing and starts nothing."""
    from scry.surfaces.cli.opening import open_engine

    with open_engine(root, force=force) as engine:
        state = engine.status()
        folder = str(engine.project.root)
    if as_json:
        print_json(state)
    else:
        print_lines(show_state(state, folder))
    return 0
