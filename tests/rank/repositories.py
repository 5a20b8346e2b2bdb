"""Annotated repositories on this machine, judged in process: what `sweep` and `figures` have in common.

A manifest is a JSON list of {"name", "language", "benchmark_root"}; the work tree lies in a folder of that name, its
questions in NAME.jsonl. benchmark_root is the folder in it that the questions are about; null for all of it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scry.lab import EvaluatedIndex, EvaluationCase, read_cases
from scry.surfaces.cli.usage import open_subject


@dataclass(frozen=True, slots=True)
class Repository:
    """root: the folder that is opened. cases: its questions."""

    name: str
    language: str
    root: Path
    cases: tuple[EvaluationCase, ...]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Return the options that say which repositories there are."""
    parser.add_argument("--repos", type=Path, required=True, help="the folder with the work trees")
    parser.add_argument("--queries", type=Path, required=True, help="the folder with NAME.jsonl")
    parser.add_argument("--manifest", type=Path, required=True, help="the list of repositories")
    parser.add_argument("--whole", action="store_true", help="open whole work trees, not the annotated part")
    parser.add_argument("--only", nargs="*", help="names of repositories")


def read_repositories(options: argparse.Namespace) -> Iterator[Repository]:
    """Return the repositories of the manifest that have questions."""
    for entry in json.loads(options.manifest.read_text()):
        queries = options.queries / f"{entry['name']}.jsonl"
        if not queries.exists() or (options.only and entry["name"] not in options.only):
            continue
        part = "" if options.whole else entry["benchmark_root"] or ""
        root = options.repos / entry["name"] / part
        yield Repository(entry["name"], entry["language"], root, tuple(read_cases(queries)))


@contextmanager
def judged(repository: Repository) -> Generator[EvaluatedIndex]:
    """Return the repository's index, brought up to date first, with its history."""
    with open_subject(repository.root, force=False, wait=True) as (_, subject):
        yield subject
