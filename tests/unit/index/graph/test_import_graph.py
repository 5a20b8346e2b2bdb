from __future__ import annotations

import pytest

from scry.index.graph import FileImports, compute_structures, extract_file_imports, resolve_imports
from scry.index.parse.parse import parse

SAMPLES: dict[str, tuple[dict[str, str], dict[str, set[str]]]] = {
    "python": (
        {
            "src/pkg/__init__.py": "from .core import Thing\n",
            "src/pkg/core.py": "from . import tools\nfrom .sub.deep import (\n    one,  # x\n    two as second,\n)\n",
            "src/pkg/tools.py": "import json, os.path\nfrom ..missing import nothing\n",
            "src/pkg/json.py": "",
            "src/pkg/sub/__init__.py": "",
            "src/pkg/sub/deep.py": "import pkg.tools as t\nfrom pkg import core\nfrom pkg.core import Thing\n",
            "tests/test_core.py": "import pkg\nfrom pkg.sub import deep\nfrom helper import x\n",
            "tests/helper.py": "import pkg.sub.deep.one\nfrom .... import far\n",
            "core.py": "import core\n",
        },
        {
            "src/pkg/__init__.py": {"src/pkg/core.py"},
            "src/pkg/core.py": {"src/pkg/tools.py", "src/pkg/sub/deep.py"},
            "src/pkg/sub/deep.py": {"src/pkg/tools.py", "src/pkg/core.py"},
            "tests/test_core.py": {"src/pkg/__init__.py", "src/pkg/sub/deep.py", "tests/helper.py"},
            "tests/helper.py": {"src/pkg/sub/deep.py"},
        },
    ),
    "javascript": (
        {
            "index.js": "import a from './lib/a';\nimport './style.css';\nimport React from 'react';\n",
            "lib/a.js": "const b = require('./b');\nexport * from '..';\n",
            "lib/b/index.ts": "import type { C } from '../c.js';\nimport x from './';\nimport('../late.mjs');\n",
            "lib/c.ts": "import own from '@org/own';\nimport deep from '@org/own/lib/a';\nimport '../../outside';\n",
            "lib/late.mjs": "import './data.json?raw';\n",
            "lib/data.json": "{}",
            "package.json": '{"name": "@org/own"}',
        },
        {
            "index.js": {"lib/a.js"},
            "lib/a.js": {"lib/b/index.ts", "index.js"},
            "lib/b/index.ts": {"lib/c.ts", "lib/late.mjs"},
            "lib/c.ts": {"index.js", "lib/a.js"},
            "lib/late.mjs": {"lib/data.json"},
        },
    ),
    "go": (
        {
            "go.mod": "module example.com/tool\n\ngo 1.22\n",
            "main.go": 'package main\nimport (\n\t"fmt"\n\tx "example.com/tool/internal/x"\n)\nfunc main() {}\n',
            "internal/x/x.go": 'package x\nimport "example.com/toolbox"\n',
            "internal/x/x_test.go": 'package x\nimport . "example.com/tool"\n',
        },
        {"main.go": {"internal/x/x.go"}, "internal/x/x_test.go": {"main.go"}},
    ),
    "go without go.mod": (
        {
            "cmd/a.go": 'package main\nimport "example.com/team/tool/pkg/store"\nimport "store"\n',
            "pkg/store/store.go": "package store\n",
        },
        {"cmd/a.go": {"pkg/store/store.go"}},
    ),
    "rust": (
        {
            "app/src/lib.rs": "mod net;\npub mod util;\nuse net::tcp::{self, Stream};\nuse std::fmt;\n",
            "app/src/net/mod.rs": "pub mod tcp;\nuse super::util::{trim, pad as p};\n",
            "app/src/net/tcp.rs": "use crate::util::*;\nuse super::Shared;\nuse other_crate::thing::Deep;\n",
            "app/src/util.rs": "use crate::Root;\nmod tests { use super::*; }\n",
            "other-crate/src/lib.rs": "pub mod thing;\n",
            "other-crate/src/thing.rs": "use self::inner::A;\nmod inner;\n",
            "other-crate/src/thing/inner.rs": "",
        },
        {
            "app/src/lib.rs": {"app/src/net/mod.rs", "app/src/util.rs", "app/src/net/tcp.rs"},
            "app/src/net/mod.rs": {"app/src/net/tcp.rs", "app/src/util.rs"},
            "app/src/net/tcp.rs": {"app/src/util.rs", "app/src/net/mod.rs", "other-crate/src/thing.rs"},
            "app/src/util.rs": {"app/src/lib.rs"},
            "other-crate/src/lib.rs": {"other-crate/src/thing.rs"},
            "other-crate/src/thing.rs": {"other-crate/src/thing/inner.rs"},
        },
    ),
    "java": (
        {
            "a/src/main/java/com/x/One.java": "import com.x.y.Two;\nimport static com.x.y.Two.In.go;\nimport com.*;\n",
            "a/src/main/java/com/x/y/Two.java": "import com.x.One;\nimport java.util.List;\n",
        },
        {
            "a/src/main/java/com/x/One.java": {"a/src/main/java/com/x/y/Two.java"},
            "a/src/main/java/com/x/y/Two.java": {"a/src/main/java/com/x/One.java"},
        },
    ),
    "markdown": ({"README.md": "[a](./b.md)\n", "b.md": "[README](README.md)\n"}, {}),
}


def _files(texts: dict[str, str]) -> dict[str, FileImports]:
    return {path: extract_file_imports(path, parse(path, text)) for path, text in texts.items()}


@pytest.mark.parametrize("name", SAMPLES)
def test_imports_lead_to_files_of_the_project(name: str) -> None:
    texts, expected = SAMPLES[name]
    manifests = {path: text for path, text in texts.items() if path.endswith(("go.mod", "package.json"))}
    assert resolve_imports(_files(texts), manifests=manifests) == expected


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("tool.py", 'if __name__ == "__main__":\n    run()\n', True),
        ("pkg/__main__.py", "", True),
        ("pkg/main.py", "x = 1\n", False),
        ("main.py", "x = 1\n", True),
        ("pkg/util.py", "def main(): pass\n", False),
        ("cmd/x.go", "package main\n\nfunc main() {}\n", True),
        ("x.go", "package x\n\ntype T int\n\nfunc (T) main() {}\n", False),
        ("src/main.rs", "fn main() {}\n", True),
        ("src/bin/tool.rs", "", True),
        ("src/a.rs", "#![allow(x)]\nfn a() {}\n", False),
        ("A.java", "class A { public static void main(String[] a) {} }", True),
        ("A.java", "class A { void main() {} }", False),
        ("packages/a/src/index.ts", "", True),
        ("src/deep/down/index.ts", "", False),
        ("bin/run.js", "", True),
        ("tools/x.mjs", "#!/usr/bin/env node\nimport 'a';\n", True),
        ("README.md", "#!/bin/sh\n", False),
    ],
)
def test_entry_points_are_detected(path: str, text: str, expected: bool) -> None:
    flags = compute_structures(_files({path: text}), {})[path].flags
    assert ("entry_point" in flags) is expected


def test_a_test_is_flagged_and_no_entry_point() -> None:
    structure = compute_structures(_files({"tests/test_a.py": 'if __name__ == "__main__":\n    run()\n'}), {})
    assert structure["tests/test_a.py"].flags == ("test",)


def _many(counts: dict[str, int]) -> tuple[dict[str, FileImports], dict[str, set[str]]]:
    """Return a project of 100 Python files in which each named file has so many importers."""
    files = {f"f{number:03}.py": FileImports("python") for number in range(100)}
    edges: dict[str, set[str]] = {}
    for path, count in counts.items():
        others = [other for other in files if other != path][:count]
        for other in others:
            edges.setdefault(other, set()).add(path)
    return files, edges


def test_importers_are_distinct_and_exclude_the_file() -> None:
    files, edges = _many({"f001.py": 7})
    edges["f001.py"] = {"f001.py"}
    assert compute_structures(files, edges)["f001.py"].importers == 7


def test_centrality_is_by_bands_of_this_project() -> None:
    counts = {f"f{n:03}.py": 50 - n for n in range(45)}
    described = compute_structures(*_many(counts))
    bands = {band: [p for p, s in described.items() if s.centrality == band] for band in ("high", "medium", "low")}
    assert bands["high"] == [f"f{n:03}.py" for n in range(10)]
    assert bands["medium"] == [f"f{n:03}.py" for n in range(10, 40)]


def test_few_importers_are_never_high_and_none_never_medium() -> None:
    described = compute_structures(*_many({"f000.py": 1}))
    assert described["f000.py"].centrality == "medium"
    assert described["f001.py"].centrality == "low"


def test_files_with_equal_importers_share_a_band() -> None:
    described = compute_structures(*_many({f"f{n:03}.py": 3 for n in range(20)}))
    assert {described[f"f{n:03}.py"].centrality for n in range(20)} == {"high"}
    mixed = compute_structures(*_many({"f000.py": 9} | {f"f{n:03}.py": 3 for n in range(1, 30)}))
    assert mixed["f000.py"].centrality == "high"
    assert {mixed[f"f{n:03}.py"].centrality for n in range(1, 30)} == {"medium"}


def test_documents_are_never_central() -> None:
    files = {"README.md": FileImports("markdown"), "a.py": FileImports("python")}
    assert compute_structures(files, {"a.py": {"README.md"}})["README.md"].centrality == "low"
