"""Parse the scripts of Vue, Svelte and Astro components by the grammar of TypeScript; their markup becomes sections."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from scry.index.parse.languages import typescript
from scry.index.parse.languages.language import Language, MarkupRange, PreparedSource

_MAX_TAG_BYTES = 2_000
_MAX_TAG_BRACKETS = 20
"""Bytes of an opening tag that are read for its end, and `>` that its attributes may hold, as in `generics="A<B>"`."""


class _Script(NamedTuple):
    """A script: the start of its opening tag, the start and end of its text, and the end of its closing tag."""

    begin: int
    start: int
    end: int
    after: int


def _find_scripts(data: bytes, at: int) -> Iterator[_Script]:
    """Yield each `<script>` from an offset on, in one pass."""
    lower = data.lower()
    while (opening := lower.find(b"<script", at)) >= 0:
        start = at = _end_of_tag(data, opening + len(b"<script"))
        if not start:
            at = opening + 1
        elif data[start - 2 : start] != b"/>":
            end = lower.find(b"</script", start)
            end = end if end >= 0 else len(data)
            close = data.find(b">", end)
            at = close + 1 if close >= 0 else len(data)
            yield _Script(opening, start, end, at)


def _end_of_tag(data: bytes, start: int) -> int:
    """Return the offset behind an opening tag whose name ends at `start`; 0 where it is none, or does not end."""
    if data[start : start + 1] not in (b">", b"/", b" ", b"\t", b"\r", b"\n"):
        return 0
    limit = start + _MAX_TAG_BYTES
    at = start
    for _ in range(_MAX_TAG_BRACKETS):
        at = data.find(b">", at, limit) + 1
        if not at or not (data.count(b'"', start, at) % 2 or data.count(b"'", start, at) % 2):
            return at
    return 0


def _find_frontmatter(data: bytes) -> _Script | None:
    """Return the text between the two `---` at the head of an Astro component."""
    head = len(data) - len(data.lstrip())
    end = data.find(b"\n---", head + 3) if data.startswith(b"---", head) else -1
    return _Script(head, head + 3, end + 1, end + 4) if end >= 0 else None


def _all_scripts(data: bytes, *, has_frontmatter: bool) -> list[_Script]:
    front = _find_frontmatter(data) if has_frontmatter else None
    return [*([front] if front else []), *_find_scripts(data, front.after if front else 0)]


def _blank_markup(data: bytes, *, has_frontmatter: bool = False) -> PreparedSource:
    """Return the scripts at their places, all other characters but line ends as blanks."""
    pieces: list[bytes] = []
    position = 0
    for script in _all_scripts(data, has_frontmatter=has_frontmatter):
        pieces += [_blank(data[position : script.start]), data[script.start : script.end]]
        position = script.end
    return b"".join([*pieces, _blank(data[position:])]), ()


_BLANKS = bytes(byte if byte in b"\r\n" else ord(" ") for byte in range(256))


def _blank(data: bytes) -> bytes:
    return data.translate(_BLANKS)


def _find_markup(data: bytes, *, has_frontmatter: bool = False) -> list[MarkupRange]:
    """Return the ranges outside of scripts: those in `<style>` by that name, all others as the template."""
    ranges: list[MarkupRange] = []
    position = 0
    for script in _all_scripts(data, has_frontmatter=has_frontmatter):
        ranges += _split_styles(data, position, script.begin)
        position = script.after
    return [*ranges, *_split_styles(data, position, len(data))]


def _split_styles(data: bytes, start: int, end: int) -> Iterator[MarkupRange]:
    lower = data[start:end].lower()
    at = 0
    while at < len(lower):
        style = lower.find(b"<style", at)
        close = lower.find(b"</style", style) if style >= 0 else -1
        if close < 0:
            break
        yield MarkupRange(start + at, start + style, "template")
        at = lower.find(b">", close) + 1 or len(lower)
        yield MarkupRange(start + style, start + at, "style")
    yield MarkupRange(start + at, end, "template")


def _blank_astro(data: bytes) -> PreparedSource:
    return _blank_markup(data, has_frontmatter=True)


def _find_astro_markup(data: bytes) -> list[MarkupRange]:
    return _find_markup(data, has_frontmatter=True)


VUE = replace(
    typescript.LANGUAGE,
    name="vue",
    extensions=(".vue",),
    interpreters=(),
    prepare=_blank_markup,
    find_markup=_find_markup,
    entry_paths=None,
)
SVELTE: Language = replace(VUE, name="svelte", extensions=(".svelte",))
ASTRO: Language = replace(
    VUE, name="astro", extensions=(".astro",), prepare=_blank_astro, find_markup=_find_astro_markup
)
