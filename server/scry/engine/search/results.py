"""Turn ranked candidates into results: snippets, structure, and the hidden repeats of each file.

A file may hold several results; each further one is lowered (the adjustment `repeat`, see search.fusion).
`find_hidden_repeats` finds further places of a file that are no results, so that a single result of a file is not
mistaken for all that the file has, and so that they are in reach.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from scry.core.text import query_terms, split_source_lines
from scry.core.types import Candidate, Document, FileStructure, FurtherPlace, FusionScoring, Hit, SearchQuery
from scry.engine.search.fusion import WORTHY_SHARE
from scry.oracles import ORACLES
from scry.oracles.reader import OracleReader

SNIPPET_WIDTH = 200
"""Most characters of a snippet."""

_ELLIPSIS = "…"

COMMENT_MARKUP = re.compile(
    r"\{@\w+ [#~]?(?P<tag>[^{}]*)\}|\[\[(?P<wiki>[^\[\]]+)\]\]"  # Java, JavaScript, PHP; Scala
    r"|(?<![\w\])])\[`?(?P<link>[^\[\]`]+)`?\](?:\([^()]*\)|\[[^\[\]]*\])"
    r"|(?<![\w\])])\[`?(?P<name>[A-Za-z_][\w.:#]*)`?\]"  # Rust, Kotlin
    r"|</?(?:a|abbr|b|blockquote|br|code|dd|dl|dt|em|h[1-6]|i|img|kbd|li|ol|p|pre|small|span|strong|sub|sup|tt|u|ul)"
    r"(?:\s[^<>]*)?>"
    r"|:[a-z][\w.:-]{0,40}:`[~#]?(?P<role>[^`]+)`"
)
"""Links and HTML in a comment; code stays marked as it is."""

COMMENT_TEXT = r"\g<tag>\g<wiki>\g<link>\g<name>\g<role>"
"""What is left of them."""

_MAX_SNIPPET_LINES = 6

_MAX_DOC_LINES = 6
_NO_FIRST_LINES = ("!!!", "@", "\\", "```", "# ", "= ", "stylua:")
"""Beginnings of lines of a doc comment that are headings, tags or directives: the first other line is shown."""

_DIRECTIVES = ("```", "~~~", ":::", ".. ", "<!--", "[//]:")
"""Beginnings of lines of a document that are no prose: fences of code, directives, comments."""

LICENSE_WORDS = re.compile(
    r"copyright|\(c\)|©|licen[cs]e|spdx|all rights reserved|permission is (hereby )?granted|redistribution|warrant|"
    r"endorse or promote|altered source|misrepresented|released into the public domain|free software|"
    r"portions of this file",
    re.I,
)
"""Each paragraph of the usual licences holds one of these."""

_COMMENT_LINE = re.compile(r"\s*(?://|/?\*|#(?!\s*(?:include|if|define|pragma)|\[)|--|;|<!--|\(\*|%|{-)")

MAX_FURTHER_PLACES = 5
"""Places of a file that a result names: as many as fit into a line, and more are rarely read."""

_JOINING = re.compile("[\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")
"""Characters that belong to the emoji before them: joiners, variants and skin tones."""


def make_hits(
    best: Sequence[Candidate],
    question: SearchQuery,
    reader: OracleReader,
    scoring: FusionScoring,
    hidden_repeats: Mapping[int, Sequence[Candidate]] | None = None,
) -> tuple[Hit, ...]:
    """Return these candidates as results, in their order; documents that are gone are left out.

    scoring: of the query. hidden_repeats: as `find_hidden_repeats` returns them.
    """
    hidden = hidden_repeats or {}
    named = [each for repeats in hidden.values() for each in repeats[:MAX_FURTHER_PLACES]]
    documents = reader.get_documents([candidate.document.doc_key for candidate in (*best, *named)])
    paths = sorted(frozenset([candidate.document.path for candidate in best]) - {""})
    structures, levels = reader.code.store.files.get_structures(paths), reader.commits.activity_levels(paths)
    matched_terms = {
        oracle.name: oracle.matched_terms(question, reader, doc_keys)
        for oracle in ORACLES
        if oracle.matched_terms is not None
        and (doc_keys := [each.document.doc_key for each in best if oracle.name in each.oracle_matches])
    }
    hits: list[Hit] = []
    for candidate in best:
        doc_key, path = candidate.document.doc_key, candidate.document.path
        if doc_key not in documents:
            continue
        matches = {
            name: replace(match, matches=matched_terms.get(name, {}).get(doc_key, match.matches))
            for name, match in candidate.oracle_matches.items()
        }
        document, symbol = documents[doc_key], documents[doc_key].symbol
        snippet, structure = symbol.signature, None
        if doc_key in reader.code.keys:
            needs_text = symbol.kind in ("section", "text")
            snippet = make_snippet(document, reader.code.store.files.get_text(document.path) if needs_text else None)
        if path:
            structure = replace(structures.get(path, FileStructure()), activity_level=levels.get(path))
            if symbol.marks:
                structure = replace(structure, flags=tuple(dict.fromkeys((*structure.flags, *symbol.marks))))
        repeats = hidden.get(doc_key, ())
        further = [
            FurtherPlace(documents[each.document.doc_key], each.fused_score)
            for each in repeats[:MAX_FURTHER_PLACES]
            if each.document.doc_key in documents
        ]
        matched = replace(candidate, oracle_matches=matches)
        hits.append(
            Hit(
                len(hits) + 1,
                matched,
                document,
                structure,
                snippet,
                more_in_file=len(repeats),
                further=tuple(further),
                confidence=confidence_of(matched, scoring),
            )
        )
    return tuple(hits)


# Confidence -----------------------------------------------------------------------------------------------------------

BIAS = -9.0
SHARE_WEIGHT = 7.5
COSINE_WEIGHT = 14.0
BOTH_WEIGHT = -10.0
"""Of the logistic regression, fitted to 499 annotated questions against questions for other repositories and nonsense,
and rounded (docs/decisions/0091)."""

COSINE_PER_SHARE = 0.5
"""Half the share of the words stands for the cosine of a commit, which has no vector, and for those of a model that was
not calibrated."""

_CONFIDENCE_DIGITS = 4


def confidence_of(candidate: Candidate, scoring: FusionScoring) -> float:
    """Return the estimated probability that a document answers the query, from its words and its cosine alone (F15).

        confidence = 1 / (1 + exp(9 - 7.5 share - 14 cosine + 10 share * cosine))

    share: of the weights of the query's words, those of the words that the document holds. A note that matches by
    neither has the highest relevance by another oracle. candidate: with its matched words.
    """
    matches, weights = candidate.oracle_matches, scoring.term_weights
    lexical, semantic = matches.get("lexical"), matches.get("semantic")
    if lexical is None and semantic is None:
        return round(
            max([each.raw_score for each in matches.values() if each.score_type == "relevance"], default=0.0),
            _CONFIDENCE_DIGITS,
        )
    share = sum([weights.get(term, 0.0) for term in lexical.matches]) / (sum(weights.values()) or 1) if lexical else 0.0
    if scoring.cosine_counts and candidate.document.content_type != "commit":
        cosine = semantic.raw_score if semantic else 0.0
    else:
        cosine = COSINE_PER_SHARE * share
    evidence = BIAS + SHARE_WEIGHT * share + COSINE_WEIGHT * cosine + BOTH_WEIGHT * share * cosine
    return round(1 / (1 + math.exp(-evidence)), _CONFIDENCE_DIGITS)


def filter_confident(
    ranked: Sequence[Candidate], question: SearchQuery, reader: OracleReader, scoring: FusionScoring
) -> list[Candidate]:
    """Return the candidates with at least the query's `min_score` as their confidence, in their order."""
    doc_keys = [each.document.doc_key for each in ranked if "lexical" in each.oracle_matches]
    terms = {
        doc_key: tuple(matched)
        for corpus, own in reader.by_corpus(doc_keys)
        for doc_key, matched in corpus.matched_terms(query_terms(question), own).items()
    }
    confident: list[Candidate] = []
    for each in ranked:
        matches = dict(each.oracle_matches)
        if "lexical" in matches:
            matches["lexical"] = replace(matches["lexical"], matches=terms.get(each.document.doc_key, ()))
        if confidence_of(replace(each, oracle_matches=matches), scoring) >= question.min_score:
            confident.append(each)
    return confident


# Snippets -------------------------------------------------------------------------------------------------------------


def make_snippet(document: Document, text: str | None) -> str:
    """Return the few words beside a document's name: signature and first line of the doc comment (J6), which is no tag,
    label or name.

    Of text outside symbols and of a section without a comment, the first lines that hold a letter or digit, below a
    licence. text: the file's text as it was indexed.
    """
    symbol = document.symbol
    if symbol.kind not in ("section", "text") or symbol.doc:
        for line in symbol.doc.split("\n", _MAX_DOC_LINES)[:_MAX_DOC_LINES]:
            plain = COMMENT_MARKUP.sub(COMMENT_TEXT, line.strip())
            is_name = plain.rstrip("().: ").lower() == symbol.name.lower()
            is_label = is_name or (" " not in plain and plain.endswith((":", "()")))
            if plain and not is_label and not plain.startswith(_NO_FIRST_LINES):
                return truncate(f"{symbol.signature} — {plain}")
        return truncate(symbol.signature)
    lines = split_source_lines(text or "")[symbol.span.start.line : symbol.span.end.line + 1]
    shown: list[str] = []
    is_section = symbol.kind == "section"
    lines = lines if is_section else _without_license(lines)
    for line in lines:
        if any(map(str.isalnum, line)) and not (is_section and line.lstrip().startswith(_DIRECTIVES)):
            shown.append(" ".join(line.split()))
        if len(shown) > _MAX_SNIPPET_LINES:
            break
    first = 1 if is_section and len(shown) > 1 else 0  # a section's first line is its heading
    return truncate(" ".join(shown[first : first + _MAX_SNIPPET_LINES]))


def _without_license(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines below the comment that they begin with, if it speaks of a licence and text follows."""
    end, is_open = 0, False
    for line in lines:
        if not is_open and not _COMMENT_LINE.match(line):
            break
        is_open = "*/" not in line and (is_open or "/*" in line)
        end += 1
    below = lines[end:]
    is_license = end and LICENSE_WORDS.search("\n".join(lines[:end])) is not None
    return below if is_license and any(map(str.isalnum, "".join(below))) else lines


def truncate(text: str, width: int = SNIPPET_WIDTH) -> str:
    """Return at most `width` characters, cut at a space where one is near, never between a letter and its marks."""
    if len(text) <= width:
        return text
    end = width - 1
    while end > 0 and (_JOINING.match(text[end]) or unicodedata.category(text[end]).startswith("M")):
        end -= 1
    space = text.rfind(" ", end - 30, end)
    return text[: space if space > 0 else end].rstrip() + _ELLIPSIS


# Hidden repeats -------------------------------------------------------------------------------------------------------

_ROUNDING_MARGIN = 1 + 1e-9
"""A score without one of its factors may differ from the product of the others in its last digits."""


def find_hidden_repeats(ranked: Sequence[Candidate], shown: Sequence[Candidate]) -> Mapping[int, Sequence[Candidate]]:
    """Return, by the doc_key of each file's best result, the file's other places worth a look, best first. Pure.

    These are the candidates that are no results and that score at least WORTHY_SHARE of the best one of their file,
    without `repeat`, which only further places have, and `used`, which raises only the best one: their number does not
    depend on the limit, but for the places that it shows. Files without any are left out. ranked: adjusted, best first,
    of each file of `shown` all candidates that score so. shown: those that are results.
    """
    shown_keys = frozenset([candidate.document.doc_key for candidate in shown])
    best = {candidate.document.path: candidate for candidate in reversed(shown) if candidate.document.path}
    hidden: dict[int, list[Candidate]] = defaultdict(list)
    for each in ranked:
        first = best.get(each.document.path)
        if first is None or each.document.doc_key in shown_keys:
            continue
        repeat = _factor_of("repeat", each)
        used = _factor_of("used", first) if "place" in [adjustment.name for adjustment in each.adjustments] else 1.0
        if each.fused_score / repeat >= WORTHY_SHARE * first.fused_score / used * _ROUNDING_MARGIN:
            hidden[first.document.doc_key].append(each)
    return hidden


def _factor_of(name: str, candidate: Candidate) -> float:
    """Return the factor of an adjustment of a candidate; 1 without it."""
    return math.prod([adjustment.factor for adjustment in candidate.adjustments if adjustment.name == name])
