"""Turn ranked candidates into results: snippets, structure, and counts of hidden repeats per file.

The few words of a document that a person sees beside its name (J6).

What an answer holds back so as to show several places. Pure.

How many results of one file the first ten may hold is no fixed number: the best of a file stands where its votes put
it, and each further one is lowered once more (`repeat`, see engine.adjust), so that it is shown where little else was
found. Here is counted what that held back, so that nobody takes the one result of a file for all that the file has.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice

from msgspec import structs
from msgspec.structs import replace

from scry.core.knowledge import is_knowledge
from scry.core.text import split_source_lines
from scry.core.types import (
    Candidate,
    Document,
    FileStructure,
    Hit,
    OracleMatch,
    SearchQuery,
)
from scry.oracles import ORACLES
from scry.oracles.oracle import Oracle, OracleReader
from scry.store.index.store import IndexStore

SNIPPET_WIDTH = 200
"""About how many characters a snippet holds."""

_ELLIPSIS = "…"

_MAX_SNIPPET_LINES = 6


def make_snippet(document: Document, text: str | None) -> str:
    """Signature and the doc comment's first line; for text outside symbols, its first lines that say something.

    text: the file's text as it was indexed.
    """
    symbol = document.symbol
    if symbol.kind == "commit" or is_knowledge(document.doc_key):
        return symbol.signature
    if symbol.kind in ("section", "text"):
        return truncate(_first_lines(document, text or ""))
    first = symbol.doc.strip().partition("\n")[0].strip()
    return truncate(f"{symbol.signature} — {first}" if first else symbol.signature)


def _first_lines(document: Document, text: str) -> str:
    span = document.symbol.span
    lines = split_source_lines(text)[span.start.line : span.end.line + 1]
    says = (" ".join(line.split()) for line in lines if any(map(str.isalnum, line)))
    stated = list(islice(says, _MAX_SNIPPET_LINES + 1))
    first = 1 if document.symbol.kind == "section" and len(stated) > 1 else 0  # a section's is its heading
    return " ".join(stated[first : first + _MAX_SNIPPET_LINES])


def truncate(text: str, width: int = SNIPPET_WIDTH) -> str:
    """At most `width` characters, cut at a space where there is one near and never between a letter and its marks."""
    if len(text) <= width:
        return text
    end = width - 1
    while end > 0 and _is_combining(text[end]):
        end -= 1
    space = text.rfind(" ", end - 30, end)
    return text[: space if space > 0 else end].rstrip() + _ELLIPSIS


def _is_combining(character: str) -> bool:
    joins = character in "\u200d\ufe0e\ufe0f" or "\U0001f3fb" <= character <= "\U0001f3ff"
    return joins or unicodedata.category(character).startswith("M")


def count_hidden_repeats(
    ranked: Sequence[Candidate], shown: Sequence[Candidate], question: SearchQuery
) -> Mapping[int, int]:
    """By the number of each file's best result, how many more of the file would be shown if none were lowered for
    standing behind another one; files without any are left out.

    ranked: adjusted, best first, at least as far as the question's limit reaches. shown: those that are results.
    """
    numbers = {candidate.document.doc_key for candidate in shown}
    alone = sorted(
        (-_score_without_repeat_penalty(candidate), candidate.document.doc_id, candidate) for candidate in ranked
    )
    held_back = Counter(
        candidate.document.path
        for negated, _, candidate in alone[: question.limit]
        if candidate.document.doc_key not in numbers and -negated >= question.min_score
    )
    best = {candidate.document.path: candidate.document.doc_key for candidate in reversed(shown)}
    return {best[path]: count for path, count in held_back.items() if path}


def _score_without_repeat_penalty(candidate: Candidate) -> float:
    """The score that the candidate would have if it were the only one of its file."""
    return candidate.fused_score / math.prod(a.factor for a in candidate.adjustments if a.name == "repeat")


def add_hidden_counts(hits: Sequence[Hit], counts: Mapping[int, int]) -> tuple[Hit, ...]:
    """The hits, told how many more of their files there are. counts: by the documents' numbers."""
    return tuple(
        replace(hit, more_in_file=counts[hit.document.doc_key]) if hit.document.doc_key in counts else hit
        for hit in hits
    )


def make_hits(best: Sequence[Candidate], question: SearchQuery, reader: OracleReader) -> tuple[Hit, ...]:
    """These candidates as results, in their order, with all that a person sees of them."""
    documents = reader.get_documents([candidate.document.doc_key for candidate in best])
    structures = _read_structures(sorted({candidate.document.path for candidate in best} - {""}), reader)
    matched = {oracle.name: oracle.matched_terms(question, reader, _voted_doc_keys(best, oracle)) for oracle in ORACLES}
    shown = [candidate for candidate in best if candidate.document.doc_key in documents]
    return tuple(
        Hit(
            rank,
            structs.replace(candidate, votes=_add_matches(candidate, matched)),
            documents[candidate.document.doc_key],
            structures.get(candidate.document.path),
            _read_snippet(documents[candidate.document.doc_key], reader.store),
        )
        for rank, candidate in enumerate(shown, 1)
    )


def _read_structures(paths: Sequence[str], reader: OracleReader) -> dict[str, FileStructure]:
    """What the code around these files says of them, and how much they changed of late."""
    found = reader.store.files.get_structures(paths)
    levels = reader.activity_levels(paths)
    return {path: structs.replace(found.get(path, FileStructure()), activity_level=levels.get(path)) for path in paths}


def _voted_doc_keys(best: Sequence[Candidate], oracle: Oracle) -> list[int]:
    return [candidate.document.doc_key for candidate in best if oracle.name in candidate.votes]


def _add_matches(candidate: Candidate, matched: Mapping[str, Mapping[int, tuple[str, ...]]]) -> dict[str, OracleMatch]:
    number = candidate.document.doc_key
    return {
        name: structs.replace(vote, matches=matched[name].get(number, vote.matches))
        for name, vote in candidate.votes.items()
    }


def _read_snippet(document: Document, store: IndexStore) -> str:
    needs_text = document.symbol.kind in ("section", "text")
    return make_snippet(document, store.files.get_text(document.path) if needs_text else None)
