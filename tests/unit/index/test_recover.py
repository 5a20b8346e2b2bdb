from __future__ import annotations

from scry.index.parse.parse import parse

FILLING = "".join(f"    fun filling{number}() = {number}\n" for number in range(20))

UNKNOWN = f"""class Before {{
    fun first() = 1
}}

@JvmInline
public value class Odd<out T>
@PublishedApi internal constructor(@PublishedApi internal val holder: Any?) {{
    fun words() = "$holder"
{FILLING}}}

interface After<E> {{
    fun second(): E
}}

fun third() = "${{1 + 1}}"
"""
"""Kotlin whose grammar takes everything behind an annotated constructor for one string."""


def names(path: str, text: str) -> list[str]:
    return [symbol.name for symbol in parse(path, text).symbols if symbol.name]


def test_what_follows_syntax_that_the_grammar_does_not_know_is_found() -> None:
    found = names("a.kt", UNKNOWN)
    assert {"Before", "first", "After", "second", "third"} <= set(found)
    assert len(found) == len(set(found))


def test_places_behind_an_error_are_those_in_the_file() -> None:
    (after,) = [symbol for symbol in parse("a.kt", UNKNOWN).symbols if symbol.name == "After"]
    assert UNKNOWN.splitlines()[after.name_span.start.line].startswith("interface After")
    assert after.signature == "interface After<E>"


def test_a_small_error_costs_only_itself() -> None:
    text = "def one():\n    return (\n\n\ndef two():\n    return 2\n"
    assert "two" in names("a.py", text)


def test_a_text_without_any_definition_stays_text() -> None:
    text = "%%% !!\n\n" + "\n\n".join(f"?? {number} ((( {{{{" for number in range(60))
    assert names("a.kt", text) == []
