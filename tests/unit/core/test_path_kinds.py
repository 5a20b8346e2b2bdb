from __future__ import annotations

import pytest

from scry.core import classify_path, families_here, platform_of_path, superseded_paths, version_of_path


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
        ("t/basic.t", "test"),
        ("src/Get-Total.Tests.ps1", "test"),
        ("test/shop_SUITE.erl", "test"),
        ("App/CartTests.m", "test"),
        ("man/shop.1", "documentation"),
        ("conftest.py", "test"),
        ("src/x.spec.ts", "test"),
        ("src/x.test.jsx", "test"),
        ("a/__tests__/b.js", "test"),
        ("src/FooTest.java", "test"),
        ("src/FooTests.cs", "test"),
        ("src/TestFoo.kt", ""),
        ("src/UnitTests/Bug/ReportMissingInclude.cs", "test"),
        ("Src/Json.Tests/Schema/Extensible.cs", "test"),
        ("Harbor.Test/Sailing.cs", "test"),
        ("AppUITests/Launch.swift", "test"),
        ("app/src/smokeTest/kotlin/Start.kt", "test"),
        ("lib/unit_tests/helper.c", "test"),
        ("tokio-test/src/io.rs", ""),
        ("src/Contests/Entry.cs", ""),
        ("src/latest/App.cs", ""),
        ("src/Latest/App.cs", ""),
        ("spec/models/user_spec.rb", "test"),
        ("benches/a.rs", "test"),
        ("vendor/x/y.go", "vendored"),
        ("third_party/x.c", "vendored"),
        ("3rdParty/x.c", "vendored"),
        ("t/integration/tasks.py", "test"),
        ("src/t/session.py", ""),
        ("deps/lua/src/lapi.c", "vendored"),
        ("web/deps/session.py", ""),
        ("single_include/json.hpp", "generated"),
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
def test_path_kind_needs_whole_words(path: str, kinds: str) -> None:
    assert classify_path(path) == frozenset(kinds.split())


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/win/tcp.c", ("windows", "src/*")),
        ("src/unix/tcp.c", ("unix", "src/*")),
        ("net/dial_windows.go", ("windows", "net/dial_*")),
        ("net/dial_linux.go", ("linux", "net/dial_*")),
        ("src/fs.darwin.ts", None),
        ("src/window/frame.ts", None),
        ("src/winter.c", None),
        ("docs/unixes.md", None),
        ("a/b.c", None),
    ],
)
def test_platform_needs_whole_words_in_a_path(path: str, expected: tuple[str, str] | None) -> None:
    assert platform_of_path(path) == expected


@pytest.mark.parametrize(
    ("platform", "families"),
    [
        ("linux", {"linux", "unix"}),
        ("darwin", {"macos", "unix", "bsd"}),
        ("win32", {"windows"}),
        ("freebsd14", {"unix"}),
        ("emscripten", set[str]()),
    ],
)
def test_platform_families_of_this_system(platform: str, families: set[str]) -> None:
    assert families_here(platform) == families


def test_folder_name_gives_the_api_version() -> None:
    assert version_of_path("api/v1/users.go") == (1, "api/users.go")
    assert version_of_path("v12/main.py") == (12, "main.py")
    assert version_of_path("pkg/v1beta/x.go") is None
    assert version_of_path("lib/tv1/x.go") is None
    assert version_of_path("lib/v1.py") is None


def test_older_api_version_is_superseded() -> None:
    assert superseded_paths(["api/v1/users.go", "api/v2/users.go", "api/v1/only.go"]) == {"api/v1/users.go"}


def test_version_one_is_older_than_an_unversioned_path() -> None:
    assert superseded_paths(["lib/v1/main.py", "lib/main.py"]) == {"lib/v1/main.py"}


def test_later_version_beside_unversioned_is_not_superseded() -> None:
    assert superseded_paths(["main.go", "v2/main.go"]) == frozenset()
