"""Relational questions, on a generated project in Python and TypeScript with a real code graph and history."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from scry.core import BadRequest
from scry.store.events import EventReader
from scry.surfaces.cli.run import run
from scry.surfaces.render import proof_lines
from scry_protocol import messages
from tests.sample.indexed import IndexedProject, doc_ids

pytestmark = pytest.mark.acceptance("N3")

FILES = {
    "mail/clock.py": "def now():\n    return 0\n\n\ndef wait(seconds):\n    return seconds\n",
    "mail/send.py": (
        "from mail.clock import now, wait\n\n\n"
        "class Sender:\n    def post(self):\n        wait(1)\n        return now()\n\n\n"
        "class Express(Sender):\n    pass\n\n\n"
        "def deliver():\n    wait(2)\n    return Express().post()\n"
    ),
    "mail/main.py": "from mail.send import deliver\n\n\ndef run():\n    return deliver()\n",
    "web/shape.ts": "export class Shape {}\nexport class Round extends Shape {}\nexport class Ball extends Round {}\n",
    "web/draw.ts": (
        'import { Ball } from "./shape";\nimport "../C#/stamp";\n\n'
        "export function draw() {\n  return new Ball();\n}\nexport function run() {\n  return draw();\n}\n"
    ),
    "C#/stamp.ts": "export const ink = 1;\n",
    "old/stamp.pl": "sub stamp {\n}\nstamp();\n",
}


@pytest.fixture(scope="module")
def mail(tmp_path_factory: pytest.TempPathFactory) -> IndexedProject:
    sample = IndexedProject(tmp_path_factory.mktemp("work") / "mail").init_repository()
    sample.write(FILES)
    sample.commit("Open the post office")
    sample.write({name: FILES[name] + f"{sign} later\n" for name, sign in (("mail/send.py", "#"),)})
    sample.write({"mail/clock.py": FILES["mail/clock.py"] + "\nN = 1\n"})
    sample.git("commit", "-qam", "Wait")
    sample.update_index()
    sample.update_graph()
    return sample


def ask(sample: IndexedProject, query: str, limit: int = 10, **params: object) -> messages.Answer:
    return sample.find(query, limit, reason=True, **params)


def edges(result: messages.ResultItem) -> list[tuple[str, str, str]]:
    proof = result.annotations.proof
    assert isinstance(proof, list)
    return [(edge.source, edge.kind, edge.target) for edge in proof]


DELIVER, POST, EXPRESS = "./mail/send.py::deliver", "./mail/send.py::Sender.post", "./mail/send.py::Express"
NOW, WAIT, RUN = "./mail/clock.py::now", "./mail/clock.py::wait", "./mail/main.py::run"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("what calls wait", {DELIVER, POST}),
        ("who calls now()?", {POST}),
        ("what calls clock.py::now", {POST}),
        ("what calls mail/clock.py::now", {POST}),
        ("what does deliver call", {WAIT, EXPRESS, POST}),
        ("what does mail/send.py call", {WAIT, NOW}),
        ("what calls wait and is called by mail/main.py", {DELIVER}),
        ("what calls wait but not now", {DELIVER}),
        ("what calls wait but not what calls mail.clock", set[str]()),
        ("callers of now or callers of deliver", {POST, RUN}),
        ("what imports clock", {"./mail/send.py"}),
        ("what imports mail.clock and calls deliver", set[str]()),
        ("what imports clock and calls wait but not now", {DELIVER}),
        ("what does web/draw.ts import", {"./web/shape.ts", "./C%23/stamp.ts"}),
        ("what inherits Sender", {EXPRESS}),
        ("subclasses of Shape", {"./web/shape.ts::Round"}),
        ("subclasses of Shape transitively", {"./web/shape.ts::Round", "./web/shape.ts::Ball"}),
        ("what Express inherits", {"./mail/send.py::Sender"}),
        ("what defines Sender.post", {"./mail/send.py::Sender"}),
        ("what does Sender define", {POST}),
        ("what transitively defines Sender.post", {"./mail/send.py::Sender", "./mail/send.py"}),
        ("what transitively imports clock", {"./mail/send.py", "./mail/main.py"}),
        ("what uses wait", {DELIVER, POST}),
        ("where is Express used", {DELIVER}),
        ("what uses Sender", {EXPRESS, DELIVER}),
        ("what does deliver use", {WAIT, EXPRESS, POST}),
        ("what uses mail/clock.py", {"./mail/send.py"}),
        ("what uses mail/clock.py transitively", {"./mail/send.py", "./mail/main.py"}),
        ("what uses Shape transitively but not Ball", {"./web/shape.ts::Round", "./web/shape.ts::Ball"}),
        ('what imports "./C%23/stamp.ts"', {"./web/draw.ts"}),
        ('what imports "C#/stamp.ts"', {"./web/draw.ts"}),
        ("what changes with mail/main.py and imports mail/clock.py", {"./mail/send.py"}),
    ],
)
def test_reason_answers_relation_questions(mail: IndexedProject, query: str, found: set[str]) -> None:
    answer = ask(mail, query)
    assert answer.mode == "reason"
    assert (answer.scoring.k, answer.scoring.depth) == (0, 0)
    assert set(doc_ids(answer)) == found
    assert all(result.annotations.proof for result in answer.results)
    assert bool(answer.results) or "nothing that is known" in answer.notice


def test_empty_answer_names_what_is_known(mail: IndexedProject) -> None:
    notice = ask(mail, "what calls Shape").notice
    assert notice.startswith("nothing that is known of the code meets this (./web/shape.ts::Shape is known)")
    assert "passed as a value is not called" in notice
    assert "passed as a value" not in ask(mail, "what inherits Express").notice


def test_search_that_the_code_graph_can_answer_says_how_to_ask_it(mail: IndexedProject) -> None:
    hint = "searched by words and meaning; for what the code graph knows of deliver: --reason"
    assert hint in mail.find("who calls deliver?", 3).notice
    assert hint in mail.find("where is deliver called", 3).notice
    for query in ("who calls nobody", "deliver", "what is done by deliver", "where are letters used to wait"):
        assert "code graph" not in mail.find(query, 3).notice


def test_answer_about_a_language_without_relations_says_so(mail: IndexedProject) -> None:
    notice = ask(mail, "what calls stamp").notice
    assert "calls and inheritance are not read in perl: relations are missing" in notice
    assert "not read" not in ask(mail, "what defines stamp").notice
    assert "not read" not in ask(mail, "what calls Shape").notice


def test_transitive_answer_shows_its_path(mail: IndexedProject) -> None:
    answer = ask(mail, "what transitively calls wait")
    assert doc_ids(answer)[:2] == [POST, DELIVER] or doc_ids(answer)[:2] == [DELIVER, POST]
    last = answer.results[-1]
    assert edges(last) == [(RUN, "calls", DELIVER), (DELIVER, "calls", WAIT)]
    assert proof_lines(last)[0] == f"calls {DELIVER} at line 5 (exact)"
    assert last.evidence.startswith("calls wait in 2 steps")
    proof = last.annotations.proof
    assert isinstance(proof, list)
    assert isinstance(proof[0].location, messages.Location)
    assert proof[0].location.uri.endswith("/mail/main.py")


def test_conjunction_joins_proofs_and_disjunction_prefers_more_matches(mail: IndexedProject) -> None:
    both = ask(mail, "what calls wait and is called by run").results[0]
    assert edges(both) == [(DELIVER, "calls", WAIT), (RUN, "calls", DELIVER)]
    assert proof_lines(both)[1].startswith(f"is called by {RUN} at line 5")
    either = ask(mail, "what calls now or calls wait")
    assert doc_ids(either) == [POST, DELIVER]
    assert [result.fused_score for result in either.results] == [1.0, 0.5]
    assert doc_ids(ask(mail, "what calls now or calls wait", limit=1)) == [POST]
    assert doc_ids(ask(mail, "what calls now or calls wait", min_score=0.6)) == [POST]


def test_ambiguous_name_includes_and_lists_all_symbols(mail: IndexedProject) -> None:
    answer = ask(mail, "what is called by run")
    assert set(doc_ids(answer)) == {DELIVER, "./web/draw.ts::draw"}
    assert f"run is the name of 2 things, all are meant: {RUN}, ./web/draw.ts::run" in answer.notice


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("what calls delivr", "nothing in this project is called delivr; did you mean deliver?"),
        ("what imports mail/clok.py", "did you mean ./mail/clock.py?"),
        ("what calls wait and not zzz", "nothing in this project is called zzz"),
        ("where is the retry limit", "what calls foo and is called by bar"),
    ],
)
def test_unknown_names_and_syntax_errors_are_refused(mail: IndexedProject, query: str, words: str) -> None:
    with pytest.raises(BadRequest) as refused:
        ask(mail, query)
    assert refused.value.field == "query"
    assert words in str(refused.value)


def test_reason_query_is_logged(mail: IndexedProject) -> None:
    answer = ask(mail, "what calls wait")
    reader = EventReader.open(mail.project.data)
    assert reader is not None
    with closing(reader):
        logged = reader.find_query(answer.query_id)
    assert logged is not None
    assert '"mode":"reason"' in logged.event.body.replace(": ", ":")


def test_command_line_shows_each_proof(
    mail: IndexedProject, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(mail.root)
    assert run(["find", "--no-wait", "--reason", "what calls wait and is called by run"]) == 0
    shown = capsys.readouterr().out
    assert f"calls {WAIT} at line 15 (exact)" in shown
    assert f"is called by {RUN} at line 5 (exact)" in shown


def test_reason_reports_a_missing_history(tmp_path: Path) -> None:
    plain = IndexedProject(tmp_path / "plain")
    plain.write({"a.py": "x = 1\n"})
    plain.update_index()
    assert "no history is known here" in ask(plain, "what changes with a.py").notice
