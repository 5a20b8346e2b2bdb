from __future__ import annotations

from collections.abc import Sequence

import msgspec

from scry.surfaces.lsp import MAX_ANSWERS, ShownLocations
from scry_protocol.messages import Answer, Location, Position, Range
from tests.unit.surfaces.render.sample_answers import answer as sample
from tests.unit.surfaces.render.sample_answers import result

Lines = tuple[int, int]


def answer(query_id: str, places: Sequence[tuple[str, Lines]]) -> Answer:
    results = [
        result(
            doc_id=f"{file}#{first}-{last}",
            location=Location(f"file:///p/{file}", Range(Position(first, 4), Position(last, 2))),
        )
        for file, (first, last) in places
    ]
    return msgspec.structs.replace(sample(*results), query_id=query_id)


def doc_at(shown: ShownLocations, file: str, line: int, character: int = 0) -> str | None:
    place = shown.find(f"file:///p/{file}", Position(line, character))
    return place and f"{place.query_id} {place.doc_id}"


def test_location_is_found_by_its_lines() -> None:
    shown = ShownLocations()
    shown.add_answer(answer("q_1", [("a.py", (3, 5))]), None)
    assert doc_at(shown, "a.py", 3) == "q_1 a.py#3-5"
    assert doc_at(shown, "a.py", 5, 2) == "q_1 a.py#3-5"
    assert doc_at(shown, "a.py", 5, 3) is None
    assert doc_at(shown, "a.py", 2) is None
    assert doc_at(shown, "b.py", 3) is None


def test_smallest_location_of_the_newest_answer_wins() -> None:
    shown = ShownLocations()
    shown.add_answer(answer("q_1", [("a.py", (4, 4))]), None)
    shown.add_answer(answer("q_2", [("a.py", (0, 9)), ("a.py", (3, 6))]), None)
    assert doc_at(shown, "a.py", 4) == "q_2 a.py#3-6"
    assert doc_at(shown, "a.py", 9) == "q_2 a.py#0-9"


def test_five_answers_are_remembered_and_a_picker_has_one() -> None:
    shown = ShownLocations()
    shown.add_answer(answer("q_0", [("a.py", (0, 0))]), None)
    for typed in range(2 * MAX_ANSWERS):
        shown.add_answer(answer(f"q_t{typed}", [("t.py", (0, 0))]), "picker")
    assert doc_at(shown, "a.py", 0) == "q_0 a.py#0-0"
    assert doc_at(shown, "t.py", 0) == f"q_t{2 * MAX_ANSWERS - 1} t.py#0-0"
    for more in range(MAX_ANSWERS):
        shown.add_answer(answer(f"q_m{more}", [("m.py", (0, 0))]), None)
    assert doc_at(shown, "a.py", 0) is None


def test_non_file_uri_has_no_location() -> None:
    shown = ShownLocations()
    assert shown.find("untitled:Untitled-1", Position(0, 0)) is None
