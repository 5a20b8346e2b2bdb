"""Imports lsprotocol's types without what nobody uses of them here.

attrs writes and compiles the methods of each of their 554 classes while they are imported. Comparing and printing take
half of that, 0.15 s of every start; the sidecar only builds these values and reads their fields. The few classes that
are to be compared (`Position`, `Range`, `Location`) say themselves how, and keep that.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module

import attrs


def import_lsprotocol_types() -> None:
    """To be called before anything else imports lsprotocol; later it changes nothing."""
    whole = attrs.define
    attrs.define = partial(whole, eq=False, repr=False)
    try:
        import_module("lsprotocol.types")
    finally:
        attrs.define = whole
