"""Mine each package of the manifest into its own file of records; a mined package is not mined again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from training.archives import SourceFile, read_sources
from training.languages import GRAMMARS
from training.leaks import refused
from training.manifest import Package
from training.mine import mine_file, mine_markdown
from training.records import Record, write_records

_SUFFIXES = frozenset(suffix for grammar in GRAMMARS for suffix in grammar.suffixes) | {".md"}
_MOST_RECORDS = 6000
"""Records of one package: more of the same style teaches little and would outweigh the small packages."""


def mine_corpus(packages: Sequence[Package], archives: Path, folder: Path) -> None:
    """Write records/<package>.jsonl for every package that has none yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for package in packages:
        target = records_file(folder, package)
        if not target.exists():
            write_records(target, mine_package(package, archives / package.file))
            print(f"mined {package.key}", flush=True)


def records_file(folder: Path, package: Package) -> Path:
    """Return the path of a package's records; another archive or part of it has another name."""
    return folder / f"{package.key}-{package.sha256[:8]}.jsonl"


def mine_package(package: Package, archive: Path) -> list[Record]:
    """Return a package's records in path order: all, or those of a fixed pseudo-random choice of files."""
    records: list[Record] = []
    for source in _shuffled(read_sources(archive, _SUFFIXES)):
        if package.includes(source.path) and not refused(package.name, source.path, source.text):
            records += _mine(package.key, source)
        if len(records) >= _MOST_RECORDS:
            break
    return sorted(records, key=lambda record: record.path)


def _mine(package: str, source: SourceFile) -> Iterator[Record]:
    return mine_markdown(package, source) if source.path.endswith(".md") else mine_file(package, source)


def _shuffled(sources: Iterator[SourceFile]) -> list[SourceFile]:
    return sorted(sources, key=lambda source: hashlib.sha1(source.path.encode()).digest())
