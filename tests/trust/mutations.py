"""Make a wrong text of a right one, the same for the same seed: what editors, tools and damaged disks leave behind."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Sequence

Mutation = Callable[[bytes, random.Random], bytes]

_LETTERS = frozenset(string.ascii_letters.encode() + string.digits.encode())
_BRACKETS = b"()[]{}<>"
_QUOTES = (b'"', b"'", b"`", b'"""', b"/*", b"*/", b"#", b"//", b"--", b"{-", b"<<E\n", b"\\")
_NESTING = (b"(", b"[", b"{", b"<", b"if (", b"a(", b"class A {\n", b"{-", b"/*", b"def f\n", b"function f() {\n")
_ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "cp1252", "latin-1", "shift_jis", "koi8-r", "utf-7")
_STRANGE = "\u202e\u200b\ufeff\u2028\x85\x0c\x1b\U0001f600e\u0301\uac00\ufffd\u0000"
_SURROGATES = (b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\xff", b"\xe2\x82")


def _cut(data: bytes, random: random.Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _cut_at_mark(data: bytes, random: random.Random) -> bytes:
    """Cut behind a byte that is no letter, as where somebody stopped typing at the end of a file."""
    mark = random.choice(sorted(set(data) - _LETTERS) or [0])
    places = [place for place, byte in enumerate(data) if byte == mark]
    return data[: random.choice(places) + 1 + random.randrange(2)] if places else data


def _cut_head(data: bytes, random: random.Random) -> bytes:
    return data[random.randrange(len(data) + 1) :]


def _lines(change: Callable[[list[bytes], random.Random], None]) -> Mutation:
    def mutate(data: bytes, random: random.Random) -> bytes:
        lines = data.splitlines(keepends=True) or [b""]
        change(lines, random)
        return b"".join(lines)

    return mutate


def _remove_lines(lines: list[bytes], random: random.Random) -> None:
    start = random.randrange(len(lines))
    del lines[start : start + random.randint(1, 5)]


def _double_lines(lines: list[bytes], random: random.Random) -> None:
    start = random.randrange(len(lines))
    part = lines[start : start + random.randint(1, 20)]
    lines[start:start] = part * random.randint(1, 3)


def _swap_lines(lines: list[bytes], random: random.Random) -> None:
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]


def _indent_lines(lines: list[bytes], random: random.Random) -> None:
    for row in range(random.randrange(len(lines)), len(lines)):
        lines[row] = random.choice((b"\t", b" ", b"    ", b"")) + lines[row].lstrip(b" ")


def _remove_bytes(data: bytes, random: random.Random) -> bytes:
    start = random.randrange(len(data) + 1)
    return data[:start] + data[start + random.randint(1, 60) :]


def _insert(pieces: Sequence[bytes]) -> Mutation:
    def mutate(data: bytes, random: random.Random) -> bytes:
        for _ in range(random.randint(1, 3)):
            place = random.randrange(len(data) + 1)
            data = data[:place] + random.choice(pieces) + data[place:]
        return data

    return mutate


def _swap_brackets(data: bytes, random: random.Random) -> bytes:
    places = [place for place, byte in enumerate(data) if byte in _BRACKETS]
    changed = bytearray(data)
    for place in random.sample(places, min(len(places), random.randint(1, 8))):
        changed[place] = random.choice(_BRACKETS)
    return bytes(changed)


def _change_line_ends(data: bytes, random: random.Random) -> bytes:
    end = random.choice((b"\r\n", b"\r", b"\n\r", b"\r\r\n", b"\x0c\n", b" "))
    return data.replace(b"\n", end)


def _encode(data: bytes, random: random.Random) -> bytes:
    return data.decode("utf-8", "replace").encode(random.choice(_ENCODINGS), "replace")


def _mark_order(data: bytes, random: random.Random) -> bytes:
    return random.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\x00\x00")) + data


def _put_strange(data: bytes, random: random.Random) -> bytes:
    place = random.randrange(len(data) + 1)
    return data[:place] + random.choice(_STRANGE).encode() * random.randint(1, 4) + data[place:]


def _lengthen_line(data: bytes, random: random.Random) -> bytes:
    place = random.randrange(len(data) + 1)
    piece = random.choice((b"x", b"x ", b"'a',", b"1 + ", b"a.b", b"/", b"=", b"\\"))
    return data[:place] + piece * random.randint(100, 4000) + data[place:]


def _nest(data: bytes, random: random.Random) -> bytes:
    place = random.randrange(len(data) + 1)
    opening = random.choice(_NESTING)
    depth = random.choice((30, 90, 300, 900))
    closing = random.choice((b"", b")", b"}", b"]", b">", b"\nend"))
    return data[:place] + opening * depth + closing * depth + data[place:]


def _splice(data: bytes, random: random.Random) -> bytes:
    start, end = sorted(random.randrange(len(data) + 1) for _ in range(2))
    place = random.randrange(len(data) + 1)
    return data[:place] + data[start:end] + data[place:]


MUTATIONS: tuple[Mutation, ...] = (
    _cut,
    _cut_at_mark,
    _cut_head,
    _lines(_remove_lines),
    _lines(_double_lines),
    _lines(_swap_lines),
    _lines(_indent_lines),
    _remove_bytes,
    _swap_brackets,
    _insert(_QUOTES),
    _insert(_SURROGATES),
    _insert((b"\x00",)),
    _change_line_ends,
    _encode,
    _mark_order,
    _put_strange,
    _lengthen_line,
    _nest,
    _splice,
)


def mutate(data: bytes, seed: str) -> bytes:
    """Return the content with one to three mutations, which the seed decides."""
    numbers = random.Random(seed)
    for _ in range(numbers.choice((1, 1, 1, 2, 2, 3))):
        data = numbers.choice(MUTATIONS)(data, numbers)
    return data
