"""Refuse copies of judged projects by their code: a record whose code occurs in a clone of one is dropped.

The names of files and declarations (training.leaks) miss a function that was copied under another name. Only judged
projects of which the folder of clones has one are compared.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path

from scry.index.git.stream import GitFailed
from training.archives import SourceFile
from training.histories.changes import is_source, passage_text, read_symbols
from training.histories.clones import find_clone
from training.histories.repositories import is_judged, names_in
from training.mine import mine_file
from training.records import Record

_SHORTEST = 160
"""Characters, white space aside, below which equal code says nothing of where it comes from."""


def judged_code(mirror: Path) -> frozenset[bytes]:
    """Return the hashes of the definitions in the newest commits of the judged projects in a folder of clones."""
    found: set[bytes] = set()
    for name in names_in(mirror):
        clone = find_clone(mirror, name) if is_judged(name) else None
        if clone is None:
            continue
        try:
            files = [file for file in clone.files(clone.resolve("HEAD")) if is_source(file.path)]
            for file, text in zip(files, clone.read([file.blob for file in files]), strict=True):
                if text:
                    codes = [passage_text(symbol) for symbol in read_symbols(file.path, text)]
                    codes += [record.code for record in mine_file(name, SourceFile(file.path, text))]
                    found.update(digest for code in codes if (digest := _digest(code)))
        except GitFailed:
            continue
    return frozenset(found)


def without_judged(records: Iterable[Record], judged: AbstractSet[bytes], refusals: Counter[str]) -> Iterator[Record]:
    """Yield the records whose code is in no judged project, and count the others."""
    for record in records:
        if _digest(record.code) in judged:
            refusals["records with the code of judged projects"] += 1
        else:
            yield record


def _digest(code: str) -> bytes:
    """Return a hash of a code's characters, white space aside; empty for a short one."""
    text = "".join(code.split())
    return (
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10).digest()
        if len(text) >= _SHORTEST
        else b""
    )
