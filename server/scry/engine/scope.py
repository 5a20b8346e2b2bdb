"""What a question's filters leave: of files, of commits, and of knowledge.

Filters of one field widen each other (`lang:go lang:rust` is either), those of different fields narrow; what was asked
for beside the query narrows it. Code, documents and commits are about no domain: one that is asked for leaves them out.
"""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import translate
from re import compile as compile_pattern

from msgspec.structs import replace

from scry.core.knowledge import KNOWLEDGE_TYPES, PERSONA, KnowledgeFilter, normalize_domain
from scry.core.types import QueryFilter, SearchQuery
from scry.store.index_store import IndexStore

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
    left = store.indexed_files()
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
