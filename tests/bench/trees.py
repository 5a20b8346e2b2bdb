"""Large trees of real code for benchmarks, from what is installed: `python -m tests.bench.trees TARGET DEFINITIONS`.

Sources are Python's own library, the packages of this environment and the editor clients' packages;
`SCRY_BENCH_SOURCES` (folders between colons) names others. When they do not hold enough, they are copied again with the
names that they define changed, so that no copy has the content of another and no cache hides what it costs.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

ENDINGS = frozenset(".py .js .ts .tsx .jsx .c .h .cc .cpp .go .rs .java .rb .php .lua .md".split())
LARGEST = 300_000
"""Longer files are mostly made by programs."""

_DEFINED = re.compile(
    r"^[ \t]*(?:export |pub |async |static )*(?:def|class|function|func|fn|interface|struct) +(\w{4,})", re.M
)
_WORD = re.compile(r"\w+")


def sources() -> list[Path]:
    """Return the folders that hold installed code, those that are there."""
    named = os.environ.get("SCRY_BENCH_SOURCES")
    if named:
        return [Path(folder) for folder in named.split(os.pathsep)]
    paths = sysconfig.get_paths()
    clients = Path(__file__).parents[2] / "editor"
    folders = [Path(paths["purelib"]), Path(paths["stdlib"]), *sorted(clients.glob("*/node_modules"))]
    return [folder for folder in folders if folder.is_dir()]


def build(target: Path, definitions: int) -> tuple[int, int]:
    """Fill `target` with code that holds so many definitions, as far as a pattern tells; returns files and bytes."""
    files = size = found = 0
    for copy in range(1000):
        before = found
        for path, text in _texts(sources()):
            if found >= definitions:
                return files, size
            found += len(_DEFINED.findall(text))
            changed = _renamed(text, copy) if copy else text
            place = target / f"part{copy}" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            size += place.write_text(changed, encoding="utf-8")
            files += 1
        if found == before:
            raise SystemExit("no sources to copy: name some in SCRY_BENCH_SOURCES")
    return files, size


def _texts(folders: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    for number, folder in enumerate(folders):
        for path in sorted(folder.rglob("*")):
            if path.suffix in ENDINGS and path.is_file() and not path.is_symlink() and path.stat().st_size <= LARGEST:
                try:
                    yield Path(f"source{number}") / path.relative_to(folder), path.read_text(encoding="utf-8")
                except UnicodeDecodeError:
                    continue


def _renamed(text: str, copy: int) -> str:
    defined = frozenset(_DEFINED.findall(text))
    return _WORD.sub(lambda word: f"{word[0]}V{copy}" if word[0] in defined else word[0], text)


if __name__ == "__main__":
    print("{} files, {:,} bytes".format(*build(Path(sys.argv[1]), int(sys.argv[2]))))
