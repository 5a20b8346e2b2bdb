"""Imports and entry points of the languages beside the first five: what a file imports, by the files of a project."""

from __future__ import annotations

import pytest

from scry.index.graph import compute_structures, extract_file_imports, resolve_imports
from scry.index.parse.parse import parse

SAMPLES: dict[str, tuple[dict[str, str], dict[str, set[str]]]] = {
    "c": (
        {
            "src/main.c": (
                '#include "util.h"\n#include <tool/store.h>\n#include <stdio.h>\nint main(void) { return 0; }\n'
            ),
            "src/util.h": '#include "../include/tool/store.h"\n',
            "src/stdio.h": "",
            "include/tool/store.h": '#include "tool/parts/deep.h"\n',
            "vendor/x/tool/parts/deep.h": "",
        },
        {
            "src/main.c": {"src/util.h", "include/tool/store.h"},
            "src/util.h": {"include/tool/store.h"},
            "include/tool/store.h": {"vendor/x/tool/parts/deep.h"},
        },
    ),
    "cpp": (
        {
            "base/map.cc": '#include "base/map.h"\n#include <map>\n',
            "base/map.h": '#include "missing.h"\nnamespace base {}\n',
        },
        {"base/map.cc": {"base/map.h"}},
    ),
    "csharp": (
        {
            "src/App/Program.cs": "using App.Store;\nusing static App.Codes;\nusing System.Text;\n",
            "src/App/Store/Map.cs": "namespace App.Store { }\n",
            "src/App/Codes.cs": "global using X = App.Store.Map;\n",
        },
        {
            "src/App/Program.cs": {"src/App/Store/Map.cs", "src/App/Codes.cs"},
            "src/App/Codes.cs": {"src/App/Store/Map.cs"},
        },
    ),
    "ruby": (
        {
            "lib/web.rb": 'require "json"\nrequire "web/session"\nautoload :Pool, "web/pool"\n',
            "lib/web/session.rb": 'require_relative "pool"\nrequire_relative "../web"\n',
            "lib/web/pool.rb": "",
            "test/json.rb": "",
        },
        {
            "lib/web.rb": {"lib/web/session.rb", "lib/web/pool.rb"},
            "lib/web/session.rb": {"lib/web/pool.rb", "lib/web.rb"},
        },
    ),
    "php": (
        {
            "src/Http/Kernel.php": (
                "<?php\nuse App\\Cache\\{Store, Missing};\nrequire __DIR__ . '/helpers.php';\nuse Closure;\n"
            ),
            "src/Http/helpers.php": "<?php\n",
            "src/Cache/Store.php": "<?php\nuse App\\Http\\Kernel as K;\n",
            "other/Store.php": "<?php\n",
        },
        {
            "src/Http/Kernel.php": {"src/Cache/Store.php", "src/Http/helpers.php"},
            "src/Cache/Store.php": {"src/Http/Kernel.php"},
        },
    ),
    "lua": (
        {
            "lua/pick/init.lua": 'local util = require("pick.util")\nlocal x = require "socket"\n',
            "lua/pick/util.lua": "local p = require 'pick'\n",
        },
        {"lua/pick/init.lua": {"lua/pick/util.lua"}, "lua/pick/util.lua": {"lua/pick/init.lua"}},
    ),
    "kotlin": (
        {
            "src/main/kotlin/net/flow/Job.kt": (
                "import net.flow.sync.Lock\nimport java.util.*\nimport net.flow.sync.Lock.held as h\n"
            ),
            "src/main/kotlin/net/flow/sync/Lock.kt": "package net.flow.sync\n",
        },
        {"src/main/kotlin/net/flow/Job.kt": {"src/main/kotlin/net/flow/sync/Lock.kt"}},
    ),
    "scala": (
        {
            "core/cats/Functor.scala": "import cats.data.{Chain, Missing}, scala.util.Try\nimport cats.data.Chain._\n",
            "core/cats/data/Chain.scala": "import cats.Functor\n",
        },
        {
            "core/cats/Functor.scala": {"core/cats/data/Chain.scala"},
            "core/cats/data/Chain.scala": {"core/cats/Functor.scala"},
        },
    ),
    "swift": (
        {
            "Sources/Tool/main.swift": "import Foundation\nimport Net\n",
            "Sources/Net/Session.swift": "",
        },
        {"Sources/Tool/main.swift": {"Sources/Net/Session.swift"}},
    ),
    "elixir": (
        {
            "lib/web/conn.ex": (
                "defmodule Web.Conn do\n  alias Web.{HTTPServer, Missing.Thing}\n  import Web.Conn.Query\nend\n"
            ),
            "lib/web/http_server.ex": (
                "defmodule Web.HTTPServer do\n  use Web.Conn.Inner, a: 1\n  require Logger\nend\n"
            ),
            "lib/web/conn/query.ex": "",
        },
        {
            "lib/web/conn.ex": {"lib/web/http_server.ex", "lib/web/conn/query.ex"},
            "lib/web/http_server.ex": {"lib/web/conn.ex"},
        },
    ),
    "zig": (
        {
            "build.zig": 'const std = @import("std");\nconst x = @import("src/clap.zig");\n',
            "src/clap.zig": 'pub const args = @import("clap/args.zig");\nconst c = @import("clap");\n',
            "src/clap/args.zig": 'const up = @import("../clap.zig");\nconst far = @import("../../../far.zig");\n',
        },
        {
            "build.zig": {"src/clap.zig"},
            "src/clap.zig": {"src/clap/args.zig"},
            "src/clap/args.zig": {"src/clap.zig"},
        },
    ),
    "haskell": (
        {
            "app/Main.hs": "module Main where\nimport qualified Data.Doc.Parser as P\nimport Data.Map (Map)\n",
            "src/Data/Doc/Parser.hs": "module Data.Doc.Parser where\nimport Data.Doc.Types hiding (x)\n",
            "src/Data/Doc/Types.hs": "",
        },
        {"app/Main.hs": {"src/Data/Doc/Parser.hs"}, "src/Data/Doc/Parser.hs": {"src/Data/Doc/Types.hs"}},
    ),
    "bash": (
        {
            "bin/run.sh": (
                '#!/bin/sh\nsource "${ROOT}/lib/log.bash"\n. ./more.sh\n'
                '. "$(dirname "$0")/more.sh"\n. /etc/profile\n. "$1"\n'
            ),
            "bin/more.sh": "",
            "lib/log.bash": "",
        },
        {"bin/run.sh": {"lib/log.bash", "bin/more.sh"}},
    ),
}


@pytest.mark.acceptance("F6")
@pytest.mark.parametrize("language", SAMPLES)
def test_imports_lead_to_files_of_the_project(language: str) -> None:
    texts, expected = SAMPLES[language]
    files = {path: extract_file_imports(path, parse(path, text)) for path, text in texts.items()}
    assert resolve_imports(files) == expected


ENTRIES = {
    "a/start.c": "int main(void) { return 0; }\n",
    "a/start.cc": "namespace { int x; }\nint main() {}\n",
    "a/Start.cs": "class A { static async Task<int> Main(string[] args) => 1; }\n",
    "a/start.rb": "run if __FILE__ == $0\n",
    "public/index.php": "<?php run();\n",
    "main.lua": "run()\n",
    "a/start.kt": "fun main() {}\n",
    "a/main.swift": "run()\n",
    "a/Start.scala": "object A { def main(args: Array[String]): Unit = {} }\n",
    "a/application.ex": "defmodule A.Application do\nend\n",
    "a/start.zig": "pub fn main() void {}\n",
    "a/Start.hs": "main :: IO ()\nmain = pure ()\n",
    "a/start.sh": "#!/bin/bash\nrun\n",
}


@pytest.mark.acceptance("F6")
@pytest.mark.parametrize("path", ENTRIES)
def test_program_start_files_are_entry_points(path: str) -> None:
    files = {path: extract_file_imports(path, parse(path, ENTRIES[path]))}
    assert compute_structures(files, {})[path].flags == ("entry_point",)
    other = path.replace("start", "other").replace("Start", "Other").replace("main", "other").replace("index", "other")
    plain = {
        other: extract_file_imports(
            other, parse(other, ENTRIES[path].replace("main", "other").replace("Main", "Other"))
        )
    }
    starts = "__FILE__" in ENTRIES[path] or "#!" in ENTRIES[path] or "application" in path
    assert compute_structures(plain, {})[other].flags == (("entry_point",) if starts else ())
