"""Small repositories in a team's index, and what the index holds of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from scry.core import SearchQuery
from scry.embedding import Vectors, content_words, load_bundled_model
from scry.engine.federation import TeamRetrieval, rank_across_projects, retrieve_from_team
from scry.engine.search import BASE_ORACLE_WEIGHTS, parse_query, rank_candidates
from scry.store.team import Postings, TeamDatabase, TeamReader, TeamRepository
from scry.store.vector_sets import EmbedderInfo
from scry.team import LoadReport, load_repository
from tests.sample.history import HistoryProject

SHOP: Mapping[str, str] = {
    "shop/__init__.py": "",
    "shop/cart.py": '''"""The cart of a customer."""\n\n\ndef add_item(cart, item):
    """Put an item into the cart."""\n    cart.append(item)\n\n\ndef total_price(cart):
    """Sum up the prices."""\n    return sum(item.price for item in cart)\n''',
    "shop/stock.py": '''def reserve_stock(item, count):
    """Reserve so many pieces in the warehouse."""\n    return item, count\n''',
    "README.md": "# Shop\n\nSells items.\n\n## Prices\n\nPrices are in cents.\n",
}


_KILLER = """#!{python}
import os, signal
def stat_of(pid):
    with open(f"/proc/{{pid}}/stat") as file:
        before, _, after = file.read().rpartition(")")
    return before.partition("(")[2], int(after.split()[1])
pid = os.getppid()
while stat_of(pid)[0] in ("git", "sh", "dash", "bash"):
    pid = stat_of(pid)[1]
os.kill(pid, signal.SIGKILL)
"""


def kill_whoever_fetches(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address of a repository that kills each process that fetches it: by what git runs for ssh."""
    killer = folder / "killer"
    killer.write_text(_KILLER.format(python=sys.executable), encoding="utf-8")
    killer.chmod(0o755)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.sshCommand")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(killer))
    return "ssh://git@example.invalid/poison.git"


def encode(_: EmbedderInfo, text: str) -> Vectors:
    return load_bundled_model().encode_query(content_words(text))


def question_of(text: str) -> SearchQuery:
    return parse_query(text, BASE_ORACLE_WEIGHTS, limit=10)


def load(address: str, project: HistoryProject, readers: Sequence[str] = ("public",)) -> LoadReport:
    """Load a repository under the name of its folder."""
    repository = TeamRepository(project.root.name, f"https://example.invalid/{project.root.name}", "", tuple(readers))
    with TeamDatabase.open_for_writing(address) as database:
        return load_repository(database, repository, project.root)


def find(address: str, text: str) -> list[tuple[str, float]]:
    """Return repository and doc_id of what a reader finds, and the fused scores, best first."""
    with TeamDatabase.open_for_reading(address) as database, database.snapshot():
        found = retrieve_from_team(question_of(text), TeamReader(database), encode)
        matches = rank_across_projects([each.retrieval for each in found]) if found else []
        ranked = [
            (-candidate.fused_score, f"{each.repository.name}:{candidate.document.doc_id}")
            for each, own in zip(found, matches, strict=True)
            for candidate in rank_candidates(each.retrieval.question, each.retrieval.reader, own).ranked
        ]
    return [(name, -score) for score, name in sorted(ranked)]


def bm25_of(found: Sequence[TeamRetrieval]) -> dict[str, float]:
    """Return the BM25 of each document that an oracle matched by words, by repository and doc_id."""
    scores: dict[str, float] = {}
    for each in found:
        matches = each.retrieval.oracle_matches.by_oracle["lexical"]
        headers = each.retrieval.reader.headers([match.doc_key for match in matches])
        scores |= {f"{each.repository.name}:{headers[m.doc_key].doc_id}": m.raw_score for m in matches}
    return scores


def stored_words(address: str) -> dict[tuple[str, int, bytes], list[tuple[str, int, int]]]:
    """Return for each repository, corpus and stem the documents that hold it, with frequency and length."""
    words: dict[tuple[str, int, bytes], list[tuple[str, int, int]]] = {}
    with TeamDatabase.open_for_reading(address) as database, database.snapshot():
        reader = TeamReader(database)
        rows = database.select("SELECT repository_id, corpus, term, packed FROM postings")
        for repository, corpus, term, packed in rows:
            index, postings = reader.open(repository), Postings.unpack(packed)
            keys = postings.keys.tolist()
            if corpus == 0:
                headers = index.documents.headers(keys)
            else:
                keys = [key + 2**40 for key in keys]
                headers = index.history.headers(keys)
            columns = zip(keys, postings.frequencies.tolist(), postings.lengths.tolist(), strict=True)
            words[index.info.name, corpus, term] = sorted(
                (headers[key].doc_id, frequency, length) for key, frequency, length in columns
            )
    return words
