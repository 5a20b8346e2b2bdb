"""Fit an answer for a language model into a number of tokens, and name the omitted parts.

The results come first, then the full text of as many of them as there is room for.
"""

from __future__ import annotations

from msgspec import UNSET

from scry.surfaces.render.markdown import render_markdown
from scry.surfaces.render.page import CodeBlock
from scry.surfaces.render.prompt import group_results, render_answer_header, render_result_entry
from scry.surfaces.render.styled_text import make_printable
from scry_protocol.messages import Answer, ResultItem

BYTES_PER_TOKEN = 3
"""Bytes of UTF-8 that one token is assumed to have. Tokenizers make some four bytes of English and code a token, and
three or fewer of other scripts, so that a budget nearly holds for each of them."""

_RESERVED_TOKENS = 80
"""Tokens reserved for the note about omitted results."""

_FENCE = "```"


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens of a text, rather too high than too low."""
    return -(-len(text.encode("utf-8", "backslashreplace")) // BYTES_PER_TOKEN)


def render_answer_within(answer: Answer, budget: int, *, home: str = "") -> str:
    """Render an answer as Markdown of at most `budget` tokens. home: as in `results.render_answer`."""
    head = render_answer_header(answer)
    left = budget - _RESERVED_TOKENS - estimate_tokens(head)
    entries: dict[int, str] = {}
    for result in answer.results:
        entry = render_result_entry(result, home)
        if estimate_tokens(entry) > left:
            break  # a shorter result further down is not better
        entries[result.rank] = entry
        left -= estimate_tokens(entry)
    shown = [result for result in answer.results if result.rank in entries]
    bodies, without = _full_text_blocks(shown, left)
    blocks = [head, *group_results(shown, lambda result: entries[result.rank]), *bodies]
    missing = [result.rank for result in answer.results if result.rank not in entries]
    if missing or without:
        blocks.append(_omission_note(missing, without, budget))
    return "\n".join(blocks)


def truncate_to_budget(markdown: str, budget: int) -> str:
    """Return the beginning of a page within `budget` tokens, cut between lines, and how many lines are left out."""
    if estimate_tokens(markdown) <= budget:
        return markdown
    left = budget - _RESERVED_TOKENS
    lines = markdown.splitlines(keepends=True)
    head: list[str] = []
    for line in lines:
        left -= estimate_tokens(line)
        if left < 0:
            break
        head.append(line)
    fence = _unclosed_fence(head)
    end = f"{fence}\n" if fence else ""
    return f"{''.join(head)}{end}\n… {len(lines) - len(head):,} more lines left out for budget_tokens {budget}.\n"


def _full_text_blocks(results: list[ResultItem], left: int) -> tuple[list[str], list[int]]:
    """Return the full texts that fit into `left` tokens as blocks, and the ranks of the results whose text does not."""
    shown: list[str] = []
    without: list[int] = []
    for result in results:
        if result.full is UNSET:
            continue
        listing = render_markdown([CodeBlock(result.full.language, result.full.body)])
        block = f"### {result.rank}. {make_printable(result.doc_id)}\n\n{listing}"
        if estimate_tokens(block) > left:
            without.append(result.rank)
            continue
        shown.append(block)
        left -= estimate_tokens(block)
    return (["## In full\n", *shown] if shown else []), without


def _omission_note(missing: list[int], without: list[int], budget: int) -> str:
    parts = [f"{'results' if len(missing) > 1 else 'result'} {_format_ranks(missing)}"] if missing else []
    parts += [f"the text of {_format_ranks(without)}"] if without else []
    return f"Left out for budget_tokens {budget}: {', '.join(parts)}. Raise it, or ask for the detail of a rank.\n"


def _format_ranks(ranks: list[int]) -> str:
    """Return ranks in words, the adjacent ones as ranges: `1, 3 to 5`."""
    runs: list[list[int]] = []
    for rank in ranks:
        if runs and rank == runs[-1][-1] + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)


def _unclosed_fence(lines: list[str]) -> str:
    """Return the fence of a code block that the lines open and do not close; empty where there is none."""
    fence = ""
    for line in lines:
        ticks = line[: len(line) - len(line.lstrip("`"))]
        if not fence and ticks.startswith(_FENCE):
            fence = ticks
        elif fence and line.strip() == fence:
            fence = ""
    return fence
