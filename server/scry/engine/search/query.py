"""Parse a query into words, phrases, filters, intent and oracle weights, and apply its filters. Pure.

    lang:go  path:internal/  type:code     only these; with `-` in front, all but these
    source:persona  domain:style           only one's own notes, or the project; only notes about this
    "exact text"                           only documents that hold this text

Anything else is literal text: no query is a syntax error.

Filters of one field widen each other (`lang:go lang:rust` is either), those of different fields narrow; parameters
beside the query narrow it further. Code, documents and commits belong to no domain: a `domain:` filter leaves them out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from fnmatch import translate

from msgspec import Struct
from msgspec.structs import replace

from scry.core.knowledge import ALL_KNOWLEDGE, KNOWLEDGE_TYPES, MEMORY, PERSONA, KnowledgeFilter, normalize_domain
from scry.core.memory.purpose import PURPOSE_PATTERNS, parse_memory_query
from scry.core.text import STOP_WORDS, content_terms, find_identifiers, name_words, normalize_name
from scry.core.types import QueryFilter, QueryIntent, SearchQuery

MAX_QUERY_CHARACTERS = 1_000_000
"""A longer query is cut: the rest could not change an answer."""

_FILTER_PATTERN = re.compile(r"(?<!\S)(-?)(lang|path|type|source|domain):(\"[^\"]+\"|[^\s\"]+)(?!\S)")
_PHRASE_PATTERN = re.compile(r"(?<!\w)\"([^\"\w]*\w[^\"]*)\"(?!\w|, line \d)")
"""A quoted text. In a pasted line of a Python traceback, `File "app.py", line 3`, the quotes are the traceback's."""

_IDENTIFIER_PATTERN = re.compile(
    r"(?=[\w$.:#()-]+\Z)(?:[\w$.:#-]*(?:[a-z0-9][A-Z]|_|::|\w\.\w|\(\)$)[\w$.:#()-]*|[A-Z][a-z0-9]+)"
)

_COMPOUND_PATTERN = re.compile(r"\w(?:_|\d)|[a-z][A-Z]|[A-Z]{2}[a-z]")
"""May be an identifier of several words. The rule itself is `name_words`."""

_AREA_PATTERN = re.compile(
    r"\[([^\]]{2,40})\]|[a-z]+\(([^)]{2,40})\)!?: |[`(]?([A-Za-z][\w./,-]*(?: [\w./,-]+){0,2})[`)]?: "
)
"""The area that a query names first, as subjects of commits do: `net: accept …`, `fix(parser): …`, `[parser] …`."""

_NO_AREAS = frozenset(
    "bug bugfix build chore ci doc docs error example fatal feat feature fix fixed fixes hotfix info note perf question"
    " refactor revert style test tests todo warning wip".split()
)
"""Words before a colon that say of which kind a change or a message is."""

CONTENT_TYPES = frozenset({"code", "doc", "commit", *KNOWLEDGE_TYPES})
KNOWLEDGE_SOURCES = frozenset({"project", "persona"})
"""`project`: all that belongs to the project, memory too; `persona`: the person's own notes."""

ALLOWED_FILTER_VALUES = {"type": CONTENT_TYPES, "source": KNOWLEDGE_SOURCES}
"""All values of these filters; with any other value the word is literal text, and the answer says so."""

_COMMIT_VERBS = (
    "added|bumped|changed|committed|deleted|deprecated|dropped|fixed|introduced|merged|moved|removed|renamed|replaced|"
    "reverted|rewritten|rewrote|upgraded|wrote"
)
COMMIT_QUESTION_PATTERN = re.compile(
    rf"""\b(?:
        (?:which|what)\ (?:commits?|changesets?|merges?|revisions?|pull\ requests?)
        | commits?\ (?:that|which|where|when)
        | (?:when|since\ when)\ (?:was|were|has|have|did)
        | who\ (?:{_COMMIT_VERBS})
        | why\ (?:was|were|has|have)\ .{{0,120}}\b(?:{_COMMIT_VERBS})
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""Questions that a commit answers: which one, when or who, or why something was done to the code."""

COMMIT_QUESTION_WORDS = frozenset(
    {"commit", "commits", "changeset", "changesets", "merge", "merges", "revision", "revisions", "pull", "request"}
    | {"requests", "since", *_COMMIT_VERBS.split("|")}
)
"""Words that ask for a commit and are not its subject: a commit that adds need not say so."""

_INTENT_PATTERNS: tuple[tuple[QueryIntent, re.Pattern[str]], ...] = (
    (
        QueryIntent.TEMPORAL,
        re.compile(r"\b(recent|recently|lately|latest changes?|changed|last (week|month)|history)\b", re.I),
    ),
    (
        QueryIntent.TEMPORAL,
        re.compile(r"\b((which|what) commits?|commits? (that|which)|when (was|were)|who changed)\b", re.I),
    ),
    (QueryIntent.RATIONALE, re.compile(r"\b(why|rationale|reasons?|decided|decision|motivation|trade-?offs?)\b", re.I)),
    (QueryIntent.MECHANISM, re.compile(r"\bhow\b", re.I)),
    (
        QueryIntent.DEFINITION,
        re.compile(r"\b(where is|where are|what is|defined?|definition of|implemented|declared)\b", re.I),
    ),
)

INTENT_WEIGHT_FACTORS: Mapping[QueryIntent, Mapping[str, float]] = {
    QueryIntent.GENERAL: {},
    QueryIntent.TEMPORAL: {"temporal": 2.0},
    QueryIntent.RATIONALE: {"belief": 2.0, "memory": 1.5},
    QueryIntent.MECHANISM: {},
    QueryIntent.DEFINITION: {},
}
"""Factors of the oracles' base weights by intent. None is below 1: no intent skips an oracle (F7). Raising the semantic
oracle for mechanisms or the lexical one for definitions changed nothing measurable, so these two are only reported."""

MEMORY_QUESTION_FACTOR = 400.0
"""Factor of the memory oracle's weight for a query that asks for nothing but memory ("resume work"), and of the memory
and belief oracles' for one that asks what was decided about something. Its first ten
results then rank above a document that the semantic, lexical and temporal oracles all rank first and that its file and
a mentioned name boost as far as they can (200 / 70 > 3.2 / 61 * 50.6). The order among code does not change."""

MEMORY_ALONE_FACTOR = 8.0
"""Factor of the memory oracle's weight for a query that leaves nothing but memories. Only this oracle finds commands,
edits and jumps: one that holds the words then ranks above prose that does not."""

_TOPIC_QUESTION_PATTERN = re.compile(
    r"""^\W*(?:
        what\ (?:should|must|do|can)\ (?:i|we|one)\ (?:(?:need|have)\ to\ )?know
        | what\ is\ there\ to\ know
        | tell\ (?:me|us)
    )\ about\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""The beginning of a question about a topic as a whole. It says nothing of the topic."""

RELATION_QUESTION_PATTERN = re.compile(
    r"\W{0,9}(?:who|what|which|where)\b.{1,200}\b(?:call|use|import|inherit|extend|implement|invoke)(?:s|d|ed)?\b", re.I
)
"""A question that the code graph may answer, if it has a name of the code: that costs more to see."""

_KIND_WORDS = "module|package|file|function|method|class|code"
_KIND_OF_TOPIC_PATTERN = re.compile(rf"(\w )(?:{_KIND_WORDS})(?=\W*$)", re.IGNORECASE)
_KIND_IN_QUESTION_PATTERN = re.compile(
    rf"""(\b(?:which|what)\ )(?:{_KIND_WORDS})e?s?\b(?=\ \w)
        | (\bdoes\ the\ (?:\w+\ ){{1,3}}?)(?:{_KIND_WORDS})(?=\ (?:do|work)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
"""Places where a word for a kind of code asks for an answer of that kind and is not the subject: "which class parses
queries", "how does the retry module work", "what should I know about the retry module?". Elsewhere it may be the
subject, as in "module resolution" and "config file"."""

LANGUAGE_ALIASES = {
    "py": "python",
    "js": "javascript",
    "jsx": "javascript",
    "ts": "typescript",
    "tsx": "typescript",
    "rs": "rust",
    "golang": "go",
    "md": "markdown",
    "txt": "text",
    "rst": "restructuredtext",
    "adoc": "asciidoc",
    "objc": "objective-c",
    "erl": "erlang",
    "pl": "perl",
    "ml": "ocaml",
    "clj": "clojure",
    "jl": "julia",
    "ipynb": "jupyter",
}
"""Other names that people use for languages."""


# Parsing --------------------------------------------------------------------------------------------------------------


def parse_query(
    text: str,
    base_weights: Mapping[str, float],
    *,
    limit: int,
    min_score: float = 0.0,
    intent: QueryIntent | None = None,
    content_types: tuple[str, ...] = (),
    source: str = "",
    domains: tuple[str, ...] = (),
    prefix: str = "",
) -> SearchQuery:
    """Parse a query. base_weights: each oracle's weight, by name, in the order in which terms are summed."""
    filters: list[QueryFilter] = []
    unknown: list[QueryFilter] = []

    def take_filter(match: re.Match[str]) -> str:
        minus, field, value = match.groups()
        value = value.strip('"')
        if value not in ALLOWED_FILTER_VALUES.get(field, (value,)):
            unknown.append(QueryFilter(field, value, bool(minus)))
            return match.group()
        filters.append(QueryFilter(field, value, bool(minus)))
        return " "

    unfiltered = _FILTER_PATTERN.sub(take_filter, text)
    words = " ".join(_PHRASE_PATTERN.sub(" ", unfiltered).split())
    has_wording = _TOPIC_QUESTION_PATTERN.match(words) or _KIND_IN_QUESTION_PATTERN.search(words)
    area = _AREA_PATTERN.match(words)
    detected = intent or detect_intent(words)
    factors = {**INTENT_WEIGHT_FACTORS[detected]}
    wanted_types = {*content_types, *(each.value for each in filters if each.field == "type" and not each.exclude)}
    if wanted_types == {MEMORY}:
        factors["memory"] = MEMORY_ALONE_FACTOR
    for pattern in PURPOSE_PATTERNS.values():
        if pattern.search(words):
            recall = parse_memory_query(words)
            if recall.is_generic:
                factors["memory"] = MEMORY_QUESTION_FACTOR
            elif recall.decision_topic:  # these oracles then match only what holds half of the topic's words
                factors["memory"] = factors["belief"] = MEMORY_QUESTION_FACTOR
            break
    return SearchQuery(
        text=text,
        words=_subject_words(words) if has_wording else words,
        phrases=tuple(dict.fromkeys(map(str.strip, _PHRASE_PATTERN.findall(unfiltered)))),
        filters=tuple(filters),
        intent=detected,
        weights={name: weight * factors.get(name, 1.0) for name, weight in base_weights.items()},
        limit=limit,
        min_score=min_score,
        content_types=content_types,
        source=source,
        domains=domains,
        unknown_filters=tuple(unknown),
        asks_for_commits=COMMIT_QUESTION_PATTERN.search(words) is not None,
        prefix=prefix,
        area=_area_terms(area[1] or area[2] or area[3]) if area else (),
        identifiers=_identifier_keys(words, prefix) if _COMPOUND_PATTERN.search(words) else (),
    )


def _area_terms(area: str) -> tuple[str, ...]:
    """Return the terms of the area that a query begins with; none where the words name a kind of change."""
    return tuple([term for word in find_identifiers(area) for term in name_words(word) if term not in _NO_AREAS])


def _identifier_keys(words: str, prefix: str) -> tuple[str, ...]:
    """Return the keys of the identifiers of several words in a query of several; without the prefix, which is not yet
    written.
    """
    found = find_identifiers(words)
    keys = [normalize_name(word) for word in found if len(name_words(word)) > 2 and word != prefix]
    return tuple(dict.fromkeys(keys)) if len(found) > 1 else ()


def _subject_words(words: str) -> str:
    """Return the words of a query without those that only word the question for a topic or a kind of code.

    A query that has no other words keeps them.
    """
    topic = _TOPIC_QUESTION_PATTERN.sub("about", words)  # so that a single word left is not a name that is asked for
    kept = _KIND_IN_QUESTION_PATTERN.sub(lambda match: match[1] or match[2], topic)
    if topic != words:
        kept = _KIND_OF_TOPIC_PATTERN.sub(r"\1", kept)
    kept = " ".join(kept.split())
    return kept if STOP_WORDS.isdisjoint(content_terms(kept)) else words


def browse_question(text: str, limit: int) -> SearchQuery:
    """Return the query of a mode that consults no oracle. text: its subject, such as a path."""
    return SearchQuery(text, "", (), (), QueryIntent.GENERAL, {}, limit, 0.0)


def detect_intent(words: str) -> QueryIntent:
    """Return the intent of a query by its words; that of a lone identifier is its definition."""
    stripped = words.strip()
    if " " not in stripped and _IDENTIFIER_PATTERN.fullmatch(stripped):
        return QueryIntent.DEFINITION
    for intent, pattern in _INTENT_PATTERNS:
        if pattern.search(words):
            return intent
    return QueryIntent.GENERAL


# Filters --------------------------------------------------------------------------------------------------------------

_Predicate = Callable[[str, str, str], bool]
"""A test of a path, a language and a content type."""

FileRow = tuple[int, str, str, str]
"""An indexed file: id, path, language and content type."""


class FilteredDocuments(Struct, frozen=True):
    """The documents that a query's filters leave.

    file_ids: of the files that are left; None for all. has_commits: whether commits are left. notes: the filters as
    they apply to notes. sought_in_best: quoted texts whose files are not known, for too many hold their words.
    """

    file_ids: tuple[int, ...] | None = None
    has_commits: bool = True
    notes: KnowledgeFilter = ALL_KNOWLEDGE
    sought_in_best: tuple[str, ...] = ()


def apply_filters(
    question: SearchQuery, indexed_files: Callable[[], Sequence[FileRow]], answered_by: Container[str] = ()
) -> FilteredDocuments:
    """Return the documents that the filters leave; the files are read only where a filter needs them.

    answered_by: paths of files that are left out, too.
    """
    left = _apply_own_filters(question, indexed_files)
    if not answered_by:
        return left
    allowed = None if left.file_ids is None else frozenset(left.file_ids)
    file_ids = tuple(
        file[0] for file in indexed_files() if file[1] not in answered_by and (allowed is None or file[0] in allowed)
    )
    return replace(left, file_ids=file_ids)


def _apply_own_filters(question: SearchQuery, indexed_files: Callable[[], Sequence[FileRow]]) -> FilteredDocuments:
    if not (question.filters or question.content_types or question.source or question.domains):
        return FilteredDocuments()
    file_ids = _filtered_file_ids(question, indexed_files)
    return FilteredDocuments(file_ids, _allows_content_type(question, "commit"), _knowledge_filters(question))


def _filtered_file_ids(question: SearchQuery, indexed_files: Callable[[], Sequence[FileRow]]) -> tuple[int, ...] | None:
    """Return the ids of the files that the filters leave; None when all are left, without reading the files."""
    if _requested_domains(question) is not None:
        return ()
    predicates = _filter_predicates(question)
    if not predicates:
        return None
    files = indexed_files()
    for predicate in predicates:
        files = [file for file in files if predicate(file[1], file[2], file[3])]
    return tuple(file[0] for file in files)


def allows_commits(question: SearchQuery) -> bool:
    """Return whether the filters leave commits, which have no path and no language."""
    return _allows_content_type(question, "commit")


def leaves_change(question: SearchQuery) -> Callable[[str, str, str], bool]:
    """Return the test of whether the filters leave a file, by path, language and content type, in a list of changes."""
    predicates, has_domains = _filter_predicates(question), _requested_domains(question) is not None
    return lambda path, language, kind: not has_domains and all(test(path, language, kind) for test in predicates)


def _knowledge_filters(question: SearchQuery) -> KnowledgeFilter:
    """Return the filters as they apply to notes, which have no language and no path."""
    predicates = _filter_predicates(question)
    types = None
    if predicates:
        types = frozenset(kind for kind in KNOWLEDGE_TYPES if all(test("", "", kind) for test in predicates))
    excluded = frozenset(normalize_domain(f.value) for f in question.filters if f.field == "domain" and f.exclude)
    return KnowledgeFilter(types, _requested_domains(question), excluded)


def _allows_content_type(question: SearchQuery, content_type: str) -> bool:
    """Return whether documents of this type that have no path, language or domain are left."""
    if _requested_domains(question) is not None:
        return False
    return all(test("", "", content_type) for test in _filter_predicates(question))


def _requested_domains(question: SearchQuery) -> frozenset[str] | None:
    """Return the domains that the query and its parameters ask for; None for any."""
    typed = frozenset(normalize_domain(f.value) for f in question.filters if f.field == "domain" and not f.exclude)
    given = frozenset(map(normalize_domain, question.domains))
    if typed and given:
        return typed & given
    return typed or given or None


def _filter_predicates(question: SearchQuery) -> list[_Predicate]:
    """Return tests that a document must all pass; none where the query restricts nothing."""
    predicates: list[_Predicate] = []
    for field in ("lang", "path", "type", "source") if question.filters else ():
        wanted = [filter_predicate(f) for f in question.filters if f.field == field and not f.exclude]
        if wanted:
            predicates.append(_any_of(wanted) if len(wanted) > 1 else wanted[0])
    predicates += [_negated(filter_predicate(f)) for f in question.filters if f.exclude and f.field != "domain"]
    if question.content_types:
        predicates.append(lambda path, language, kind: kind in question.content_types)
    if question.source:
        predicates.append(filter_predicate(QueryFilter("source", question.source)))
    return predicates


def _any_of(predicates: Sequence[_Predicate]) -> _Predicate:
    return lambda path, language, kind: any(test(path, language, kind) for test in predicates)


def _negated(predicate: _Predicate) -> _Predicate:
    return lambda path, language, kind: not predicate(path, language, kind)


def filter_predicate(filter_: QueryFilter) -> _Predicate:
    """Return the test of one filter, whether or not it excludes."""
    value = filter_.value.lower()
    if filter_.field == "lang":
        wanted_language = LANGUAGE_ALIASES.get(value, value)
        return lambda path, language, kind: language == wanted_language
    if filter_.field == "type":
        return lambda path, language, kind: kind == value
    if filter_.field == "source":
        return lambda path, language, kind: (kind == PERSONA) == (value == PERSONA)
    part = value.removeprefix("./")
    if any(character in value for character in "*?["):
        pattern = re.compile(translate(part))
        return lambda path, language, kind: pattern.match(path.lower()) is not None
    return lambda path, language, kind: part in path.lower()
