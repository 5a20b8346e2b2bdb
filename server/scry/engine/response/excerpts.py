"""Choose the lines of each result that match the query best, so that a reader need not open it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from scry.core.text import content_terms, split_source_lines, tokenize
from scry.core.types import Hit, Symbol
from scry.engine.response.answer import replace_surrogates
from scry.store.lexical import stem_of
from scry_protocol import messages

MAX_LINE_CHARACTERS = 160
"""Length at which a line is cut."""

_MAX_LINES_READ = 2_000


def add_excerpts(
    answer: messages.Answer, hits: Sequence[Hit], get_text: Callable[[str], str | None], count: int
) -> messages.Answer:
    """Return the answer, with up to `count` lines of every result in a file; as it is where there is no query.

    hits: of its results. get_text: returns the text of an indexed file by its path.
    """
    if not answer.query.strip():
        return answer
    wanted = frozenset(map(stem_of, content_terms(answer.query))) - {""}
    results: list[messages.ResultItem] = []
    for result, hit in zip(answer.results, hits, strict=True):
        path = hit.document.path
        text = get_text(path) if path and hit.document.content_type in ("code", "doc") else None
        if text is not None:
            lines = _choose_lines(split_source_lines(text), hit.document.symbol, wanted, count)
            results.append(msgspec.structs.replace(result, excerpt=lines))
        else:
            results.append(result)
    return msgspec.structs.replace(answer, results=results)


def _choose_lines(
    lines: Sequence[str], symbol: Symbol, wanted: frozenset[str], count: int
) -> list[messages.ExcerptLine]:
    """Return the lines of a symbol that hold most of the wanted stems, the earlier ones first, in their order.

    Lines without any fill up the number from the top. The line of the name is left out: it is in the snippet.
    """
    last = min(symbol.span.end.line, symbol.span.start.line + _MAX_LINES_READ, len(lines) - 1)
    numbers = [
        number
        for number in range(symbol.span.start.line, last + 1)
        if any(map(str.isalnum, lines[number])) and (number != symbol.name_span.start.line or not symbol.name)
    ]
    held = {number: len(wanted & set(map(stem_of, tokenize(lines[number])))) for number in numbers}
    chosen = sorted(sorted(numbers, key=lambda number: (-held[number], number))[:count])
    margin = min((_indentation(lines[number]) for number in chosen), default=0)
    return [
        messages.ExcerptLine(number + 1, replace_surrogates(_cut(lines[number].expandtabs(4)[margin:].rstrip())))
        for number in chosen
    ]


def _indentation(line: str) -> int:
    plain = line.expandtabs(4)
    return len(plain) - len(plain.lstrip())


def _cut(line: str) -> str:
    return line if len(line) <= MAX_LINE_CHARACTERS else f"{line[: MAX_LINE_CHARACTERS - 1]}…"
