"""Further places of a result's file: named with the result, and read, used and rated like it (F14)."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import pytest

from scry.core import BadRequest
from scry.store.events import EventReader
from scry_protocol import messages
from tests.sample.indexed import IndexedProject

PARCELS = "".join(f'def weigh_parcel_{n}(parcel):\n    """Weighs."""\n    return {n}\n\n\n' for n in range(9))


@pytest.fixture
def parcels(own_shop: IndexedProject) -> IndexedProject:
    own_shop.write({"shop/parcels.py": PARCELS})
    own_shop.write({f"shop/scale_{n}.py": "def weigh(thing):\n    return thing\n" for n in range(12)})
    own_shop.update_index()
    return own_shop


def events(project: IndexedProject, kind: str) -> list[dict[str, Any]]:
    reader = EventReader.open(project.project.data)
    assert reader is not None
    with closing(reader):
        return [json.loads(each.event.body) for each in reader.iter_events() if each.event.kind == kind]


@pytest.mark.acceptance("F14")
def test_result_names_its_best_five_further_places(parcels: IndexedProject) -> None:
    answer = parcels.find("weigh parcel", limit=3)
    first = answer.results[0]
    shown = [result for result in answer.results if result.doc_id.startswith("./shop/parcels.py")]
    assert first.more_in_file == 9 - len(shown)
    assert len(first.further) == 5
    assert len({place.doc_id for place in first.further}) == 5
    scores = [place.fused_score for place in first.further]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] <= shown[-1].fused_score
    for place in first.further:
        number = int(place.title.removeprefix("weigh_parcel_"))
        assert place.doc_id == f"./shop/parcels.py::{place.title}"
        assert place.location.uri == (parcels.root / "shop/parcels.py").as_uri()
        assert place.location.range.start.line == 5 * number


@pytest.mark.acceptance("F14", "E2")
def test_use_of_a_further_place_names_it_and_the_rank_of_its_result(parcels: IndexedProject) -> None:
    with closing(parcels.engine()) as engine:
        answer = engine.find(messages.FindParams("weigh parcel", limit=3))
        second = answer.results[0].further[1]
        used = messages.UseParams(answer.query_id, 1, "jump", "a", doc_id=second.doc_id)
        assert engine.use(used).recorded
        assert engine.use(messages.UseParams(answer.query_id, 1, "jump", "b")).recorded
        rated = messages.FeedbackParams(answer.query_id, "good", rank=1, doc_id=second.doc_id)
        assert engine.feedback(rated).recorded
    place, result = events(parcels, "scry.use")
    assert (place["rank"], place["result_used"], place["further"]) == (1, second.doc_id, True)
    assert (result["result_used"], "further" in result) == (answer.results[0].doc_id, False)
    assert events(parcels, "scry.feedback")[0]["doc_id"] == second.doc_id
    logged = events(parcels, "scry.query")[0]["results"][0]
    assert logged["further"] == [each.doc_id for each in answer.results[0].further]


@pytest.mark.acceptance("F14", "D1")
def test_detail_reads_a_further_place_and_records_its_use(parcels: IndexedProject) -> None:
    with closing(parcels.engine()) as engine:
        answer = engine.find(messages.FindParams("weigh parcel", limit=3))
        place = answer.results[0].further[0]
        detail = engine.detail(messages.DetailParams(answer.query_id, 1, doc_id=place.doc_id))
        located = engine.locate_result(answer.query_id, 1, place.doc_id)
        explained = engine.why(messages.WhyParams(place.doc_id))
    assert (detail.state, detail.result.doc_id, detail.result.rank) == ("current", place.doc_id, 1)
    assert detail.result.full
    assert f"def {place.title}(parcel)" in detail.result.full.body
    assert located.line == place.location.range.start.line + 1
    assert explained.query == "weigh parcel"
    (use,) = events(parcels, "scry.use")
    assert (use["how"], use["rank"], use["result_used"], use["further"]) == ("detail", 1, place.doc_id, True)


@pytest.mark.acceptance("F14", "E3")
def test_place_that_the_result_does_not_have_is_refused(parcels: IndexedProject) -> None:
    with closing(parcels.engine()) as engine:
        answer = engine.find(messages.FindParams("weigh parcel", limit=3))
        place = answer.results[0].further[0].doc_id
        for rank, doc_id, words in (
            (1, "./shop/cart.py", f"its further places are {place}"),
            (3, place, "it has none"),
        ):
            with pytest.raises(BadRequest, match=words):
                engine.use(messages.UseParams(answer.query_id, rank, "jump", "a", doc_id=doc_id))
            with pytest.raises(BadRequest, match=words):
                engine.detail(messages.DetailParams(answer.query_id, rank, doc_id=doc_id))
        with pytest.raises(BadRequest, match="give the rank"):
            engine.feedback(messages.FeedbackParams(answer.query_id, "good", doc_id=place))
