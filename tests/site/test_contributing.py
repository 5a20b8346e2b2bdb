"""Code owners and templates fit the tree and the program."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"


def test_every_room_has_an_owner_and_every_owned_path_exists() -> None:
    lines = [line.split() for line in (GITHUB / "CODEOWNERS").read_text(encoding="utf-8").splitlines()]
    owners = {line[0]: line[1:] for line in lines if line and line[0] != "#"}
    teams = [re.fullmatch(r"(@[\w-]+)/[\w-]+", owner) for named in owners.values() for owner in named]
    assert len({team and team[1] for team in teams}) == 1, (
        "the teams of one organisation, whose name docs/releasing.md sets"
    )
    assert None not in teams
    assert [path for path in owners if path != "*" and not (ROOT / path.strip("/")).exists()] == []
    rooms = {path.parent.name for path in (ROOT / "server" / "scry").glob("*/__init__.py")}
    assert {f"/server/scry/{room}/" for room in rooms} <= owners.keys()


def test_issue_forms_are_complete_and_name_commands_that_exist() -> None:
    forms = {
        path.name: yaml.safe_load(path.read_text(encoding="utf-8")) for path in GITHUB.glob("ISSUE_TEMPLATE/*.yml")
    }
    assert set(forms) == {"answer.yml", "bug.yml", "config.yml", "idea.yml"}
    for name, form in forms.items():
        if name == "config.yml":
            continue
        ids = [part["id"] for part in form["body"] if part["type"] != "markdown"]
        assert form["name"]
        assert form["description"]
        assert len(ids) == len(set(ids)) > 0
    assert "scry doctor --report" in str(forms["bug.yml"])


def test_make_targets_of_the_pull_request_template_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"`make ([a-z-]+)`", (GITHUB / "PULL_REQUEST_TEMPLATE.md").read_text(encoding="utf-8")))
    assert named
    assert named <= targets
