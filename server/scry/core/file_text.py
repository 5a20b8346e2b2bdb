"""Replaces a text file as a whole: whoever reads it meanwhile sees the old or the new text, never half of it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace_file_text(path: Path, text: str) -> None:
    """Writes the text; a file that is there keeps its mode, a new one is for this person alone. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        if path.exists():
            Path(temporary).chmod(path.stat().st_mode & 0o777)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
