"""A joined team is searched from editors and by programs, too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scry.core.errors import BadRequest
from scry.surfaces.mcp.tools import TOOLS, ToolDefinition, input_schema, parse_arguments
from tests.e2e.http_server import HttpServer
from tests.e2e.lsp_client import LspClient, RpcError
from tests.polling import eventually
from tests.sample.history import HistoryProject
from tests.sample.project import make_repository
from tests.team.team_samples import SHOP, load

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]


@pytest.fixture
def client(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LspClient]:
    """Return an editor with one open folder, whose person has joined a team with a shop."""
    team = HistoryProject(tmp_path / "shop").init_repository()
    team.commit("Open the shop", SHOP)
    load(address, team)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    from scry.store.team.membership import save_membership

    save_membership(address)
    here = make_repository(tmp_path / "here", {"ferry.py": "def departures():\n    return []\n"})
    with LspClient(here, environ={"XDG_DATA_HOME": str(tmp_path / "data")}) as client:
        client.initialize(here)
        client.wait_until_ready(here)
        yield client


def find_in_team(client: LspClient, mode: str = "find") -> dict[str, Any]:
    """Return the first result of the team; the first questions may come before the connection."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        answer = client.request(f"scry/{mode}", {"query": "sum up the prices", "team": True})
        late = [fault for fault in answer["faults"] if fault.get("retry")]
        assert answer["faults"] == late
        for result in answer["results"]:
            if result.get("commit"):
                return {**result, "query_id": answer["query_id"]}
    raise AssertionError("the team's results never came")


def test_editor_finds_in_the_team_and_reads_the_file(client: LspClient) -> None:
    assert client.request("scry/projects", {"action": "list"})["team"] is True
    result = find_in_team(client)
    assert result["project"] == "shop"
    file = client.request("scry/teamFile", {"uri": result["location"]["uri"]})
    assert file["text"] == SHOP["shop/cart.py"]
    detail = client.request("scry/detail", {"query_id": result["query_id"], "rank": result["rank"]})
    assert "total_price" in detail["text"]
    explanation = client.request("scry/why", {"doc_id": result["doc_id"], "query_id": result["query_id"]})
    assert explanation["result"]["commit"] == result["commit"]
    use = {"query_id": result["query_id"], "rank": result["rank"], "how": "jump", "act_id": "one"}
    assert client.request("scry/use", use)["recorded"] is True


@pytest.mark.acceptance("T1", "R1")
def test_editor_sees_recent_changes_of_the_team(client: LspClient) -> None:
    result = find_in_team(client, "recent")
    assert result["project"] == "shop"
    assert "recency" in [each["name"] for each in result["adjustments"]]


def test_command_lists_recent_changes_of_the_team(client: LspClient, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scry", "recent", "--team", "--days", "36500", "--json"]
    environ = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    done = subprocess.run(command, cwd=tmp_path / "here", env=environ, capture_output=True, text=True, check=True)
    commits = [each for each in json.loads(done.stdout)["results"] if each["content_type"] == "commit"]
    assert [each["project"] for each in commits if each["commit"]] == ["shop"]


def test_models_are_offered_the_team_where_one_is_joined() -> None:
    for tool in TOOLS:
        assert ("team" in input_schema(tool)["properties"]) == (tool.name in ("find", "recent"))
        assert "team" not in input_schema(tool, with_team=False)["properties"]


@pytest.fixture
def server(client: LspClient, tmp_path: Path) -> Iterator[HttpServer]:
    """Return a server for programs, of the person who has joined the team."""
    with HttpServer(tmp_path / "here") as server:
        server.wait_until_ready()
        yield server


@pytest.mark.acceptance("P2", "T1", "R1")
def test_programs_see_recent_changes_of_the_team(server: HttpServer) -> None:
    def newest() -> list[dict[str, Any]]:
        answer = server.ask("recent", days=36_500, team=True)
        assert all(fault["retry"] for fault in answer["faults"])
        return [each for each in answer["results"] if each.get("commit") and each["content_type"] == "commit"]

    [result] = eventually(newest, "the team's commit is there")
    assert result["project"] == "shop"
    alone = server.ask("recent", days=36_500)["results"]
    assert not [each for each in alone if each.get("commit")]


CLONE = "a clone that is registered as a project"
QUESTIONS = {"orient": {"path": ""}, "neighbors": {"file": "ferry.py"}}


@pytest.mark.parametrize("method", QUESTIONS)
def test_questions_about_a_graph_name_what_answers_for_a_team(
    server: HttpServer, client: LspClient, method: str
) -> None:
    """The editor's and the program's refusal are the same."""
    params = {**QUESTIONS[method], "team": True}
    with pytest.raises(RpcError, match="answers find and recent alone") as refused:
        client.request(f"scry/{method}", params)
    assert CLONE in str(refused.value)
    reply = server.try_to_ask(method, **params)
    assert (reply.status, reply.error["field"]) == (400, "team")
    assert "answers find and recent alone" in reply.error["message"]
    assert CLONE in reply.error["message"]


@pytest.mark.parametrize("tool", [each for each in TOOLS if each.mode in QUESTIONS], ids=lambda tool: tool.name)
def test_tools_about_a_graph_name_what_answers_for_a_team(tool: ToolDefinition) -> None:
    with pytest.raises(BadRequest, match="answers find and recent alone") as refused:
        parse_arguments(tool, {**QUESTIONS[tool.mode], "team": True})
    assert refused.value.field == "team"
    assert CLONE in str(refused.value)


@pytest.mark.parametrize("arguments", [["orient"], ["neighbors", "ferry.py"], ["memory"]], ids=lambda each: each[0])
def test_other_commands_refuse_the_team_by_name(arguments: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scry", *arguments, "--team"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "team" in done.stderr
    assert (f"{CLONE}: scry project add FOLDER" in done.stderr) == (arguments[0] != "memory")


def test_relational_questions_refuse_the_team_by_name(client: LspClient) -> None:
    with pytest.raises(RpcError, match="holds no code graph"):
        client.request("scry/find", {"query": "who calls departures", "reason": True, "team": True})
