"""A question without options: `scry "where is the retry limit"`.

It is asked without the parser of options, for to import that takes a quarter of such a command's time. The parser would
understand it in the same way; a test holds that.
"""

from __future__ import annotations

from collections.abc import Sequence

from scry.surfaces.cli.answering import DefaultQuestionOptions, ask, make_request_context, replace_undecodable, build_params
from scry.surfaces.cli.commands import COMMANDS
from scry_protocol.messages import FindParams

_FIND_COMMAND = "find"


def parse_plain_question(arguments: Sequence[str]) -> str | None:
    """The question, where the words are nothing else; None where the parser has to look at them."""
    if not arguments or (arguments[0] in COMMANDS and arguments[0] != _FIND_COMMAND) or any(word.startswith("-") for word in arguments):
        return None
    asked = arguments[1:] if arguments[0] == _FIND_COMMAND else arguments
    return " ".join(asked) if asked else None


def ask_plain_question(question: str) -> int:
    """What `find` does without options; returns the exit status. Raises ScryError."""
    params, manner = build_params(FindParams, {"query": replace_undecodable(question)}), DefaultQuestionOptions()
    return ask(lambda engine: engine.find(params, make_request_context(wait=manner.wait)), manner)
