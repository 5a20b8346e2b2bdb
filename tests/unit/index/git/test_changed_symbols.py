"""Lines followed from the newest commit back, against what really stood there."""

from __future__ import annotations

import difflib
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from scry.index.git import DocumentLineRange, map_commits_to_documents
from scry.projects import open_project
from scry.store.history import Hunk
from scry.store.history.database import HISTORY_FILE
from tests.sample.history import HistoryProject


def document(name: str, first: int, last: int) -> DocumentLineRange:
    return DocumentLineRange(name, first, last)


def test_a_change_belongs_to_the_innermost_document() -> None:
    documents = [document("class", 0, 9), document("method", 2, 5), document("after", 10, 12)]
    found = map_commits_to_documents(13, documents, [(3, [(3, 1, 3, 1)]), (2, [(8, 1, 8, 2)]), (1, [(0, 0, 1, 12)])])
    assert found == {"class": [2, 1], "method": [3, 1], "after": [1]}


def test_lines_inserted_above_shift_older_changes() -> None:
    later: tuple[int, list[Hunk]] = (2, [(0, 0, 1, 10)])
    earlier: tuple[int, list[Hunk]] = (1, [(1, 1, 1, 1)])
    found = map_commits_to_documents(20, [document("head", 0, 9), document("body", 10, 19)], [later, earlier])
    assert found == {"head": [2], "body": [1]}


def test_deletion_belongs_to_the_document_around_it() -> None:
    documents = [document("one", 0, 4), document("two", 5, 9)]
    assert map_commits_to_documents(10, documents, [(1, [(8, 3, 7, 0)])]) == {"two": [1]}
    assert map_commits_to_documents(10, documents, [(1, [(1, 3, 0, 0)])]) == {"one": [1]}
    assert map_commits_to_documents(0, [], [(1, [(1, 3, 0, 0)])]) == {}


def hunks_between(old: list[str], new: list[str]) -> list[Hunk]:
    """Return the hunks with the line numbers of `git diff -U0`."""
    found: list[Hunk] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            found.append((a + 1 if b > a else a, b - a, c + 1 if d > c else c, d - c))
    return found


@pytest.mark.parametrize("seed", range(30))
def test_surviving_line_is_located_in_the_current_file(seed: int) -> None:
    choose = random.Random(seed)
    versions: list[list[str]] = [[]]
    for number in range(12):
        lines = list(versions[-1])
        for _ in range(choose.randint(1, 4)):
            place = choose.randint(0, len(lines))
            new = [f"{number} {choose.random()}" for _ in range(choose.randint(0, 4))]
            lines[place : place + choose.randint(0, 3)] = new
        versions.append(lines)
    commits = [(n, hunks_between(versions[n - 1], versions[n])) for n in range(len(versions) - 1, 0, -1)]
    now = versions[-1]
    each_line = [document(str(place), place, place) for place in range(len(now))]
    changed = map_commits_to_documents(len(now), each_line, commits)
    for place, line in enumerate(now):
        wrote = next(n for n in range(1, len(versions)) if line in versions[n])
        assert wrote in changed[str(place)]


def test_documents_know_the_commits_that_changed_them(tmp_path: Path) -> None:
    sample = HistoryProject(tmp_path / "shop").init_repository()
    first = "import os\n\n\ndef pay(x):\n    return x\n\n\nclass Cart:\n    def add(self, i):\n        return i\n"
    sample.commit("make", {"shop.py": first})
    sample.commit("pay more", {"shop.py": first.replace("return x", "return x + 1")})
    second = "import os\nimport sys\n\n\n# more\n" + first.replace("return x", "return x + 1")[11:]
    sample.commit("import", {"shop.py": second})
    third = second.replace("return i\n", "i += 1\n        return i\n")
    sample.commit("add one", {"shop.py": third})
    sample.update_all()
    assert sample.subjects_of_changes("./shop.py::pay") == ["pay more", "make"]
    assert sample.subjects_of_changes("./shop.py::Cart.add") == ["add one", "make"]
    assert sample.subjects_of_changes("./shop.py::Cart") == ["make"]
    sample.write({"shop.py": third.replace("def pay", "def settle")})  # a document of another name, without a commit
    sample.update_all()
    assert sample.subjects_of_changes("./shop.py::settle") == ["pay more", "make"]
    assert sample.subjects_of_changes("./shop.py::pay") == []
    sample.git("checkout", "-q", ".")
    sample.git("mv", "shop.py", "store.py")
    sample.commit("moved")
    sample.update_all()
    assert sample.subjects_of_changes("./store.py::pay") == ["pay more", "make"]
    sample.git("reset", "-q", "--hard", "HEAD~2")
    sample.update_all()
    assert sample.subjects_of_changes("./shop.py::Cart.add") == ["make"]


def stored_documents(sample: HistoryProject) -> set[str]:
    """Return the doc_ids that the history holds commits of."""
    with sample.history() as store, closing(sqlite3.connect(sample.project.cache / HISTORY_FILE)) as database:
        assert store.reader.head
        return {row[0] for row in database.execute("SELECT DISTINCT doc_id FROM symbols JOIN touched ON symbol = id")}


def test_documents_of_a_file_that_goes_with_its_last_commit_are_forgotten(tmp_path: Path) -> None:
    sample = HistoryProject(tmp_path / "shop").init_repository()
    sample.commit("make", {"shop.py": "def pay():\n    pass\n", "cart.py": "def add():\n    pass\n"})
    sample.commit("more", {"shop.py": "def pay():\n    return 1\n"})
    sample.update_all()
    assert "./shop.py::pay" in stored_documents(sample)
    sample.git("reset", "-q", "--hard", "HEAD~1")
    (sample.root / "shop.py").unlink()
    sample.update_all()
    assert stored_documents(sample) == {"./cart.py::add"}


def test_documents_are_those_of_an_index_that_took_the_place_of_a_lost_one(tmp_path: Path) -> None:
    """Its file ids begin anew, so the same id may stand for another content."""
    sample = HistoryProject(tmp_path / "shop").init_repository()
    sample.commit("one", {"a.py": "def first():\n    return 1\n"})
    sample.update_all()
    assert sample.subjects_of_changes("./a.py::first") == ["one"]
    for path in open_project(sample.folder).cache.glob("index.*"):
        path.unlink()
    sample.write_file("a.py", "def second():\n    return 1\n")
    sample.update_all()
    assert sample.subjects_of_changes("./a.py::first") == []
    assert sample.subjects_of_changes("./a.py::second") == ["one"]


def test_documents_of_the_old_name_of_a_file_are_forgotten(tmp_path: Path) -> None:
    sample = HistoryProject(tmp_path / "shop").init_repository()
    sample.commit("make", {"shop.py": "def pay():\n    pass\n"})
    sample.update_all()
    sample.git("mv", "shop.py", "store.py")
    sample.commit("moved")
    sample.update_all()
    assert stored_documents(sample) == {"./store.py::pay"}
