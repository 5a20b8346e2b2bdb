"""Check for leaks: nothing of the projects that judge retrieval quality may be used to train or tune the model.

A file is refused where a part of its path, or its package, has the name of such a project (or an alias of it), and
where its text declares itself to be part of one: by its package, namespace or module line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

_LINES = [
    line.split() for line in (Path(__file__).parent / "judged_projects.txt").read_text(encoding="utf-8").splitlines()
]
NEVER_TRAIN_ON = tuple(names[0] for names in _LINES)
"""The projects, by the names that the quality tests use."""

_NAMES = frozenset(name for names in _LINES for name in names)
_DECLARES = re.compile(
    r"""^\s*(?:
      package\s+(?:com\.google\.gson|com\.fasterxml\.jackson\.databind|org\.apache\.commons\.lang3?|cats|io\.circe
                   |org\.http4s|kotlinx\.coroutines|io\.ktor|org\.jetbrains\.exposed)\b
    | (?:inline\s+)?namespace\s+(?:absl|fmt|nlohmann|Newtonsoft\.Json|MessagePack|Dapper)\b
    | namespace\s+(?:GuzzleHttp|Monolog|Illuminate)\b
    | module\s+(?:Data\.Aeson|XMonad|Text\.Pandoc|Rack|Rails|Sinatra|ActiveRecord|ActiveSupport|ActionView)\b
    | defmodule\s+(?:Ecto|Phoenix|Plug)\b
    )""",
    re.VERBOSE | re.MULTILINE,
)
_AUTHORS = re.compile(r"The Abseil Authors|The Pallets Projects|Pallets\b.{0,40}\bClick\b|[Vv]endored from (?:C|c)lick")
_VERSION = re.compile(r"-v?\d[\w.+~]*$")
_SOURCE = re.compile(
    r"^(?:rust|golang|haskell|ruby|php|lua|elixir|python|librust|node)-(?:github-|golang-)?|-(?:dev|java|clojure)$"
)


def names_judged(name: str) -> bool:
    """Tell whether a package's or a path part's name is that of a project never trained on."""
    name = _VERSION.sub("", name.lower().strip("_"))
    return name in _NAMES or _SOURCE.sub("", name) in _NAMES


_ORDINARY = frozenset({"zig"})
"""Names that identify no project when a folder has them: a language's name."""


def refused(package: str, path: str, text: str) -> bool:
    """Tell whether a file belongs to, or is a copy of, a project never trained on."""
    declared = _DECLARES.search(text) or _AUTHORS.search(text[:3000])
    return declared is not None or names_judged(package) or any(map(names_judged, _parts(path)))


def _parts(path: str) -> Iterable[str]:
    *folders, file = path.split("/")
    yield from (folder for folder in folders if folder.lower() not in _ORDINARY)
    yield file.partition(".")[0]
