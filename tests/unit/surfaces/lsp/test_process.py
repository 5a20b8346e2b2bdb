"""lsprotocol's types, imported without what nobody uses of them. In a process of its own: this one has whole ones."""

from __future__ import annotations

import os
import subprocess
import sys

from scry.surfaces.lsp import is_process_alive

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


def test_a_process_is_alive_until_it_ended() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert is_process_alive(process.pid)
    assert is_process_alive(os.getpid())
    process.communicate(b"\n")
    assert not is_process_alive(process.pid)
