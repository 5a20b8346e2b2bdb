"""The oracle of use: what was opened for like questions votes, decays, is followed, and is forgotten (U1)."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from scry.core import load_settings
from scry.core.events import FEEDBACK, QUERY, USE, EventFilter, LogEvent
from scry.engine import Engine
from scry.engine.activity import learning
from scry.engine.activity.learning import learn_from_log
from scry.engine.federation import EnginePool, HomeWorkspace, ProjectRouter, make_engine_opener
from scry.projects.registration import add_project
from scry.store.events import EventLog, EventReader, forget_events
from scry.store.events.learner import MAX_PLACES, MAX_QUESTIONS
from scry_protocol import messages
from tests.sample.files import SHOP
from tests.sample.indexed import IndexedProject, doc_ids, recomputed_score

pytestmark = pytest.mark.acceptance("U1")

QUESTION = "how is the receipt of a cart printed"
LIKE = "how are receipts for a cart printed"
OTHER = "where is an item added"
DAY_MS = 86_400_000
CHOSEN = "./shop/cart.py::Cart.compute_total"

_numbers = count()


@pytest.fixture
def shop(tmp_path: Path) -> IndexedProject:
    project = IndexedProject(tmp_path / "shop").init_repository()
    project.write(SHOP)
    project.commit("The shop")
    project.update_index()
    return project


def log_act(
    project: IndexedProject,
    doc_id: str,
    question: str = QUESTION,
    *,
    rank: int = 5,
    how: str = "jump",
    age_days: float = 0.0,
    text: str = "",
    predicted: str = "",
) -> None:
    """Log a question, and a use or a rating of one of its results, so many days ago.

    predicted: the result that the oracle of use put first, of ten.
    """
    then = int(time.time() * 1000 - age_days * DAY_MS)
    query_id = f"q_20260101_000000_{next(_numbers):08d}".translate(str.maketrans("0189", "abcd"))
    asked: dict[str, object] = {"mode": "find", "query": question, "results": []}
    if predicted:
        shown = [predicted, *(f"./shop/part{number}.py" for number in range(2, 11))]
        asked["results"] = [
            {"rank": at, "doc_id": each, "contributions": {"use": {"rank": 1}} if each == predicted else {}}
            for at, each in enumerate(shown, 1)
        ]
    events = [LogEvent(QUERY, then, json.dumps(asked), query_id)]
    if how in ("good", "bad"):
        body = {"signal": how, "rank": rank, "doc_id": doc_id}
        events.append(LogEvent(FEEDBACK, then, json.dumps(body), query_id))
    else:
        body = {"rank": rank, "result_used": doc_id, "how": how, "text": text}
        events.append(LogEvent(USE, then, json.dumps(body), query_id, f"act {query_id}"))
    data = project.project.data
    with closing(EventLog.open(data, lambda: data.mkdir(parents=True, exist_ok=True))) as log:
        assert all(log.append(events))


def learn(project: IndexedProject) -> None:
    learn_from_log(project.project.data, until_done=True)


def used(answer: messages.Answer) -> dict[str, messages.Contribution]:
    """Return the contributions of the oracle of use, by doc_id."""
    return {each.doc_id: each.contributions["use"] for each in answer.results if "use" in each.contributions}


def test_an_opened_result_is_found_first_for_a_like_question(shop: IndexedProject) -> None:
    with closing(shop.engine()) as engine:
        before, other = engine.find(messages.FindParams(LIKE)), engine.find(messages.FindParams(OTHER))
        asked = engine.find(messages.FindParams(QUESTION))
        rank = doc_ids(asked).index(CHOSEN) + 1
        assert rank > 2
        assert engine.use(messages.UseParams(asked.query_id, rank, "jump", "one")).recorded
    learn(shop)
    after = shop.find(LIKE)
    assert doc_ids(after).index(CHOSEN) < doc_ids(before).index(CHOSEN)
    found = used(after)[CHOSEN]
    assert (found.rank, found.score_type, found.snippet) == (1, "uses", f"you opened this for '{QUESTION}', today")
    assert "use #1" in after.results[doc_ids(after).index(CHOSEN)].evidence
    for result in after.results:
        assert recomputed_score(after, result) == pytest.approx(result.fused_score, abs=1e-12)
    unlike = shop.find(OTHER)
    assert [(each.doc_id, each.fused_score) for each in unlike.results] == [
        (each.doc_id, each.fused_score) for each in other.results
    ]
    assert "use" not in unlike.scoring.weights


def test_use_of_another_project_is_no_use_of_the_own_document_with_that_name(
    shop: IndexedProject, tmp_path: Path
) -> None:
    other = IndexedProject(tmp_path / "other").init_repository()
    other.write(SHOP)
    other.update_index()
    add_project(other.root, "other", ())
    pool = EnginePool(make_engine_opener("test", start_indexer=False))
    with closing(ProjectRouter(pool, HomeWorkspace(pool, shop.root))) as router:
        asked = router.find(messages.FindParams(QUESTION, projects=["other"]))
        rank = doc_ids(asked).index(f"other:{CHOSEN}") + 1
        assert router.use(messages.UseParams(asked.query_id, rank, "jump", "one")).recorded
        assert router.feedback(messages.FeedbackParams(asked.query_id, "good", rank=rank)).recorded
    learn(shop)
    with closing(shop.engine()) as engine:
        assert used(engine.find(messages.FindParams(QUESTION))) == {}


def test_use_counts_for_its_file_alone_in_every_project_of_the_repository(tmp_path: Path) -> None:
    text = 'def weigh(parcel):\n    """Weighs a parcel."""\n    return parcel.grams\n'
    better = 'def weigh_a_parcel():\n    """Weigh a parcel."""\n'
    mono = IndexedProject(tmp_path / "mono").init_repository()
    mono.write({f"{folder}util/helper.py": text for folder in ("", "packages/cart [1]/", "packages/post/")})
    mono.write({"packages/cart [1]/scale.py": better})
    mono.commit("Weigh parcels")
    cart, post = (IndexedProject(mono.root / "packages" / name) for name in ("cart [1]", "post"))
    for project in (mono, cart, post):
        project.update_index()
    question = "weigh a parcel"
    with closing(cart.engine()) as engine:
        answer = engine.find(messages.FindParams(question))
        rank = doc_ids(answer).index("./util/helper.py::weigh") + 1
        engine.use(messages.UseParams(answer.query_id, rank, "jump", "act-1"))
        learn(cart)
        after = engine.why(messages.WhyParams(answer.results[rank - 1].doc_id, query_id=answer.query_id))
        other = engine.why(messages.WhyParams(answer.results[0].doc_id, query_id=answer.query_id))
    assert (rank, after.reason) == (2, "The answer had it 2nd; you have used it since.")
    assert "you have used" not in other.reason
    found = {project.root.name: [*used(project.find(question))] for project in (mono, cart, post)}
    in_mono = "./packages/cart [1]/util/helper.py::weigh"
    assert found == {"mono": [in_mono], "cart [1]": ["./util/helper.py::weigh"], "post": []}


def test_why_names_the_use_and_its_absence(shop: IndexedProject) -> None:
    log_act(shop, CHOSEN)
    log_act(shop, CHOSEN)
    learn(shop)
    with closing(shop.engine()) as engine:
        chosen = engine.why(messages.WhyParams(CHOSEN, LIKE)).oracles[-1]
        other = engine.why(messages.WhyParams("./shop/mail.py::send_receipt", LIKE)).oracles[-1]
    assert (chosen.oracle, chosen.state, chosen.rank) == ("use", "voted", 1)
    assert chosen.note == f"you opened this for '{QUESTION}', today"  # twice within a minute counts once
    assert (other.oracle, other.state) == ("use", "no_match")
    assert "not used for a question like this" in other.note


def test_evidence_says_how_often_and_when(shop: IndexedProject) -> None:
    log_act(shop, CHOSEN, age_days=40)
    log_act(shop, CHOSEN, how="copy", age_days=3)
    learn(shop)
    day = time.strftime("%A", time.localtime(time.time() - 3 * 86_400))
    assert used(shop.find(QUESTION))[CHOSEN].snippet == f"you copied this for '{QUESTION}', twice, last on {day}"


@pytest.mark.acceptance("F8")
def test_use_never_displaces_what_an_exact_name_finds(shop: IndexedProject) -> None:
    before = shop.find("compute_total")
    for age in range(30):
        log_act(shop, "./shop/mail.py::send_receipt", "compute_total", rank=9, age_days=age)
    learn(shop)
    after = shop.find("compute_total")
    assert [(each.doc_id, each.fused_score) for each in after.results] == [
        (each.doc_id, each.fused_score) for each in before.results
    ]
    log_act(shop, CHOSEN, "compute_total", rank=1)
    learn(shop)
    assert list(used(shop.find("compute_total"))) == [CHOSEN]


def test_a_low_rank_counts_more_than_the_first(shop: IndexedProject) -> None:
    log_act(shop, "./shop/mail.py::send_receipt", rank=1, age_days=2)
    log_act(shop, CHOSEN, rank=9, age_days=3)
    learn(shop)
    found = used(shop.find(QUESTION))
    assert (found[CHOSEN].rank, found["./shop/mail.py::send_receipt"].rank) == (1, 2)


def test_a_jump_that_another_follows_counts_against_its_place(shop: IndexedProject) -> None:
    log_act(shop, "./shop/mail.py::send_receipt", rank=2)
    log_act(shop, CHOSEN, rank=3)
    learn(shop)
    assert list(used(shop.find(QUESTION))) == [CHOSEN]


def test_ratings_count_for_and_against(shop: IndexedProject) -> None:
    log_act(shop, CHOSEN, rank=1, age_days=2)
    log_act(shop, CHOSEN, how="bad", age_days=1)
    log_act(shop, "./shop/mail.py::send_receipt", how="good")
    learn(shop)
    assert list(used(shop.find(QUESTION))) == ["./shop/mail.py::send_receipt"]


def test_use_decays_with_time(shop: IndexedProject) -> None:
    log_act(shop, CHOSEN, rank=1, age_days=30)
    learn(shop)
    assert used(shop.find(QUESTION))[CHOSEN].raw_score == pytest.approx(0.5 * 2**-0.1, rel=0.01)  # one commit since
    log_act(shop, "./shop/mail.py::send_receipt", OTHER, rank=1, age_days=75)
    learn(shop)
    assert used(shop.find(OTHER)) == {}


def test_use_decays_with_commits_to_the_file(shop: IndexedProject) -> None:
    log_act(shop, CHOSEN, rank=1, age_days=1)
    learn(shop)
    before = used(shop.find(QUESTION))[CHOSEN].raw_score
    for number in range(10):
        shop.write({"shop/cart.py": SHOP["shop/cart.py"] + f"\n# {number}\n"})
        shop.commit(f"Change {number}")
    shop.update_index()
    assert used(shop.find(QUESTION))[CHOSEN].raw_score == pytest.approx(before / 2, rel=0.02)


def test_a_moved_file_is_followed(shop: IndexedProject) -> None:
    log_act(shop, CHOSEN)
    learn(shop)
    (shop.root / "basket").mkdir()
    (shop.root / "shop/cart.py").rename(shop.root / "basket/lines.py")
    shop.update_index()
    assert list(used(shop.find(QUESTION))) == ["./basket/lines.py::Cart.compute_total"]


def test_a_renamed_symbol_is_followed(shop: IndexedProject) -> None:
    with closing(shop.engine()) as engine:
        asked = engine.find(messages.FindParams(QUESTION))
        rank = doc_ids(asked).index(CHOSEN) + 1
        engine.use(messages.UseParams(asked.query_id, rank, "jump", "one"))
    learn(shop)
    shop.write({"shop/cart.py": SHOP["shop/cart.py"].replace("compute_total", "add_up")})
    shop.update_index()
    assert list(used(shop.find(QUESTION))) == ["./shop/cart.py::Cart.add_up"]


def test_forgetting_takes_what_was_learnt(shop: IndexedProject) -> None:
    log_act(shop, CHOSEN)
    log_act(shop, "./shop/mail.py::send_receipt", OTHER)
    learn(shop)
    assert used(shop.find(LIKE))
    forget_events(shop.project.data, EventFilter(text="of a cart printed"), int(time.time() * 1000))
    left = b"".join(path.read_bytes() for path in shop.project.data.glob("learnt.sqlite*"))
    assert b"cart" not in left
    kept = b"".join(path.read_bytes() for path in shop.project.data.glob("answers.sqlite*"))
    assert b"of a cart printed" not in kept
    assert used(shop.find(LIKE)) == {}
    learn(shop)
    assert used(shop.find(LIKE)) == {}
    assert list(used(shop.find(OTHER))) == ["./shop/mail.py::send_receipt"]


@pytest.mark.parametrize("name", ["log", "learn"])
def test_a_switch_ends_learning_and_the_status_says_so(shop: IndexedProject, name: str) -> None:
    log_act(shop, CHOSEN)
    learn(shop)
    assert used(shop.find(LIKE))
    with closing(shop.engine()) as engine:
        assert engine.status().learning == "on; 1 place used for 1 question"
    settings = load_settings(shop.root, {f"SCRY_{name.upper()}": "false"})
    with closing(Engine.open(shop.root, settings, start_indexer=False)) as engine:
        assert used(engine.find(messages.FindParams(LIKE))) == {}
        assert engine.status().learning.startswith("off")
        assert ("the log is off" in engine.status().learning) is (name == "log")


def test_a_slip_beside_a_place_that_is_opened_again_and_again_does_not_match(shop: IndexedProject) -> None:
    slip = "./shop/mail.py::send_receipt"
    log_act(shop, slip, age_days=9)
    learn(shop)
    assert set(used(shop.find(LIKE))) == {slip}
    for age_days in range(8):
        log_act(shop, CHOSEN, age_days=age_days)
    learn(shop)
    assert set(used(shop.find(LIKE))) == {CHOSEN}


def test_uses_count_as_far_as_later_ones_agree_with_them(shop: IndexedProject) -> None:
    """A person who opens something else wherever the oracle of use predicted a place teaches little (kappa)."""
    raw_scores: list[float] = []
    for opened in (CHOSEN, "./shop/part2.py"):
        shop.project.data.joinpath("events.sqlite").unlink(missing_ok=True)
        log_act(shop, CHOSEN, age_days=1)
        for number in range(20):
            log_act(shop, opened, f"{OTHER} of kind{number} and size{number}", rank=1, age_days=1, predicted=CHOSEN)
        learn(shop)
        raw_scores += [each.raw_score for doc_id, each in used(shop.find(QUESTION)).items() if doc_id == CHOSEN] or [
            0.0
        ]
        with closing(shop.engine()) as engine:
            told = engine.status().learning
        assert ("uses count" in told) is (opened != CHOSEN)
    assert raw_scores[0] > 1.3  # nothing was taken off
    assert raw_scores[1] == 0.0  # below MIN_EVIDENCE


def test_a_word_in_the_place_of_another_asks_about_another_thing(shop: IndexedProject) -> None:
    log_act(shop, CHOSEN, "optimize chain traverse of monads")
    learn(shop)
    assert used(shop.find("optimize queue traverse of monads")) == {}
    assert set(used(shop.find("traverse monads, optimize"))) == {CHOSEN}


def test_neither_a_question_nor_the_next_act_waits_for_learning(
    shop: IndexedProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_begun, may_go_on, folders = threading.Event(), threading.Event(), list[Path]()

    def learn_slowly(folder: Path) -> None:
        folders.append(folder)
        has_begun.set()
        assert may_go_on.wait(60)
        learn_from_log(folder)

    monkeypatch.setattr(learning, "learn_from_log", learn_slowly)
    with closing(shop.engine()) as engine:
        query_id = engine.find(messages.FindParams(LIKE)).query_id
        for act_id in ("a", "b"):  # both are acknowledged, and on the disk
            assert engine.use(messages.UseParams(query_id, 1, "jump", act_id)).recorded
            assert has_begun.wait(60)
        reader = EventReader.open(shop.project.data)
        assert reader is not None
        with closing(reader):
            assert [each.event.kind for each in reader.select_events(EventFilter())].count(USE) == 2
        assert used(engine.find(messages.FindParams(LIKE))) == {}
        assert len(folders) == 1
        may_go_on.set()
    assert used(shop.find(LIKE))
    assert len(folders) == 2  # once more, for the act that was written meanwhile


def test_nothing_is_learnt_where_nothing_was_used(shop: IndexedProject) -> None:
    with closing(shop.engine()) as engine:
        answer = engine.find(messages.FindParams(LIKE))
        assert engine.status().learning == "on; nothing was opened, copied or rated yet"
        assert [each.oracle for each in engine.why(messages.WhyParams(CHOSEN, LIKE)).oracles][-1] == "memory"
    assert "use" not in answer.scoring.weights
    assert not (shop.project.data / "learnt.sqlite").exists()


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def _overwrite(path: Path) -> None:
    path.write_bytes(os.urandom(20_000))


@pytest.mark.parametrize("damage", [_cut, _overwrite])
def test_a_damaged_file_costs_the_oracle_alone_and_heals(shop: IndexedProject, damage: Callable[[Path], None]) -> None:
    before = shop.find(LIKE)
    log_act(shop, CHOSEN)
    learn(shop)
    path = shop.project.data / "learnt.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    damage(path)
    answer = shop.find(LIKE)
    assert doc_ids(answer) == doc_ids(before)
    assert [fault.oracle for fault in answer.faults] == ["use"]
    assert answer.index.message == before.index.message
    log_act(shop, CHOSEN)
    learn(shop)
    assert list(used(shop.find(LIKE))) == [CHOSEN]


def test_a_foreign_log_costs_nothing(shop: IndexedProject) -> None:
    before = shop.find(LIKE)
    log_act(shop, "./not/here.py::gone")
    log_act(shop, "commit:0123456789abcdef")
    log_act(shop, "elsewhere:./shop/cart.py::Nothing")
    log_act(shop, CHOSEN, age_days=-4000)  # a clock that was ahead
    log_act(shop, CHOSEN, rank=-5)
    with closing(sqlite3.connect(shop.project.data / "events.sqlite")) as log, log:
        sql = "INSERT INTO events (time, kind, query_id, act_id, body) VALUES (?, ?, ?, ?, ?)"
        broken = [b"\xff\xfe", "{", "[]", '{"how": 5, "rank": {}}', '{"how": "jump", "result_used": ""}', ""]
        for number, body in enumerate(broken):
            log.execute(sql, (0, "scry.query", f"foreign {number}", None, '{"mode": "find", "query": "cart"}'))
            log.execute(sql, ("now", "scry.use", f"foreign {number}", f"foreign {number}", body))
        log.execute(sql, (0, "scry.query", "foreign", None, '{"mode": 7}'))
        log.execute(sql, (0, "scry.use", "foreign", "foreign", '{"how": "jump", "result_used": "./a"}'))
    learn(shop)
    answer = shop.find(LIKE)
    assert answer.faults == []
    assert list(used(answer)) == [CHOSEN]
    assert set(doc_ids(answer)) == set(doc_ids(before))
    assert used(answer)[CHOSEN].snippet == f"you opened this for '{QUESTION}', twice, last today"


def test_another_log_in_its_place_is_learnt_anew(shop: IndexedProject) -> None:
    log_act(shop, CHOSEN)
    learn(shop)
    for path in shop.project.data.glob("events.sqlite*"):
        path.unlink()
    log_act(shop, "./shop/mail.py::send_receipt")
    learn(shop)
    assert list(used(shop.find(QUESTION))) == ["./shop/mail.py::send_receipt"]


def test_nobody_learns_from_the_log_of_another(shop: IndexedProject, monkeypatch: pytest.MonkeyPatch) -> None:
    log_act(shop, CHOSEN)
    monkeypatch.setattr("os.getuid", lambda: 4321)
    learn(shop)
    assert not (shop.project.data / "learnt.sqlite").exists()
    monkeypatch.undo()
    learn(shop)
    monkeypatch.setattr("os.getuid", lambda: 4321)
    answer = shop.find(QUESTION)
    assert used(answer) == {}
    assert "belongs to another user" in answer.faults[0].message


def test_what_is_learnt_does_not_grow_with_the_log(shop: IndexedProject) -> None:
    data = shop.project.data
    log_act(shop, CHOSEN)
    with closing(sqlite3.connect(data / "events.sqlite")) as log, log:
        sql = "INSERT INTO events (time, kind, query_id, act_id, body) VALUES (?, ?, ?, ?, ?)"
        now = int(time.time() * 1000)
        for number in range(MAX_QUESTIONS + 300):
            asked = json.dumps({"mode": "find", "query": f"question number{number}"})
            log.execute(sql, (now, QUERY, f"q{number}", None, asked))
            body = json.dumps({"rank": 2, "how": "jump", "result_used": CHOSEN})
            log.execute(sql, (now + number, USE, f"q{number}", f"a{number}", body))
        for number in range(50):
            body = json.dumps({"rank": 2, "how": "jump", "result_used": f"./file{number}"})
            log.execute(sql, (now + 120_000 * number, USE, "q2299", f"b{number}", body))
    learn(shop)
    with closing(sqlite3.connect(data / "learnt.sqlite")) as learnt:
        assert learnt.execute("SELECT count(*) FROM questions").fetchone() == (MAX_QUESTIONS,)
        assert learnt.execute("SELECT max(n) FROM (SELECT count(*) AS n FROM places GROUP BY question)").fetchone() <= (
            MAX_PLACES,
        )


def test_masked_secrets_stay_masked(shop: IndexedProject) -> None:
    secret = "ghp_" + "a1B2" * 9
    log_act(shop, CHOSEN, f"{QUESTION} {secret}")
    learn(shop)
    left = b"".join(path.read_bytes() for path in shop.project.data.glob("learnt.sqlite*"))
    assert secret.encode() not in left
    assert "[masked]" in str(used(shop.find(QUESTION))[CHOSEN].snippet)


def test_what_was_learnt_of_a_deleted_project_harms_nothing(shop: IndexedProject, tmp_path: Path) -> None:
    other = IndexedProject(tmp_path / "other").init_repository()
    other.write(SHOP)
    other.commit("Another shop")
    other.update_index()
    before = other.find(LIKE)
    log_act(shop, CHOSEN)
    learn(shop)
    assert used(shop.find(LIKE))
    data, root = shop.project.data, shop.root
    shutil.rmtree(root)
    assert (data / "learnt.sqlite").exists()
    learn_from_log(data, until_done=True)  # nobody is there any more, and the log still is
    after = other.find(LIKE)
    assert [(each.doc_id, each.fused_score) for each in after.results] == [
        (each.doc_id, each.fused_score) for each in before.results
    ]
    again = IndexedProject(root).init_repository()  # another project in its place
    again.write({"shop/door.py": "def open_door():\n    'The receipt of a cart is printed elsewhere.'\n"})
    again.commit("A door")
    again.update_index()
    answer = again.find(LIKE)
    assert answer.faults == []
    assert used(answer) == {}
    shutil.rmtree(data)
    assert again.find(LIKE).faults == []
