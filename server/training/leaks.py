"""The leak check: nothing of the projects that judge retrieval quality may be trained or tuned on.

A file is refused where a part of its path, or its package, bears the name of such a project (or an alias of it), and
where its text declares itself to be part of one: by its package, namespace or module line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

NEVER_TRAIN_ON = tuple(
    """abseil-cpp aeson aiohttp alamofire axios axum bash-it bats-core cats chi circe click cobra commons-lang curl dapper
    ecto exposed express fastapi flask fmtlib gin gson guzzle http4s httpx jackson-databind kotlinx-coroutines ktor
    laravel-framework lazy.nvim libuv messagepack-csharp mini.nvim model2vec monolog newtonsoft-json nlohmann-json nvm
    pandoc phoenix plug pydantic rack rails redis redux requests serde sinatra snapkit starlette telescope.nvim tokio
    trpc vapor vitest xmonad zig zig-clap zls zod""".split()
)
"""The projects, as their judges name them."""

_ALIASES = tuple(
    """abseil absl bats commons-lang2 commons-lang3 lang3 fmt guzzlehttp databind kotlinx.coroutines laravel illuminate
    libcurl messagepack-cs newtonsoft newtonsoft.json nlohmann pydantic-core pydantic_core activerecord actionpack
    actionview activesupport activemodel activejob railties redis-server hiredis serde_derive serde_json serde-json
    serde_core tokio-util tokio-macros tokio_util libcommons-lang3-java zig-std std.zig telescope lazy-nvim
    @reduxjs @trpc @vitest reduxjs-toolkit express-session jedis""".split()
)
_NAMES = frozenset(NEVER_TRAIN_ON) | frozenset(_ALIASES)
_DECLARES = re.compile(
    r"""^\s*(?:
      package\s+(?:com\.google\.gson|com\.fasterxml\.jackson\.databind|org\.apache\.commons\.lang3?|cats|io\.circe
                   |org\.http4s|kotlinx\.coroutines|io\.ktor|org\.jetbrains\.exposed)\b
    | (?:inline\s+)?namespace\s+(?:absl|fmt|nlohmann|Newtonsoft\.Json|MessagePack|Dapper|GuzzleHttp|Monolog|Illuminate)\b
    | module\s+(?:Data\.Aeson|XMonad|Text\.Pandoc|Rack|Rails|Sinatra|ActiveRecord|ActiveSupport|ActionView)\b
    | defmodule\s+(?:Ecto|Phoenix|Plug)\b
    )""",
    re.VERBOSE | re.MULTILINE,
)
_VERSION = re.compile(r"-v?\d[\w.+~]*$")
_SOURCE = re.compile(r"^(?:rust|golang|haskell|ruby|php|lua|elixir|python|librust|node)-(?:github-|golang-)?|-(?:dev|java|clojure)$")


def names_judged(name: str) -> bool:
    """Tell whether a package's or a path part's name is that of a project never trained on."""
    name = _VERSION.sub("", name.lower())
    return name in _NAMES or _SOURCE.sub("", name) in _NAMES


def refused(package: str, path: str, text: str) -> bool:
    """Tell whether a file belongs to, or is a copy of, a project never trained on."""
    return names_judged(package) or any(map(names_judged, _parts(path))) or _DECLARES.search(text) is not None


def _parts(path: str) -> Iterable[str]:
    *folders, file = path.split("/")
    yield from folders
    yield file.partition(".")[0]
