"""lsprotocol's types, each finished when it is used. In processes of their own: this one has whole ones."""

from __future__ import annotations

import subprocess
import sys

_LATE = """
import attrs
define = attrs.define
from scry.surfaces.lsp.lsprotocol_types import import_lsprotocol_types
import_lsprotocol_types()
assert attrs.define is define
"""

_CONVERT = """
from lsprotocol import converters, types
def is_finished(kind): return isinstance(vars(kind)["__attrs_attrs__"], tuple)
converter = converters.get_converter()
assert not is_finished(types.HoverParams)
place = {"line": 1, "character": 2}
params = converter.structure({"textDocument": {"uri": "file:///a"}, "position": place}, types.HoverParams)
assert is_finished(types.HoverParams)
assert params.position == types.Position(1, 2), "places are still compared by what they say"
assert params != converter.structure(converter.unstructure(params), types.HoverParams), "nothing else is: it is lean"
assert converter.unstructure(params) == {"textDocument": {"uri": "file:///a"}, "position": place}
assert attrs.has(types.HoverParams)
try:
    params.position.line = "x"
except ValueError:
    pass
else:
    raise AssertionError("a value is still checked")
"""

_THREADS = """
import threading
from lsprotocol import types
start, made = threading.Barrier(8), []
def make():
    start.wait()
    made.append(types.Location("file:///a", types.Range(types.Position(1, 2), types.Position(3, 4))))
threads = [threading.Thread(target=make) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(made) == 8 and all(each == made[0] for each in made)
"""

_FIELDS = """
import attrs, re
from lsprotocol import converters, types
converters.get_converter()
for name, kind in sorted(types.ALL_TYPES_MAP.items()):
    if isinstance(kind, type) and attrs.has(kind):
        for f in attrs.fields(kind):
            print(name, f.name, f.type, f.default, re.sub(" at 0x[0-9a-f]+", "", repr(f.validator)), f.kw_only, f.init)
"""


def _run(lines: str) -> str:
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_types_finished_late_convert_as_usual() -> None:
    _run(_LATE + _CONVERT)


def test_threads_may_finish_a_type_together() -> None:
    _run(_LATE + _THREADS)


def test_types_finished_late_have_the_fields_of_whole_ones() -> None:
    late = _run(_LATE + _FIELDS)
    assert late == _run(_FIELDS)
    assert late.count("\n") > 500
