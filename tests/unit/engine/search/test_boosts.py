from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from msgspec import structs

from scry.core import Candidate, DocumentHeader, FileEvidence, OracleMatch, SearchQuery
from scry.engine.search import boosts as rules
from scry.engine.search import document_boosts as definition
from scry.engine.search import fusion as fuse
from scry.engine.search import max_boost, parse_query, rank_with_boosts
from scry.engine.search import path_boosts as paths
from scry.engine.search.results import find_hidden_repeats

WEIGHTS = {"lexical": 1.0}


def outline(number: int, path: str, name: str, kind: str = "function", container: str = "") -> DocumentHeader:
    return DocumentHeader(number, f"./{path}::{name}", "code", path, name, kind, container)


def ranked(question: SearchQuery, *documents: DocumentHeader) -> list[Candidate]:
    """Return the documents in the order of their votes, adjusted."""
    votes = {
        "lexical": [OracleMatch(document.doc_key, rank, 1.0, "bm25") for rank, document in enumerate(documents, 1)]
    }
    gathered = fuse.fuse_matches(votes, {document.doc_key: document for document in documents}, WEIGHTS)
    return rank_with_boosts(gathered, question, fuse.fused_score_ceiling(WEIGHTS, max_boost(question)), str.lower)


def factors(candidate: Candidate) -> Mapping[str, float]:
    return {adjustment.name: adjustment.factor for adjustment in candidate.adjustments}


def boosts_for(text: str) -> SearchQuery:
    return parse_query(text, WEIGHTS, limit=10)


@pytest.mark.acceptance("F5", "F8")
def test_type_in_its_own_file_outranks_namesakes() -> None:
    found = ranked(
        boosts_for("Channel"),
        outline(1, "src/Broadcast.kt", "_channel", "field"),
        outline(2, "src/Channels.common.kt", "Channel", "class"),
        outline(3, "src/Channel.kt", "Channel", "interface"),
    )
    assert [candidate.document.doc_key for candidate in found] == [3, 2, 1]


@pytest.fixture
def on_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "families_here", lambda: frozenset({"linux", "unix"}))


@pytest.mark.acceptance("F5")
@pytest.mark.usefixtures("on_linux")
def test_code_for_another_platform_ranks_lower() -> None:
    twins = (outline(1, "src/win/tcp.c", "uv_tcp_connect"), outline(2, "src/unix/tcp.c", "uv_tcp_connect"))
    first, second = ranked(boosts_for("connecting a socket"), *twins)
    assert (first.document.doc_key, second.document.doc_key) == (2, 1)
    assert factors(second)["platform_path"] == paths.PLATFORM_FACTOR
    assert "platform_path" not in factors(first)


@pytest.mark.acceptance("F5")
@pytest.mark.usefixtures("on_linux")
def test_requested_or_only_platform_is_not_lowered() -> None:
    twins = (outline(1, "src/win/tcp.c", "uv_tcp_connect"), outline(2, "src/unix/tcp.c", "uv_tcp_connect"))
    assert all("platform_path" not in factors(c) for c in ranked(boosts_for("connecting a socket on windows"), *twins))
    alone = outline(1, "ui/windows/dialog.ts", "open"), outline(2, "ui/panels/dialog.ts", "open")
    assert all("platform_path" not in factors(c) for c in ranked(boosts_for("opening a dialog"), *alone))


@pytest.mark.acceptance("F5")
def test_older_api_version_ranks_lower_unless_requested() -> None:
    versions = (outline(1, "api/v1/users.go", "list"), outline(2, "api/v2/users.go", "list"))
    first, second = ranked(boosts_for("users of an account"), *versions)
    assert (first.document.doc_key, second.document.doc_key) == (2, 1)
    assert factors(second)["superseded_path"] == paths.PATH_KIND_FACTORS["superseded"]
    assert all("superseded_path" not in factors(c) for c in ranked(boosts_for("users of an account in v1"), *versions))


@pytest.mark.acceptance("F5", "F8")
def test_capitalised_name_in_a_sentence_is_case_sensitive() -> None:
    named = (outline(1, "src/bib.hs", "latex'"), outline(2, "src/LaTeX.hs", "LaTeX", "type"))
    sure, other = ranked(boosts_for("how a document becomes LaTeX"), *named)
    assert sure.document.doc_key == 2
    assert factors(other)["definition"] == definition.NAME_IN_QUESTION_FACTOR
    alone = ranked(boosts_for("LaTeX"), *named)
    assert all(factors(c)["definition"] >= definition.DEFINITION_FACTOR for c in alone)
    small = ranked(boosts_for("where is file_name made"), outline(1, "a.ts", "fileName"))
    assert factors(small[0])["definition"] >= definition.DEFINITION_FACTOR


@pytest.mark.acceptance("F5")
def test_test_words_lift_the_test_penalty() -> None:
    held = outline(1, "tests/test_run.py", "check")
    assert factors(ranked(boosts_for("how a run ends"), held)[0])["test_path"] == paths.PATH_KIND_FACTORS["test"]
    assert factors(ranked(boosts_for("how a test run ends"), held)[0])["test_path"] == paths.TEST_FACTOR
    assert "test_path" not in factors(ranked(boosts_for("tests of a run"), held)[0])


@pytest.mark.acceptance("F5", "F8")
def test_mentioned_name_is_boosted_less_than_a_searched_one() -> None:
    named = outline(1, "src/a.py", "send_mail")
    for query in ("send_mail", "where is send_mail", "what is send_mail"):
        assert factors(ranked(boosts_for(query), named)[0])["definition"] >= definition.DEFINITION_FACTOR
    mentioned = factors(ranked(boosts_for("how send_mail tries again"), named)[0])["definition"]
    assert definition.MENTIONED_NAME_FACTOR <= mentioned < definition.DEFINITION_FACTOR


@pytest.mark.acceptance("F5", "F8")
def test_partial_type_prefers_the_file_named_after_it() -> None:
    found = ranked(
        boosts_for("Serializer"),
        outline(1, "src/Serializer.Json.cs", "Serializer", "class"),
        outline(2, "src/Serializer.Json.cs", "read", "method", "Serializer"),
        outline(3, "src/Serializer.Json.cs", "write", "method", "Serializer"),
        outline(4, "src/Serializer.cs", "Serializer", "class"),
    )
    assert found[0].document.doc_key == 4


@pytest.mark.acceptance("F5", "F8")
def test_bare_name_ranks_type_before_function_before_field() -> None:
    named = (
        outline(1, "a.java", "status", "field", "Reply"),
        outline(2, "b.java", "status", "method", "Page"),
        outline(3, "c.java", "status", "class"),
    )
    assert [candidate.document.doc_key for candidate in ranked(boosts_for("status"), *named)] == [3, 2, 1]
    mentioned = [
        factors(each)["definition"]
        for each in ranked(boosts_for("how http_status is set"), outline(1, "a", "http_status", "field"))
    ]
    assert mentioned == [definition.MENTIONED_NAME_FACTOR * definition.SPELLING_FACTOR]


@pytest.mark.acceptance("F5", "F8")
def test_extension_block_is_found_by_its_type_name() -> None:
    found = ranked(
        boosts_for("LocalSet"),
        outline(1, "src/rt.rs", "spawn", "function"),
        outline(2, "src/local.rs", "impl Drop for LocalSet", "implementation"),
        outline(3, "src/local.rs", "impl LocalSet", "implementation"),
        outline(4, "Source/Set.swift", "extension LocalSet", "implementation"),
        outline(5, "src/object.kt", "companion object", "implementation"),
    )
    assert {candidate.document.doc_key for candidate in found if "definition" in factors(candidate)} == {3, 4}


@pytest.mark.acceptance("F5", "F7")
@pytest.mark.parametrize(
    ("query", "subject", "factor"),
    [
        ("bound the retry queue", "Bound the retry queue", 15.0),
        ("bound the retry queue", "Bound the retry queue of the mailer", 1.0),
        ("bound the retry queue", "Drain the retry queue", 0.3),
        ("retry queue", "Bound the retry queue", 0.3),  # two words stand together in many subjects
        ("boundRetryQueue", "Use boundRetryQueue in the mailer", 0.3),  # one word, whatever its parts
        ("which commit bounds the retry queue", "Retry queue: raise the limit", 1 + 119 * (2 / 3) ** 2),
        ("which commit added the retry queue", "A retry queue for the mailer", 120.0),
        ("why is the retry queue bounded", "Bounded buffers", 1.0),
    ],
)
def test_commit_is_raised_by_the_share_of_the_words_in_its_subject(query: str, subject: str, factor: float) -> None:
    commit = DocumentHeader(2, "commit:1", "commit", "", subject, "commit", "")
    found = ranked(boosts_for(query), outline(1, "mail/send.py", "send"), commit)
    (adjusted,) = (candidate for candidate in found if candidate.document.doc_key == 2)
    assert factors(adjusted).get("commit", 1.0) == pytest.approx(factor)
    assert adjusted.fused_score <= 1


@pytest.mark.acceptance("F5")
def test_words_of_folders_and_file_raise_a_file() -> None:
    readers = (outline(1, "src/writers/odt/content.hs", "parse"), outline(2, "src/readers/odt/content.hs", "parse"))
    first, second = ranked(boosts_for("readers for odt"), *readers)
    assert (first.document.doc_key, second.document.doc_key) == (2, 1)
    assert factors(first)["path_words"] == pytest.approx(1 + paths.PATH_WORDS_SHARE * 2 / 5)
    assert factors(second)["path_words"] == pytest.approx(1 + paths.PATH_WORDS_SHARE / 5)
    assert "path_words" not in factors(ranked(boosts_for("a limit of retries"), readers[0])[0])


@pytest.mark.acceptance("F5", "F6")
def test_file_that_past_commits_on_the_question_changed_comes_first() -> None:
    twins = (outline(1, "src/a.py", "send"), outline(2, "src/b.py", "send"))
    question = boosts_for("retries of a request")
    gathered = fuse.fuse_matches(
        {"lexical": [OracleMatch(1, 1, 1.0, "bm25"), OracleMatch(2, 2, 1.0, "bm25")]},
        {document.doc_key: document for document in twins},
        WEIGHTS,
    )
    ceiling = fuse.fused_score_ceiling(WEIGHTS, max_boost(question))
    evidence = FileEvidence(past_changes={"src/b.py": 0.5})
    first, second = rank_with_boosts(gathered, question, ceiling, str.lower, evidence=evidence)
    assert first.document.doc_key == 2
    assert factors(first)["past_changes"] == pytest.approx(1 + paths.PAST_CHANGES_SHARE / 2)
    assert "past_changes" not in factors(second)


def meaning_factor(cosine: float) -> float:
    return 1 + rules.FILE_MEANING_SHARE * cosine**rules.FILE_MEANING_EXPONENT


@pytest.mark.acceptance("F5", "F6")
def test_file_that_is_about_the_question_as_a_whole_comes_first() -> None:
    near, about, far = [outline(key, f"src/{name}.py", "send") for key, name in enumerate("abc", 1)]
    question = boosts_for("retries of a request")
    matches = [OracleMatch(key, key, 1.0, "bm25") for key in (1, 2, 3)]
    gathered = fuse.fuse_matches({"lexical": matches}, {each.doc_key: each for each in (near, about, far)}, WEIGHTS)
    ceiling = fuse.fused_score_ceiling(WEIGHTS, max_boost(question))
    evidence = FileEvidence(cosines={near.path: 0.1, about.path: 0.5, far.path: -0.2})
    first, second, third = rank_with_boosts(gathered, question, ceiling, str.lower, evidence=evidence)
    assert [each.document for each in (first, second, third)] == [about, near, far]
    assert factors(first)["file_meaning"] == pytest.approx(meaning_factor(0.5))
    assert "file_meaning" not in factors(third), "what is unlike the question is not lowered further"
    assert first.fused_score <= 1


def in_three_files() -> list[Candidate]:
    """Return the candidates of two documents in the first of three files, and one in each of the others."""
    paths = ("src/a.py", "src/a.py", "src/b.py", "src/c.py")
    documents = [outline(key, path, f"send{key}") for key, path in enumerate(paths, 1)]
    matches = [OracleMatch(each.doc_key, each.doc_key * 10, 8.0 / each.doc_key, "bm25") for each in documents]
    return fuse.fuse_matches({"lexical": matches}, {each.doc_key: each for each in documents}, {"lexical": 1.0})


def ranked_by(evidence: FileEvidence, limit: int | None = None) -> list[Candidate]:
    question = parse_query("retries of a request", {"lexical": 1.0}, limit=10)
    ceiling = fuse.fused_score_ceiling(question.weights, max_boost(question))
    return rank_with_boosts(in_three_files(), question, ceiling, str.lower, limit, evidence)


@pytest.mark.acceptance("F5")
def test_ranks_count_less_by_the_best_rank_sum_of_the_file() -> None:
    ranked = {each.document.doc_key: each for each in ranked_by(FileEvidence())}
    share = (1 / 70) / (1 / 61)
    assert factors(ranked[1])["ranks"] == pytest.approx(share**-rules.RANKS_EXPONENT)
    assert factors(ranked[2])["ranks"] == factors(ranked[1])["ranks"]
    assert factors(ranked[3])["ranks"] > factors(ranked[1])["ranks"]
    assert all(each.fused_score <= 1 for each in ranked.values())


@pytest.mark.acceptance("F5")
def test_file_that_holds_more_words_of_the_question_comes_first() -> None:
    evidence = FileEvidence(words={"src/a.py": 0.25, "src/b.py": 1.0, "src/c.py": 0.5}, highest_bm25=10.0)
    first, *others = ranked_by(evidence)
    assert first.document.path == "src/b.py"
    assert "file_words" not in factors(first), "nothing lowers a file that holds all words"
    assert factors(first)["file_bm25"] == pytest.approx(1 + rules.BM25_SHARE * (8 / 3) / 10)
    held = {each.document.path: factors(each)["file_words"] for each in others}
    assert held == {
        path: pytest.approx(1 - rules.WORDS_SHARE + rules.WORDS_SHARE * share)
        for path, share in (("src/a.py", 0.25), ("src/c.py", 0.5))
    }


@pytest.mark.acceptance("F5")
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_words_that_are_looked_up_late_rank_as_those_known_from_the_start(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuse, "_LOOKED_UP_AT_ONCE", 1)
    known = {"src/a.py": 0.1, "src/b.py": 0.9, "src/c.py": 1.0}
    found: dict[str, float] = {}
    late = FileEvidence(
        words=found, look_up=lambda paths: found.update({path: known[path] for path in paths}), highest_bm25=10.0
    )
    expected = ranked_by(FileEvidence(words=known, highest_bm25=10.0))
    assert ranked_by(late, limit)[:limit] == expected[:limit]


SUMS = outline(1, "shop/basket.py", "compute_total")
PRICES = outline(2, "shop/basket.py", "PRICES", "constant")
LABEL = outline(3, "shop/label.js", "labelPrice")
BOTH_ORACLES = {"lexical": 1.0, "semantic": 1.8}
MEANINGS = FileEvidence(cosines={SUMS.path: 0.12, LABEL.path: 0.37})


def two_oracles(lexical: tuple[int, ...], semantic: tuple[int, ...]) -> list[Candidate]:
    """Return the candidates of two ranked lists of doc_keys."""
    matches = {
        "lexical": [OracleMatch(key, rank, 1.0, "bm25") for rank, key in enumerate(lexical, 1)],
        "semantic": [OracleMatch(key, rank, 0.5, "cosine") for rank, key in enumerate(semantic, 1)],
    }
    return fuse.fuse_matches(matches, {each.doc_key: each for each in (SUMS, PRICES, LABEL)}, BOTH_ORACLES)


@pytest.mark.acceptance("F5", "F6")
def test_vector_of_a_file_with_one_candidate_does_not_repeat_its_evidence() -> None:
    question = boosts_for("sum of all the amounts")
    ceiling = fuse.fused_score_ceiling(BOTH_ORACLES, max_boost(question))
    agreed = two_oracles((1, 3, 2), (1, 3, 2))
    first, second, _ = rank_with_boosts(agreed, question, ceiling, str.lower, evidence=MEANINGS)
    assert (first.document, second.document) == (SUMS, LABEL), "rank 2 of both oracles stays behind rank 1 of both"
    assert factors(first)["file_meaning"] == factors(second)["file_meaning"]
    assert [each.reason for each in second.adjustments if each.name == "file_meaning"] == [
        "the vector of the whole file has a cosine of 0.37 and counts as the 0.12 of shop/basket.py, first by "
        "words and vectors"
    ]


@pytest.mark.acceptance("F5", "W1")
def test_vector_of_a_file_counts_whole_where_oracles_disagree_and_in_their_counterfactual() -> None:
    question = boosts_for("sum of all the amounts")
    ceiling = fuse.fused_score_ceiling(BOTH_ORACLES, max_boost(question))
    apart = two_oracles((1, 3, 2), (3, 1, 2))
    ranked_apart = rank_with_boosts(apart, question, ceiling, str.lower, evidence=MEANINGS)
    whole = meaning_factor(0.37)
    assert factors(ranked_apart[0])["file_meaning"] == pytest.approx(whole)
    agreed = fuse.order_by_rank_sum(two_oracles((1, 3, 2), (1, 3, 2)))
    boosts = rules.BoostRules(question, str.lower, agreed, MEANINGS)
    assert {each.name: each.factor for each in boosts.adjustments_for(agreed[1])}["file_meaning"] < whole
    without_words = fuse.order_by_rank_sum(two_oracles((), (1, 3, 2)))
    other = boosts.for_order(without_words)
    label = next(each for each in without_words if each.document == LABEL)
    assert {each.name: each.factor for each in other.adjustments_for(label)}["file_meaning"] == pytest.approx(whole)


@pytest.mark.acceptance("F5", "F6")
@pytest.mark.parametrize(
    "query", ["net: accept connections", "fix(net): accept connections", "[net] accept connections"]
)
def test_file_of_the_area_that_the_question_begins_with_comes_first(query: str) -> None:
    elsewhere, inside = outline(1, "src/time/queue.rs", "accept"), outline(2, "src/net/queue.rs", "accept")
    first, second = ranked(boosts_for(query), elsewhere, inside)
    assert (first.document, second.document) == (inside, elsewhere)
    assert factors(first)["area"] == pytest.approx(1 + paths.AREA_SHARE)
    assert "area" not in factors(second)
    assert first.fused_score <= 1
    unnamed = ranked(boosts_for("accept net connections"), elsewhere, inside)
    assert all("area" not in factors(each) for each in unnamed)


@pytest.mark.acceptance("F5", "F6")
def test_file_that_holds_the_identifiers_of_the_question_comes_first() -> None:
    parts, whole = outline(1, "src/core.c", "uv_size"), outline(2, "src/threads.c", "start")
    question = boosts_for("where is UV_THREADPOOL_SIZE looked up")
    matches = [OracleMatch(key, key, 1.0, "bm25") for key in (1, 2)]
    gathered = fuse.fuse_matches({"lexical": matches}, {each.doc_key: each for each in (parts, whole)}, WEIGHTS)
    ceiling = fuse.fused_score_ceiling(WEIGHTS, max_boost(question))
    first, second = rank_with_boosts(
        gathered, question, ceiling, str.lower, evidence=FileEvidence(identifiers={whole.path: 1.0})
    )
    assert (first.document, second.document) == (whole, parts)
    assert factors(first)["identifiers"] == pytest.approx(1 + rules.IDENTIFIERS_SHARE)
    assert "identifiers" not in factors(second)
    assert first.fused_score <= 1


@pytest.mark.acceptance("F5")
@pytest.mark.parametrize(
    ("test", "code"),
    [
        ("tests/test_formatting.py", "src/formatting.py"),
        ("src/app/router.test.ts", "src/app/router.ts"),
        ("test/java/UtilTest.java", "main/java/Util.java"),
        ("spec/models/order_spec.rb", "app/models/order.rb"),
    ],
)
def test_test_that_matches_raises_what_it_tests(test: str, code: str) -> None:
    found = ranked(
        boosts_for("wrapping long lines"),
        outline(1, test, "check_wrapping"),
        outline(2, "src/other.py", "lines"),
        outline(3, code, "wrap"),
    )
    assert found[0].document.doc_key == 3
    assert factors(found[0])["tested"] == pytest.approx(1 + rules.TESTED_SHARE)
    assert all("tested" not in factors(each) for each in found[1:])


@pytest.mark.acceptance("F5", "U1")
def test_a_used_place_lowers_no_other_place_of_its_file_but_by_its_order() -> None:
    documents = [outline(number, "src/cart.py", f"part{number}") for number in range(1, 5)]
    question, by_key = boosts_for("how a cart is printed"), {each.doc_key: each for each in documents}
    lexical = [OracleMatch(number, number, 8.0 - number, "bm25") for number in by_key]

    def scores(used: int | None) -> dict[int, float]:
        votes = {"lexical": lexical} | ({"use": [OracleMatch(used, 1, 1.0, "uses")]} if used else {})
        weights = {**WEIGHTS, "use": 1e-9}  # what the match itself adds is not the matter here
        gathered = fuse.fuse_matches(votes, by_key, weights)
        ceiling = fuse.fused_score_ceiling(weights, max_boost(question))
        return {
            each.document.doc_key: each.fused_score for each in rank_with_boosts(gathered, question, ceiling, str.lower)
        }

    before, first, last = scores(None), scores(1), scores(4)
    assert list(before) == list(first) == [1, 2, 3, 4]
    used = rules.used_factor(1.0)
    assert used == 1 + rules.USED_SHARE / 2 > 1.5
    assert first == pytest.approx(before | {1: used * before[1]})  # it was first already
    assert list(last) == [4, 1, 2, 3]
    assert last[4] == pytest.approx(used * before[1])
    assert [last[number] for number in (1, 2, 3)] == pytest.approx([before[number] / 2 for number in (1, 2, 3)])


@pytest.mark.acceptance("F14", "U1")
def test_use_of_a_file_hides_no_further_place_of_it() -> None:
    documents = [outline(number, "src/cart.py", f"part{number}") for number in range(1, 6)]
    question, by_key = boosts_for("how a cart is printed"), {each.doc_key: each for each in documents}
    lexical = [OracleMatch(number, number, 8.0 - number / 10, "bm25") for number in by_key]

    def further(used: Sequence[OracleMatch]) -> list[int]:
        gathered = fuse.fuse_matches({"lexical": lexical, "use": used}, by_key, {**WEIGHTS, "use": 1e-9})
        found = rank_with_boosts(gathered, question, 1.0, str.lower)
        return [each.document.doc_key for each in find_hidden_repeats(found, found[:1]).get(1, ())]

    assert further([]) == further([OracleMatch(1, 1, 3.0, "uses")]) == [2, 3, 4, 5]


@pytest.mark.acceptance("F5", "U1")
def test_evidence_of_use_raises_a_file_above_better_matches_up_to_three_times() -> None:
    documents = [
        outline(1, "src/cart.py", "total"),
        outline(2, "src/order.py", "total"),
        outline(3, "src/tax.py", "rate"),
    ]
    question, by_key = boosts_for("how a total is printed"), {each.doc_key: each for each in documents}
    lexical = [OracleMatch(number, number, 8.0 - number, "bm25") for number in by_key]
    weights = {**WEIGHTS, "use": 1.0}
    ceiling = fuse.fused_score_ceiling(weights, max_boost(structs.replace(question, weights=weights)))
    assert ceiling == pytest.approx(fuse.fused_score_ceiling(weights, 3 * max_boost(question)))

    def rank(evidence: float, powers: Mapping[str, float] | None = None) -> list[Candidate]:
        votes = {"lexical": lexical, "use": [OracleMatch(3, 1, evidence, "uses")]}
        asked = structs.replace(question, weights=weights, strengths=powers or {})
        return rank_with_boosts(fuse.fuse_matches(votes, by_key, weights), asked, ceiling, str.lower)

    [first, *others] = rank(4.0)
    assert first.document.doc_key == 3
    assert factors(first)["used"] == pytest.approx(1 + 2 * 4 / 5)
    reason = "a place of the file was opened for a question like this one, with an evidence of 4.00"
    assert [each.reason for each in first.adjustments if each.name == "used"] == [reason]
    assert not any("used" in factors(each) for each in others)
    assert factors(rank(1000.0)[0])["used"] < 3
    assert "used" not in factors(next(each for each in rank(4.0, {"used": 0.0}) if each.document.doc_key == 3))


@pytest.mark.acceptance("F8", "U1")
def test_use_of_a_definition_raises_nothing_else_in_its_file_for_a_query_of_its_name() -> None:
    documents = [
        outline(1, "src/a.py", "total"),
        outline(2, "src/b.py", "total"),
        outline(3, "src/b.py", "print_total"),
    ]
    question, by_key = boosts_for("total"), {each.doc_key: each for each in documents}
    lexical = [OracleMatch(number, number, 8.0 - number, "bm25") for number in by_key]
    votes = {"lexical": lexical, "use": [OracleMatch(2, 1, 3.0, "uses")]}
    gathered = fuse.fuse_matches(votes, by_key, {**WEIGHTS, "use": 1.0})
    for limit in (2, 1):
        found = rank_with_boosts(gathered, question, 1.0, str.lower, limit)
        assert [each.document.doc_key for each in found][:limit] == [2, 1][:limit]
        assert [each.document.doc_key for each in found if "used" in factors(each)] == [2]


@pytest.mark.acceptance("F5")
def test_name_made_of_words_of_the_question_is_the_place_of_its_file() -> None:
    # click at 04ef3a6f, "where is ansi color stripped": `strip_ansi` has two lines and stood at place 46.
    def located(number: int, path: str, name: str, lines: int) -> DocumentHeader:
        return DocumentHeader(number, f"./{path}::{name}", "code", path, name, "function", "", lines)

    compat = [
        located(1, "src/click/_compat.py", "auto_wrap_for_ansi", 34),
        located(2, "src/click/_compat.py", "should_strip_ansi", 8),
        located(3, "src/click/_compat.py", "strip_ansi", 2),
    ]
    stems = {"stripped": "strip"}
    votes = {
        "lexical": [OracleMatch(each.doc_key, rank, 20.0 - rank / 10, "bm25") for rank, each in enumerate(compat, 1)]
    }
    gathered = fuse.fuse_matches(votes, {each.doc_key: each for each in compat}, WEIGHTS)

    def names(text: str) -> list[str]:
        question = boosts_for(text)
        ceiling = fuse.fused_score_ceiling(WEIGHTS, max_boost(question))
        found = rank_with_boosts(gathered, question, ceiling, lambda word: stems.get(word, word))
        return [each.document.name for each in found]

    assert names("where is ansi color stripped")[0] == "strip_ansi"
    assert names("where is color stripped")[0] == "auto_wrap_for_ansi"  # half of the name is not asked for
    of_many = "how ansi and color output is stripped when a pager or terminal is redirected"
    assert names(of_many)[0] == "auto_wrap_for_ansi"  # a long question holds names by the way
