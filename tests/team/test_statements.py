"""A question takes few statements, and not more for more repositories."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from scry.engine.federation import rank_across_projects, retrieve_from_team
from scry.engine.federation.team_results import build_team_answers, rank_in_team
from scry.store.team import TeamDatabase, TeamReader
from tests.sample.history import HistoryProject
from tests.team.team_samples import SHOP, encode, load, question_of

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]

BELIEF = "---\nstatement: Prices are summed up in cents.\n---\n"

MAX_STATEMENTS = 17
"""Of a question, with the beginning and the end of its transaction."""

QUESTIONS = (
    "sum up the prices of items",
    "open the shop",
    "add_item",
    "put an item into the cart of a customer lang:python",
)


def count_statements(address: str, text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """Return how many statements a question took, and how many repositories gave results."""
    sent: list[str] = []
    prepare = TeamDatabase._execute  # pyright: ignore[reportPrivateUsage]

    def counting(database: TeamDatabase, sql: str, values: Sequence[object] = ()) -> object:
        sent.append(sql)
        return prepare(database, sql, values)  # type: ignore[arg-type]

    with TeamDatabase.open_for_reading(address) as database, monkeypatch.context() as patch:
        patch.setattr(TeamDatabase, "_execute", counting)
        with database.snapshot():
            reader = TeamReader(database)
            found = retrieve_from_team(question_of(text), reader, encode)
            matches = rank_across_projects([each.retrieval for each in found])
            answers = build_team_answers(found, rank_in_team(found, matches, reader), reader)
    return len(sent) + 2, len(answers)


def test_statements_do_not_grow_with_repositories(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[list[int]] = []
    for number in range(6):
        project = HistoryProject(tmp_path / f"shop{number}").init_repository()
        project.commit(
            f"Open the shop {number}", {**SHOP, f"only{number}.py": f"def price_{number}():\n    return 1\n"}
        )
        project.commit("Count in cents", {".scry/beliefs/cents.md": BELIEF})
        cart = SHOP["shop/cart.py"] + f"\n\ndef empty_cart_{number}(cart):\n    cart.clear()\n"
        project.commit(
            f"Sum up prices and items {number}", {"shop/cart.py": cart, "shop/stock.py": "def order():\n    pass\n"}
        )
        load(address, project)
        if number in (1, 5):
            counted = [count_statements(address, text, monkeypatch) for text in QUESTIONS]
            assert max(repositories for _, repositories in counted) >= min(number, 3)
            counts.append([statements for statements, _ in counted])
    few, many = counts
    assert max(few) <= MAX_STATEMENTS
    assert max(many) <= max(few) + 1, "postings of repositories that only vectors find are read by one more"
