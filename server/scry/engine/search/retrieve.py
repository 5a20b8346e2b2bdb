"""Apply a question's filters and collect the votes of every oracle.

What a question's filters leave: of files, of commits, and of knowledge.

Filters of one field widen each other (`lang:go lang:rust` is either), those of different fields narrow; what was asked
for beside the query narrows it. Code, documents and commits are about no domain: one that is asked for leaves them out.

Asks every oracle, and reports those that fail instead of failing with them (F3).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from fnmatch import translate
from re import compile as compile_pattern

from msgspec import Struct
from msgspec.structs import replace

from scry.core.errors import Cancelled, IndexUnavailable
from scry.core.knowledge import KNOWLEDGE_TYPES, PERSONA, KnowledgeFilter, normalize_domain
from scry.core.types import (
    IndexState,
    OracleFault,
    OracleMatch,
    QueryFilter,
    SearchQuery,
)
from scry.embedding.embedder import Vectors
from scry.oracles import ORACLES
from scry.oracles.oracle import Oracle, OracleReader
from scry.store.history.reader import HistoryReader
from scry.store.index.store import IndexStore
from scry.store.notes.reader import NoteStores
from scry.store.vector_sets import EmbedderInfo

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
}
"""Other names that people use for languages."""

_Predicate = Callable[[str, str, str], bool]
"""Of a path, a language and a content type."""


def filtered_file_ids(question: SearchQuery, store: IndexStore) -> tuple[int, ...] | None:
    """Ids of the files that the filters leave; None when there is no restriction."""
    if not _allows_no_domain(question):
        return ()
    active = _filter_predicates(question)
    if not active:
        return None
    left = store.files.indexed_files()
    for test in active:
        left = [file for file in left if test(file[1], file[2], file[3])]
    return tuple(file[0] for file in left)


def allows_commits(question: SearchQuery) -> bool:
    """Whether the filters leave commits. They have no language and no path: `lang:` and `path:` leave them out."""
    return _allows_content_type(question, "commit")


def knowledge_filters(question: SearchQuery) -> KnowledgeFilter:
    """Which knowledge the filters leave. As commits, it has no language and no path."""
    tests = _filter_predicates(question)
    types = frozenset(kind for kind in KNOWLEDGE_TYPES if all(test("", "", kind) for test in tests)) if tests else None
    return KnowledgeFilter(types, _requested_domains(question), _excluded_domains(question))


def allowed_change_types(question: SearchQuery) -> tuple[str, ...]:
    """The content types of what can have changed, files and commits, that were asked for beside the query."""
    asked = replace(question, filters=())
    return tuple(kind for kind in ("code", "doc", "commit") if _allows_content_type(asked, kind))


def _allows_content_type(question: SearchQuery, content_type: str) -> bool:
    """Whether what has this type, and neither path nor language, is left."""
    return _allows_no_domain(question) and all(test("", "", content_type) for test in _filter_predicates(question))


def _filter_predicates(question: SearchQuery) -> list[_Predicate]:
    tests = [_any_of_field(question, field) for field in ("lang", "path", "type", "source")]
    tests += [_negated(filter_) for filter_ in question.filters if filter_.exclude and filter_.field != "domain"]
    if question.content_types:
        tests.append(lambda path, language, kind: kind in question.content_types)
    if question.source:
        tests.append(_predicate(QueryFilter("source", question.source)))
    return [test for test in tests if test is not None]


def _allows_no_domain(question: SearchQuery) -> bool:
    """Whether what is about no domain is left."""
    return _requested_domains(question) is None


def _requested_domains(question: SearchQuery) -> frozenset[str] | None:
    """The domains that are asked for; None for any."""
    typed = frozenset(normalize_domain(f.value) for f in question.filters if f.field == "domain" and not f.exclude)
    told = frozenset(map(normalize_domain, question.domains))
    if typed and told:
        return typed & told
    return typed or told or None


def _excluded_domains(question: SearchQuery) -> frozenset[str]:
    return frozenset(normalize_domain(f.value) for f in question.filters if f.field == "domain" and f.exclude)


def _any_of_field(question: SearchQuery, field: str) -> _Predicate | None:
    wanted = [_predicate(f) for f in question.filters if f.field == field and not f.exclude]
    if len(wanted) < 2:
        return wanted[0] if wanted else None
    return lambda path, language, kind: any(test(path, language, kind) for test in wanted)


def _negated(filter_: QueryFilter) -> _Predicate:
    test = _predicate(filter_)
    return lambda path, language, kind: not test(path, language, kind)


def _predicate(filter_: QueryFilter) -> _Predicate:
    value = filter_.value.lower()
    if filter_.field == "lang":
        language_wanted = LANGUAGE_ALIASES.get(value, value)
        return lambda path, language, kind: language == language_wanted
    if filter_.field == "type":
        return lambda path, language, kind: kind == value
    if filter_.field == "source":
        return lambda path, language, kind: (kind == PERSONA) == (value == PERSONA)
    if any(character in value for character in "*?["):
        pattern = compile_pattern(translate(value.removeprefix("./")))
        return lambda path, language, kind: pattern.match(path.lower()) is not None
    plain = value.removeprefix("./")
    return lambda path, language, kind: plain in path.lower()


_log = logging.getLogger(__name__)


class OracleVotes(Struct, frozen=True):
    """All votes by oracle name, and the oracles that could not answer."""

    votes: Mapping[str, Sequence[OracleMatch]]
    faults: tuple[OracleFault, ...]


def consult_oracles(
    oracles: Sequence[Oracle], question: SearchQuery, reader: OracleReader, cancelled: Callable[[], bool]
) -> OracleVotes:
    """Every oracle's votes. Raises Cancelled as soon as nobody waits for them."""
    votes: dict[str, tuple[OracleMatch, ...]] = {}
    faults: list[OracleFault] = []
    for oracle in oracles:
        if cancelled():
            raise Cancelled("the question was withdrawn")
        try:
            votes[oracle.name] = oracle.consult(question, reader)
        except Exception as error:  # an oracle's failure must cost its own votes only, whatever it is
            _log.warning("oracle %s failed", oracle.name, exc_info=True)
            faults.append(OracleFault(oracle.name, f"{type(error).__name__}: {error}"))
    return OracleVotes(votes, tuple(faults))


def return_none() -> None:
    """Return None: the default of an optional lookup."""
    return


class Retrieval(Struct, frozen=True):
    """What the oracles say to a question, before it is weighed. reader: what they read."""

    question: SearchQuery
    reader: OracleReader
    oracle_votes: OracleVotes


class RetrievalResult(Struct, frozen=True):
    """The first half of a find. state: of the index, just before. ballot: None while there is no index."""

    question: SearchQuery
    state: IndexState
    retrieval: Retrieval | None


def retrieve(
    question: SearchQuery,
    store: IndexStore,
    encode: Callable[[EmbedderInfo, str], Vectors],
    cancelled: Callable[[], bool],
    history: Callable[[], HistoryReader | None] = return_none,
    knowledge: Callable[[], NoteStores | None] = return_none,
) -> Retrieval:
    """Asks every oracle. Arguments and errors as of `find`."""
    store.refresh()
    reader = _make_reader(question, store, encode, history, knowledge())
    return Retrieval(question, reader, consult_oracles(ORACLES, question, reader, cancelled))


def _make_reader(
    question: SearchQuery,
    store: IndexStore,
    encode: Callable[[EmbedderInfo, str], Vectors],
    history: Callable[[], HistoryReader | None],
    knowledge: NoteStores | None,
) -> OracleReader:
    """A history that can't be read costs what it would have told; the temporal oracle says so."""
    opened, trouble = None, ""
    try:
        opened = history()
    except IndexUnavailable as error:
        trouble = str(error)
    return OracleReader(
        store,
        filtered_file_ids(question, store),
        encode,
        opened,
        allows_commits(question),
        trouble,
        knowledge,
        knowledge_filters(question),
    )
