"""Mining of histories, on small real repositories."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from training.histories.clones import Clone, clone_from, find_clone, name_licences
from training.histories.judged import judged_code, without_judged
from training.histories.mine import mine_commits, mine_head, mine_mentioned, mine_repositories
from training.histories.questions import write_questions
from training.histories.repositories import (
    Repository,
    held_out_names,
    is_judged,
    load_repositories,
    names_in,
    scan,
    write_repositories,
)
from training.languages import LANGUAGES
from training.manifest import Package
from training.records import Record, read_records

MIT = "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy of this software …\n"
STORE = '''class Store:
    """Keeps pages."""

    def load(self, name):
        data = self.read(name)
        return data.decode("utf-8")

    def save(self, name, text):
        data = text.encode("utf-8")
        self.write(name, data)


def checksum(text):
    total = sum(map(ord, text))
    return total % 255


def split_lines(text):
    lines = text.split("\\n")
    return [line for line in lines if line]


def join_lines(lines):
    text = "\\n".join(lines)
    return text + "\\n"
'''
ADDED = """

def count_words(text):
    words = text.split()
    return len(words)
"""


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def commit(folder: Path, message: str, files: Mapping[str, str]) -> str:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)
    return git(folder, "rev-parse", "HEAD")


def new_repository(mirror: Path, name: str) -> Path:
    folder = mirror / name.replace("/", "+")
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet")
    return folder


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """Return the folder of clones, with one repository of a few commits."""
    folder = new_repository(tmp_path, "ada/pages")
    commit(folder, "Start the project of pages", {"LICENSE": MIT, "pages/store.py": STORE, "README.md": "# Pages\n"})
    better = STORE.replace('data.decode("utf-8")', 'data.decode("utf-8", "replace")')
    commit(
        folder,
        "fix(store): accept damaged bytes (#3)\n\nA page with one wrong byte could not be read at all.",
        {"pages/store.py": better},
    )
    commit(folder, "Count the words of a page", {"pages/store.py": better + ADDED})
    commit(
        folder,
        "Check damaged bytes in a test",
        {"tests/test_store.py": "def test_load_accepts_damaged_bytes():\n    assert True\n"},
    )
    commit(folder, "Merge branch 'main'", {"pages/store.py": better.replace("255", "256") + ADDED})
    return tmp_path


def mined(mirror: Path, name: str = "ada/pages") -> list[Record]:
    clone = find_clone(mirror, name)
    assert clone is not None
    return list(mine_commits(clone, clone.resolve("HEAD"), f"github:{name}", name, Counter()))


def test_a_subject_stands_beside_the_function_as_it_was_before(history: Path) -> None:
    [changed] = [record for record in mined(history) if record.kind == "commit"]
    assert (changed.path, changed.container, changed.name) == ("pages/store.py", "Store", "load")
    assert changed.doc == "accept damaged bytes\n\nA page with one wrong byte could not be read at all."
    assert 'decode("utf-8")' in changed.code
    assert "replace" not in changed.code


def test_an_added_function_is_taken_from_after_the_commit(history: Path) -> None:
    added = [(record.name, record.doc) for record in mined(history) if record.kind == "added"]
    assert ("count_words", "Count the words of a page") in added


def test_neighbours_in_the_file_are_stored_once(history: Path) -> None:
    siblings = [record.name for record in mined(history) if record.kind == "sibling"]
    assert sorted(siblings) == sorted(set(siblings))
    assert {"save", "checksum", "split_lines"} <= set(siblings)


def test_merges_tests_and_dull_subjects_give_no_record(history: Path) -> None:
    docs = {record.doc.partition("\n")[0] for record in mined(history) if record.doc}
    assert docs == {"accept damaged bytes", "Count the words of a page"}


def test_a_sweeping_commit_gives_no_record(tmp_path: Path) -> None:
    folder = new_repository(tmp_path, "ada/wide")
    functions = "".join(f"def work_{n}(value):\n    result = value + {n}\n    return result\n\n\n" for n in range(9))
    commit(folder, "Start with nine functions of one kind", {"a.py": functions})
    commit(folder, "Multiply in every function of the file", {"a.py": functions.replace("value + ", "value * ")})
    assert not [record for record in mined(tmp_path, "ada/wide") if record.doc.startswith("Multiply")]


def test_commits_to_copies_of_judged_projects_are_refused_and_counted(tmp_path: Path) -> None:
    folder = new_repository(tmp_path, "ada/app")
    commit(folder, "Start the application with a copy", {"lib/requests/api.py": STORE})
    commit(folder, "Accept damaged bytes in pages", {"lib/requests/api.py": STORE.replace("255", "256")})
    clone = find_clone(tmp_path, "ada/app")
    assert clone is not None
    refusals: Counter[str] = Counter()
    commit_id = clone.resolve("HEAD")
    assert not list(mine_commits(clone, commit_id, "github:ada/app", "ada/app", refusals))
    assert not mine_head(clone, commit_id, "github:ada/app", "ada/app", refusals)
    assert refusals == {"commits to files of judged projects": 1, "files of judged projects": 1}


def test_copies_of_judged_code_under_other_names_are_dropped(tmp_path: Path) -> None:
    judged = new_repository(tmp_path, "someone/click")
    lines = "".join(f"    total = total * {n} + len(text)\n" for n in range(20))
    commit(judged, "Start", {"click/core.py": f"def measure(text):\n    total = 0\n{lines}    return total\n"})
    copied = f"def measure(text):\n  total = 0\n{lines}  return total"
    own = [
        Record("github:ada/x", "python", "x.py", "definition", name, "", "", code)
        for name, code in (("measure", copied), ("other", copied.replace("len", "sum")))
    ]
    refusals: Counter[str] = Counter()
    kept = list(without_judged(own, judged_code(tmp_path), refusals))
    assert [record.name for record in kept] == ["other"]
    assert refusals == {"records with the code of judged projects": 1}


def test_test_names_and_documents_are_paired_with_what_they_name(tmp_path: Path) -> None:
    folder = new_repository(tmp_path, "ada/pages")
    files = {
        "pages/store.py": STORE,
        "tests/test_store.py": 'def test_empty_lines_are_left_out():\n    assert split_lines("\\n") == []\n',
        "README.md": "# Pages\n\nText is brought back into one piece with `join_lines()` at the end.\n",
    }
    commit(folder, "Start", files)
    clone = find_clone(tmp_path, "ada/pages")
    assert clone is not None
    found = mine_mentioned(clone, clone.resolve("HEAD"), "github:ada/pages", "ada/pages", Counter())
    assert [(record.kind, record.doc, record.name) for record in found] == [
        ("test", "empty lines are left out", "split_lines"),
        ("mention", "Text is brought back into one piece with join_lines() at the end.", "join_lines"),
    ]


def test_questions_point_at_the_state_before_the_commit(history: Path) -> None:
    clone = find_clone(history, "ada/pages")
    assert clone is not None
    target = history / "questions.jsonl"
    assert write_questions(clone, clone.resolve("HEAD"), "ada/pages", target) == 1
    lines = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    question = next(line for line in lines if "question" in line)
    [number] = question["targets"]
    assert question["question"] == "accept damaged bytes"
    assert lines[number]["name"] == "load"
    assert set(question["targets"]) < set(question["file"]) <= set(question["tree"])
    assert question["other_words"] is True


def test_scan_pins_licensed_repositories_and_tells_why_it_refuses_others(history: Path) -> None:
    fork = history / "eve+pages-fork"
    git(history, "clone", "--quiet", str(history / "ada+pages"), str(fork))
    for name, licence in (
        ("bob/closed", "GNU General Public License, version 3\n"),
        ("eve/flask", MIT),
        ("laravel/x", MIT),
        ("bob/none", ""),
    ):
        commit(
            new_repository(history, name), "Start", {"COPYING" if licence else "x.md": licence or "x\n", "a.py": STORE}
        )
    found, refused = scan(history, [], [])
    head = git(history / "ada+pages", "rev-parse", "HEAD")
    assert found == [Repository("ada/pages", "https://github.com/ada/pages", head, "MIT", "python")]
    assert refused == {
        "fork of another one in the list": ["eve/pages-fork"],
        "name of a judged project": ["eve/flask", "laravel/x"],
        "licence not permissive, or none in the root folder": ["bob/closed", "bob/none"],
    }
    write_repositories(found, refused, history / "list.toml")
    assert load_repositories(history / "list.toml") == found


def test_the_source_of_a_held_out_package_is_refused(tmp_path: Path) -> None:
    commit(new_repository(tmp_path, "owner/leaflet"), "Start", {"LICENSE": MIT, "a.py": STORE})
    package = Package("debian", "libleaflet-dev", "1", "x.deb", "00", "MIT", held_out=True)
    assert scan(tmp_path, [package], []) == ([], {"source of a held-out package": ["owner/leaflet"]})
    found, _ = scan(tmp_path, [package], ["owner/leaflet"])
    assert [one.held_out for one in found] == [True]


def test_the_list_names_no_judged_project_and_pins_every_repository() -> None:
    repositories = load_repositories()
    assert [one.name for one in repositories if is_judged(one.name)] == []
    assert all(len(one.commit) == 40 and one.licence and one.language in LANGUAGES for one in repositories)
    assert sum(one.held_out for one in repositories) >= 40
    held_out = set(held_out_names())
    assert {one.name for one in repositories if one.held_out} <= held_out
    assert not held_out & {one.name for one in repositories if not one.held_out}


def test_a_fork_of_a_judged_project_is_refused_under_any_name(tmp_path: Path) -> None:
    commit(new_repository(tmp_path, "owner/flask"), "Start", {"LICENSE": MIT, "a.py": STORE})
    git(tmp_path, "clone", "--quiet", str(tmp_path / "owner+flask"), str(tmp_path / "eve+bottle-opener"))
    found, refused = scan(tmp_path, [], [])
    assert found == []
    assert refused["fork of a judged project"] == ["eve/bottle-opener"]


def test_mining_resumes_clones_what_is_missing_and_keeps_held_out_apart(history: Path, tmp_path: Path) -> None:
    source = history / "ada+pages"
    head = git(source, "rev-parse", "HEAD")
    trained = Repository("ada/copy", str(source), head, "MIT", "python")
    held_out = Repository("ada/pages", str(source), head, "MIT", "python", held_out=True)
    mirror, folder = tmp_path / "clones", tmp_path / "out"
    mine_repositories([trained, held_out], mirror, folder)
    assert names_in(mirror) == ["ada/copy", "ada/pages"]
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.jsonl")} == {
        "repos/ada+copy.jsonl",
        "commits/ada+copy.jsonl",
        "mentions/ada+copy.jsonl",
        "repos/ada+pages.jsonl",
        "questions/ada+pages.jsonl",
    }
    kept = folder / "commits" / "ada+copy.jsonl"
    kept.write_text("", encoding="utf-8")
    mine_repositories([trained], mirror, folder)
    assert list(read_records([kept])) == []
    files_only = Repository("ada/copy", str(source), head, "MIT", "python", files_only=True)
    mine_repositories([files_only], mirror, tmp_path / "files")
    assert [path.relative_to(tmp_path).as_posix() for path in (tmp_path / "files").rglob("*.jsonl")] == [
        "files/repos/ada+copy.jsonl"
    ]
    with pytest.raises(RuntimeError, match="ada/gone"):
        mine_repositories([Repository("ada/gone", str(tmp_path / "gone"), head, "MIT", "python")], mirror, folder)


def test_objects_of_any_size_and_missing_ones_are_read_in_order(tmp_path: Path) -> None:
    folder = new_repository(tmp_path, "ada/sizes")
    commit(folder, "Start", {"a.txt": "one\n", "large.txt": "x" * 500_000, "b.txt": "two\n"})
    names = ["HEAD:a.txt", "HEAD:large.txt", "HEAD:missing name.txt", "HEAD:b.txt"]
    assert list(Clone(folder).read(names)) == ["one\n", None, None, "two\n"]


def test_clone_is_found_in_every_layout(tmp_path: Path) -> None:
    source = new_repository(tmp_path, "ada/work-tree")
    commit(source, "Start", {"a.txt": "one\n"})
    clone_from(str(source), tmp_path, "ada/bare")
    (tmp_path / "ada+inner").mkdir()
    git(tmp_path, "clone", "--quiet", "--bare", str(source), str(tmp_path / "ada+inner" / "repo"))
    for name in ("ada/work-tree", "ada/bare", "ada/inner"):
        clone = find_clone(tmp_path, name)
        assert clone is not None
        assert list(clone.read(["HEAD:a.txt"])) == ["one\n"]
    assert find_clone(tmp_path, "ada/none") is None


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        ([MIT], "MIT"),
        (["Apache License\nVersion 2.0", MIT], "Apache-2.0 or MIT"),
        (["Redistribution and use in source and\n binary forms, with or without"], "BSD"),
        (["GNU GENERAL PUBLIC LICENSE\nVersion 2"], ""),
        ([MIT, "Mozilla Public License Version 2.0"], ""),
        ([MIT + "\nThe Commons Clause restricts this licence."], ""),
        ([""], ""),
        ([], ""),
    ],
)
def test_licences_are_recognised_by_their_text(texts: list[str], name: str) -> None:
    assert name_licences(texts) == name


@pytest.mark.parametrize(("name", "judged"), [("laravel/framework", True), ("x/Tokio", True), ("pallets/jinja", False)])
def test_owners_and_names_of_judged_projects_are_recognised(name: str, judged: bool) -> None:
    assert is_judged(name) is judged
