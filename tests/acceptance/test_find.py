"""Find on the real engine: what is found, in what order, and how it is explained."""

from __future__ import annotations

import math
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from scry.core import BadRequest
from scry.engine.search import phrases
from scry_protocol import messages
from tests.sample.indexed import IndexedProject, doc_ids


@pytest.mark.acceptance("F8", "F2")
@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("fuse", "./shop/fusion.py::fuse"),
        ("RetryPolicy", "./shop/retry.go::RetryPolicy"),
        ("payInvoice", "./shop/pay.ts::payInvoice"),
        ("Retriever.Page", "./shop/retrieval.py::Retriever.Page"),
        ("pay_invoice", "./shop/pay.ts::payInvoice"),
        ("Returns", "./README.md::Shop > Returns"),
    ],
)
def test_an_exact_identifier_finds_its_definition_first(shop: IndexedProject, query: str, first: str) -> None:
    assert doc_ids(shop.find(query))[0] == first


@pytest.mark.acceptance("F8")
def test_long_class_is_found_by_name_among_its_mentions(own_shop: IndexedProject) -> None:
    prose = "".join(
        f"    Page {n} says what was owed, by whom, since when, and how it was paid back.\n" for n in range(400)
    )
    own_shop.write({"shop/ledger.py": f'class Ledger:\n    """Keeps accounts.\n\n{prose}    """\n\n    pages = 1\n'})
    users = "".join(f"def ledger_{n}(ledger):\n    return Ledger(ledger)\n\n\n" for n in range(400))
    own_shop.write({"shop/checks.py": users})
    own_shop.update_index()
    first = own_shop.find("Ledger").results[0]
    assert first.doc_id == "./shop/ledger.py::Ledger"
    assert first.contributions["lexical"].rank == 1


@pytest.mark.acceptance("F2")
def test_second_definition_of_a_name_keeps_its_own_doc_id(own_shop: IndexedProject) -> None:
    both = {"./shop/retrieval.py::Retriever.search", "./shop/retrieval.py::Retriever.search~2"}
    assert both <= set(doc_ids(own_shop.find("Retriever search", limit=20)))
    text = (own_shop.root / "shop/retrieval.py").read_text()
    own_shop.write({"shop/retrieval.py": "import os\n\n\ndef early():\n    pass\n\n\n" + text})
    own_shop.update_index()
    assert both <= set(doc_ids(own_shop.find("Retriever search", limit=20)))


@pytest.mark.acceptance("F2", "J2a")
def test_text_outside_symbols_is_found_by_its_lines(shop: IndexedProject) -> None:
    answer = shop.find("till closed on Sundays")
    assert re.fullmatch(r"\./shop/notes\.txt#L1-L\d+", answer.results[0].doc_id)
    assert "closed on Sundays" in answer.results[0].snippet


@pytest.mark.acceptance("F4", "F5", "J1", "J2", "J3")
def test_scores_are_reproducible_from_the_json(shop: IndexedProject) -> None:
    answer = shop.find("where is rank fusion implemented", limit=50)
    scoring = answer.scoring
    assert (answer.mode, scoring.k, scoring.depth) == ("find", 60, 200)
    assert len(answer.results) > 3
    for result in answer.results:
        terms = sum(
            weight / (scoring.k + result.contributions[name].rank)
            for name, weight in scoring.weights.items()
            if name in result.contributions
        )
        again = terms * math.prod(a.factor for a in result.adjustments) / scoring.ceiling
        assert result.fused_score == again
        assert 0 < result.fused_score <= 1
        assert list(result.contributions) == result.sources
    assert [r.rank for r in answer.results] == list(range(1, len(answer.results) + 1))


@pytest.mark.acceptance("F5")
def test_tests_and_vendored_copies_rank_lower_with_a_reason(shop: IndexedProject) -> None:
    by_id = {r.doc_id: {a.name: a for a in r.adjustments} for r in shop.find("fuse rankings", limit=30).results}
    assert "vendored_path" in by_id["./vendor/fusion.py::fuse"]
    assert "test_path" in by_id["./tests/test_fusion.py::test_fuse"]
    assert "test_path" not in {a.name for r in shop.find("tests of fuse", limit=30).results for a in r.adjustments}


@pytest.mark.acceptance("F5", "J2")
def test_number_of_hidden_places_does_not_depend_on_limit(own_shop: IndexedProject) -> None:
    own_shop.write(
        {"shop/parcels.py": "".join(f"def weigh_parcel_{n}(parcel):\n    return {n}\n\n\n" for n in range(6))}
    )
    own_shop.write({f"shop/scale_{n}.py": "def weigh(thing):\n    return thing\n" for n in range(12)})
    own_shop.update_index()
    parcels = {f"./shop/parcels.py::weigh_parcel_{n}" for n in range(6)}
    for limit in (1, 2, 3, 6):
        first, *others = results = own_shop.find("weigh parcel", limit=limit).results
        assert first.doc_id.startswith("./shop/parcels.py::weigh_parcel_")
        hidden = parcels - {result.doc_id for result in results}
        places = [place.doc_id for place in first.further]
        assert first.more_in_file == len(hidden) == len(places)
        assert set(places) == hidden
        assert [(place.title, place.kind) for place in first.further] == [
            (doc_id.partition("::")[2], "function") for doc_id in places
        ]
        assert not any(result.more_in_file or result.further for result in others)
    within = own_shop.find("weigh parcel path:shop/parcels.py", limit=3)
    assert [result.doc_id.partition("::")[0] for result in within.results] == ["./shop/parcels.py"] * 3
    assert [result.more_in_file for result in within.results] == [3, 0, 0]


@pytest.mark.acceptance("F6")
def test_structure_does_not_change_the_ranking(own_shop: IndexedProject) -> None:
    queries = ["fuse", "retrieval of documents", "what is sold by mail"]
    before = [doc_ids(own_shop.find(query, limit=50)) for query in queries]
    structures = sqlite3.connect(own_shop.project.cache / "index.sqlite")
    with structures:
        structures.execute(
            "UPDATE files SET importers = abs(random()) % 1000, flags = 'entry_point test', "
            "centrality = CASE abs(random()) % 3 WHEN 0 THEN 'high' WHEN 1 THEN 'medium' ELSE 'low' END"
        )
    structures.close()
    assert [doc_ids(own_shop.find(query, limit=50)) for query in queries] == before


@pytest.mark.acceptance("J4")
def test_structure_is_shown_as_annotation(shop: IndexedProject) -> None:
    structural = {r.doc_id: r.annotations.structural for r in shop.find("fuse", limit=30).results}
    fusion = structural["./shop/fusion.py::fuse"]
    assert fusion
    assert fusion.importers == 2
    assert fusion.centrality in ("high", "medium", "low")
    tested = structural["./tests/test_fusion.py::test_fuse"]
    assert tested
    assert "test" in tested.flags


@pytest.mark.acceptance("J3")
def test_matches_name_only_terms_that_occur(shop: IndexedProject) -> None:
    answer = shop.find("fuse submarine rankings", limit=5)
    found = {r.doc_id: r.contributions["lexical"].matches for r in answer.results if "lexical" in r.contributions}
    assert found["./shop/fusion.py::fuse"] == ["fuse", "rankings"]


@pytest.mark.acceptance("F8")
def test_filters_restrict_and_exclude(shop: IndexedProject) -> None:
    assert all(".py" in i for i in doc_ids(shop.find("fuse lang:python", limit=30)))
    assert all(".py" in i for i in doc_ids(shop.find("fuse lang:py", limit=30)))
    assert doc_ids(shop.find("next lang:go", limit=30))
    assert all(i.startswith("./shop/") for i in doc_ids(shop.find("fuse path:shop/", limit=30)))
    assert not any("vendor" in i for i in doc_ids(shop.find("fuse -path:vendor", limit=30)))
    assert all(r.content_type == "doc" for r in shop.find("closed type:doc", limit=30).results)
    assert all(r.content_type == "code" for r in shop.find("closed fuse", limit=30, types=["code"]).results)
    assert doc_ids(shop.find("fuse lang:cobol")) == []


@pytest.mark.acceptance("F8")
def test_pages_are_documents_and_all_programs_are_code(own_shop: IndexedProject) -> None:
    programs = ("a.erl", "b.R", "c.pm", "d.dart", "e.jl", "f.ml", "g.clj", "h.m")
    own_shop.write({path: f"quokkas live in {path}\n" for path in (*programs, "docs/quokkas.rst", "quokkas.adoc")})
    own_shop.update_index()
    pages = ["./docs/quokkas.rst", "./quokkas.adoc"]

    def files(query: str, **options: object) -> list[str]:
        return sorted(doc_id.partition("#")[0] for doc_id in doc_ids(own_shop.find(query, limit=30, **options)))

    assert files('"quokkas" type:doc') == files('"quokkas"', types=["doc"]) == pages
    assert files('"quokkas" type:code') == [f"./{path}" for path in sorted(programs)]
    assert files('"quokkas" lang:rst') == pages[:1]
    assert files('"quokkas" lang:objc') == ["./h.m"]


@pytest.mark.acceptance("F8")
def test_quoted_text_must_match_exactly(shop: IndexedProject) -> None:
    answer = shop.find('"retry later"', limit=30)
    assert doc_ids(answer)
    assert all(result.doc_id.startswith("./shop/retrieval.py") for result in answer.results)
    assert doc_ids(shop.find('"later retry"')) == []


@pytest.mark.acceptance("F8")
def test_quoted_text_of_frequent_words_is_found_in_every_file_that_holds_it(own_shop: IndexedProject) -> None:
    """600 documents hold both words, more often than the three that hold them in this order."""
    crowd = {
        f"crowd/f{at}.py": f"def frame_window_{at}(window, frame):\n    return window[frame]\n" for at in range(600)
    }
    held = "def holds(frames):\n" + "    frames.rest()\n" * 40 + "    return 'window frame of oak'\n"
    holding = {f"house/room{at}.py": held for at in range(3)}
    own_shop.write({**crowd, **holding, "house/oaks.py": "WORDS = 'midwindow frame of oaks'\n"})
    own_shop.update_index()
    for query in ('"window frame of"', '"window frame of oak"', '"frame of oak" path:house/', '"window frame of" rest'):
        answer = own_shop.find(query, limit=50)
        found = {each.location.uri.rpartition("/")[2] for each in answer.results if each.location}
        assert found >= {"room0.py", "room1.py", "room2.py"}, query
        assert answer.notice == ""
    with closing(own_shop.engine()) as engine:
        explained = engine.why(messages.WhyParams("./crowd/f0.py::frame_window_0", query='"window frame of"'))
    assert explained.summary == 'Not found: it does not hold the exact text "window frame of"'


@pytest.mark.acceptance("F8")
def test_quoted_text_may_stand_in_a_path_or_a_qualified_name(own_shop: IndexedProject) -> None:
    own_shop.write({"zoo/cage.py": "class Cage:\n    def unlatch(self):\n        return 'open'\n"})
    own_shop.update_index()
    assert "./zoo/cage.py::Cage.unlatch" in doc_ids(own_shop.find('"Cage.unlatch"'))
    assert doc_ids(own_shop.find('"zoo/cage.py" unlatch'))


@pytest.mark.acceptance("F8")
def test_quoted_text_may_have_several_lines(own_shop: IndexedProject) -> None:
    own_shop.write({"zoo/pond.py": "class Pond:\r\n    def swim(self):\r\n        return 'duck'\r\n"})
    own_shop.update_index()
    assert "./zoo/pond.py::Pond" in doc_ids(own_shop.find('"class Pond:\n    def swim(self):"'))
    assert own_shop.find('"class Pond:\n    def dive(self):"').results == []


@pytest.mark.acceptance("F8")
def test_quoted_texts_that_are_not_all_read_for_are_told(
    own_shop: IndexedProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phrases, "MAX_READ_FILES", 1)
    own_shop.write({f"tent/pole{at}.py": f"def pole_{at}():\n    return 'canvas rope'\n" for at in range(2)})
    own_shop.update_index()
    answer = own_shop.find('"canvas rope"')
    assert len(answer.results) == 2
    assert answer.notice.startswith('the words of "canvas rope" stand in too many files to read all of them')


ODD = (
    *(
        "multi-agent",
        "don't",
        "20.04",
        "AND",
        '"',
        "*",
        "a\x00b",
        "🙂",
        "検索",
        "(",
        "a:b",
        "~",
        "\\",
        "\ud800",
        "-fuse",
    ),
    *("f" * 1_000_000, "x " * 300_000),
)


@pytest.mark.acceptance("F8a")
@pytest.mark.parametrize("query", ODD, ids=[repr(query[:12]) for query in ODD])
def test_odd_input_is_literal_and_never_an_error(shop: IndexedProject, query: str) -> None:
    assert shop.find(query).faults == []


@pytest.mark.acceptance("F8a")
def test_two_cjk_characters_are_found(shop: IndexedProject) -> None:
    assert doc_ids(shop.find("検索"))[0].startswith("./shop/notes.txt")


@pytest.mark.acceptance("F9")
def test_limit_is_exact_and_min_score_applies_to_confidence(shop: IndexedProject) -> None:
    everything = shop.find("fuse rankings search retry", limit=1000)
    count = len(everything.results)
    assert count > 10
    assert len(shop.find("fuse rankings search retry").results) == 10
    for limit in (1, 7, count):
        assert doc_ids(shop.find("fuse rankings search retry", limit=limit)) == doc_ids(everything)[:limit]
    bound = everything.results[4].confidence
    assert isinstance(bound, float)
    kept = shop.find("fuse rankings search retry", limit=1000, min_score=bound)
    enough = [r.doc_id for r in everything.results if isinstance(r.confidence, float) and r.confidence >= bound]
    assert doc_ids(kept) == enough
    assert 0 < len(enough) < count
    assert doc_ids(shop.find("fuse rankings search retry", limit=1, min_score=bound)) == enough[:1]


@pytest.mark.acceptance("F9")
def test_an_empty_question_is_refused_by_name(shop: IndexedProject) -> None:
    with pytest.raises(BadRequest, match=r"^query: "):
        shop.find("   ")


@pytest.mark.acceptance("F7")
def test_the_intent_is_reported_and_can_be_set(shop: IndexedProject) -> None:
    assert shop.find("where is fuse implemented").intent == "definition"
    assert shop.find("where is fuse implemented", intent="general").intent == "general"


@pytest.mark.acceptance("J5")
def test_query_id_has_its_form_and_is_unique(shop: IndexedProject) -> None:
    names = {shop.find("fuse").query_id for _ in range(20)}
    assert len(names) == 20
    assert all(re.fullmatch(r"q_\d{8}_\d{6}_[a-z2-7]{8,}", name) for name in names)


@pytest.mark.acceptance("J6")
def test_code_snippet_is_signature_and_first_doc_line(shop: IndexedProject) -> None:
    snippet = shop.find("fuse").results[0].snippet
    assert snippet == "def fuse(rankings) — Fuses rankings by reciprocal rank (RRF)."


@pytest.mark.acceptance("J6")
def test_snippet_of_a_section_leaves_out_fences_and_directives(tmp_path: Path) -> None:
    page = "# Warp drive\n\n```{currentmodule} ship\n```\n<!-- old -->\nBends space around the ship.\n"
    sample = IndexedProject(tmp_path / "ship").init_repository()
    sample.write({"docs/warp.md": page})
    sample.update_index()
    assert sample.find("warp drive space").results[0].snippet == "Bends space around the ship."


@pytest.mark.acceptance("J6")
@pytest.mark.parametrize(
    ("above", "shown"),
    [
        ("/*\n * Copyright (c) the crew\n */\n", "print(bend_space)"),
        ("// SPDX-License-Identifier: MIT\n//\n// All rights reserved.\n\n", "print(bend_space)"),
        ("# Copyright the crew\n#\n", "print(bend_space)"),
        ("/* Bends space. */\n", "/* Bends space. */ print(bend_space)"),
    ],
)
def test_snippet_of_a_chunk_begins_below_the_licence(tmp_path: Path, above: str, shown: str) -> None:
    sample = IndexedProject(tmp_path / "ship").init_repository()
    sample.write({"warp.js": f"{above}print(bend_space)\n"})
    sample.update_index()
    assert sample.find("bend_space").results[0].snippet == shown


@pytest.mark.acceptance("J6")
def test_snippet_of_a_target_of_make_is_its_first_line_and_its_comment(tmp_path: Path) -> None:
    sample = IndexedProject(tmp_path / "ship").init_repository()
    sample.write({"Makefile": "# Bends space.\nwarp: drive\n\t./bend_space\n"})
    sample.update_index()
    (result,) = sample.find("bend_space").results
    assert (result.doc_id, result.snippet) == ("./Makefile::warp", "warp: drive — Bends space.")


@pytest.mark.acceptance("J6")
def test_snippet_of_code_leaves_out_links_and_html_of_its_comment(tmp_path: Path) -> None:
    sample = IndexedProject(tmp_path / "ship").init_repository()
    comment = "/** Bends {@code space} by a {@link #warp(int)} <b>drive</b> of [`Ship`]. */"
    sample.write({"src/warp.ts": f"{comment}\nexport function warpDrive(ship: Ship) {{\n  return ship\n}}\n"})
    sample.update_index()
    assert sample.find("warpDrive").results[0].snippet == (
        "export function warpDrive(ship: Ship) — Bends space by a warp(int) drive of Ship."
    )


@pytest.mark.acceptance("J6")
@pytest.mark.parametrize(
    ("comment", "shown"),
    [
        ("// WarpDrive()\n//\n// Bends space.\n// And more.", " — Bends space."),
        ("/**\n * @deprecated\n * # Warp\n * Bends space.\n */", " — Bends space."),
        ("/** @param ship the ship */", ""),
    ],
)
def test_snippet_of_code_shows_the_first_line_that_says_something(tmp_path: Path, comment: str, shown: str) -> None:
    sample = IndexedProject(tmp_path / "ship").init_repository()
    sample.write({"src/warp.ts": f"{comment}\nexport function warpDrive(ship: Ship) {{\n  return ship\n}}\n"})
    sample.update_index()
    assert sample.find("warpDrive").results[0].snippet == f"export function warpDrive(ship: Ship){shown}"


@pytest.mark.acceptance("F8")
@pytest.mark.parametrize(
    "query",
    ["CartKeeper", "CartKeeper class", "class CartKeeper", "where is CartKeeper defined?", "where is CartKeeper ?"],
)
def test_class_that_is_asked_for_comes_before_its_constructor_however_long(tmp_path: Path, query: str) -> None:
    methods = "".join(
        f"    int total{number}(int a) {{\n        return a + {number};\n    }}\n" for number in range(90)
    )
    constructor = "    /** Makes a CartKeeper. */\n    CartKeeper(CartKeeper other) {\n        copy(other);\n    }\n"
    text = f"package shop;\n\n/** Keeps carts. */\nclass CartKeeper {{\n{constructor}{methods}}}\n"
    sample = IndexedProject(tmp_path / "keepers").init_repository()
    sample.write({"shop/CartKeeper.java": text, "shop/Other.java": "class Other { CartKeeper k; }\n"})
    sample.commit()
    sample.update_index()
    first, second = sample.find(query, 2).results
    assert first.doc_id == "./shop/CartKeeper.java::CartKeeper"
    assert second.doc_id == "./shop/CartKeeper.java::CartKeeper.CartKeeper"
