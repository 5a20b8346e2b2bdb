"""Notes of the person, and beliefs that are written and looked through, by the engine and the command line."""

from __future__ import annotations

import os
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from scry.core import BadRequest, data_home
from scry.projects.project import persona_store_path
from scry.store.notes import database as note_database
from scry.store.sqlite import database as sqlite_database
from scry.surfaces.render import render_for_model
from scry_protocol.messages import (
    BeliefsParams,
    BelieveParams,
    DetailParams,
    FindParams,
    NeighborsParams,
    PersonaParams,
    RememberParams,
    WhyParams,
)
from tests.sample.indexed import IndexedProject, doc_ids
from tests.sample.knowledge import BELIEFS


def scry(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scry", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=dict(os.environ))


@pytest.mark.acceptance("K1", "J3", "F3")
def test_persona_note_is_found_until_superseded_or_forgotten(own_shop: IndexedProject) -> None:
    with closing(own_shop.engine()) as engine:
        first = engine.knowledge.remember(RememberParams("I like xylophone names", domains=["style"])).notes[0]
        assert first.doc_id.startswith("persona:direct:2")
        found = next(r for r in engine.find(FindParams("xylophone names")).results if r.content_type == "persona")
        assert found.doc_id == first.doc_id
        assert {"semantic", "lexical", "persona"} == set(found.contributions)
        assert found.contributions["persona"].snippet == "I like xylophone names"
        cosine, semantic = found.contributions["persona"].cosine, found.contributions["semantic"].raw_score
        assert cosine == pytest.approx(semantic, abs=1e-5)
        second = engine.knowledge.remember(RememberParams("I like short names", supersedes=first.doc_id)).notes[0]
        assert second.superseded == first.doc_id
        assert first.doc_id not in doc_ids(engine.find(FindParams("xylophone names")))
        assert [note.doc_id for note in engine.knowledge.persona(PersonaParams("list")).notes] == [second.doc_id]
        found = engine.knowledge.persona(PersonaParams("search", "short")).notes
        assert [note.doc_id for note in found] == [second.doc_id]
        assert engine.knowledge.persona(PersonaParams("list", domains=["python"])).notes == []
        engine.knowledge.persona(PersonaParams("forget", doc_id=first.doc_id))
        engine.knowledge.persona(PersonaParams("forget", doc_id=second.doc_id))
        assert engine.knowledge.persona(PersonaParams("list")).notes == []
        with pytest.raises(BadRequest, match="no note of yours"):
            engine.knowledge.persona(PersonaParams("forget", doc_id="persona:direct:nothing"))
    held = b"".join(path.read_bytes() for path in (data_home() / "persona").rglob("*") if path.is_file())
    assert b"xylophone" not in held
    assert b"short names" not in held


@pytest.mark.acceptance("K1")
def test_note_that_a_reader_keeps_in_the_journal_is_not_called_forgotten(
    own_shop: IndexedProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(note_database, "BUSY_TIMEOUT_S", 1.0)

    def holds() -> bool:
        return b"quetzal" in b"".join(path.read_bytes() for path in path_of_notes.parent.rglob("*") if path.is_file())

    with closing(own_shop.engine()) as engine:
        note = engine.knowledge.remember(RememberParams("I like quetzal names")).notes[0]
        path_of_notes = persona_store_path()
        with closing(sqlite3.connect(path_of_notes, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM persona_events").fetchall()
            with monkeypatch.context() as while_read:
                while_read.setattr(sqlite_database, "_WAL_TIMEOUT_S", 0.2)
                told = engine.knowledge.persona(PersonaParams("forget", doc_id=note.doc_id)).note
            assert "forget again" in told
            assert holds()
        told = engine.knowledge.persona(PersonaParams("forget", doc_id=note.doc_id)).note
        assert "forget again" not in told
        assert not holds()


@pytest.mark.acceptance("K1")
def test_forgotten_note_is_in_no_stored_answer(own_shop: IndexedProject) -> None:
    with closing(own_shop.engine()) as engine:
        note = engine.knowledge.remember(RememberParams("I like quokkas in names")).notes[0]
        shown = engine.find(FindParams("names with quokkas"))
        other = engine.find(FindParams("fuse"))
        assert note.doc_id in doc_ids(shown)
        engine.knowledge.persona(PersonaParams("forget", doc_id=note.doc_id))
        with pytest.raises(BadRequest, match="query_id"):
            engine.detail(DetailParams(shown.query_id, 1))
        assert engine.detail(DetailParams(other.query_id, 1)).result
    held = [path for path in data_home().rglob("*") if path.is_file() and b"quokkas in names" in path.read_bytes()]
    assert held == []


@pytest.mark.acceptance("K2")
def test_believe_writes_a_file_for_review_and_checks_evidence(own_shop: IndexedProject) -> None:
    with closing(own_shop.engine()) as engine:
        asked = BelieveParams("The till is closed on Sundays", evidence=["shop/notes.txt:1"], entrenchment="high")
        written = engine.knowledge.believe(asked).beliefs[0]
        assert (own_shop.root / written.path).read_text().startswith("---\nid: till-closed-sundays\n")
        for wrong, field in (
            (BelieveParams("A", evidence=["shop/gone.py:1"]), "evidence"),
            (BelieveParams("A", evidence=["shop/notes.txt:99"]), "evidence"),
            (BelieveParams("A", evidence=["../outside.py:1"]), "evidence"),
            (BelieveParams("A", entrenchment="rather"), "entrenchment"),
            (BelieveParams("A", id="../up"), "id"),
            (BelieveParams("  "), "statement"),
            (asked, "id"),
        ):
            with pytest.raises(BadRequest) as refused:
                engine.knowledge.believe(wrong)
            assert refused.value.field == field
    own_shop.update_index()
    assert "belief:till-closed-sundays" in doc_ids(own_shop.find("when is the till closed"))


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("Do not allocate in ServeHTTP", "not-allocate-servehttp"),
        ("Totals are never rounded", "totals-never-rounded"),
        ("We don’t retry writes", "not-retry-writes"),
        ("No handler may block", "no-handler-may-block"),
        ("parse_http_header has a limit", "parse_http_header-limit"),
        ("料金は税込み", "belief"),
    ],
)
def test_belief_id_keeps_negations(own_shop: IndexedProject, statement: str, name: str) -> None:
    with closing(own_shop.engine()) as engine:
        assert engine.knowledge.believe(BelieveParams(statement)).beliefs[0].doc_id == f"belief:{name}"


@pytest.mark.acceptance("K2", "K3")
def test_written_belief_is_listed_at_once_with_its_reach(own_shop: IndexedProject) -> None:
    """Even before any indexer has read it, as while a first index is being made."""
    with closing(own_shop.engine()) as engine:
        written = engine.knowledge.believe(BelieveParams("Till is closed on Sundays", evidence=["shop/notes.txt:1"]))
        assert [reach.doc_id for reach in written.beliefs[0].impact.reaches] == ["./shop/notes.txt"]
        listed = engine.knowledge.beliefs(BeliefsParams("list")).beliefs
        assert [(each.doc_id, each.impact) for each in listed] == [
            (each.doc_id, each.impact) for each in written.beliefs
        ]
        assert engine.knowledge.beliefs(BeliefsParams("show", listed[0].doc_id)).beliefs == listed
    own_shop.update_index()  # read, and not related to the history yet
    with closing(own_shop.engine()) as engine:
        (again,) = engine.knowledge.beliefs(BeliefsParams("list")).beliefs
        assert again.impact.reaches[0].doc_id == "./shop/notes.txt"


@pytest.mark.acceptance("K2")
def test_renamed_belief_keeps_its_text_and_relations(own_shop: IndexedProject) -> None:
    """A belief whose id lost its "not" gets one that has it, and those that name it follow."""
    other = "---\nstatement: Buffers are pooled.\nsupports:\n  - allocate-servehttp # speed\nattacks: [allocate]\n---\n"
    own_shop.write(
        {
            ".scry/beliefs/allocate-servehttp.md": "---\nid: allocate-servehttp # mine\n"
            "statement: Do not allocate in ServeHTTP\n---\nallocate-servehttp stays here.\n",
            ".scry/beliefs/pool.md": other,
        }
    )
    own_shop.update_index()
    with closing(own_shop.engine()) as engine:
        renamed = engine.knowledge.beliefs(BeliefsParams("rename", "belief:allocate-servehttp")).beliefs[0]
        assert (renamed.doc_id, renamed.path) == (
            "belief:not-allocate-servehttp",
            ".scry/beliefs/not-allocate-servehttp.md",
        )
        text = (own_shop.root / renamed.path).read_text()
        assert text.startswith("---\nid: not-allocate-servehttp # mine\n")
        assert text.endswith("---\nallocate-servehttp stays here.\n")
        assert not (own_shop.root / ".scry/beliefs/allocate-servehttp.md").exists()
        expected = other.replace("- allocate-servehttp", "- not-allocate-servehttp")
        assert (own_shop.root / ".scry/beliefs/pool.md").read_text() == expected
        for wrong, field in (
            (BeliefsParams("rename"), "id"),
            (BeliefsParams("rename", "nothing"), "id"),
            (BeliefsParams("rename", "pool", new_id="../up"), "new_id"),
            (BeliefsParams("rename", "pool", new_id="not-allocate-servehttp"), "new_id"),
        ):
            with pytest.raises(BadRequest) as refused:
                engine.knowledge.beliefs(wrong)
            assert refused.value.field == field
    own_shop.update_index()
    with closing(own_shop.engine()) as engine:
        listed = {each.doc_id: each for each in engine.knowledge.beliefs(BeliefsParams("list")).beliefs}
    assert listed["belief:pool"].supports == ["belief:not-allocate-servehttp"]
    assert len(listed) == 2


@pytest.mark.acceptance("K3")
def test_check_lists_contradictions_of_beliefs_and_files(own_shop: IndexedProject) -> None:
    own_shop.write({**BELIEFS, ".scry/beliefs/bad.md": "---\nstatus: maybe\n---\nA\n"})
    own_shop.update_index()
    with closing(own_shop.engine()) as engine:
        checked = engine.knowledge.beliefs(BeliefsParams("check"))
        shown = engine.knowledge.beliefs(BeliefsParams("show", "fusion-by-rank")).beliefs[0]
        assert len(engine.knowledge.beliefs(BeliefsParams("list")).beliefs) == 2
    assert [belief.doc_id for belief in checked.beliefs] == ["belief:fusion-by-rank", "belief:raw-scores"]
    assert [problem.path for problem in checked.problems] == [".scry/beliefs/bad.md"]
    assert "line 2: status is one of" in checked.problems[0].problem
    assert (shown.entrenchment, shown.status) == (1.0, "active")
    assert shown.impact.reaches[0].doc_id == "./shop/fusion.py"


@pytest.mark.acceptance("N2", "D1", "W1")
def test_neighbors_detail_and_why_show_the_reach_of_a_belief(own_shop: IndexedProject) -> None:
    own_shop.write(BELIEFS)
    own_shop.update_index()
    with closing(own_shop.engine()) as engine:
        near = engine.neighbors(NeighborsParams(belief="fusion-by-rank"))
        assert near.results[0].doc_id == "./shop/fusion.py"
        only = engine.neighbors(NeighborsParams(belief="belief:fusion-by-rank", types=["belief"]))
        assert {result.content_type for result in only.results} <= {"belief"}
        with pytest.raises(BadRequest, match="scry belief list"):
            engine.neighbors(NeighborsParams(belief="nothing"))
        answer = engine.find(FindParams("fuse"))
        rank = next(result.rank for result in answer.results if result.doc_id == "./shop/fusion.py::fuse")
        full = engine.detail(DetailParams(answer.query_id, rank)).result.full
        assert full
        assert full.impact
        assert full.impact.beliefs[0].doc_id == "belief:fusion-by-rank"
        why = engine.why(WhyParams("belief:fusion-by-rank"))
        assert why.impact
        assert why.impact.reaches[0].doc_id == "./shop/fusion.py"


@pytest.mark.slow
@pytest.mark.acceptance("X3")
def test_footer_command_runs_verbatim_and_needs_beliefs(own_shop: IndexedProject) -> None:
    own_shop.write(BELIEFS)
    shown = scry(own_shop.root, "find", "why are raw scores never added").stdout
    footer = next(text for text in shown.splitlines() if text.startswith("Belief impact: "))
    assert "beliefs bear on this" in footer
    command = shlex.split(footer[footer.index("scry neighbors") :])
    deeper = scry(own_shop.root, *command[1:])
    assert deeper.returncode == 0
    assert "./shop/fusion.py" in deeper.stdout
    assert "Belief impact" not in scry(own_shop.root, "find", "payInvoice", "--type", "code").stdout


@pytest.mark.slow
@pytest.mark.acceptance("K3")
def test_exit_status_says_whether_evidence_contradicts_beliefs(own_shop: IndexedProject) -> None:
    own_shop.write({".scry/beliefs/fine.md": "---\nstatement: The till is closed on Sundays.\n---\n"})
    fine = scry(own_shop.root, "belief", "check")
    assert (fine.returncode, fine.stdout) == (0, "Nothing speaks against the one belief.\n")
    own_shop.write({".scry/beliefs/lost.md": "---\nstatement: Gone.\nevidence: shop/gone.py:1\n---\n"})
    lost = scry(own_shop.root, "belief", "check")
    assert (lost.returncode, "! its evidence is gone: shop/gone.py:1" in lost.stdout) == (1, True)
    assert scry(own_shop.root, "belief", "list").returncode == 0


@pytest.mark.acceptance("J7")
def test_prompt_groups_beliefs_with_their_citations(own_shop: IndexedProject) -> None:
    own_shop.write(BELIEFS)
    own_shop.update_index()
    shown = render_for_model(own_shop.find("why are raw scores never added in fusion"))
    assert shown.index("## Project Knowledge") < shown.index("## Your Beliefs")
    beliefs = shown[shown.index("## Your Beliefs") :]
    assert "belief:fusion-by-rank" in beliefs
    assert "at shop/fusion.py:7, shop/fusion.py" in beliefs
