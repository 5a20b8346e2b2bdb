"""Run one prefetch plan: `python -m scry.indexer.prefetch_worker`, with the plan on standard input.

The process writes nothing but the shared cache. It ends when it is done, or when the indexer that started it is gone.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np

from scry.core.decoding import decode_msgpack
from scry.core.settings import Settings
from scry.embedding.embedder import Embedder
from scry.embedding.static_model import load_bundled_model
from scry.index.project_parser import CachedFile, ProjectParser
from scry.indexer.embed import make_passages, vector_cache_key
from scry.indexer.prefetch import PrefetchPlan
from scry.projects.project import open_project


def main() -> int:
    """Run the plan on standard input; return the exit status."""
    return run_plan(sys.stdin.buffer.read(), os.getppid())


def run_plan(packed: bytes, parent_pid: int) -> int:
    """Run an encoded plan while the indexer of process id `parent_pid` lives; return the exit status."""
    plan = decode_msgpack(packed, PrefetchPlan)
    settings = Settings(max_file_bytes=plan.max_file_bytes, max_parse_seconds=plan.max_parse_seconds)
    with ProjectParser(open_project(Path(plan.root), force=True), settings, plan.name) as contents:
        for portion in plan.portions:
            if os.getppid() != parent_pid:
                return 1
            files = contents.fill_cache([os.fsdecode(path) for path in portion])
            if plan.embed:
                with suppress(Exception):  # the indexer meets the same, and records it
                    _cache_vectors(files, contents, load_bundled_model())
    return 0


def _cache_vectors(files: list[CachedFile], contents: ProjectParser, embedder: Embedder) -> None:
    """Cache the vectors of these files that are not cached yet."""
    keys = {file.path: vector_cache_key(file.path, file.hash, embedder.identity) for file in files}
    cached = contents.blobs.get(list(keys.values()))
    missing = [file for file in files if keys[file.path] not in cached]
    passages = [make_passages(file.path, file.parsed.symbols) for file in missing]
    rows = embedder.encode_passages([passage for each in passages for passage in each]).astype(np.float16)
    ends = np.cumsum([0, *map(len, passages)])
    vectors = {
        keys[file.path]: rows[start:end].tobytes()
        for file, start, end in zip(missing, ends, ends[1:], strict=False)
        if end > start
    }
    contents.blobs.put(vectors, is_incompressible=True)


if __name__ == "__main__":
    sys.exit(main())
