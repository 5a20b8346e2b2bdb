"""Read all that an index and a history hold, in terms that two of one tree share, and check files of SQLite."""

from __future__ import annotations

import sqlite3
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from scry.core.platform import cache_home, data_home
from scry.embedding import load_bundled_model
from scry.store.graph_store import unpack_definitions
from scry.store.history.database import HISTORY_FILE
from scry.store.index import IndexStore
from scry.store.index.database import INDEX_FILE
from scry.store.sqlite import roll_back
from tests.live_files import walk_live

Tables = Mapping[str, frozenset[Any]]
"""The rows of each table, without keys that depend on how an index came to be."""

_LABEL = "f.path || '::' || d.container || '.' || d.name || ' ' || d.kind || ' ' || d.ordinal"
_WITH_LABELS = (
    f"WITH labels(number, label) AS (SELECT d.number, {_LABEL} FROM documents d JOIN files f ON f.id = d.file)"
)

_INDEX = {
    "files": "SELECT path, hash, language, content_type, skip_reason, skip_detail, fault, importers, centrality, "
    "flags, links, last - first FROM files",
    "documents": f"SELECT {_LABEL}, d.place, d.number BETWEEN f.first AND f.last FROM documents d "
    "LEFT JOIN files f ON f.id = d.file",
    "names": f"{_WITH_LABELS} SELECT n.key, l.label FROM names n LEFT JOIN labels l ON l.number = n.number",
    "edges": f"{_WITH_LABELS} "
    "SELECT ifnull(s.label, 'gone'), e.kind, ifnull(t.label, 'gone'), e.confidence, e.line FROM edges e "
    "LEFT JOIN labels s ON s.number = e.source LEFT JOIN labels t ON t.number = e.target",
    "imports": "SELECT s.path, t.path FROM imports i LEFT JOIN graph_files s ON s.id = i.source "
    "LEFT JOIN graph_files t ON t.id = i.target",
    "graph_files": "SELECT g.path, g.pending, g.used, g.defined, g.looked_up, g.file = f.id, g.first = f.first, "
    "g.last = f.last FROM graph_files g LEFT JOIN files f ON f.path = g.path",
}

_HISTORY = {
    "commits": "SELECT sha, time, author, subject, body, merge, files, lines, place FROM commits",
    "changes": "SELECT c.sha, p.path, n.path, s.path, x.hunks FROM changes x "
    "LEFT JOIN commits c ON c.number = x.number LEFT JOIN paths p ON p.id = x.path LEFT JOIN paths n ON n.id = x.now "
    "LEFT JOIN paths s ON s.id = x.source",
    "ties of paths": "SELECT path, ties FROM paths WHERE ties > 0",
    "touched": "SELECT s.doc_id, s.ties, c.sha FROM touched t LEFT JOIN symbols s ON s.id = t.symbol "
    "LEFT JOIN commits c ON c.number = t.number",
}


def read_tables(cache: Path) -> Tables:
    """Return the rows of the index and the history in a cache folder, with texts and scores."""
    tables = {**_read(cache / INDEX_FILE, _INDEX), **_read(cache / HISTORY_FILE, _HISTORY)}
    tables["graph_files"] = frozenset(_plain_graph_file(row) for row in tables["graph_files"])
    store = IndexStore.open(cache, write=False)
    try:
        paths = [path for path, file in store.files.all_files().items() if file.skip is None]
        tables["texts"] = frozenset((path, store.files.get_text(path)) for path in paths)
        tables.update(_read_scores(store))
    finally:
        store.close()
    return tables


def _read(path: Path, statements: Mapping[str, str]) -> dict[str, frozenset[Any]]:
    if not path.exists():
        return {name: frozenset[Any]() for name in statements}
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=30)) as database:
        database.execute("BEGIN")
        return {name: frozenset(database.execute(statement)) for name, statement in statements.items()}


def _plain_graph_file(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row of `graph_files` without the keys in its definitions."""
    path, pending, used, defined, *rest = row
    definitions = sorted((int(name), int(identity)) for _, name, identity in unpack_definitions(defined).tolist())
    return path, pending, used, tuple(definitions), *rest


def _read_scores(store: IndexStore) -> Iterator[tuple[str, frozenset[Any]]]:
    """Return what a question finds by words and by meaning, with all scores."""
    store.refresh()
    model = load_bundled_model()
    yield "words", _score(store, store.lexical.search(["return", "value", "self"], 100_000))
    yield "vectors", _score(store, store.vectors.nearest(model.identity, model.encode_query("return a value"), 100_000))


def _score(store: IndexStore, found: list[tuple[int, float]]) -> frozenset[Any]:
    headers = store.documents.headers([number for number, _ in found])
    return frozenset((headers[number].doc_id, round(score, 4)) for number, score in found if number in headers)


def describe_difference(lived: Tables, fresh: Tables) -> str:
    """Return which tables differ, and in which rows; "" where none does."""
    lines: list[str] = []
    for name in fresh:
        extra, missing = lived[name] - fresh[name], fresh[name] - lived[name]
        if extra or missing:
            lines.append(f"{name}: {len(extra)} too many, {len(missing)} missing of {len(fresh[name])}")
            lines += [f"  + {str(row)[:300]}" for row in sorted(extra, key=str)[:4]]
            lines += [f"  - {str(row)[:300]}" for row in sorted(missing, key=str)[:4]]
    return "\n".join(lines)


def damaged_databases() -> list[str]:
    """Return what `integrity_check` says of every file of SQLite in cache and data that is not whole."""
    found: list[str] = []
    for path in _all_databases():
        try:
            roll_back(path)
            with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=30)) as database:
                said = [row[0] for row in database.execute("PRAGMA integrity_check")]
        except sqlite3.Error as error:
            if not path.exists():  # a cache that was just made anew
                continue
            said = [str(error)]
        if said != ["ok"]:
            found.append(f"{path.name}: {'; '.join(map(str, said[:3]))}")
    return found


def _all_databases() -> list[Path]:
    files = [each for home in (cache_home(), data_home()) for each in walk_live(home)]
    return sorted(path for path, status in files if path.suffix == ".sqlite" and stat.S_ISREG(status.st_mode))


def wait_until_equal(read_lived: Callable[[], Tables], fresh: Tables, patience_s: float = 60) -> str:
    """Return how a lived index differs from a fresh one once it rests; "" where it does not."""
    end = time.monotonic() + patience_s
    while (difference := describe_difference(read_lived(), fresh)) and time.monotonic() < end:
        time.sleep(0.5)
    return difference
