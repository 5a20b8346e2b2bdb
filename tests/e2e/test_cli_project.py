"""`scry project`, and the output of queries over several projects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.command_line import CommandLine
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = pytest.mark.slow

POST = {"post/letter.py": 'def deliver_letter(letter):\n    """Delivers a letter."""\n    return letter\n'}


@pytest.fixture
def line(tmp_path: Path) -> CommandLine:
    """In a project that learns from another; both are registered where no other test looks."""
    environ = {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    shop, post = make_repository(tmp_path / "shop", SHOP), make_repository(tmp_path / "post", POST)
    line = CommandLine(shop, environ)
    assert line.run("project", "add", str(post)).status == 0
    assert line.run("project", "add", ".", "--learns-from", "post").status == 0
    return line


@pytest.mark.acceptance("P1")
def test_projects_are_added_shown_changed_and_removed(line: CommandLine, tmp_path: Path) -> None:
    assert line.run("project", "list").out.splitlines() == [
        f"post  {tmp_path / 'post'}",
        f"shop  {tmp_path / 'shop'}",
        "    learns from post",
    ]
    changed = json.loads(line.run("project", "update", "post", "--name", "mail", "--uses", "shop", "--json").out)
    assert changed["links"] == [{"kind": "uses", "project": "shop"}]
    listed = json.loads(line.run("project", "--json").out)["projects"]
    assert [(each["name"], each["links"]) for each in listed] == [
        ("mail", [{"kind": "uses", "project": "shop"}]),
        ("shop", [{"kind": "learns_from", "project": "mail"}]),
    ]
    assert line.run("project", "remove", "mail").out == "mail is no longer registered\n"
    gone = line.run("project", "remove", "mail", "--json")
    assert (gone.status, json.loads(gone.out)["error"]["field"]) == (2, "project")
    assert (tmp_path / "post" / "post").exists()


@pytest.mark.acceptance("P1", "X1", "J7")
def test_result_line_names_its_project_and_link(line: CommandLine) -> None:
    told = line.run("deliver letter receipt", "--projects", "shop, post,pots")
    assert (told.status, told.err) == (0, "")
    lines = told.out.splitlines()
    assert lines[1].startswith("pots could not be asked: no project is called 'pots'; did you mean post?")
    (best,) = [each for each in lines if "deliver_letter" in each and each[0].isdigit()]
    assert "[code:post] post:./post/letter.py::deliver_letter  (" in best
    assert best.endswith("| via LEARNS_FROM)")
    assert any("[code] shop:./shop/" in each for each in lines)
    model = line.run("deliver letter receipt", "--linked-projects", "--format", "llm")
    assert f"at {line.folder.parent}/post/post/letter.py:1-3" in model.out
    why = line.run("why", "post:./post/letter.py::deliver_letter")
    assert why.status == 0
    assert "deliver letter receipt" in why.out


@pytest.mark.acceptance("P1", "K1")
def test_persona_note_appears_once_and_without_project(line: CommandLine) -> None:
    assert line.run("persona", "add", "Letters are delivered on the same day").status == 0
    answer = line.find("letters are delivered", "--all-projects")
    notes = [result for result in answer.results if result.content_type == "persona"]
    assert [note.project for note in notes] == [""]
    assert notes[0].doc_id.startswith("persona:direct:")
    shown = line.run("detail", answer.query_id, str(notes[0].rank), "--json")
    assert json.loads(shown.out)["state"] == "current"


@pytest.mark.acceptance("F9")
def test_contradictory_project_options_are_refused(line: CommandLine) -> None:
    for words, field in (
        (["find", "letter", "--projects", "post", "--all-projects"], "projects"),
        (["find", "letter", "--projects", " , "], "projects"),
        (["find", "letter", "--projects", "nothing"], "projects"),
        (["find", "--file", "shop/cart.py", "--all-projects"], "file"),
        (["neighbors", "--file", "nothing:./a.py"], "projects"),
    ):
        done = line.run(*words, "--json")
        assert (done.status, json.loads(done.out)["error"]["field"]) == (2, field), done


def test_outside_a_project_all_registered_ones_are_searched(line: CommandLine, tmp_path: Path) -> None:
    home = CommandLine(tmp_path, {**line.environ, "HOME": str(tmp_path)})
    answer = home.find("deliver letter", "--all-projects")
    assert answer.results[0].doc_id == "post:./post/letter.py::deliver_letter"
    detail = home.run("detail", answer.query_id, "1")
    assert "return letter" in detail.out


@pytest.mark.acceptance("P1", "S2")
def test_purging_a_project_takes_it_out_of_the_registry(line: CommandLine) -> None:
    assert line.run("purge", "--yes").status == 0
    assert [each["name"] for each in json.loads(line.run("project", "--json").out)["projects"]] == ["post"]


def test_damaged_registry_is_reported_and_blocks_no_query(line: CommandLine, tmp_path: Path) -> None:
    registry = tmp_path / "data" / "scry" / "projects.sqlite"
    registry.write_bytes(b"junk" * 1000)
    for words in (("cart", "--json"), ("cart", "--all-projects", "--json")):
        done = line.run(*words)
        answer = json.loads(done.out)
        assert (done.status, done.err) == (0, "")
        assert f"the registry of projects ({registry}) was damaged" in json.dumps(answer)
        assert answer["results"]
