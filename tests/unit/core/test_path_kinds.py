from __future__ import annotations

import pytest

from scry.core.path_kinds import classify_path


@pytest.mark.parametrize(
    ("path", "kinds"),
    [
        ("src/app.py", ""),
        ("latest.py", ""),
        ("contest/entry.py", ""),
        ("src/attestation.go", ""),
        ("src/testing_ground.py", ""),
        ("greatest.ts", ""),
        ("src/Latest.java", ""),
        ("src/distance/vendors.py", ""),
        ("click/testing.py", ""),
        ("tests/a.py", "test"),
        ("a/Tests/x.swift", "test"),
        ("src/test_x.py", "test"),
        ("src/x_test.go", "test"),
        ("conftest.py", "test"),
        ("src/x.spec.ts", "test"),
        ("src/x.test.jsx", "test"),
        ("a/__tests__/b.js", "test"),
        ("src/FooTest.java", "test"),
        ("src/FooTests.cs", "test"),
        ("src/TestFoo.kt", ""),
        ("spec/models/user_spec.rb", "test"),
        ("benches/a.rs", "test"),
        ("vendor/x/y.go", "vendored"),
        ("third_party/x.c", "vendored"),
        ("web/node_modules/a/index.js", "vendored"),
        ("api/a_pb2.py", "generated"),
        ("api/a.pb.go", "generated"),
        ("static/jquery.min.js", "generated"),
        ("dist/app.js", "generated"),
        ("package-lock.json", "generated"),
        ("Cargo.lock", "generated"),
        ("types/a.d.ts", "declaration"),
        ("stubs/a.pyi", "declaration"),
        ("examples/a.py", "example"),
        ("README.md", "documentation"),
        ("docs/conf.py", "documentation"),
        ("LICENSE", "documentation"),
        ("MANUAL.txt", "documentation"),
        ("src/changes.py", ""),
        ("cli/man/tool.1", "documentation"),
        ("lib/deprecated/config.py", "superseded"),
        ("pyproject.toml", "configuration"),
        (".github/workflows/ci.yml", "configuration"),
        ("tsconfig.base.json", "configuration"),
        ("vite.config.ts", "configuration"),
        (".eslintrc.js", "configuration"),
        ("tests/vendor/a.min.js", "test vendored generated"),
        ("docs/examples/a.md", "documentation example"),
        ("test", ""),
        ("", ""),
    ],
)
def test_a_path_is_read_by_whole_words(path: str, kinds: str) -> None:
    assert classify_path(path) == frozenset(kinds.split())
