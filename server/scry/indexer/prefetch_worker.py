"""Run one prefetch plan: `python -m scry.indexer.prefetch_worker`, with the plan on standard input.

A process that reads ahead: `python -m scry.indexer.prefetch_worker`, with its plan on standard input
(`scry.indexer.prefetch`).

It writes nothing but the shared cache, and ends when it is done or when the indexer that started it is gone.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec
import numpy as np

from scry.core.settings import Settings
from scry.embedding.embedder import Embedder
from scry.embedding.static_model import load_bundled_model
from scry.index.project_parser import CachedFile, ProjectParser
from scry.indexer.embed import make_passages, vector_cache_key
from scry.indexer.prefetch import PrefetchPlan
from scry.projects.project import open_project


def main() -> int:
    """Does what the plan says; returns the exit status."""
    return run_plan(sys.stdin.buffer.read(), os.getppid())


def run_plan(packed: bytes, parent_pid: int) -> int:
    """Does what a plan says, as long as the indexer lives, whose process id is `parent`."""
    plan = msgspec.msgpack.decode(packed, type=PrefetchPlan)
    settings = Settings(max_file_bytes=plan.max_file_bytes)
    with ProjectParser(open_project(Path(plan.root), force=True), settings, plan.name) as contents:
        for portion in plan.portions:
            if os.getppid() != parent_pid:
                return 1
            warmed = contents.fill_cache([os.fsdecode(path) for path in portion])
            if plan.embed:
                _cache_vectors(warmed, contents, load_bundled_model())
    return 0


def _cache_vectors(files: list[CachedFile], contents: ProjectParser, embedder: Embedder) -> None:
    """Keeps the vectors of these files, where they are not kept yet."""
    keys = {file.path: vector_cache_key(file.path, file.hash, embedder.identity) for file in files}
    known = contents.blobs.get(list(keys.values()))
    wanted = [file for file in files if keys[file.path] not in known]
    passages = [make_passages(file.path, file.parsed.symbols) for file in wanted]
    rows = embedder.encode_passages([passage for each in passages for passage in each]).astype(np.float16)
    ends = np.cumsum([0, *map(len, passages)])
    made = {
        keys[file.path]: rows[start:end].tobytes()
        for file, start, end in zip(wanted, ends, ends[1:], strict=False)
        if end > start
    }
    contents.blobs.put(made, is_incompressible=True)


if __name__ == "__main__":
    sys.exit(main())
