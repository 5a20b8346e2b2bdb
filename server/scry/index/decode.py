"""Bytes of a file to text, or why it is not text worth indexing.

Order: a byte order mark decides; a NUL byte anywhere makes it binary; then UTF-8; then, if the bytes look like western
single-byte text, Windows-1252 (a superset of printable Latin-1). Line ends stay as they are, so that line numbers are
those of an editor, which ends lines at CR LF, LF and CR.
"""

from __future__ import annotations

import codecs
import re

from scry.core.types import Skip, SkipReason

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = bytes(set(range(0x20)) - set(b"\t\n\v\f\r\x1b")) + b"\x7f"
_CONTROL_SHARE = 0.01
"""A share of control characters above which bytes that are not UTF-8 are data."""

_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_HIGH_RUN = re.compile(rb"[\x80-\xff]{4}")
"""Four letters with accents in a row are no western text but another encoding (Cyrillic, Chinese, Japanese …)."""

_UNASSIGNED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_HIGH_SHARE = 0.2

_LONG_MEAN = 500
_LONG_LINE = 20_000
_LONG_SHARE = 0.9
_SHORT_FILE = 5_000
"""A file is minified when its lines are long on average, or when one long line is nearly all of it: a single line of
embedded data is no reason to lose the code around it. Below _SHORT_FILE characters nothing is saved by leaving it out.
"""

_PROSE = (".md", ".markdown", ".mdx", ".txt", ".rst", ".adoc", ".org", ".tex")
_LINE_END = re.compile(r"\r\n|\n|\r")


def decode(data: bytes, path: str = "") -> str | Skip:
    """The text of a file, without its byte order mark; or a Skip that says why there is none.

    path: only its extension is looked at. Prose may have lines of any length, so it is never taken for minified.
    """
    text = _to_text(data)
    if isinstance(text, str) and not path.lower().endswith(_PROSE):
        return _minified(text) or text
    return text


def _to_text(data: bytes) -> str | Skip:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decode_marked(data, mark, encoding)
    nul = data.find(0)
    if nul >= 0:
        return Skip(SkipReason.BINARY, f"NUL at byte {nul}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _decode_single_byte(data, error.start)


def _decode_marked(data: bytes, mark: bytes, encoding: str) -> str | Skip:
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        return Skip(SkipReason.UNDECODABLE, f"byte {error.start + len(mark)}, as {encoding.upper()}")
    nul = text.find("\0")
    if nul >= 0:
        return Skip(SkipReason.BINARY, f"NUL at byte {len(mark) + len(text[:nul].encode(encoding))}")
    return text


def _decode_single_byte(data: bytes, offset: int) -> str | Skip:
    """Text that is not UTF-8 from byte `offset` on: damaged UTF-8, Windows-1252, or neither."""
    if len(data) - len(data.translate(None, _CONTROLS)) > _CONTROL_SHARE * len(data):
        return Skip(SkipReason.BINARY, f"control characters, and no UTF-8 at byte {offset}")
    high = len(data) - len(data.translate(None, bytes(range(0x80, 0x100))))
    valid = sum(map(len, _MULTIBYTE.findall(data)))
    if valid > 10 * (high - valid):  # a slip in a UTF-8 file: editors show it so, too
        return data.decode("utf-8", "replace")
    if _HIGH_RUN.search(data) or _UNASSIGNED.search(data) or high > _HIGH_SHARE * len(data):
        return Skip(SkipReason.UNDECODABLE, f"byte {offset}")
    return data.decode("cp1252")


def _minified(text: str) -> Skip | None:
    if len(text) < _SHORT_FILE:
        return None
    lengths = [len(line) for line in _LINE_END.split(text)]
    longest = max(lengths)
    if len(text) / len(lengths) > _LONG_MEAN:
        return Skip(SkipReason.MINIFIED, f"lines of {len(text) // len(lengths)} characters on average")
    if longest > _LONG_LINE and longest > _LONG_SHARE * len(text):
        return Skip(SkipReason.MINIFIED, f"a line of {longest} characters")
    return None
