"""Reading what strangers wrote takes time by its length, and no more, also for texts made to be slow."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.strangers.growth import grows_too_fast
from training.histories.clones import name_licences
from training.histories.mentions import mine_mentions, mine_tests
from training.histories.messages import clean_body, clean_subject, is_bot
from training.histories.mine import is_test
from training.records import Record

NAMED = Record("x", "python", "x.py", "definition", "split_lines", "", "", "def split_lines(text): ...")
KNOWN = {"split_lines": NAMED}
READERS: dict[str, Callable[[str], object]] = {
    "clean_subject": clean_subject,
    "clean_body": clean_body,
    "is_bot": is_bot,
    "is_test": is_test,
    "name_licences": lambda text: name_licences([text]),
    "mine_tests": lambda text: list(mine_tests([text], KNOWN)),
    "mine_mentions": lambda text: list(mine_mentions([text], KNOWN)),
}
PIECES = (
    *(
        " ",
        "\n",
        "\n ",
        "a",
        "A",
        "1",
        "1 ",
        "_",
        ".",
        "`",
        "``a",
        "`a.",
        "(",
        ")",
        "[a]",
        "[](",
        ":",
        ": ",
        "-",
        "#",
        "#1",
    ),
    *(
        "(#1",
        "fix(",
        "fix: ",
        "a/b#",
        "```\n",
        "```a\n~~~",
        "it ",
        "it(",
        "it '",
        "test_",
        "def ",
        "public a ",
        "fun `",
    ),
    *("a_test", "split_lines ", "a: b@", "git-svn-id: ", "https://", "re ", "closes #1 ", "* ", "- 1. ", "é"),
)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("piece", PIECES)
def test_reading_is_linear_in_the_length_of_a_text(reader: str, piece: str) -> None:
    def text(length: int) -> str:
        return "a" + piece * (length // len(piece)) + "\0"

    assert grows_too_fast(READERS[reader], text, 1 << 15) == ""
