"""The first steps of the language server: what they may import, and what they read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_SLOW = ("asyncio", "lsprotocol", "numpy", "pygls", "tantivy", "tree_sitter")


def test_indexers_are_started_before_anything_slow_is_imported() -> None:
    """By what `start_indexers` itself imports, too."""
    lines = (
        "import sys",
        "import scry.surfaces.lsp.startup",
        "import scry.core.settings, scry.indexer.client.launch, scry.projects.project",
        f"print([name for name in {_SLOW!r} if name in sys.modules])",
    )
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_ended_or_non_pipe_input_is_empty(tmp_path: Path) -> None:
    code = "from scry.surfaces.lsp.startup import serve_stdio; raise SystemExit(serve_stdio())"
    empty = tmp_path / "empty"
    empty.touch()
    with empty.open() as source:
        done = subprocess.run([sys.executable, "-c", code], stdin=source, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
