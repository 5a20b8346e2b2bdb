"""Pair the names of tests with the function that they call, and sentences of documents with the symbol they name.

A name counts only where one definition of the repository bears it. Of the functions that a test calls, the one whose
name shares most words with the test's is taken, else the one that the fewest tests call.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from scry.embedding.static_model import split_words
from training.docs import is_useful
from training.records import Record

_MOST = 1500
_LONGEST_TITLE = 200
_TITLE = re.compile(
    r"""(?:^|[\s.({])(?:it|test|describe|specify|scenario|context|should|Deno\.test|t\.run|Describe|It)(?:\s*\(\s*|\s+)["'`]([^"'`\n]{8,160})["'`]"""
)
_FUNCTION = re.compile(
    r"(?:def|func|fun|fn|function|void|sub|public\s+\w+)\s+(?:`([^`\n]{8,160})`|((?:[Tt]est|should|it|when|given|can|does)_?\w{6,120}|\w{4,120}_(?:test|should)\w*))"
)
_CALL = re.compile(r"\b([A-Za-z_]\w{3,80}[!?]?)\s*[(<{ ]")
_SYMBOL = re.compile(r"`{1,2}(?:[\w.:]*[.:#])?([A-Za-z_]\w{3,80}[!?]?)(?:\(\))?`{1,2}")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*[-*+\d#])")
_MARKUP = re.compile(r"^[\s#>*+-]+|\d+\.\s|`+|\[([^\]]{0,200})\]\([^)]{0,400}\)", re.MULTILINE)
_FENCE = re.compile(r"^(?:```|~~~)[^\n]*\n.*?^(?:```|~~~)", re.MULTILINE | re.DOTALL)
_LEAD = re.compile(r"^(?:test|should|it|describe)[_\s]*", re.IGNORECASE)


def unique_definitions(records: Iterable[Record]) -> dict[str, Record]:
    """Return the definitions with a name of several words that no other one of the repository bears, by name."""
    by_name: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record.kind == "definition" and len(split_words(record.name)) >= 2:
            by_name[record.name].append(record)
    return {name: found[0] for name, found in by_name.items() if len(found) == 1}


def mine_tests(texts: Sequence[str], definitions: dict[str, Record]) -> Iterator[Record]:
    """Yield a record of kind `test` for each test with a name of at least three words that calls a known function."""
    cases = [case for text in texts for case in _cases(text)]
    calls = [sorted(set(_CALL.findall(body)) & definitions.keys()) for _, body in cases]
    times = Counter(name for names in calls for name in names)
    seen: set[tuple[str, str]] = set()
    for (title, _), names in zip(cases, calls, strict=True):
        words = set(split_words(title.lower()))
        if len(words) < 3 or not names or not title.isascii():
            continue
        best = min(names, key=lambda name: (-len(words & set(split_words(name.lower()))), times[name], name))
        shared = bool(words & set(split_words(best.lower())))
        if (shared or times[best] <= 3) and (title, best) not in seen and len(seen) < _MOST:
            seen.add((title, best))
            yield replace(definitions[best], kind="test", doc=title)


def mine_mentions(texts: Iterable[str], definitions: dict[str, Record]) -> Iterator[Record]:
    """Yield a record of kind `mention` for each sentence of a document that names one known symbol in backquotes."""
    seen: set[tuple[str, str]] = set()
    for text in texts:
        for sentence in _SENTENCE_END.split(_FENCE.sub("", text)):
            names = list(dict.fromkeys(_SYMBOL.findall(sentence)))
            if len(names) != 1 or names[0] not in definitions or len(sentence) > 400:
                continue
            plain = " ".join(_MARKUP.sub(lambda match: match.group(1) or " ", sentence).split())
            if is_useful(plain, words=6) and (plain, names[0]) not in seen and len(seen) < _MOST:
                seen.add((plain, names[0]))
                yield replace(definitions[names[0]], kind="mention", doc=plain)


def _cases(text: str) -> Iterator[tuple[str, str]]:
    """Yield the title of each test in a text, and the text up to the next one."""
    found = sorted(
        [(match.start(), match.end(), match.group(1)) for match in _TITLE.finditer(text)]
        + [(match.start(), match.end(), match.group(1) or match.group(2)) for match in _FUNCTION.finditer(text)]
    )
    ends = [*(start for start, _, _ in found[1:]), len(text)][: len(found)]
    for (_, start, title), end in zip(found, ends, strict=True):
        words = " ".join(split_words(title)) if " " not in title else title
        yield _LEAD.sub("", words).strip()[:_LONGEST_TITLE], text[start : min(end, start + 4000)]
