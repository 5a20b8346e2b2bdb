from __future__ import annotations

from scry.core.path_kinds import superseded_paths, version_of_path


def test_a_folder_names_a_version() -> None:
    assert version_of_path("api/v1/users.go") == (1, "api/users.go")
    assert version_of_path("v12/main.py") == (12, "main.py")
    assert version_of_path("pkg/v1beta/x.go") is None
    assert version_of_path("lib/tv1/x.go") is None
    assert version_of_path("lib/v1.py") is None


def test_what_has_a_newer_version_is_superseded() -> None:
    assert superseded_paths(["api/v1/users.go", "api/v2/users.go", "api/v1/only.go"]) == {"api/v1/users.go"}


def test_version_one_is_older_than_what_names_no_version() -> None:
    assert superseded_paths(["lib/v1/main.py", "lib/main.py"]) == {"lib/v1/main.py"}


def test_a_later_version_beside_none_may_be_the_newer_one() -> None:
    assert superseded_paths(["main.go", "v2/main.go"]) == frozenset()
