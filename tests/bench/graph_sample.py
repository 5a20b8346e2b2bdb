"""Random edges of a repository's code graph, to be checked by hand: `python -m tests.bench.graph_sample PATH --seed 1`.

Proportional over the classes of confidence, the same for the same tree and seed. Each comes with the line that says so;
whether that line means that target is for a person to judge. docs/graph.md holds what was judged so far.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from tempfile import TemporaryDirectory

from scry.core import Settings
from scry.index.graph import update_graph
from scry.indexer import refresh_index
from scry.projects import Project, open_project
from scry.store import Confidence, Edge, EdgeKind
from scry.store.index import IndexStore


def main() -> None:
    """Index the tree in its own folder, and print the sample."""
    parser = argparse.ArgumentParser(description="Random edges of a code graph, to be checked by hand.")
    parser.add_argument("path", type=Path, help="the repository")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=50)
    options = parser.parse_args()
    opened = open_project(options.path, force=True)
    with TemporaryDirectory() as folder:
        project = Project(opened.root, opened.name, opened.key, Path(folder) / "cache", Path(folder) / "data")
        store = IndexStore.open(project.cache, write=True)
        refresh_index(project, Settings(), store, only_paths=None, report=lambda _: None, checkpoint=lambda: None)
        update_graph(store, lambda: None)
        _print(store, options.seed, options.count)
        store.close()


def _print(store: IndexStore, seed: int, count: int) -> None:
    edges = _edges(store)
    for confidence in Confidence:
        of_class = [edge for edge in edges if edge[2].confidence == confidence]
        wanted = round(count * len(of_class) / len(edges))
        print(f"\n{confidence.label}: {len(of_class)} of {len(edges)} edges, {wanted} here")
        for source, target, edge in random.Random(seed).sample(of_class, wanted):
            print(f"- {source} {edge.kind.name.lower()} {target}\n    {edge.line + 1}: {_line(store, edge)}")


def _edges(store: IndexStore) -> list[tuple[str, str, Edge]]:
    ids = {
        number: doc_id
        for path in store.files.all_files()
        for number, doc_id in store.documents.doc_keys_in_file(path)[1]
    }
    found: set[tuple[str, str, Edge]] = set()
    for number in ids:
        for kind in EdgeKind:
            items = store.graph.neighbors([number], kind, 10_000).items
            found.update((ids[item.edge.source_key], ids[item.edge.target_key], item.edge) for item in items)
    return sorted(found, key=lambda each: (each[0], each[1], each[2].kind))


def _line(store: IndexStore, edge: Edge) -> str:
    document = store.documents.get_documents([edge.source_key])[edge.source_key]
    return (store.files.get_text(document.path) or "").splitlines()[edge.line].strip()


if __name__ == "__main__":
    main()
