"""What a question's filters leave: of files, of commits, and of knowledge.

Filters of one field widen each other (`lang:go lang:rust` is either), those of different fields narrow; what was asked
for beside the query narrows it. Code, documents and commits are about no domain: one that is asked for leaves them out.
"""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import translate
from re import compile as compile_pattern

from msgspec.structs import replace

from scry.core.knowledge import KNOWLEDGE_TYPES, PERSONA, Chosen, fold_domain
from scry.core.types import Filter, Question
from scry.store.index_store import IndexStore

LANGUAGE_NAMES = {
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


def files_in_scope(question: Question, store: IndexStore) -> tuple[int, ...] | None:
    """Ids of the files that the filters leave; None when there is no restriction."""
    if not _may_be_about_nothing(question):
        return ()
    active = _tests(question)
    if not active:
        return None
    left = store.file_ids()
    for test in active:
        left = [file for file in left if test(file[1], file[2], file[3])]
    return tuple(file[0] for file in left)


def commits_in_scope(question: Question) -> bool:
    """Whether the filters leave commits. They have no language and no path: `lang:` and `path:` leave them out."""
    return _leaves(question, "commit")


def knowledge_in_scope(question: Question) -> Chosen:
    """Which knowledge the filters leave. As commits, it has no language and no path."""
    tests = _tests(question)
    types = frozenset(kind for kind in KNOWLEDGE_TYPES if all(test("", "", kind) for test in tests)) if tests else None
    return Chosen(types, _domains(question), _other_domains(question))


def changes_in_scope(question: Question) -> tuple[str, ...]:
    """The content types of what can have changed, files and commits, that were asked for beside the query."""
    asked = replace(question, filters=())
    return tuple(kind for kind in ("code", "doc", "commit") if _leaves(asked, kind))


def _leaves(question: Question, content_type: str) -> bool:
    """Whether what has this type, and neither path nor language, is left."""
    return _may_be_about_nothing(question) and all(test("", "", content_type) for test in _tests(question))


def _tests(question: Question) -> list[_Predicate]:
    tests = [_one_of(question, field) for field in ("lang", "path", "type", "source")]
    tests += [_negated(filter_) for filter_ in question.filters if filter_.exclude and filter_.field != "domain"]
    if question.content_types:
        tests.append(lambda path, language, kind: kind in question.content_types)
    if question.source:
        tests.append(_predicate(Filter("source", question.source)))
    return [test for test in tests if test is not None]


def _may_be_about_nothing(question: Question) -> bool:
    """Whether what is about no domain is left."""
    return _domains(question) is None


def _domains(question: Question) -> frozenset[str] | None:
    """The domains that are asked for; None for any."""
    typed = frozenset(fold_domain(f.value) for f in question.filters if f.field == "domain" and not f.exclude)
    told = frozenset(map(fold_domain, question.domains))
    if typed and told:
        return typed & told
    return typed or told or None


def _other_domains(question: Question) -> frozenset[str]:
    return frozenset(fold_domain(f.value) for f in question.filters if f.field == "domain" and f.exclude)


def _one_of(question: Question, field: str) -> _Predicate | None:
    wanted = [_predicate(f) for f in question.filters if f.field == field and not f.exclude]
    if len(wanted) < 2:
        return wanted[0] if wanted else None
    return lambda path, language, kind: any(test(path, language, kind) for test in wanted)


def _negated(filter_: Filter) -> _Predicate:
    test = _predicate(filter_)
    return lambda path, language, kind: not test(path, language, kind)


def _predicate(filter_: Filter) -> _Predicate:
    value = filter_.value.lower()
    if filter_.field == "lang":
        language_wanted = LANGUAGE_NAMES.get(value, value)
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
