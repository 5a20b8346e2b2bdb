"""Which files a question's filters leave."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import translate
from re import compile as compile_pattern

from scry.core.knowledge import KNOWLEDGE_TYPES
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


def files_in_scope(question: Question, store: IndexStore) -> tuple[int, ...] | None:
    """Ids of the files that satisfy all filters and the content types; None when there is no restriction.

    Filters of one field widen each other (`lang:go lang:rust` is either), those of different fields narrow.
    """
    active = _tests(question)
    if not active:
        return None
    return tuple(
        file_id
        for file_id, path, language, kind in store.file_ids()
        if all(test(path, language, kind) for test in active)
    )


def _tests(question: Question) -> list[_Predicate]:
    tests = [_one_of(question, field) for field in ("lang", "path", "type")]
    tests += [_negated(filter_) for filter_ in question.filters if filter_.exclude]
    if question.content_types:
        tests.append(lambda path, language, kind: kind in question.content_types)
    return [test for test in tests if test is not None]


def commits_in_scope(question: Question) -> bool:
    """Whether the filters leave commits. They have no language and no path: `lang:` and `path:` leave them out."""
    return all(test("", "", "commit") for test in _tests(question))


def knowledge_in_scope(question: Question) -> frozenset[str] | None:
    """The types of knowledge that the filters leave; None for all. As commits, it has no language and no path."""
    tests = _tests(question)
    return frozenset(kind for kind in KNOWLEDGE_TYPES if all(test("", "", kind) for test in tests)) if tests else None


def _one_of(question: Question, field: str) -> _Predicate | None:
    wanted = [_predicate(f) for f in question.filters if f.field == field and not f.exclude]
    return (lambda path, language, kind: any(test(path, language, kind) for test in wanted)) if wanted else None


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
    if any(character in value for character in "*?["):
        pattern = compile_pattern(translate(value.removeprefix("./")))
        return lambda path, language, kind: pattern.match(path.lower()) is not None
    plain = value.removeprefix("./")
    return lambda path, language, kind: plain in path.lower()
