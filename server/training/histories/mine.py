"""Mine a repository into files of records: its newest files, its commits, and its tests and mentions of functions."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

from scry.index.git.stream import GitFailed
from training.archives import SourceFile, mined_path
from training.histories.changes import ChangeMiner, changed_files, is_source, useful_commits
from training.histories.clones import Clone, TreeFile, clone_from, find_clone
from training.histories.judged import judged_code, without_judged
from training.histories.mentions import mine_mentions, mine_tests, unique_definitions
from training.histories.questions import write_questions
from training.histories.repositories import Repository
from training.languages import grammar_for
from training.leaks import refused
from training.mine import mine_file, mine_markdown
from training.records import Record, write_records

MOST_COMMITS = 800
_MOST_RECORDS = 6000
_MOST_FILES = 2500
_MOST_TEXTS = 400
_TEST = re.compile(r"(?:^|[/_.])(?:tests?|specs?)(?:[/_.]|$)|Tests?\.\w+$|Spec\.\w+$", re.IGNORECASE)


def mine_head(clone: Clone, commit: str, package: str, name: str, refusals: Counter[str]) -> list[Record]:
    """Return the records of the files of one commit in path order, of a fixed pseudo-random choice of files."""
    files = [file for file in clone.files(commit) if is_source(file.path) or file.path.endswith(".md")]
    files.sort(key=lambda file: hashlib.sha1(file.path.encode()).digest())
    records: list[Record] = []
    for source in _sources(clone, files[:_MOST_FILES]):
        if refused(name, source.path, source.text):
            refusals["files of judged projects"] += 1
        else:
            records += mine_markdown(package, source) if source.path.endswith(".md") else mine_file(package, source)
        if len(records) >= _MOST_RECORDS:
            break
    return sorted(records, key=lambda record: record.path)


def _sources(clone: Clone, files: list[TreeFile]) -> Iterator[SourceFile]:
    for file, text in zip(files, clone.read([file.blob for file in files]), strict=True):
        path = mined_path(file.path, text) if text else ""
        if text and path:
            yield SourceFile(path, text)


def mine_commits(clone: Clone, commit: str, package: str, name: str, refusals: Counter[str]) -> Iterator[Record]:
    """Yield the records of a repository's commits, newest first."""
    miner = ChangeMiner(package)
    for message, files in changed_files(clone, useful_commits(clone, commit, MOST_COMMITS)):
        if any(refused(name, file.new_path, file.after or file.before or "") for file in files):
            refusals["commits to files of judged projects"] += 1
        else:
            yield from miner.mine(message, files)


def mine_mentioned(clone: Clone, commit: str, package: str, name: str, refusals: Counter[str]) -> Iterator[Record]:
    """Yield the pairs of tests and functions, and of documents and the symbols that they name."""
    files = clone.files(commit)
    sources = [file for file in files if is_source(file.path) and not file.path.endswith(".md")]
    definitions = unique_definitions(
        record
        for source in _sources(clone, sources[:_MOST_FILES])
        if not refused(name, source.path, source.text)
        for record in mine_file(package, source)
    )
    for wanted, mine in ((is_test, mine_tests), (is_document, mine_mentions)):
        chosen = [file for file in files if wanted(file.path)]
        chosen.sort(key=lambda file: hashlib.sha1(file.path.encode()).digest())
        texts = [text for text in clone.read([file.blob for file in chosen[:_MOST_TEXTS]]) if text]
        yield from mine(texts, definitions)


def is_test(path: str) -> bool:
    """Tell whether a path is of a source file of tests."""
    return _TEST.search(path) is not None and grammar_for(path) is not None


def is_document(path: str) -> bool:
    """Tell whether a path is of a document in Markdown or reStructuredText."""
    return path.lower().endswith((".md", ".rst"))


def mine_repository(repository: Repository, clone: Clone, folder: Path, judged: AbstractSet[bytes]) -> Counter[str]:
    """Write a repository's files where they are missing: repos/, and commits/ and mentions/, or questions/ where it is
    held out; repos/ alone where its commits are not mined. Return what was refused. judged: see `judged_code`.
    """
    refusals: Counter[str] = Counter()
    kinds = (("repos", mine_head), ("commits", mine_commits), ("mentions", mine_mentioned))
    for kind, mine in kinds[:1] if repository.held_out or repository.files_only else kinds:
        target = folder / kind / repository.file_name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            mined = mine(clone, repository.commit, repository.package, repository.name, refusals)
            write_records(target, without_judged(mined, judged, refusals))
    questions = folder / "questions" / repository.file_name
    if repository.held_out and not questions.exists():
        questions.parent.mkdir(parents=True, exist_ok=True)
        write_questions(clone, repository.commit, repository.name, questions)
    return refusals


def mine_repositories(repositories: Sequence[Repository], mirror: Path, folder: Path) -> Counter[str]:
    """Mine each repository from its clone in `mirror`, cloning it first where it is missing; return what was refused.

    Raises RuntimeError, at the end, naming those that can't be cloned or lack their pinned commit.
    """
    refusals: Counter[str] = Counter()
    missing: list[str] = []
    judged: frozenset[bytes] | None = None
    for repository in repositories:
        try:
            clone = find_clone(mirror, repository.name) or clone_from(repository.url, mirror, repository.name)
            clone.resolve(repository.commit)
        except GitFailed:
            missing.append(repository.name)
            continue
        judged = judged_code(mirror) if judged is None else judged
        refused_here = mine_repository(repository, clone, folder, judged)
        refusals += refused_here
        print(f"mined {repository.name}", dict(refused_here), flush=True)
    if missing:
        raise RuntimeError(f"no clone, or none with the pinned commit: {', '.join(missing)}")
    return refusals
