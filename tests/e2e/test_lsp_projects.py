"""Projects beyond the open folders, from an editor: listed, registered, searched, and their use logged."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.lsp_client import LspClient, RpcError
from tests.sample.project import make_repository

pytestmark = pytest.mark.slow

POST = {
    "src/post.py": 'def deliver_letter(to: str) -> str:\n    """Delivers a letter to a customer."""\n    return to\n'
}


@pytest.fixture
def post(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "post", POST)


@pytest.fixture
def client(shop: Path, tmp_path: Path) -> Iterator[LspClient]:
    """Return a client with its own registry."""
    with LspClient(shop, environ={"XDG_DATA_HOME": str(tmp_path / "data")}) as client:
        client.initialize(shop)
        client.wait_until_ready(shop)
        yield client


def test_projects_lists_the_open_folder_and_registered_ones(client: LspClient, shop: Path, post: Path) -> None:
    alone = client.request("scry/projects", {})
    assert [(each["name"], each["is_open"]) for each in alone["projects"]] == [("shop", True)]
    assert "scry project add" in alone["note"]
    both = client.request("scry/projects", {"action": "add", "folder": post.as_uri()})
    assert [(each["name"], each["is_open"]) for each in both["projects"]] == [("post", False), ("shop", True)]
    assert [each["root"] for each in both["projects"]] == [str(post), str(shop)]
    assert both["note"] == ""


def test_project_is_registered_by_the_given_name(client: LspClient, post: Path) -> None:
    added = client.request("scry/projects", {"action": "add", "folder": post.as_uri(), "name": "letters"})
    assert [each["name"] for each in added["projects"]] == ["letters", "shop"]
    with pytest.raises(RpcError, match=r"already, as letters .*scry project update letters --name NAME"):
        client.request("scry/projects", {"action": "add", "folder": post.as_uri(), "name": "mail"})


@pytest.mark.parametrize("named", ["post", "/nowhere/at/all", "https://example.invalid/"])
def test_invalid_project_folder_is_refused_by_name(client: LspClient, named: str) -> None:
    with pytest.raises(RpcError) as refused:
        client.request("scry/projects", {"action": "add", "folder": named})
    assert named in refused.value.message
    assert client.request("scry/projects", {})["note"]


@pytest.mark.acceptance("P1", "E2")
@pytest.mark.parametrize("asked", [{"all_projects": True}, {"projects": ["post"]}])
def test_results_of_another_project_open_there_and_are_logged(
    client: LspClient, post: Path, tmp_path: Path, asked: dict[str, object]
) -> None:
    client.request("scry/projects", {"action": "add", "folder": str(post)})
    answer = client.find("deliver a letter", picker="test", **asked)
    while not answer["results"] or answer["index"]["state"] != "ready":
        answer = client.find("deliver a letter", picker="test", **asked)
    first = answer["results"][0]
    assert (first["project"], first["doc_id"]) == ("post", "post:./src/post.py::deliver_letter")
    assert first["location"]["uri"] == (post / "src/post.py").as_uri()
    why = client.request("scry/why", {"doc_id": first["doc_id"], "query_id": answer["query_id"]})
    assert why["result"]["rank"] == 1
    detail = client.request("scry/detail", {"query_id": answer["query_id"], "rank": 1})
    assert "return to" in detail["result"]["full"]["body"]
    act = {"query_id": answer["query_id"], "rank": 1, "how": "jump", "act_id": "one"}
    assert client.request("scry/use", act)["recorded"]
    client.shut_down()
    uses, questions = logged(tmp_path, "post", "scry.use"), logged(tmp_path, "post", "scry.query")
    assert {use["result_used"] for use in uses} == {"post:./src/post.py::deliver_letter"}
    assert [use["how"] for use in uses] == ["detail", "jump"]
    assert "deliver a letter" in [question["query"] for question in questions], "it learns from its own log"
    assert logged(tmp_path, "shop", "scry.use") == []


def logged(place: Path, project: str, kind: str) -> list[dict[str, Any]]:
    """Return the bodies of a project's events of a kind."""
    [log] = (place / "data").glob(f"scry/{project}-*/events.sqlite")
    with sqlite3.connect(log) as events:
        rows = events.execute("SELECT body FROM events WHERE kind = ? ORDER BY sequence", (kind,)).fetchall()
    return [json.loads(body) for (body,) in rows]
