"""Read rows out of the pages of a SQLite file whose structure is damaged, without SQLite.

SQLite finds the rows of a table from its root; a damaged page hides all pages below it, and a damaged first page the
whole file. The rows themselves lie in leaf pages, each of which can be read by itself. To which table a leaf belongs
follows from the number and the types of the columns. See https://www.sqlite.org/fileformat2.html.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec import Struct

HEADER = b"SQLite format 3\0"
_HEADER_BYTES = 100
_INDEX_INTERIOR, _INDEX_LEAF, _TABLE_LEAF = 2, 10, 13
_MAX_COLUMNS = 100
_WAL_HEADER_BYTES, _FRAME_HEADER_BYTES = 32, 24
_INTEGER_BYTES = (0, 1, 2, 3, 4, 6, 8)
_UNREADABLE = (IndexError, ValueError, struct.error)

_TYPES = {"INTEGER": (int,), "TEXT": (str, bytes), "BLOB": (bytes,), "REAL": (int, float)}

StoredValue = None | int | float | str | bytes


class Column(Struct, frozen=True):
    """A column of a table, as `PRAGMA table_info` describes it. is_rowid: whether it is another name of the rowid."""

    name: str
    type: str
    is_required: bool
    is_rowid: bool

    def accepts(self, value: StoredValue) -> bool:
        """Return whether a row of the table can hold the value here."""
        if self.is_rowid:
            return value is None
        if value is None:
            return not self.is_required
        return type(value) in _TYPES.get(self.type, (int, float, str, bytes))


class Table(Struct, frozen=True):
    """A table whose rows are looked for. has_rowid: whether its rows are not kept in the order of another key."""

    name: str
    columns: tuple[Column, ...]
    has_rowid: bool

    def accepts(self, values: Sequence[StoredValue]) -> bool:
        """Return whether these can be the values of a row, in the order in which they are stored."""
        return len(values) == len(self.columns) and all(map(Column.accepts, self.columns, values))


Row = tuple[StoredValue, ...]


def apply_journal(database: bytes, journal: bytes) -> bytes:
    """Return the database with the pages of the last transaction that its write-ahead log holds as a whole.

    Frames whose salt is another one are of an earlier log. Checksums are not compared: a damaged frame is better than
    none.
    """
    if len(journal) < _WAL_HEADER_BYTES + _FRAME_HEADER_BYTES:
        return database
    size = struct.unpack_from(">I", journal, 8)[0]
    salt = journal[16:24]
    if size not in _page_sizes():
        return database
    pages: dict[int, bytes] = {}
    committed: dict[int, bytes] = {}
    for start in range(_WAL_HEADER_BYTES, len(journal) - size - _FRAME_HEADER_BYTES + 1, size + _FRAME_HEADER_BYTES):
        number, commit_size = struct.unpack_from(">II", journal, start)
        if journal[start + 8 : start + 16] != salt or not 0 < number < 1 << 24:
            break
        pages[number] = journal[start + _FRAME_HEADER_BYTES : start + _FRAME_HEADER_BYTES + size]
        if commit_size:
            committed |= pages
    result = bytearray(database)
    for number, page in committed.items():
        result.extend(bytes(max(0, number * size - len(result))))
        result[(number - 1) * size : number * size] = page
    return bytes(result)


def _page_sizes() -> tuple[int, ...]:
    return tuple(1 << bits for bits in range(9, 17))


def scan_rows(database: bytes, tables: Sequence[Table]) -> Iterator[tuple[str, Row]]:
    """Yield table and values of each row that can be read in any page; a rowid stands in the place of its column.

    A page whose rows fit several tables is passed over.
    """
    size = _page_size(database)
    for start in range(0, len(database), size):
        header = start + _HEADER_BYTES if start == 0 and database.startswith(HEADER) else start
        with suppress(*_UNREADABLE):
            kind = database[header]
            if kind not in (_INDEX_INTERIOR, _INDEX_LEAF, _TABLE_LEAF):
                continue
            rows = list(_read_page(database, size, start, header))
            fitting = [table for table in tables if table.has_rowid == (kind == _TABLE_LEAF) and _fits(table, rows)]
            if len(fitting) == 1:
                yield from ((fitting[0].name, _with_rowid(fitting[0], rowid, values)) for rowid, values in rows)


def _page_size(database: bytes) -> int:
    if len(database) >= _HEADER_BYTES and database.startswith(HEADER):
        size = struct.unpack_from(">H", database, 16)[0]
        if size in _page_sizes():
            return size
    return 4096


def _fits(table: Table, rows: Sequence[tuple[int, Row]]) -> bool:
    return bool(rows) and all(table.accepts(values) for _, values in rows)


def _with_rowid(table: Table, rowid: int, values: Row) -> Row:
    return tuple(rowid if column.is_rowid else value for column, value in zip(table.columns, values, strict=True))


def _read_page(database: bytes, size: int, start: int, header: int) -> Iterator[tuple[int, Row]]:
    """Yield rowid (0 in an index) and values of the cells of a page; cells that can't be read are passed over."""
    kind = database[header]
    pointers = header + (12 if kind == _INDEX_INTERIOR else 8)
    count = struct.unpack_from(">H", database, header + 3)[0]
    for (pointer,) in struct.iter_unpack(">H", database[pointers : pointers + 2 * min(count, size // 4)]):
        with suppress(*_UNREADABLE):
            cell = start + pointer + (4 if kind == _INDEX_INTERIOR else 0)
            length, cell = _read_varint(database, cell)
            rowid = 0
            if kind == _TABLE_LEAF:
                rowid, cell = _read_varint(database, cell)
            payload = _read_payload(database, size, cell, length, is_table=kind == _TABLE_LEAF)
            yield rowid, tuple(_read_record(payload))


def _read_payload(database: bytes, size: int, start: int, length: int, *, is_table: bool) -> bytes:
    """Return a payload with its overflow pages. Raises ValueError where it can't be as long as it says."""
    if length > len(database):
        raise ValueError("a payload is longer than the file")
    most = size - 35 if is_table else (size - 12) * 64 // 255 - 23
    if length <= most:
        return database[start : start + length]
    least = (size - 12) * 32 // 255 - 23
    local = least + (length - least) % (size - 4)
    local = local if local <= most else least
    parts, left = [database[start : start + local]], length - local
    (number,) = struct.unpack_from(">I", database, start + local)
    while left > 0:
        page = (number - 1) * size
        if number == 0 or page + size > len(database):
            raise ValueError("an overflow page is missing")
        parts.append(database[page + 4 : page + 4 + min(left, size - 4)])
        left -= size - 4
        (number,) = struct.unpack_from(">I", database, page)
    return b"".join(parts)


def _read_record(payload: bytes) -> Iterator[StoredValue]:
    """Yield the values of a record. Raises ValueError where it is none."""
    end, at = _read_varint(payload, 0)
    types: list[int] = []
    while at < end:
        kind, at = _read_varint(payload, at)
        types.append(kind)
    if at != end or len(types) > _MAX_COLUMNS:
        raise ValueError("no record")
    for kind in types:
        if kind < 7 or kind >= 12:
            length = _INTEGER_BYTES[kind] if kind < 7 else (kind - 12) // 2
            data = payload[at : at + length]
            if len(data) != length:
                raise ValueError("a record is shorter than it says")
            at += length
            yield _decode_value(kind, data)
        elif kind == 7:
            yield struct.unpack_from(">d", payload, at)[0]
            at += 8
        elif kind in (8, 9):
            yield kind - 8
        else:
            raise ValueError("no type of a value")
    if at != len(payload):
        raise ValueError("a record is longer than it says")


def _decode_value(kind: int, data: bytes) -> StoredValue:
    if kind == 0:
        return None
    if kind < 7:
        return int.from_bytes(data, "big", signed=True)
    return data.decode() if kind % 2 else data


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of SQLite's variable length, and where it ends."""
    value = 0
    for place in range(at, at + 8):
        value = value << 7 | data[place] & 0x7F
        if data[place] < 0x80:
            return value, place + 1
    value = value << 8 | data[at + 8]
    return value - (1 << 64) if value >= 1 << 63 else value, at + 9
