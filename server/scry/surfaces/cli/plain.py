"""A question without options: `scry "where is the retry limit"`.

It is asked without the parser of options, for to import that takes a quarter of such a command's time. The parser would
understand it in the same way; a test holds that.
"""

from __future__ import annotations

from collections.abc import Sequence

from scry.surfaces.cli.answering import Plainly, ask, manner_of_engine, readable, request
from scry.surfaces.cli.commands import COMMANDS
from scry_protocol.messages import FindParams

_FIND = "find"


def plain_question(words: Sequence[str]) -> str | None:
    """The question, where the words are nothing else; None where the parser has to look at them."""
    if not words or (words[0] in COMMANDS and words[0] != _FIND) or any(word.startswith("-") for word in words):
        return None
    asked = words[1:] if words[0] == _FIND else words
    return " ".join(asked) if asked else None


def ask_plainly(question: str) -> int:
    """What `find` does without options; returns the exit status. Raises ScryError."""
    params, manner = request(FindParams, {"query": readable(question)}), Plainly()
    return ask(lambda engine: engine.find(params, manner_of_engine(wait=manner.wait)), manner)
