"""The real files that the suite mutates and types: those of this project, or of a folder of repositories."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from scry.core import Settings

CORPUS = Path(__file__).parent / "corpus"
SAMPLES = Path(__file__).parent.parent / "golden" / "files"


def sample_files() -> list[Path]:
    """Return a real-looking file of each language and format, and all files that once broke something."""
    golden = [path for path in SAMPLES.rglob("*.*") if path.suffix != ".golden"]
    return sorted(golden) + corpus_files()


def corpus_files() -> list[Path]:
    """Return the files that once broke something."""
    return sorted(path for path in CORPUS.iterdir() if path.name != "README.md")


def repository_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of every file of the repositories in a folder: work trees, and bare ones at their HEAD.

    A bare repository may also lie one folder down, as `<name>/repo`.
    """
    for each in sorted(folder.iterdir()):
        git = next((place for place in (each, each / "repo") if (place / "HEAD").is_file()), None)
        if git is not None:
            yield from _files_of_bare(each.name, git)
        elif each.is_dir():
            yield from _files_of_tree(each)


def _files_of_tree(root: Path) -> Iterator[tuple[str, bytes]]:
    for base, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(names):
            path = Path(base) / name
            if path.is_file() and not path.is_symlink() and path.stat().st_size <= Settings().max_file_bytes:
                yield f"{root.name}/{path.relative_to(root)}", path.read_bytes()


def _files_of_bare(name: str, git: Path) -> Iterator[tuple[str, bytes]]:
    listed = subprocess.run(
        ["git", "ls-tree", "-r", "-l", "-z", "HEAD"], cwd=git, stdout=subprocess.PIPE, check=False
    ).stdout
    with subprocess.Popen(
        ["git", "cat-file", "--batch"], cwd=git, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None
        for line in listed.split(b"\0"):
            facts, _, path = line.partition(b"\t")
            fields = facts.split()
            if len(fields) != 4 or fields[1] != b"blob" or not fields[3].isdigit():
                continue
            if int(fields[3]) > Settings().max_file_bytes:
                continue
            reader.stdin.write(fields[2] + b"\n")
            reader.stdin.flush()
            head = reader.stdout.readline().split()
            if len(head) == 3 and head[1] == b"blob":
                yield f"{name}/{os.fsdecode(path)}", reader.stdout.read(int(head[2]) + 1)[:-1]
        reader.stdin.close()
