"""What moves a document besides the oracles' ranks: each rule a named factor with a reason (F5). Pure.

The rules read the question, the documents' own names and paths, and the ranks of the other hits. None reads structure,
history or activity (F6).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from scry.core.path_kinds import path_kinds
from scry.core.text import STOP_WORDS, content_terms, name_key, runs
from scry.core.types import Adjustment, Candidate, Question
from scry.engine.fuse import K, order, rank_sum, with_adjustments

DEFINITION_FACTOR = 6.0
"""An identifier asked for by itself, or written as only code writes, is found first even where an oracle has it last:
above (K + 200) / (K + 1) times the lowest of the other factors' products would be needed; measured, 6 suffices."""

NAMED_FACTOR = 1.25
"""A word of a longer question is also a symbol's whole name: likely, not certain, that this symbol is meant."""

FILE_SHARE = 0.35
FILE_MOST = 1.6
"""Several hits in one file support its best one: each adds this share of its own rank term, up to a factor in all."""

REPEAT_FACTOR = 0.55
"""Each further result of one file counts that much less than the one before: ten results should show several places."""

KIND_FACTORS: Mapping[str, float] = {
    "test": 0.55,
    "vendored": 0.4,
    "generated": 0.5,
    "example": 0.6,
    "declaration": 0.7,
}
"""Factors of paths that hold code about the code, or somebody else's; left out when the question asks for them."""

KIND_WORDS: Mapping[str, frozenset[str]] = {
    "test": frozenset({"test", "tests", "testing", "spec", "specs", "fixture", "fixtures", "mock", "mocks"}),
    "vendored": frozenset({"vendor", "vendored", "third", "party"}),
    "generated": frozenset({"generated", "protobuf"}),
    "example": frozenset({"example", "examples", "demo", "sample", "samples", "tutorial"}),
    "declaration": frozenset({"declaration", "declarations", "typings", "dts"}),
}

HIGHEST_FACTOR = DEFINITION_FACTOR * FILE_MOST


def adjust(candidates: Sequence[Candidate], question: Question, top: float) -> list[Candidate]:
    """All candidates with their adjustments and scores, best first. top: the ceiling of the fused score."""
    support = _file_support(candidates, question)
    judged = [
        with_adjustments(candidate, _own(candidate, question, support), question.weights, top)
        for candidate in candidates
    ]
    return order(_repeats(order(judged), question, top))


def _own(candidate: Candidate, question: Question, support: Mapping[str, float]) -> list[Adjustment]:
    found = (_definition(candidate, question), _file_hits(candidate, question, support), *_kinds(candidate, question))
    return [adjustment for adjustment in found if adjustment is not None]


def _definition(candidate: Candidate, question: Question) -> Adjustment | None:
    symbol = candidate.document.symbol
    key = name_key(symbol.name)
    if not key or symbol.kind in ("section", "text"):
        return None
    asked = asked_names(question)
    whole = name_key(f"{symbol.container}.{symbol.name}")
    if whole in asked or key in asked:
        factor = DEFINITION_FACTOR if asked.get(whole, asked.get(key)) else NAMED_FACTOR
        return Adjustment("definition", factor, f"defines {symbol.name}")
    return None


def asked_names(question: Question) -> dict[str, bool]:
    """Keys of the names that a question may ask for, and whether it surely does.

    Sure is an identifier by itself, and a word that only code writes: camelCase, snake_case, a.b, A::b or f().
    """
    words = question.words.split()
    asked: dict[str, bool] = {}
    for word in words:
        stripped = word.strip("()?!.,;'`")
        key = name_key(stripped)
        if key and (len(words) == 1 or key not in STOP_WORDS):
            asked[key] = asked.get(key, False) or len(words) == 1 or _is_code(stripped, word)
    return asked


def _is_code(stripped: str, written: str) -> bool:
    inner = stripped.strip("_")
    camel = any(a.islower() and b.isupper() for a, b in zip(inner, inner[1:], strict=False))
    return camel or "_" in inner or "::" in stripped or "()" in written or (
        "." in stripped and all(len(part) > 1 and part.isidentifier() for part in stripped.split("."))
    )


def _file_support(candidates: Sequence[Candidate], question: Question) -> dict[str, float]:
    """The sum of rank terms of all hits in each file."""
    sums: dict[str, float] = defaultdict(float)
    for candidate in sorted(candidates, key=lambda c: c.document.doc_id):
        sums[candidate.document.path] += rank_sum(candidate, question.weights)
    return sums


def _file_hits(candidate: Candidate, question: Question, support: Mapping[str, float]) -> Adjustment | None:
    others = support[candidate.document.path] - rank_sum(candidate, question.weights)
    best = sum(question.weights.values()) / (K + 1)
    factor = min(FILE_MOST, 1 + FILE_SHARE * others / best)
    if factor < 1.01:
        return None
    return Adjustment("file_hits", round(factor, 4), "other hits in the same file")


def _kinds(candidate: Candidate, question: Question) -> list[Adjustment]:
    words = {word.lower() for word in runs(question.text)} | set(content_terms(question.text))
    return [
        Adjustment(f"{kind}_path", KIND_FACTORS[kind], f"the path is {kind}, and the question does not ask for that")
        for kind in sorted(path_kinds(candidate.document.path))
        if kind in KIND_FACTORS and not words & KIND_WORDS[kind]
    ]


def _repeats(ordered: Sequence[Candidate], question: Question, top: float) -> list[Candidate]:
    """Lowers the second and further results of each file."""
    seen: dict[str, int] = defaultdict(int)
    result: list[Candidate] = []
    for candidate in ordered:
        before = seen[candidate.document.path]
        seen[candidate.document.path] += 1
        if before:
            repeat = Adjustment("repeat", REPEAT_FACTOR**before, f"{before} better in the same file")
            candidate = with_adjustments(candidate, [repeat], question.weights, top)
        result.append(candidate)
    return result


def with_matches(candidate: Candidate, matches: Mapping[str, tuple[str, ...]]) -> Candidate:
    """The candidate with the matched terms of each oracle in its votes."""
    votes = {name: replace(vote, matches=matches.get(name, ())) for name, vote in candidate.votes.items()}
    return replace(candidate, votes=votes)
