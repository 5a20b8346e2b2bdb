"""The reach of beliefs, and evidence against them."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import pytest

from scry.surfaces.render import render_answer
from scry_protocol.messages import Answer, BeliefsParams
from tests.acceptance.conftest import make_shop
from tests.sample.indexed import IndexedProject
from tests.sample.knowledge import BELIEFS


@pytest.fixture(scope="module")
def believing(tmp_path_factory: pytest.TempPathFactory) -> IndexedProject:
    sample = make_shop(tmp_path_factory.mktemp("work") / "shop")
    sample.write({"shop/pay.ts": "export function payInvoice(total: number) { return total; }\n"})
    sample.git("commit", "-qam", "Invoices are paid in the till's currency alone")
    sample.write(
        {
            **BELIEFS,
            ".scry/beliefs/currency.md": "Invoices are paid in the currency of the till, and in no other.\n",
            ".scry/beliefs/old.md": "---\nstatement: Retrying twice is enough.\ndate: 2019-01-01\n---\n",
        }
    )
    sample.update_index()
    return sample


def snippet_of(answer: Answer, doc_id: str) -> str:
    return next(result.snippet for result in answer.results if result.doc_id == doc_id)


@pytest.mark.acceptance("K3", "J6")
def test_belief_shows_its_evidence_and_entrenchment(believing: IndexedProject) -> None:
    answer = believing.find("raw scores never added", types=["belief"])
    snippet = snippet_of(answer, "belief:fusion-by-rank")
    assert snippet.startswith(
        '"Fusion adds reciprocal ranks, never raw scores, for these have no common unit." (entrenchment 1)'
    )
    assert "reaches: shop/fusion.py" in snippet
    entrenchments = {each.doc_id: each.metadata.entrenchment for each in answer.results if each.metadata}
    assert entrenchments["belief:fusion-by-rank"] == 1.0
    assert entrenchments["belief:raw-scores"] == 0.2
    lines = ["".join(span.text for span in line) for line in render_answer(answer)]
    assert any('never raw scores, for these have no common unit." (entrenchment 1)' in line for line in lines)


@pytest.mark.acceptance("K3")
def test_belief_reaches_files_of_the_nearest_commit(believing: IndexedProject) -> None:
    snippet = snippet_of(believing.find("currency of the till", types=["belief"]), "belief:currency")
    assert "reaches: shop/pay.ts" in snippet


@pytest.mark.acceptance("K3", "F10")
def test_notes_near_a_belief_follow_changes_of_other_notes(tmp_path: Path) -> None:
    sample = make_shop(tmp_path / "shop")
    pattern = ".scry/patterns/total.md"
    sample.write({".scry/beliefs/total.md": "The total of an invoice is computed by the server alone.\n"})
    sample.update_index()

    def near() -> list[str]:
        with closing(sample.engine()) as engine:
            listed = engine.knowledge.beliefs(BeliefsParams("list")).beliefs
        return [target.doc_id for belief in listed if belief.impact for target in belief.impact.reaches]

    assert near() == []
    sample.write({pattern: "# Total\n\nThe total of an invoice is computed by the server alone.\n"})
    sample.update_index(frozenset({pattern}))
    assert near() == ["pattern:total"]
    sample.write({pattern: "# Lamps\n\nLamps of the shop window are lit at dusk.\n"})
    sample.update_index(frozenset({pattern}))
    assert near() == []
    sample.write({pattern: "# Total\n\nThe total of an invoice is computed by the server alone.\n"})
    sample.update_index(frozenset({pattern}))
    assert near() == ["pattern:total"]
    (sample.root / pattern).unlink()
    sample.update_index(frozenset({pattern}))
    assert near() == []


@pytest.mark.acceptance("K3")
def test_belief_with_missing_or_contradicting_evidence_is_marked(believing: IndexedProject) -> None:
    answer = believing.find("adding raw scores would rank better", types=["belief"])
    assert "! its evidence is gone: shop/gone.py:3" in snippet_of(answer, "belief:raw-scores")
    assert "! contradicted by belief:fusion-by-rank" in snippet_of(answer, "belief:raw-scores")
    assert "! contradicted by belief:raw-scores" in snippet_of(answer, "belief:fusion-by-rank")


@pytest.mark.acceptance("K3")
def test_belief_without_recent_support_is_marked(believing: IndexedProject) -> None:
    answer = believing.find("retrying twice is enough", types=["belief"])
    assert re.search(r"! nothing has supported it for \d+ years", snippet_of(answer, "belief:old"))
    young = believing.find("raw scores never added", types=["belief"])
    assert "nothing has supported" not in snippet_of(young, "belief:fusion-by-rank")


@pytest.mark.acceptance("K3")
def test_evidence_is_checked_when_the_question_is_asked(own_shop: IndexedProject) -> None:
    own_shop.write(BELIEFS)
    own_shop.update_index()
    asked = "raw scores never added"
    assert "evidence is gone" not in snippet_of(own_shop.find(asked), "belief:fusion-by-rank")
    (own_shop.root / "shop/fusion.py").unlink()
    own_shop.update_index(frozenset({"shop/fusion.py"}))
    assert "evidence is gone: shop/fusion.py:7, ./shop/fusion.py::fuse" in snippet_of(
        own_shop.find(asked), "belief:fusion-by-rank"
    )


@pytest.mark.acceptance("K3")
def test_commits_and_beliefs_count_as_evidence_until_gone(own_shop: IndexedProject) -> None:
    sha = own_shop.git("rev-parse", "HEAD").strip()[:9]
    old = "---\nstatement: {}\ndate: 2019-01-01\n{}---\n"
    own_shop.write(
        {
            ".scry/beliefs/cites.md": old.format("Tills cite a commit.", f"evidence: commit:{sha}\n"),
            ".scry/beliefs/leans.md": old.format("Tills lean on another belief.", ""),
            ".scry/beliefs/lends.md": "---\nstatement: Tills lend.\ndate: 2026-11-01\nsupports: [leans]\n---\n",
            ".scry/beliefs/lost.md": "---\nstatement: Tills lost a commit.\nevidence: commit:0123456789ab\n---\n",
            ".scry/beliefs/over.md": "---\nstatement: Tills are over.\nstatus: retracted\n---\n",
        }
    )
    own_shop.update_index()
    answer = own_shop.find("what tills do", types=["belief"])
    assert {result.doc_id for result in answer.results} == {f"belief:{n}" for n in ("cites", "leans", "lends", "lost")}
    for fine in ("belief:cites", "belief:leans", "belief:lends"):
        assert "!" not in snippet_of(answer, fine)
    assert "! its evidence is gone: commit:0123456789ab" in snippet_of(answer, "belief:lost")


def test_beliefs_reach_cited_files_without_git(tmp_path: Path) -> None:
    sample = IndexedProject(tmp_path / "plain")
    sample.write(
        {"a.py": "def fuse():\n    pass\n", ".scry/beliefs/b.md": "---\nevidence: a.py:1\n---\nFusing is easy.\n"}
    )
    sample.update_index()
    assert "reaches: a.py" in snippet_of(sample.find("fusing is easy"), "belief:b")
    with closing(sample.engine()) as engine:
        assert engine.status().skipped == 0
