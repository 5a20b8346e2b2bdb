"""Text for a language model within a number of tokens: first what was found, then as much of it in full as there is
room for; what was left out is said.
"""

from __future__ import annotations

from msgspec import UNSET

from scry.surfaces.text.page import Listing
from scry.surfaces.text.page_markdown import to_markdown
from scry.surfaces.text.printable import printable
from scry.surfaces.text.prompt import in_groups, show_entry, show_head
from scry_protocol.messages import Answer, ResultItem

BYTES_PER_TOKEN = 3
"""Of English and code, tokenizers make some four bytes a token, of other scripts three or fewer: with three, a budget
holds for any of them, near enough."""

_FOR_THE_END = 80
"""Tokens kept for saying what was left out."""

_MOST_OF_A_QUERY = 300
_FENCE = "```"


def tokens(text: str) -> int:
    """About how many tokens a text has, rather too many than too few."""
    return -(-len(text.encode("utf-8", "backslashreplace")) // BYTES_PER_TOKEN)


def answer_within(answer: Answer, budget: int, *, home: str = "") -> str:
    """The answer as Markdown of at most so many tokens. home: see `show_answer`."""
    head = show_head(_with_short_query(answer))
    left = budget - _FOR_THE_END - tokens(head)
    entries: dict[int, str] = {}
    for result in answer.results:
        entry = show_entry(result, home)
        if tokens(entry) > left:
            break  # a later one that is shorter is not better
        entries[result.rank] = entry
        left -= tokens(entry)
    shown = [result for result in answer.results if result.rank in entries]
    bodies, without = _bodies(shown, left)
    blocks = [head, *in_groups(shown, lambda result: entries[result.rank]), *bodies]
    missing = [result.rank for result in answer.results if result.rank not in entries]
    if missing or without:
        blocks.append(_left_out(missing, without, budget))
    return "\n".join(blocks)


def text_within(markdown: str, budget: int) -> str:
    """The beginning of a page of at most so many tokens, cut between lines; the rest is counted."""
    if tokens(markdown) <= budget:
        return markdown
    left = budget - _FOR_THE_END
    lines = markdown.splitlines(keepends=True)
    kept: list[str] = []
    for line in lines:
        left -= tokens(line)
        if left < 0:
            break
        kept.append(line)
    fence = _open_fence(kept)
    end = f"{fence}\n" if fence else ""
    return f"{''.join(kept)}{end}\n… {len(lines) - len(kept):,} more lines left out for budget_tokens {budget}.\n"


def _with_short_query(answer: Answer) -> Answer:
    import msgspec

    if len(answer.query) <= _MOST_OF_A_QUERY:
        return answer
    return msgspec.structs.replace(answer, query=f"{answer.query[:_MOST_OF_A_QUERY]}…")


def _bodies(results: list[ResultItem], left: int) -> tuple[list[str], list[int]]:
    """Those that were asked for in full, and the ranks of those for which there is no room."""
    shown: list[str] = []
    without: list[int] = []
    for result in results:
        if result.full is UNSET:
            continue
        listing = to_markdown([Listing(result.full.language, result.full.body)])
        block = f"### {result.rank}. {printable(result.doc_id)}\n\n{listing}"
        if tokens(block) > left:
            without.append(result.rank)
            continue
        shown.append(block)
        left -= tokens(block)
    return (["## In full\n", *shown] if shown else []), without


def _left_out(missing: list[int], without: list[int], budget: int) -> str:
    parts = [f"{'results' if len(missing) > 1 else 'result'} {_ranks(missing)}"] if missing else []
    parts += [f"the text of {_ranks(without)}"] if without else []
    return f"Left out for budget_tokens {budget}: {', '.join(parts)}. Raise it, or ask for the detail of a rank.\n"


def _ranks(ranks: list[int]) -> str:
    return str(ranks[0]) if len(ranks) == 1 else f"{ranks[0]} to {ranks[-1]}"


def _open_fence(lines: list[str]) -> str:
    """The fence of a listing that the lines begin and do not end; empty where there is none."""
    fence = ""
    for line in lines:
        ticks = line[: len(line) - len(line.lstrip("`"))]
        if not fence and ticks.startswith(_FENCE):
            fence = ticks
        elif fence and line.strip() == fence:
            fence = ""
    return fence
