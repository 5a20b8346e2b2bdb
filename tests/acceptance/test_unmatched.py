"""Words and filters of a query that match nothing are named in the answer, with what may be meant."""

from __future__ import annotations

import pytest

from tests.sample.indexed import IndexedProject

pytestmark = pytest.mark.acceptance("F15")


def test_nonsense_is_told_from_an_answer(shop: IndexedProject) -> None:
    notice = shop.find("asdkjhasd qwoeiu").notice
    assert notice.startswith("no word of this occurs here (asdkjhasd, qwoeiu); the results are the nearest by meaning")
    assert shop.find("where are rankings fused").notice == ""


def test_unknown_identifier_is_named_with_a_near_name(shop: IndexedProject) -> None:
    assert shop.find("payInvioce").notice.endswith("did you mean payInvoice?")
    mixed = shop.find("how does add_to_crat fuse rankings").notice
    assert mixed == "add_to_crat occurs nowhere here; did you mean add_to_cart?"


def test_a_slip_in_the_first_letters_is_recognized(shop: IndexedProject) -> None:
    for typed in ("apyInvoice", "pyaInvoice", "ppayInvoice", "xpayInvoice"):
        assert shop.find(typed).notice.endswith("did you mean payInvoice?"), typed


def test_words_count_wherever_they_occur(shop: IndexedProject) -> None:
    assert shop.find("open the shop").notice == ""  # the first word stands in a commit's subject only
    assert shop.find("invoice rankings lang:python").notice == ""


def test_answer_without_results_also_says_how_much_was_searched(shop: IndexedProject) -> None:
    notice = shop.find("fuse lang:cobol").notice
    assert notice.startswith("no file here has 'lang:cobol'; there are: ")
    assert "; Nothing found in 10 files" in notice
    assert "xqzt occurs nowhere here; Nothing found in 10 files" in shop.find("xqzt", min_score=0.99).notice


def test_inflected_words_and_stop_words_are_no_unknown_words(shop: IndexedProject) -> None:
    assert shop.find("what is it that fuses a ranking?").notice == ""


@pytest.mark.parametrize(
    ("query", "told"),
    [
        (
            "fuse type:nope",
            "'type:nope' is searched as text, for type: takes belief, code, commit, doc, memory, pattern, persona, "
            "session",
        ),
        ("fuse lang:klingon", "no file here has 'lang:klingon'; there are: python, "),
        ("fuse -lang:klingon", "no file here has 'lang:klingon'; there are: python, "),
        ("fuse path:shop/fusoin.py", "no file here has 'path:shop/fusoin.py'; did you mean shop/fusion.py"),
        ("fuse source:web", "'source:web' is searched as text, for source: takes persona, project"),
    ],
)
def test_filter_with_unknown_value_is_told_with_what_there_is(shop: IndexedProject, query: str, told: str) -> None:
    assert shop.find(query).notice.startswith(told)


def test_quoted_text_that_stands_nowhere_is_told(shop: IndexedProject) -> None:
    notice = shop.find('"later retry"').notice
    assert notice.startswith('no document holds "later retry" as written, beginning and ending with whole words')
    assert shop.find('"retry later"').notice == ""


def test_filters_without_words_are_told(shop: IndexedProject) -> None:
    answer = shop.find("lang:python -path:none")
    assert (answer.results, answer.notice) == ([], "filters alone find nothing: add words to find by")


@pytest.mark.parametrize("query", ["fuse lang:py", "returns type:doc", "fuse path:SHOP/", "fuse -path:none", '"later"'])
def test_known_filters_are_not_told(shop: IndexedProject, query: str) -> None:
    assert shop.find(query).notice == ""
