"""Every surface gives the same self-explaining answer, from an index built in any order."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.lsp_client import LspClient
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = pytest.mark.slow

QUERIES = (
    "where is the total of a cart computed",
    "receipt",
    "compute_total",
    "lang:python customer",
    '"the receipt" mail',
    "größe_prüfen",
)

MANY = {
    f"shop/{area}/{name}.py": (
        f'"""The {name} of {area}."""\n\n\n'
        f"class {name.title()}{area.title()}:\n"
        f'    """Keeps the {name} of {area} in order."""\n\n'
        f"    def load_{name}(self, source: str) -> str:\n"
        f'        """Loads the {name} from a source."""\n        return source + "{area}"\n\n'
        f"    def save_{name}(self, target: str) -> None:\n        print(target)\n"
    )
    for area in ("orders", "billing", "stock")
    for name in ("index", "report", "queue", "ledger")
}


def ask(root: Path, query: str, *options: str, seed: str = "0") -> dict[str, Any]:
    """Return what `scry find --json` prints."""
    command = [Path(sys.executable).parent / "scry", "find", *options, "--json", "--", query]
    run = subprocess.run(
        command, cwd=root, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    answer: dict[str, Any] = json.loads(run.stdout)
    return answer


def evidence(answer: dict[str, Any]) -> list[Any]:
    """Return the results with their explanations, without values that depend on the generation of the index."""
    return [answer["scoring"], answer["intent"], answer["results"], answer["faults"]]


def ids(answer: dict[str, Any]) -> list[str]:
    return [result["doc_id"] for result in answer["results"]]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repository(tmp_path_factory.mktemp("one") / "shop", {**SHOP, **MANY})


@pytest.fixture(scope="module")
def editor(shop: Path) -> Iterator[LspClient]:
    with LspClient(shop) as client:
        client.initialize(shop)
        client.wait_until_ready()
        yield client


@pytest.mark.acceptance("F1", "F10")
@pytest.mark.parametrize("query", QUERIES)
def test_editor_and_command_line_give_the_same_answer(editor: LspClient, shop: Path, query: str) -> None:
    answer = ask(shop, query)
    assert ids(answer)
    assert evidence(answer) == evidence(editor.find(query))


@pytest.mark.acceptance("F10")
@pytest.mark.parametrize("query", QUERIES[:3])
def test_no_hash_seed_changes_an_answer(shop: Path, query: str) -> None:
    first, *others = (evidence(ask(shop, query, seed=seed)) for seed in ("0", "1", "4242"))
    assert all(other == first for other in others)


@pytest.mark.acceptance("F4", "F5", "J3")
@pytest.mark.parametrize("query", QUERIES)
def test_scores_are_recomputable_from_the_json_alone(shop: Path, query: str) -> None:
    answer = ask(shop, query)
    scoring = answer["scoring"]
    for result in answer["results"]:
        votes = result["contributions"]
        ranks = sum(
            weight / (scoring["k"] + votes[o]["rank"]) for o, weight in scoring["weights"].items() if o in votes
        )
        factor = math.prod(adjustment["factor"] for adjustment in result["adjustments"])
        assert result["fused_score"] == ranks * factor / scoring["ceiling"]
        assert 0 < result["fused_score"] <= 1
        assert votes
        assert sorted(votes) == sorted(result["sources"])


@pytest.mark.acceptance("F9")
def test_limit_is_exact_and_min_score_holds(shop: Path) -> None:
    every = ask(shop, "load the report", "--limit", "1000")
    assert ids(ask(shop, "load the report", "--limit", "3")) == ids(every)[:3]
    bound = every["results"][4]["confidence"]
    enough = [result["doc_id"] for result in every["results"] if result["confidence"] >= bound]
    assert ids(ask(shop, "load the report", "--limit", "1000", "--min-score", repr(bound))) == enough


@pytest.mark.acceptance("F10")
def test_incrementally_updated_index_equals_a_fresh_one(tmp_path: Path) -> None:
    grown = make_repository(
        tmp_path / "grown" / "shop", {**SHOP, "shop/old.py": "def total_of_old() -> int:\n    return 1\n"}
    )
    ask(grown, "total")
    for name, text in MANY.items():
        make_repository(grown, {name: "def total_draft() -> int:\n    return 2\n"})
        if name.endswith(("report.py", "queue.py")):
            ask(grown, "total")
        (grown / name).write_text(text, encoding="utf-8")
    (grown / "shop" / "old.py").unlink()
    fresh = tmp_path / "fresh" / "shop"
    shutil.copytree(grown, fresh)
    ask(fresh, "total")
    # The words of replaced files are counted until compaction, which waits until nobody asks.
    eventually(lambda: not differing(grown, fresh), "both indexes give equal evidence", interval_s=0.2)


def differing(grown: Path, fresh: Path) -> list[str]:
    """Return the queries that the two answer with other evidence."""
    return [
        query
        for query in (*QUERIES, "load the report of billing")
        if evidence(without_places(ask(grown, query))) != evidence(without_places(ask(fresh, query)))
    ]


def without_places(answer: dict[str, Any]) -> dict[str, Any]:
    for result in answer["results"]:
        for place in (result, *result["further"]):
            place.pop("location", None)  # a commit has none
    return answer


@pytest.mark.acceptance("J1", "J2", "J5")
def test_an_answer_has_all_its_fields(shop: Path) -> None:
    answer = ask(shop, "receipt")
    told = ["query", "mode", "query_id", "intent", "scoring", "index", "results", "faults", "notice", "projects"]
    assert list(answer) == told
    date, time, rest = answer["query_id"].removeprefix("q_").split("_")
    assert (len(date), len(time)) == (8, 6)
    assert len(rest) >= 8
    assert set(rest.lower()) <= set("abcdefghijklmnopqrstuvwxyz234567")
    for rank, result in enumerate(answer["results"], 1):
        assert result["rank"] == rank
        assert result["project"] == "shop"
        assert ("location" in result) == (result["content_type"] != "commit")
        assert "location" not in result or result["location"]["uri"].startswith(shop.as_uri())
        assert result["snippet"]
