"""What was decided about a topic is found before the code about it, in any order of words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from scry.engine import Engine
from scry_protocol.messages import Answer, FindParams, ObserveParams
from tests.sample.indexed import IndexedProject, doc_ids

NAMES = ("route", "routes", "routing", "routing_table", "decide_routing", "routing_decision")

QUESTIONS = (
    "what was decided about routing",
    "about routing: what was decided?",
    "What about routing was decided",
    "routing decisions",
    "which decisions were made on routing",
    "what did the team decide about routing?",
)


@pytest.fixture(scope="module")
def router(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Return a project that is full of routing, with a decision and a belief about it and others about caching."""
    root = tmp_path_factory.mktemp("work")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(root / "data"))
        sample = IndexedProject(root / "router").init_repository()
        sample.write(_files())
        sample.commit("Decide on routing by a routing table")
        sample.update_index()
        with closing(sample.engine()) as engine:
            engine.observe(ObserveParams(kind="decision", text="Routing walks a radix tree; no regular expressions"))
            engine.observe(ObserveParams(kind="decision", text="The cache holds a thousand entries at most"))
            for number in range(10):
                engine.observe(ObserveParams(kind="command", text=f"pytest tests/routing -k {number}", status=1))
            yield engine


def _files() -> dict[str, str]:
    code = "".join(f'def {name}(path):\n    """Decides on the routing of a path."""\n\n\n' for name in NAMES)
    return {
        **{f"web/{name}_{number}.py": code for name in NAMES for number in range(3)},
        "routes.json": '{"routing": {"decided": "about routing"}}\n',
        ".scry/beliefs/static-first.md": "---\nstatement: Static routes come before routes with parameters.\n---\n",
        ".scry/beliefs/cache.md": "---\nstatement: The cache is never shared between requests.\n---\n",
    }


def kinds(answer: Answer) -> list[str]:
    return [result.kind if result.content_type == "memory" else result.content_type for result in answer.results]


@pytest.mark.acceptance("M5", "K2")
@pytest.mark.parametrize("question", QUESTIONS)
def test_decision_and_belief_about_a_topic_come_first(router: Engine, question: str) -> None:
    answer = router.find(FindParams(question))
    assert {result.title for result in answer.results[:2]} == {
        "Routing walks a radix tree; no regular expressions",
        "Static routes come before routes with parameters.",
    }
    assert set(kinds(answer)[2:]) <= {"code", "doc", "commit"}


@pytest.mark.acceptance("M5")
@pytest.mark.parametrize("question", ["where are decisions about routing made", "how is routing decided", "routing"])
def test_code_question_on_the_same_topic_finds_code_first(router: Engine, question: str) -> None:
    assert router.find(FindParams(question)).results[0].content_type == "code"


@pytest.mark.acceptance("K5")
def test_decisions_displace_no_other_rank(router: Engine) -> None:
    everything = router.find(FindParams(QUESTIONS[0], limit=50)).results
    without = router.find(FindParams(f"{QUESTIONS[0]} -type:memory -type:belief", limit=50))
    assert [r.doc_id for r in everything if r.content_type not in ("memory", "belief")][:40] == doc_ids(without)[:40]
