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

from scry.surfaces.mcp.tools import TOOLS, ToolDefinition, input_schema, parse_arguments
from tests.e2e.http_server import HttpServer
from tests.e2e.lsp_client import LspClient, RpcError
from tests.polling import eventually
from tests.sample.history import HistoryProject
from tests.sample.project import make_repository
from tests.team.team_samples import SHOP, load

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]


TILL = '"""The till."""\n\nfrom shop.cart import total_price\n\n\ndef pay(cart):\n    return total_price(cart)\n'


@pytest.fixture
def client(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LspClient]:
    """Return an editor with one open folder, whose person has joined a team with a shop."""
    team = HistoryProject(tmp_path / "shop").init_repository()
    team.commit("Open the shop", {**SHOP, "shop/till.py": TILL})
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
        assert ("team" in input_schema(tool)["properties"]) == (tool.mode in ("find", "recent", "orient", "neighbors"))
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


ORIENT = {"path": "shop:./shop", "team": True}
NEIGHBORS = {"file": "shop:./shop/cart.py", "by": "dependency", "team": True}


@pytest.mark.acceptance("T1", "O1", "N1")
def test_files_of_the_team_are_browsed_alike_from_everywhere(
    server: HttpServer, client: LspClient, tmp_path: Path
) -> None:
    """An editor names them by the URI of a result, too."""
    uri = find_in_team(client)["location"]["uri"]
    environ = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    folder, shown = uri.rpartition("/")[0], list[list[str]]()
    for mode, params, by_uri, options in (
        ("orient", ORIENT, {"path": folder}, ["shop:./shop"]),
        ("neighbors", NEIGHBORS, {"file": uri, "by": "dependency"}, ["shop:./shop/cart.py", "--by", "dependency"]),
    ):
        command = [sys.executable, "-m", "scry", mode, *options, "--team", "--json"]
        done = subprocess.run(command, cwd=tmp_path / "here", env=environ, capture_output=True, text=True, check=True)
        answers = [
            client.request(f"scry/{mode}", params),
            client.request(f"scry/{mode}", by_uri),
            server.ask(mode, **params),
            json.loads(done.stdout),
        ]
        results = [
            [(each["doc_id"], each["project"], each["fused_score"], each["location"]) for each in answer["results"]]
            for answer in answers
        ]
        assert results == [results[0]] * 4
        assert {answer["query"] for answer in answers} == {options[0]}
        shown.append([doc_id for doc_id, *_ in results[0]])
    assert shown == [
        ["shop:./shop/__init__.py", "shop:./shop/cart.py", "shop:./shop/stock.py", "shop:./shop/till.py"],
        ["shop:./shop/till.py"],
    ]


BROWSING = [each for each in TOOLS if each.mode in ("orient", "neighbors")]


@pytest.mark.parametrize("tool", BROWSING, ids=lambda tool: tool.name)
def test_tools_ask_the_team(tool: ToolDefinition) -> None:
    params, _ = parse_arguments(tool, ORIENT if tool.mode == "orient" else {"file": "shop:./a.py", "team": True})
    assert getattr(params, "team", False)


@pytest.mark.acceptance("T1", "D1")
def test_detail_names_calls_and_places_in_the_team(client: LspClient) -> None:
    result = find_in_team(client)
    detail = client.request("scry/detail", {"query_id": result["query_id"], "rank": result["rank"]})
    graph = detail["result"]["full"]["graph"]
    [caller] = graph["callers"]
    assert caller["doc_id"] == "shop:./shop/till.py::pay"
    assert client.request("scry/teamFile", {"uri": caller["location"]["uri"]})["text"] == TILL
    assert [each["doc_id"] for each in graph["imported_by"]] == ["shop:./shop/till.py"]
    assert "shop:./shop/till.py::pay" in detail["text"]
    explanation = client.request("scry/why", {"doc_id": caller["doc_id"], "query": "pay"})
    assert [place["mode"] for place in explanation["places"]] == ["find", "orient"]


@pytest.mark.parametrize("mode", ["find", "recent"])
def test_answers_in_full_have_the_graph(server: HttpServer, mode: str) -> None:
    more = {"days": 36_500} if mode == "recent" else {}

    def find_callers() -> list[tuple[str, str]]:
        answer = server.ask(mode, query="sum up the prices", team=True, full=True, **more)
        return [
            (caller["doc_id"], caller["location"]["uri"].partition(":")[0])
            for result in answer["results"]
            if result["doc_id"] == "shop:./shop/cart.py::total_price"
            for caller in result["full"]["graph"]["callers"]
        ]

    assert eventually(find_callers, "the team's result") == [("shop:./shop/till.py::pay", "scry-team")]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"path": "shop"}, "name a repository of the team"),
        ({"path": "shop:./shop", "team": False}, "a repository of the joined team is asked with team"),
        ({"path": "mill:./src"}, "has no repository mill"),
        ({"path": "shop:./", "projects": ["here"]}, "the team is asked alone"),
    ],
)
def test_question_about_no_single_repository_of_the_team_is_told(
    client: LspClient, params: dict[str, object], message: str
) -> None:
    with pytest.raises(RpcError, match=message):
        client.request("scry/orient", {"team": True, **params})


def test_other_commands_refuse_the_team_by_name(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scry", "memory", "--team"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "team" in done.stderr


def ask_relation(client: LspClient, query: str, **options: object) -> dict[str, Any]:
    """Return an answer that the team took part in: the first questions may come before the connection."""

    def ask() -> list[dict[str, Any]]:
        answer = client.request("scry/find", {"query": query, "reason": True, "team": True, **options})
        return [] if [fault for fault in answer["faults"] if fault.get("retry")] else [answer]

    return eventually(ask, "the team's part")[0]


@pytest.mark.acceptance("N3", "T1")
def test_relational_questions_are_answered_by_the_repositories_that_know_the_names(client: LspClient) -> None:
    answer = ask_relation(client, "what calls total_price", full=True)
    [result] = answer["results"]
    assert (result["doc_id"], result["project"]) == ("shop:./shop/till.py::pay", "shop")
    assert result["location"]["uri"].startswith("scry-team:///shop/")
    [step] = result["annotations"]["proof"]
    assert step["location"]["uri"] == result["location"]["uri"]
    assert (step["source"], step["kind"], step["target"]) == (
        "shop:./shop/till.py::pay",
        "calls",
        "shop:./shop/cart.py::total_price",
    )
    assert [each["doc_id"] for each in result["full"]["graph"]["callees"]] == ["shop:./shop/cart.py::total_price"]
    explanation = client.request("scry/why", {"doc_id": result["doc_id"], "query": "pay"})
    assert explanation["result"]["commit"] == result["commit"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("what imports shop:./shop/cart.py", ["shop:./shop/till.py"]),
        ("what imports shop.cart", ["shop:./shop/till.py"]),
        ("what is called by pay and not defined by stock.py", ["shop:./shop/cart.py::total_price"]),
        ("what defines departures", ["here:./ferry.py"]),
        ("who calls departures", []),
    ],
)
def test_names_of_relational_questions_are_found_here_and_in_the_team(
    client: LspClient, query: str, found: list[str]
) -> None:
    assert [each["doc_id"] for each in ask_relation(client, query)["results"]] == found


@pytest.mark.parametrize(
    ("query", "message"),
    [("what calls zzz", "nothing in this project is called zzz"), ("what sings", "it can be asked what calls X")],
)
def test_relational_question_that_nobody_can_answer_is_refused(client: LspClient, query: str, message: str) -> None:
    ask_relation(client, "what calls total_price")  # until the team is connected
    with pytest.raises(RpcError, match=message):
        ask_relation(client, query)


def test_relational_question_about_an_unknown_repository_is_told(client: LspClient) -> None:
    answer = ask_relation(client, "what imports mill:./a.py")
    [fault] = answer["faults"]
    assert fault["project"] == "team"
    assert "has no repository mill, or you may not read it" in fault["message"]
