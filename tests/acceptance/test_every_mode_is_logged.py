"""Every query through the sidecar is logged (E1): a mode without logging fails here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from scry.projects import open_project
from scry.store.events import EventReader
from scry_protocol.messages import Answer, Detail, Explanation
from scry_protocol.methods import METHODS
from tests.e2e.lsp_client import LspClient
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = pytest.mark.slow

ANSWERING = [m.name for m in METHODS if m.result in (Answer, Explanation, Detail)]
"""The methods that answer a query."""

PARAMS: Mapping[str, Mapping[str, object]] = {
    "scry/find": {"query": "compute_total"},
    "scry/orient": {"path": "shop"},
    "scry/recent": {"query": "receipt"},
    "scry/neighbors": {"file": "shop/cart.py"},
    "scry/why": {"doc_id": "./shop/cart.py::Cart.compute_total", "query": "compute_total"},
    "scry/detail": {"rank": 1},
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repository(tmp_path_factory.mktemp("logged") / "shop", SHOP)


@pytest.fixture(scope="module")
def client(shop: Path) -> Iterator[LspClient]:
    with LspClient(shop) as client:
        client.initialize(shop)
        client.wait_until_ready(shop)
        yield client


def events(root: Path) -> list[tuple[str, str | None, dict[str, Any]]]:
    """Kind, query_id and body of all events."""
    reader = EventReader.open(open_project(root).data)
    if reader is None:
        return []
    return [(each.event.kind, each.event.query_id, json.loads(each.event.body)) for each in reader.iter_events()]


@pytest.mark.acceptance("E1")
@pytest.mark.parametrize("method", ANSWERING)
def test_every_mode_is_logged(client: LspClient, shop: Path, method: str) -> None:
    asked = client.find("compute_total")
    named = {"query_id": asked["query_id"]} if method == "scry/detail" else {}
    answer = client.request(method, {**PARAMS[method], **named})
    # An act is written after all that came before it.
    client.request("scry/feedback", {"query_id": asked["query_id"], "signal": "good"})
    mode = method.removeprefix("scry/")
    logged = [(name, body) for kind, name, body in events(shop) if kind == "scry.query" and body["mode"] == mode]
    name, body = logged[-1]
    assert body["surface"] == "lsp"
    assert all({"rank", "contributions", "annotations"} <= each.keys() for each in body["results"])
    if mode == "detail":
        assert body["of"] == {"query_id": asked["query_id"], "rank": 1}
    else:
        assert name == answer["query_id"]
    if "results" in answer:
        assert [each["doc_id"] for each in body["results"]] == [each["doc_id"] for each in answer["results"]]


@pytest.mark.acceptance("E2")
def test_detail_is_logged_as_a_use(client: LspClient, shop: Path) -> None:
    asked = client.find("compute_total")
    client.request("scry/detail", {"query_id": asked["query_id"], "rank": 2})
    client.request("scry/feedback", {"query_id": asked["query_id"], "signal": "good"})
    uses = [body for kind, name, body in events(shop) if kind == "scry.use" and name == asked["query_id"]]
    assert [(use["how"], use["rank"]) for use in uses] == [("detail", 2)]
    assert uses[0]["result_used"] == asked["results"][1]["doc_id"]


@pytest.mark.acceptance("E1")
@pytest.mark.parametrize(
    ("method", "place"),
    [("orient", {"path": "shop"}), ("neighbors", {"file": "shop/cart.py", "by": "similar", "line": 11})],
)
def test_what_a_client_asks_again_by_itself_is_logged_once_it_is_used(
    client: LspClient, shop: Path, method: str, place: dict[str, object]
) -> None:
    again = client.request(f"scry/{method}", {**place, "record": False})
    client.find("compute_total")
    assert again["query_id"] not in [query_id for _, query_id, _ in events(shop)]
    used = {"query_id": again["query_id"], "rank": 1, "how": "jump", "act_id": f"{method}-again"}
    assert client.request("scry/use", used)["recorded"]
    kinds = [kind for kind, query_id, _ in events(shop) if query_id == again["query_id"]]
    assert kinds == ["scry.query", "scry.use"]
