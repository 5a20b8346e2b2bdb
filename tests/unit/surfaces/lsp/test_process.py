"""lsprotocol's types, imported without what nobody uses of them. In a process of its own: this one has whole ones."""

from __future__ import annotations

import subprocess
import sys

_LINES = """
import attrs
define = attrs.define
from scry.surfaces.lsp.process import import_lsprotocol_types
import_lsprotocol_types()
assert attrs.define is define
from lsprotocol import converters, types
converter = converters.get_converter()
place = {"line": 1, "character": 2}
params = converter.structure({"textDocument": {"uri": "file:///a"}, "position": place}, types.HoverParams)
assert params.position == types.Position(1, 2), "places are still compared by what they say"
assert params != converter.structure(converter.unstructure(params), types.HoverParams), "nothing else is: it is lean"
assert converter.unstructure(params) == {"textDocument": {"uri": "file:///a"}, "position": place}
assert attrs.has(types.HoverParams)
"""


def test_slim_lsprotocol_types_convert_as_usual() -> None:
    done = subprocess.run([sys.executable, "-c", _LINES], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
