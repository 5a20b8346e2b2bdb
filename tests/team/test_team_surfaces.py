"""A joined team is searched from editors and by programs, too."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scry.surfaces.mcp.tools import TOOLS, input_schema
from tests.e2e.lsp_client import LspClient, RpcError
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


def find_in_team(client: LspClient) -> dict[str, Any]:
    """Return the first result of the team; the first questions may come before the connection."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        answer = client.find("sum up the prices", team=True)
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


def test_recent_refuses_the_team_by_name(client: LspClient) -> None:
    with pytest.raises(RpcError, match="team"):
        client.request("scry/recent", {"query": "prices", "team": True})


def test_models_are_offered_the_team_where_one_is_joined() -> None:
    [find] = [tool for tool in TOOLS if tool.name == "find"]
    assert "team" in input_schema(find)["properties"]
    assert "team" not in input_schema(find, with_team=False)["properties"]


@pytest.mark.parametrize("method", ["recent", "orient", "neighbors"])
def test_other_questions_refuse_the_team_by_name(client: LspClient, method: str) -> None:
    params = {"recent": {"query": "prices"}, "orient": {"path": ""}, "neighbors": {"file": "ferry.py"}}[method]
    with pytest.raises(RpcError, match="team"):
        client.request(f"scry/{method}", {**params, "team": True})


@pytest.mark.parametrize("command", ["recent", "orient", "memory"])
def test_other_commands_refuse_the_team_by_name(command: str, tmp_path: Path) -> None:
    arguments = [sys.executable, "-m", "scry", command, "--team"]
    done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "--team" in done.stderr


def test_relational_questions_refuse_the_team_by_name(client: LspClient) -> None:
    with pytest.raises(RpcError, match="holds no code graph"):
        client.request("scry/find", {"query": "who calls departures", "reason": True, "team": True})
