"""Detail: one result of an earlier answer in full, without a search; and full: every result of an answer so."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from msgspec import UNSET

from scry.core import BadRequest, new_query_id
from scry.engine import Engine
from scry.engine.explain import MAX_BODY_CHARACTERS, MAX_BODY_CHARACTERS_IN_LIST
from scry.store import MAX_ANSWERS
from scry.surfaces.render import render_answer, to_plain_text
from scry.surfaces.render.explanation import render_detail
from scry_protocol.messages import Detail, DetailParams, FindParams, OrientParams, RecentParams, WhyParams
from tests.sample.indexed import IndexedProject

CALLS = {
    "shop/till.py": (
        "from shop.fusion import fuse\n\n\nclass Till:\n"
        '    """Counts coins."""\n\n'
        "    def count(self, coins):\n"
        '        """Counts the coins in the till.\n\n        Twice, to be sure.\n        """\n'
        "        return self.check(fuse([coins]))\n\n"
        "    def check(self, coins):\n        return coins\n\n\n"
        "class FastTill(Till):\n    pass\n"
    )
}


@pytest.fixture
def till(own_shop: IndexedProject) -> IndexedProject:
    own_shop.write(CALLS)
    own_shop.commit("A till that counts\n\nBecause coins\nget lost.")
    bring(own_shop)
    return own_shop


def bring(shop: IndexedProject) -> None:
    shop.update_index()
    shop.update_graph()


def detail_of(engine: Engine, query: str, doc_id: str) -> Detail:
    answer = engine.find(FindParams(query, limit=100))
    rank = next(result.rank for result in answer.results if result.doc_id == doc_id)
    return engine.detail(DetailParams(answer.query_id, rank))


@pytest.mark.acceptance("D1")
def test_detail_holds_the_whole_text_and_related_documents(till: IndexedProject) -> None:
    with closing(till.engine()) as engine:
        found = detail_of(engine, "count coins", "./shop/till.py::Till.count")
        full = found.result.full
        assert (found.state, found.note, found.query) == ("current", "", "count coins")
        assert full is not UNSET
        assert full.signature == "def count(self, coins)"
        assert full.doc.startswith("Counts the coins in the till.")
        assert full.body == (
            '    def count(self, coins):\n        """Counts the coins in the till.\n\n        Twice, to be sure.\n'
            '        """\n        return self.check(fuse([coins]))'
        )
        assert (full.language, full.truncated) == ("python", False)
        assert full.graph is not UNSET
        assert [link.doc_id for link in full.graph.imports] == ["./shop/fusion.py"]
        assert [link.doc_id for link in full.graph.callees] == ["./shop/fusion.py::fuse", "./shop/till.py::Till.check"]
        assert (full.graph.totals["callees"], full.graph.note) == (2, "")
        structural = found.result.annotations.structural
        assert structural is not UNSET
        called = detail_of(engine, "fuse", "./shop/fusion.py::fuse").result.full
        assert called is not UNSET
        assert called.graph is not UNSET
        caller = next(link for link in called.graph.callers if link.doc_id == "./shop/till.py::Till.count")
        assert caller.location is not UNSET
        assert caller.location.uri == (till.root / "shop/till.py").as_uri()
        assert caller.location.range.start.line == 11
        assert [(link.doc_id, link.count) for link in called.graph.co_changes][:1] == [("./.gitignore", 1)]
        base = detail_of(engine, "Till", "./shop/till.py::Till").result.full
        assert base is not UNSET
        assert base.graph is not UNSET
        assert [link.doc_id for link in base.graph.inherited_by] == ["./shop/till.py::FastTill"]
        assert [link.doc_id for link in base.graph.callees] == ["./shop/fusion.py::fuse"]


@pytest.mark.acceptance("D1")
def test_a_commit_in_full_is_its_message_and_its_patch(till: IndexedProject) -> None:
    with closing(till.engine()) as engine:
        commit = till.git("rev-parse", "HEAD")
        full = detail_of(engine, "a till that counts type:commit", f"commit:{commit}").result.full
        assert full is not UNSET
        assert (full.language, full.doc, full.truncated) == ("diff", "Because coins\nget lost.", False)
        assert "1 file changed" in full.body
        assert "+class FastTill(Till):\n" in full.body
        assert full.graph is UNSET


def test_a_patch_runs_nothing_of_the_repository(till: IndexedProject) -> None:
    mark = till.root.parent / "ran"
    till.git("config", "diff.external", f"touch {mark}")
    till.git("config", "diff.odd.textconv", f"touch {mark}; cat")
    till.git("config", "core.pager", f"touch {mark}")
    till.write({".gitattributes": "*.py diff=odd\n"})
    with closing(till.engine()) as engine:
        commit = till.git("rev-parse", "HEAD")
        assert detail_of(engine, "a till that counts type:commit", f"commit:{commit}").result.full is not UNSET
    assert not mark.exists()


@pytest.mark.acceptance("D1")
def test_detail_works_after_index_changes_or_reports_a_removal(till: IndexedProject) -> None:
    with closing(till.engine()) as engine:
        answer = engine.find(FindParams("count coins", limit=100))
        ranks = {result.doc_id: result.rank for result in answer.results}
        text = CALLS["shop/till.py"].replace("return self.check(", "return 2 * self.check(")
        till.write({"shop/till.py": text, "shop/fusion.py": "FUSED = 1\n"})
        bring(till)
        changed = engine.detail(DetailParams(answer.query_id, ranks["./shop/till.py::Till.count"]))
        assert changed.state == "changed"
        assert changed.note
        assert changed.result.full is not UNSET
        assert "2 * self.check" in changed.result.full.body
        gone = engine.detail(DetailParams(answer.query_id, ranks["./shop/fusion.py::fuse"]))
        assert (gone.state, gone.result.full) == ("gone", UNSET)
        assert "it is gone" in gone.note
        assert gone.result == answer.results[ranks["./shop/fusion.py::fuse"] - 1]


@pytest.mark.acceptance("D1")
def test_detail_reads_a_file_that_changed_since_it_was_indexed(till: IndexedProject) -> None:
    with closing(till.engine()) as engine:
        answer = engine.find(FindParams("count coins", limit=100))
        ranks = {result.doc_id: result.rank for result in answer.results}
        count = DetailParams(answer.query_id, ranks["./shop/till.py::Till.count"])
        before = answer.results[count.rank - 1].location
        assert before is not UNSET
        till.write(
            {"shop/till.py": "# one\n# two\n" + CALLS["shop/till.py"].replace("return self.", "return 2 * self.")}
        )
        changed = engine.detail(count)
        assert (changed.state, changed.note[:12]) == ("changed", "its file was")
        assert changed.result.full is not UNSET
        assert "2 * self.check" in changed.result.full.body
        assert changed.result.location is not UNSET
        assert changed.result.location.range.start.line == before.range.start.line + 2
        assert engine.locate_result(count.query_id, count.rank).line == before.range.start.line + 3
        till.write({"shop/till.py": CALLS["shop/till.py"].replace("def count", "def tally")})
        renamed = engine.detail(count)
        assert (renamed.state, renamed.result.full) == ("gone", UNSET)
        assert "no longer holds it" in renamed.note
        (till.root / "shop/till.py").unlink()
        deleted = engine.detail(count)
        assert (deleted.state, deleted.result.full) == ("gone", UNSET)
        assert "its file was deleted" in deleted.note


@pytest.mark.acceptance("D1")
def test_detail_follows_text_without_a_name_through_changes(own_shop: IndexedProject) -> None:
    notes = [f"line {at} of the plain notes about marmalade" for at in range(60)]
    own_shop.write({"marmalade.txt": "\n".join(notes)})
    bring(own_shop)
    with closing(own_shop.engine()) as engine:
        answer = engine.find(FindParams("plain notes about marmalade", limit=100))
        found = [each for each in answer.results if each.doc_id.startswith("./marmalade.txt#")]
        last = max(found, key=lambda each: each.doc_id)
        assert engine.detail(DetailParams(answer.query_id, last.rank)).state == "current"
        own_shop.write({"marmalade.txt": "\n".join(["new", *notes[:-1], "the end"])})
        changed = engine.detail(DetailParams(answer.query_id, last.rank)).result.full
        assert changed is not UNSET
        assert changed.body.endswith("line 58 of the plain notes about marmalade\nthe end")
        own_shop.write({"marmalade.txt": ""})
        assert engine.detail(DetailParams(answer.query_id, last.rank)).state == "gone"


@pytest.mark.acceptance("D1", "D2")
def test_text_of_a_result_keeps_its_tabs(own_shop: IndexedProject) -> None:
    body = "func Ladle(n int) int {\n\tif n > 1 {\n\t\treturn 2\n\t}\n\treturn n\n}"
    own_shop.write({"ladle.go": f"package ladle\n\n{body}\n"})
    bring(own_shop)
    with closing(own_shop.engine()) as engine:
        answer = engine.find(FindParams("Ladle", limit=1, full=True))
        detail = engine.detail(DetailParams(answer.query_id, 1))
        for lines in (render_detail(detail), render_answer(answer)):
            shown = to_plain_text(lines)
            assert "  \tif n > 1 {\n" in shown
            assert "  \t\treturn 2\n" in shown


@pytest.mark.acceptance("D1")
def test_detail_of_a_missing_result_is_a_clear_error(till: IndexedProject) -> None:
    with closing(till.engine()) as engine:
        answer = engine.find(FindParams("count coins", limit=2))
        for query_id, rank, field, words in (
            (answer.query_id, 3, "rank", "has 2 results"),
            (answer.query_id, 0, "rank", "no result 0"),
            ("q_20260101_000000_abcdefgh", 1, "query_id", "no answer in this project"),
            ("nonsense", 1, "query_id", "no name of an answer"),
        ):
            with pytest.raises(BadRequest, match=words) as raised:
                engine.detail(DetailParams(query_id, rank))
            assert raised.value.field == field


@pytest.mark.acceptance("D1")
def test_detail_reports_an_expired_answer(own_shop: IndexedProject) -> None:
    with closing(own_shop.engine()) as engine:
        first = engine.find(FindParams("fuse", limit=1))
        assert engine.detail(DetailParams(first.query_id, 1)).state == "current"
        kept = engine.recorder.answers.require(first.query_id)
        for _ in range(MAX_ANSWERS + 20):
            later = msgspec.structs.replace(first, query_id=new_query_id())
            engine.recorder.answers.add(msgspec.structs.replace(kept, answer=later))
        with pytest.raises(BadRequest, match="expired"):
            engine.detail(DetailParams(first.query_id, 1))


@pytest.mark.acceptance("D1")
def test_detail_does_not_search(till: IndexedProject, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(till.engine()) as engine:
        answer = engine.find(FindParams("count coins"))
        monkeypatch.setattr("scry.engine.search.pipeline.rank_candidates", None)
        monkeypatch.setattr("scry.store.lexical.LexicalIndex.search", None)
        monkeypatch.setattr("scry.store.vectors.VectorFile.search", None)
        assert engine.detail(DetailParams(answer.query_id, 1)).state == "current"


def test_detail_of_an_explanation_has_one_result(till: IndexedProject) -> None:
    with closing(till.engine()) as engine:
        explanation = engine.why(WhyParams("./shop/till.py::Till.count", "coins"))
        found = engine.detail(DetailParams(explanation.query_id, 1))
        assert found.result.doc_id == "./shop/till.py::Till.count"


@pytest.mark.acceptance("D1")
def test_long_body_is_cut_at_a_line_and_marked(own_shop: IndexedProject) -> None:
    body = "".join(f"    total += price_of(item, {number})\n" for number in range(3000))
    own_shop.write({"shop/long.py": f"def add_everything_up(item):\n    total = 0\n{body}    return total\n"})
    own_shop.update_index()
    with closing(own_shop.engine()) as engine:
        full = detail_of(engine, "add_everything_up", "./shop/long.py::add_everything_up").result.full
        assert full is not UNSET
        assert full.truncated
        assert MAX_BODY_CHARACTERS - 100 < len(full.body) <= MAX_BODY_CHARACTERS
        assert full.body.endswith(")")
        many = engine.find(FindParams("add_everything_up", full=True)).results[0].full
        assert many is not UNSET
        assert MAX_BODY_CHARACTERS_IN_LIST - 100 < len(many.body) <= MAX_BODY_CHARACTERS_IN_LIST


@pytest.mark.acceptance("D2")
def test_full_returns_every_result_in_full_and_changes_nothing_else(till: IndexedProject) -> None:
    with closing(till.engine()) as engine:
        plain = engine.find(FindParams("count coins", limit=20)).results
        full = engine.find(FindParams("count coins", limit=20, full=True)).results
        assert [result.doc_id for result in full] == [result.doc_id for result in plain]
        for result in full:
            assert result.full is not UNSET
            assert result.full.body
        assert {result.content_type for result in full} >= {"code", "commit"}


@pytest.mark.slow
@pytest.mark.acceptance("D1", "W1")
def test_the_command_line_shows_why_and_detail(till: IndexedProject) -> None:
    def scry(*words: str) -> str:
        command = [str(Path(sys.executable).parent / "scry"), *words]
        run = subprocess.run(command, cwd=till.root, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        return run.stdout

    query_id = scry("find", "count coins").split()[0]
    shown = scry("detail", query_id, "1")
    assert shown == scry("detail", query_id, "--rank", "1")
    assert "def count(self, coins):" in shown
    assert "Calls" in shown
    explained = scry("why", "shop/till.py::Till.count")
    assert "Question: count coins" in explained
    assert "Lexical" in explained
    assert '"summary"' in scry("why", "shop/till.py:8", "count coins", "--json")


@pytest.mark.acceptance("D1", "O1")
def test_reading_detail_does_not_mark_a_file_changed(till: IndexedProject) -> None:
    with closing(till.engine()) as engine:
        answer = engine.orient(OrientParams("shop"))
        detail = engine.detail(DetailParams(answer.query_id, 1))
        assert (detail.state, detail.note) == ("current", "")


@pytest.mark.acceptance("D1", "D2", "O1", "R1")
def test_detail_of_a_file_holds_all_and_outside_relations(till: IndexedProject) -> None:
    with closing(till.engine()) as engine:
        answer = engine.orient(OrientParams("shop/till.py"))
        full = engine.detail(DetailParams(answer.query_id, 1)).result.full
        assert full is not UNSET
        assert full.body == CALLS["shop/till.py"].rstrip("\n")
        assert full.graph is not UNSET
        assert [link.doc_id for link in full.graph.callees] == ["./shop/fusion.py::fuse"]
        assert full.graph.callers == []
        results = engine.recent(RecentParams(full=True)).results
        listed = next(result for result in results if result.doc_id == "./shop/till.py")
        assert listed.full is not UNSET
        assert listed.full.body == full.body
