"""The paragraph on Scry in a file that instructs agents, such as AGENTS.md or CLAUDE.md.

It stands between two marks, so that it can be brought up to date and removed; everything else in the file stays.
"""

from __future__ import annotations

from scry.surfaces.cli.clients.client import UnwritableConfig

BEGIN_MARK, END_MARK = "<!-- scry: begin -->", "<!-- scry: end -->"

_PARAGRAPH = """\
## Finding code

This project is indexed by Scry, which searches by meaning, words and history. Before you grep for an idea or read files
at random, ask its MCP tools, or the command line where there are none:

- `find` (`scry "…"`): where something is, in plain words or by identifier; each result has a signature, its best lines
  and `path:line`. `detail` gives one result in full.
- `find_related` (`scry neighbors --by similar --file FILE --line N`): code like the code at a place. `neighbors`: what
  else has to change with a file.
- `orient` (`scry orient PATH`): what matters in a folder. `recent` (`scry recent`): what changed lately.
- `observe` (`scry observe decision "…"`): keep a decision or a failure that the code does not say.

Use grep for every occurrence of an exact string.
"""


def write_instructions(text: str) -> str:
    """Return the text with the paragraph, in place of an older one or at the end. Raises UnwritableConfig."""
    block = f"{BEGIN_MARK}\n{_PARAGRAPH}{END_MARK}\n"
    found = _find_block(text)
    if found is not None:
        return text[: found[0]] + block + text[found[1] :]
    gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
    return f"{text if text.strip() else ''}{gap}{block}"


def remove_instructions(text: str) -> str:
    """Return the text without the paragraph. Raises UnwritableConfig."""
    found = _find_block(text)
    if found is None:
        return text
    before, after = text[: found[0]].rstrip("\n"), text[found[1] :].lstrip("\n")
    gap = "\n\n" if before and after else "\n" if before else ""
    return f"{before}{gap}{after}"


def _find_block(text: str) -> tuple[int, int] | None:
    """Return where the paragraph starts and ends, its marks included; None where there is none."""
    if BEGIN_MARK not in text and END_MARK not in text:
        return None
    start, end = text.find(BEGIN_MARK), text.find(END_MARK)
    if start < 0 or end < start or text.count(BEGIN_MARK) > 1 or text.count(END_MARK) > 1:
        raise UnwritableConfig(f"its marks {BEGIN_MARK} and {END_MARK} do not enclose one paragraph")
    after = end + len(END_MARK)
    return start, after + (1 if text[after : after + 1] == "\n" else 0)
