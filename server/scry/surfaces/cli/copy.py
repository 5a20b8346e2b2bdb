"""`scry copy`: puts the place of a result of an earlier answer on the clipboard."""

from __future__ import annotations

import secrets
import sys

import msgspec

from scry.surfaces.cli.open import QueryIdArgument, RankArgument
from scry.surfaces.cli.options import ForceOption, JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_text
from scry_protocol.messages import UseParams


def copy(query_id: QueryIdArgument, rank: RankArgument, /, *, root: RootOption = None, force: ForceOption = False, as_json: JsonOption = False) -> int:
    """Copies a code reference such as src/app.py:12-40, or a commit's name, and prints it.

    It goes to the platform's clipboard, or to that of your terminal, also over ssh (OSC 52).
    """
    from scry.surfaces.cli.clipboards import copy_to_clipboard
    from scry.surfaces.cli.opening import open_engine
    from scry.surfaces.text.clipboard import result_clipboard_text

    with open_engine(root, force=force) as engine:
        text = result_clipboard_text(engine.recorder.answers.require(query_id).result(rank))
        recorded = engine.use(UseParams(query_id, rank, "copy", f"cli-{secrets.token_hex(8)}"))
        taken_by = copy_to_clipboard(text)
    if as_json:
        print_json(msgspec.structs.replace(recorded, text=text))
    else:
        print_text(text + "\n")
    for note in (recorded.note, "" if taken_by else "there is no clipboard here; it is only printed"):
        if note:
            print(f"scry: {note}", file=sys.stderr)
    return 0
