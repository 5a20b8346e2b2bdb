"""Names of documents can be read back, whatever a path or a symbol is called (J2a)."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scry.core import DocId, file_doc_id, make_doc_id, parse_doc_id, symbol_doc_id

_paths = st.text(min_size=1, max_size=40).filter(lambda text: not text.startswith("./"))
_bytes = st.binary(min_size=1, max_size=12).map(lambda raw: raw.decode("utf-8", "surrogateescape"))
_file_names = (_paths.filter(lambda text: text.isprintable()) | _bytes).filter(lambda text: not text.startswith("./"))
_names = st.text(alphabet=st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=40)


@pytest.mark.acceptance("J2a")
@given(_file_names, _names, st.integers(0, 20))
@example("a b/c#d.py", "Outer.in::ner~2", 1)
@example("x%41.py", "f~3", 0)
@example("a\nb/ü::.go", "#L1-L2", 0)
def test_symbol_doc_ids_round_trip(path: str, name: str, ordinal: int) -> None:
    assert parse_doc_id(symbol_doc_id(path, name, ordinal)) == DocId(path, name, ordinal)


@pytest.mark.acceptance("J2a")
@given(_file_names, st.integers(1, 10**6), st.integers(1, 10**6))
def test_line_and_file_doc_ids_round_trip(path: str, first: int, last: int) -> None:
    assert parse_doc_id(make_doc_id(path, "", "text", "", 0, (first - 1, last - 1))) == DocId(path, lines=(first, last))
    assert parse_doc_id(file_doc_id(path)) == DocId(path)


@given(_file_names, _names)
def test_a_doc_id_is_one_printable_line(path: str, name: str) -> None:
    assert not set(symbol_doc_id(path, name, 0)) & {"\n", "\r", "\t", "\x00", "\x1b"}


def test_empty_doc_id_is_refused() -> None:
    with pytest.raises(ValueError, match="begins with a path"):
        parse_doc_id("")
