"""Odd questions to every mode: names, paths, words and bounds that no person would type, by a seed."""

from __future__ import annotations

import inspect
import os
import random
import sys
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

import scry
from scry.core import BadRequest
from scry.engine import Engine
from scry.surfaces.render import (
    add_explanation_text,
    make_printable,
    render_answer,
    render_detail,
    render_explanation,
    to_plain_text,
)
from scry_protocol import messages

PARTS = (
    *("./", "../", "/", "shop", "fusion.py", "::", "fuse", "#L1-L4", ":3", "~2", "commit:", "a1", "%00", "%", "#"),
    *("file://", "etc/passwd", "\0", "\ud800", " > ", "shop:", "README.md", "Returns", "..", "C:\\", "belief:", "*"),
    *("memory:", "persona:direct:", "//", "\\\\", "\u202e", "検索", "🙂", "\n", "~", "$HOME", "proc/self/environ"),
)
WORDS = (
    *("fuse", "retry", "policy", "where", "is", "the", "calls", "and", "not", "imports", "(", ")", '"', "'", "AND"),
    *("lang:go", "-path:vendor", "type:commit", "type:x", "lang:", "path:../..", "20.04", "don't", "multi-agent"),
    *("検索", "🙂", "\0", "\ud800", "*", "\\", "a" * 300, "é", "\u202e", "{}", "[", "^", "~", ":", "is called by"),
)
SECRET = "root:x:"
"""The content of a file outside of the project, which no answer may contain."""


class Fuzz:
    """Questions by a seed: the same seed asks the same."""

    def __init__(self, seed: int) -> None:
        """Asks nothing yet."""
        self._random = random.Random(seed)

    def name(self) -> str:
        """Something that might be meant for a doc_id or a path."""
        return self._some(PARTS, 6, "")

    def words(self) -> str:
        """Something that might be meant for a question."""
        return self._some(WORDS, 8, self._random.choice((" ", " ", "")))

    def params(self) -> msgspec.Struct:
        """Return the params of any mode."""
        limit = self._random.choice((1, 2, 10, 1000))
        return self._random.choice(
            (
                lambda: messages.FindParams(self.words(), limit, self._random.choice((0.0, 0.5, 1.0))),
                lambda: messages.FindParams(self.name(), limit, full=True),
                lambda: messages.FindParams(self.words(), limit, reason=True),
                lambda: messages.RecentParams(self._random.choice(("", self.words())), self._random.choice((None, 1))),
                lambda: messages.OrientParams(self.name(), limit),
                lambda: messages.NeighborsParams(
                    self.name(), by=self._random.choice(("cochange", "dependency")), limit=limit
                ),
                lambda: messages.WhyParams(self.name(), self._random.choice((None, self.words()))),
                lambda: messages.WhyParams(self.name(), None, self.name()),
                lambda: messages.DetailParams(self.name(), self._random.choice((1, 2, 10**9))),
                lambda: messages.UseParams(self.name(), 1, "open", self.name()),
                lambda: messages.FeedbackParams(self.name(), "good", self.words()),
            )
        )()

    def _some(self, parts: Sequence[str], most: int, between: str) -> str:
        if self._random.random() < 0.1:
            return "".join(chr(self._random.randrange(1, 0x2FFF)) for _ in range(self._random.randrange(1, 30)))
        return between.join(self._random.choice(parts) for _ in range(self._random.randint(1, most)))


def run_query(engine: Engine, params: msgspec.Struct, query_id: str) -> str:
    """Send a query and return the rendered answer, or the message of its error.

    query_id: an answer that is kept, for half of what asks about one.
    """
    try:
        return _rendered(engine, _about(params, query_id))
    except BadRequest as error:
        return make_printable(str(error))


def _about(params: msgspec.Struct, query_id: str) -> msgspec.Struct:
    named = getattr(params, "query_id", None)
    if named and len(named) % 2:
        return msgspec.structs.replace(params, query_id=query_id)
    return params


def _rendered(engine: Engine, params: msgspec.Struct) -> str:
    match params:
        case messages.FindParams():
            return to_plain_text(render_answer(engine.find(params), explain=True, width=80))
        case messages.RecentParams():
            return to_plain_text(render_answer(engine.recent(params), explain=True, width=80))
        case messages.OrientParams():
            return to_plain_text(render_answer(engine.orient(params), explain=True, width=80))
        case messages.NeighborsParams():
            return to_plain_text(render_answer(engine.neighbors(params), explain=True, width=80))
        case messages.WhyParams():
            explanation = add_explanation_text(engine.why(params))
            assert 0 < len(explanation.summary) < 100
            return to_plain_text(render_explanation(explanation, 60)) + explanation.text
        case messages.DetailParams():
            return to_plain_text(render_detail(engine.detail(params), 60))
        case messages.UseParams():
            return str(engine.use(params))
        case messages.FeedbackParams():
            return str(engine.feedback(params))
        case _:
            raise AssertionError(params)


_HARMLESS = frozenset({tempfile.gettempdir(), "/proc/self/mountinfo"})
"""Standard error of git goes into a nameless file, which opens its folder; the log asks whether its folder is on a
network."""

_watched: list[Callable[[str], None]] = []


def _is_relative_to_open_folder(path: str) -> bool:
    """Return whether `read_file` opens a name in a folder that it has open, which the event does not name."""
    hook = inspect.currentframe()
    caller = hook.f_back.f_back if hook is not None and hook.f_back is not None else None
    return caller is not None and caller.f_code.co_name == "_open_inside" and not Path(path).is_absolute()


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if _watched and event in ("open", "os.listdir", "os.scandir") and isinstance(arguments[0], (str, bytes)):
        if _is_relative_to_open_folder(os.fsdecode(arguments[0])):
            return
        path = os.path.abspath(os.fsdecode(arguments[0]))  # noqa: PTH100 — links are to be seen as they are asked for
        for watch in list(_watched):
            watch(path)


sys.addaudithook(_hear)


@contextmanager
def opened_outside(project: Path) -> Generator[set[str]]:
    """While inside, the set fills with every path that this process opens outside of the project, its own code and
    what Scry keeps for the person.
    """
    kept = [
        os.environ[f"XDG_{name}_HOME"]
        for name in ("CACHE", "DATA", "CONFIG", "STATE")
        if f"XDG_{name}_HOME" in os.environ
    ]
    allowed = [str(project), sys.prefix, sys.base_prefix, str(Path(scry.__file__).parents[1]), os.devnull, *kept]
    found: set[str] = set()

    def watch(path: str) -> None:
        inside = any(path == place or path.startswith(place.rstrip(os.sep) + os.sep) for place in allowed)
        inside = inside or path in _HARMLESS
        if not inside:
            found.add(path)

    _watched.append(watch)
    try:
        yield found
    finally:
        _watched.remove(watch)
