"""Retrieve the documents that the person used for questions like this one (U1).

Reads what was learnt from the event log (store.events.learnt); silent where nothing was used for a like question. Two
questions are alike by their words (common stems over all stems) or by their vectors, whichever says more.

    raw score = Σ over like questions:  likeness² * weight * 0.5^(age / 30 days) * 0.5^(commits since / 10)

weight: of the uses of the document for that question, corrected for their ranks. commits since: those that changed its
file after the last use. A document below MIN_EVIDENCE, or far below the best one, does not match. One that moved to
another file under its name, or was renamed with its text, is followed. An exact name that is defined is found by its
definitions: for it, only documents of that spelling match, so that use chooses between them and displaces none (F8).

The oracle takes part in an answer only where it has matches. Ages are as of the full hour, so that the same query has
the same answer in another process.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from scry.core.doc_id import add_project, commit_sha_of, parse_doc_id, split_off_project
from scry.core.errors import IndexUnavailable, ModelUnavailable
from scry.core.text import (
    exact_name_term,
    format_count,
    is_single_term,
    normalize_name,
    query_terms,
    search_text,
    text_fingerprint,
)
from scry.core.types import DocumentHeader, OracleMatch, SearchQuery
from scry.embedding.embedder import Vectors
from scry.oracles.oracle import Oracle, RankLookup
from scry.oracles.reader import RETRIEVAL_DEPTH, CodeCorpus, FindUsedPlaces, OracleReader
from scry.store.events.learnt import LikenessRules, UsedPlace, decay
from scry.store.vector_sets import EmbedderInfo

if TYPE_CHECKING:
    from scry.store.team.jumps import SharedUse

WEIGHT = 1.0
"""As much as words: enough to bring a document that was opened from the middle of an answer to its top, and less than
the factor of a name that is asked for. With 2 honest people gain more, and careless clicks lose up to 0.03 in some
repositories (docs/decisions/0109)."""

SCORE_TYPE = "uses"

LIKENESS = LikenessRules(min_likeness=0.6, cosine_floor=0.7, max_questions=8, max_places=50)
"""Questions are alike from three of five words on, or from a cosine of 0.88 on. From half on, questions that only share
their subject take over each other's answers: -0.009 in one repository. So do those with a cosine of 0.8, which differ
in one word that tells: "optimize chain traverse", "optimize queue traverse". Only the 50 uses with most evidence
count."""

MIN_EVIDENCE = 0.25
"""A single jump to the first result is forgotten after two months, one to a low one after eleven weeks. From 0.2 on,
slips of a month ago for another question put a wrong place first: -0.005 for an honest person in one repository."""

MIN_SHARE_OF_BEST = 0.25
"""Documents with less of the best one's evidence do not match: all ranks of this oracle are worth nearly the same, and
a slip beside a place that was opened again and again would otherwise come as high."""

CHANGES_HALF_LIFE = 10.0
"""Commits to a file after which a use of it counts half."""

MAX_FOLLOWED = 4
"""Documents that moved or were renamed that one question looks for."""

MAX_NAMESAKES = 200

_SCORE_DIGITS = 6
_HOUR_MS = 3_600_000
_DAY_MS = 24 * _HOUR_MS


def consult(question: SearchQuery, reader: OracleReader) -> tuple[OracleMatch, ...]:
    """Return the used documents by evidence, equal ones in the order of doc_id. Raises IndexUnavailable.

    Commits and notes take the ranks where they would stand among code and documents.
    """
    if reader.learnt is None:
        return ()
    now = _full_hour()
    every = find_used_places(question, reader.code.store.lexical.stem, reader.query_vector, reader.learnt)
    places = _places_of(reader.repository, every)
    if not places:
        return ()
    found = _find_documents(places, reader)
    headers = reader.headers(list(found.values()))
    changes = _count_changes(places, found, headers, reader)
    scores: dict[int, float] = {}
    best: dict[int, tuple[float, UsedPlace]] = {}
    for place in places:
        doc_key = found.get(place.doc_id)
        if doc_key is None or doc_key not in headers:
            continue
        score = place.evidence * 0.5 ** (changes.get(place.doc_id, 0) / CHANGES_HALF_LIFE)
        scores[doc_key] = scores.get(doc_key, 0.0) + score
        if doc_key not in best or score > best[doc_key][0]:
            best[doc_key] = score, place
    if names := _asked_names(question, reader) if is_single_term(question) else ():
        scores = {doc_key: score for doc_key, score in scores.items() if headers[doc_key].name in names}
    least = max(MIN_EVIDENCE, MIN_SHARE_OF_BEST * max(scores.values(), default=0.0))
    ranked = sorted(
        [
            (-round(score, _SCORE_DIGITS), headers[doc_key].doc_id, doc_key)
            for doc_key, score in scores.items()
            if score >= least
        ]
    )
    matches: list[OracleMatch] = []
    positions: dict[str, int] = {}
    for negated, _, doc_key in ranked[:RETRIEVAL_DEPTH]:
        [(corpus, _)] = reader.by_corpus([doc_key])
        positions[corpus.name] = positions.get(corpus.name, 0) + 1
        among = positions.get(CodeCorpus.name, 0) if corpus is not reader.code else 0
        note = describe_use(best[doc_key][1], now)
        matches.append(OracleMatch(doc_key, among + positions[corpus.name], -negated, SCORE_TYPE, note=note))
    return tuple(matches)


def find_used_places(
    question: SearchQuery,
    stem: Callable[[str], str],
    encode_query: Callable[[SearchQuery], tuple[EmbedderInfo, Vectors] | None],
    learnt: FindUsedPlaces,
) -> Sequence[UsedPlace]:
    """Return the places used for questions like this one, of this project and of a team, by evidence.

    encode_query: returns the question's vector with its embedder; None for none. Raises IndexUnavailable.
    """
    terms = query_terms(question) if search_text(question).strip() else ()
    if not terms:
        return ()
    words = [zlib.crc32(each.encode()) for each in dict.fromkeys(map(stem, terms)) if each]
    try:
        encoded = encode_query(question)
    except ModelUnavailable:  # the semantic oracle reports it; words are left
        encoded = None
    return learnt(words, (encoded[0].identity, encoded[1]) if encoded else None, LIKENESS, _full_hour())


def weigh_shared_uses(shared: Sequence[SharedUse], question: str) -> list[UsedPlace]:
    """Return places that several members of a team opened for a question, with their evidence as of now."""
    now = _full_hour()
    return [
        UsedPlace(
            add_project(each.repository, each.doc_id),
            question,
            each.weight * decay(now - each.used_ms),
            each.members,
            each.used_ms,
            SHARED,
            "",
        )
        for each in shared
    ]


def _full_hour() -> int:
    return time.time_ns() // 1_000_000 // _HOUR_MS * _HOUR_MS


def _places_of(repository: str, places: Sequence[UsedPlace]) -> list[UsedPlace]:
    """Return the places of a team's repository, of this project for "", by their doc_ids within it."""
    named = [(*split_off_project(place.doc_id), place) for place in places]
    return [replace(place, doc_id=doc_id) if name else place for name, doc_id, place in named if name == repository]


def _asked_names(question: SearchQuery, reader: OracleReader) -> frozenset[str]:
    """Return the spellings of the name that a query of one word is, where a document defines it; empty otherwise."""
    name = search_text(question).strip().strip("?!.,;:'`\"()")
    term = exact_name_term(name)
    if not term or not reader.code.store.lexical.document_frequency(term):
        return frozenset()
    return frozenset({name, name.replace("::", ".").rpartition(".")[2]})


# Documents ------------------------------------------------------------------------------------------------------------


def _find_documents(places: Sequence[UsedPlace], reader: OracleReader) -> Mapping[str, int]:
    """Return the doc_keys of these places that the query's filters leave, by doc_id; moved documents are followed."""
    doc_ids = list(dict.fromkeys([place.doc_id for place in places]))
    in_files = [doc_id for doc_id in doc_ids if doc_id.startswith("./")]
    found = dict(reader.code.doc_keys_by_id(in_files))
    if len(found) < len(doc_ids):
        found |= _find_elsewhere([doc_id for doc_id in doc_ids if not doc_id.startswith("./")], reader)
        missing = [place for place in places if place.doc_id not in found and place.doc_id.startswith("./")]
        by_weight = sorted(missing, key=lambda place: (-place.evidence, place.doc_id))
        followed = list({place.doc_id: place for place in by_weight}.values())[:MAX_FOLLOWED]
        indexed = reader.code.store.documents.doc_keys_by_id([place.doc_id for place in followed])
        for place in followed:
            doc_key = _follow(place, reader.code) if place.doc_id not in indexed else None
            header = reader.headers([doc_key]).get(doc_key) if doc_key is not None else None
            if header is not None and reader.code.passes_filters(header):
                found[place.doc_id] = header.doc_key
    return found


def _find_elsewhere(doc_ids: Sequence[str], reader: OracleReader) -> dict[str, int]:
    """Return the doc_keys of commits and notes that the query's filters leave."""
    found: dict[str, int] = {}
    for doc_id in doc_ids:
        sha, doc_key = commit_sha_of(doc_id), None
        if sha and reader.commits.history is not None:
            commit = reader.commits.history.commit_by_sha(sha)
            doc_key = commit.doc_key if commit is not None else None
        elif not sha and reader.notes.stores is not None:
            doc_key = reader.notes.stores.find_doc_key(doc_id)
        header = reader.headers([doc_key]).get(doc_key) if doc_key is not None else None
        if header is not None and reader.corpus_of(header.doc_key).passes_filters(header):
            found[doc_id] = header.doc_key
    return found


def _follow(place: UsedPlace, code: CodeCorpus) -> int | None:
    """Return the doc_key of a document that is no longer at its doc_id; None where it is not surely another one.

    It moved where exactly one document has its qualified name. It was renamed where exactly one document of its file
    has its text, names apart.
    """
    try:
        named = parse_doc_id(place.doc_id)
    except ValueError:
        return None
    qualified = place.doc_id.partition("::")[2]
    documents = code.store.documents
    if qualified:
        simple = qualified.replace(" > ", ".").rpartition(".")[2]
        namesakes = documents.headers_by_name([normalize_name(simple)])
        same = [each.doc_key for each in namesakes[:MAX_NAMESAKES] if each.doc_id.partition("::")[2] == qualified]
        if len(same) == 1 and len(namesakes) <= MAX_NAMESAKES:
            return same[0]
    if not place.text:
        return None
    doc_keys = [doc_key for doc_key, _ in documents.doc_keys_in_file(named.path)[1]]
    same = [
        doc_key
        for doc_key, document in documents.get_documents(doc_keys, with_descriptions=False).items()
        if text_fingerprint(code.quotable_texts(document)[0], document.symbol.name) == place.text
    ]
    return same[0] if len(same) == 1 else None


def _count_changes(
    places: Sequence[UsedPlace],
    found: Mapping[str, int],
    headers: Mapping[int, DocumentHeader],
    reader: OracleReader,
) -> Mapping[str, int]:
    """Return how many commits changed the file of each place after its last use, by doc_id; none without a history."""
    used: dict[str, tuple[str, int]] = {}
    for place in places:
        header = headers.get(found.get(place.doc_id, -1))
        if header is not None and header.path:
            used[place.doc_id] = header.path, place.used_ms // 1000
    if reader.commits.history is None or not used:
        return {}
    try:
        counts = reader.commits.history.count_changes_since(list(used.values()))
    except IndexUnavailable:  # the temporal oracle reports it
        return {}
    return {doc_id: counts.get(each, 0) for doc_id, each in used.items()}


# Evidence -------------------------------------------------------------------------------------------------------------

SHARED = "shared"
"""How a place was used that members of a team opened."""

_VERBS = {"copy": "copied", "good": "rated", "detail": "read", "agent": "used"}


def describe_use(place: UsedPlace, now_ms: int) -> str:
    """Return `you opened this for 'session cookie signing', twice, last on Tuesday`.

    The day is that of the person's zone: today, yesterday, on Tuesday, on 3 March, on 3 March 2025.
    """
    import datetime  # only evidence needs it

    if place.how == SHARED:
        month = time.gmtime(place.used_ms / 1000)
        last = f"{_MONTHS[month.tm_mon - 1]} {month.tm_year}"
        return f"{place.uses} members of the team opened this for this question, last in {last}"
    then, today = time.localtime(place.used_ms / 1000), time.localtime(now_ms / 1000)
    days = (datetime.date(*today[:3]) - datetime.date(*then[:3])).days
    year = "" if then.tm_year == today.tm_year else f" {then.tm_year}"
    day = f"on {then.tm_mday} {_MONTHS[then.tm_mon - 1]}{year}"
    if days < 7:
        day = {0: "today", 1: "yesterday"}.get(max(0, days), f"on {_WEEKDAYS[then.tm_wday]}")
    verb, good = _VERBS.get(place.how, "opened"), " good" if place.how == "good" else ""
    times = {0: "", 1: "", 2: ", twice"}.get(place.uses, f", {format_count(place.uses, 'time')}")
    last = "last " if place.uses > 1 else ""
    return f"you {verb} this{good} for '{place.question}'{times}, {last}{day}"


_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def lookup_rank(question: SearchQuery, reader: OracleReader, document: DocumentHeader) -> RankLookup:
    """Return the rank of a document among those used for like questions."""
    matches = consult(question, reader)
    for match in matches:
        if match.doc_key == document.doc_key:
            return RankLookup(match.rank, match.raw_score)
    return RankLookup(
        note="it was not used for a question like this, or too long ago"
        if matches
        else "nothing was used for a question like this"
    )


ORACLE = Oracle("use", "use", "Use", WEIGHT, SCORE_TYPE, consult, lookup_rank)
