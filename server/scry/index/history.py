"""Brings the history up to HEAD: list -> what is new and what is gone -> read -> publish -> renames, counts, documents.

The list of commits that HEAD reaches is compared with the commits that are held, so a rebase, a force-push, a deepened
clone and a branch switch are the same as a new commit: some come, some go. Where HEAD only moved forward, the list is
just of what is new.

It is bounded: the newest 20,000 commits, the changed lines of the newest 2,000 of them that are no merges. Nothing is
ever fetched: what a shallow or partial clone lacks is not known, and a commit of which git can't tell the lines or the
files is held without them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from scry.core.text import terms
from scry.index.git_command import ask_git
from scry.index.git_folder import GitFolder, find_git_folder, read_small
from scry.index.git_log import Listed, LoggedCommit, list_commits, read_commits
from scry.index.git_stream import GitFailed
from scry.index.project import head_commit
from scry.store.history import HistoryStore
from scry.store.history_rows import NewChange, NewCommit, StoredCommit
from scry.store.lexical import LexicalEntry

MOST_COMMITS = 20_000
MOST_WITH_LINES = 2_000

READER_VERSION = 1
"""Raised when the same commits would be read otherwise; the history is then made anew."""

BATCH = 500
_SUBJECT_WEIGHT = 3
_MOST_SUBJECT = 1_000
_MOST_BODY = 4_000
_DEAD_SHARE = 0.05
_MOST_SHALLOW_BYTES = 1_000_000
_MOST_HOLES = 40
"""So many commits of which objects are missing are each read without their lines; after that all are."""

_TRAILER = re.compile(r"^(?:[A-Za-z]+-by|Change-Id|Co-authored-by|Fixes|See-also|CC): .*$", re.I | re.M)

Checkpoint = Callable[[], None]


class Scene(Struct, frozen=True):
    """Where a history is read: the repository, the folder that was opened, and whether that lies below the top."""

    repository: GitFolder
    root: Path
    below: bool

    def basis(self) -> str:
        """What the outcome depends on, beside HEAD."""
        shallow = hashlib.blake2b(self._shallow_file(), digest_size=8).hexdigest()
        place = self.root.relative_to(self.repository.top)
        return f"{READER_VERSION} {MOST_COMMITS} {MOST_WITH_LINES} {shallow} {place}"

    def ends(self) -> frozenset[str]:
        """The commits at which a shallow clone ends: git takes all their files for new, which they are not."""
        return frozenset(self._shallow_file().decode("ascii", "replace").split())

    def _shallow_file(self) -> bytes:
        return read_small(self.repository.common / "shallow", _MOST_SHALLOW_BYTES) or b""


def find_scene(root: Path) -> Scene | None:
    """Where the history of a resolved folder is to be read; None without git."""
    repository = find_git_folder(root)
    return None if repository is None else Scene(repository, root, repository.top != root)


def bring_history(root: Path, store: HistoryStore, checkpoint: Checkpoint) -> bool:
    """Brings the store up to HEAD; says whether there is a history (no git, and no commit yet, is none).

    checkpoint: called between batches; may block, or raise Cancelled, and what is published by then stays.
    Raises GitFailed when git can't tell it, IndexUnavailable when the store can't be written.
    """
    scene = find_scene(root)
    head = head_commit(root)
    if scene is None or head is None:
        if store.size or store.head:
            store.reset()
        return False
    if (store.head, store.basis) != (head, scene.basis()):
        try:
            _Pass(scene, store, head, checkpoint).run()
        except GitFailed as error:
            store.fail(head=head, note=f"The history of {head[:7]} can't be read: {error}")
            raise
    return True


class _Pass:
    """One comparison of the commits that HEAD reaches with those that are held, and all that follows from it."""

    def __init__(self, scene: Scene, store: HistoryStore, head: str, checkpoint: Checkpoint) -> None:
        self._scene = scene
        self._store = store
        self._head = head
        self._checkpoint = checkpoint
        self._ends = scene.ends()
        self._holes = 0

    def run(self) -> None:
        """See `bring_history`."""
        basis = self._scene.basis()
        if self._store.basis != basis:
            self._store.reset()
        held = self._store.stored_commits()
        added, gone = self._compare(held)
        self._store.remove(gone)
        kept = {sha: commit for sha, commit in held.items() if sha not in set(gone)}
        newest = newest_with_lines(added, kept)
        self._store.drop_lines([c.number for sha, c in kept.items() if c.has_lines and sha not in newest])
        late = [sha for sha, c in kept.items() if sha in newest and not c.has_lines]
        self._read([*late, *(commit.sha for commit in reversed(added))], newest)
        if added or gone or late:
            self._store.follow_renames()
        self._store.finish(head=self._head, basis=basis, note=self._note(len(kept) + len(added)))
        if self._store.dead_words > _DEAD_SHARE * self._store.size:
            self._store.rewrite_words(_word_entries(self._store))

    def _compare(self, held: Mapping[str, StoredCommit]) -> tuple[list[Listed], list[str]]:
        """The commits to be added, newest first, and the names of those to be removed."""
        old = self._store.head
        below = self._scene.below
        if old is not None and held and self._moved_forward(old):
            listed = list_commits(self._scene.root, [self._head, "^" + old], MOST_COMMITS, below=below)
            added = [commit for commit in listed if commit.sha not in held]
            if len(held) + len(added) <= MOST_COMMITS:
                return added, []
        listed = list_commits(self._scene.root, [self._head], MOST_COMMITS, below=below)
        reached = {commit.sha for commit in listed}
        return [commit for commit in listed if commit.sha not in held], [sha for sha in held if sha not in reached]

    def _moved_forward(self, old: str) -> bool:
        return ask_git(self._scene.root, ["merge-base", "--is-ancestor", old, self._head]) is not None

    def _note(self, commits: int) -> str:
        if commits >= MOST_COMMITS:
            return f"of the newest {MOST_COMMITS:,} commits"
        return ""

    # Reading ------------------------------------------------------------------------------------------------------

    def _read(self, shas: Sequence[str], with_lines: frozenset[str]) -> None:
        """Reads commits, the oldest first, and publishes them batch by batch."""
        for start in range(0, len(shas), BATCH):
            self._checkpoint()
            batch = shas[start : start + BATCH]
            found: dict[str, NewCommit] = {}
            for commit in self._with_lines([sha for sha in batch if sha in with_lines]):
                found[commit.sha] = self._commit(commit, has_lines=True)
            for commit in self._with_files([sha for sha in batch if sha not in found]):
                found[commit.sha] = self._commit(commit, has_lines=commit.sha in with_lines)
            self._store.publish([found[sha] for sha in batch if sha in found])
            self._store.forget_traces_of(batch)

    def _with_lines(self, shas: Sequence[str]) -> Iterator[LoggedCommit]:
        """Commits with their lines, those left out of which git lacks something."""
        left = list(shas)
        while left and self._holes <= _MOST_HOLES:
            read = 0
            try:
                for commit in read_commits(self._scene.root, left, below=self._scene.below, lines=True):
                    read += 1
                    yield commit
                return
            except GitFailed:
                self._holes += 1
                left = left[read + 1 :]

    def _with_files(self, shas: Sequence[str]) -> Iterator[LoggedCommit]:
        """Commits with their files; from where git lacks something on, without. Raises GitFailed if that fails too."""
        read = 0
        try:
            for commit in read_commits(self._scene.root, shas, below=self._scene.below):
                read += 1
                yield commit
        except GitFailed:
            yield from read_commits(self._scene.root, shas[read:], below=self._scene.below, files=False)

    def _commit(self, commit: LoggedCommit, *, has_lines: bool) -> NewCommit:
        files = None if commit.sha in self._ends else commit.files
        is_merge = len(commit.parents) > 1
        changed = () if is_merge or files is None else files
        subject, body = commit.subject[:_MOST_SUBJECT], _TRAILER.sub("", commit.body).strip()[:_MOST_BODY]
        return NewCommit(
            commit.sha,
            commit.time,
            commit.author,
            subject,
            body,
            is_merge,
            None if files is None else len({change.path for change in files}),
            tuple(NewChange(change.path, change.source, change.hunks) for change in changed),
            has_lines,
            commit_terms(subject, body),
        )


def newest_with_lines(added: Sequence[Listed], kept: Mapping[str, StoredCommit]) -> frozenset[str]:
    """The names of the newest commits, merges left out, whose changed lines are held."""
    dated = [(commit.time, commit.sha) for commit in added if not commit.is_merge]
    dated += [(commit.time, sha) for sha, commit in kept.items() if not commit.is_merge]
    return frozenset(sha for _, sha in sorted(dated, reverse=True)[:MOST_WITH_LINES])


def commit_terms(subject: str, body: str) -> str:
    """A commit's terms for the word index, those of its subject repeated as often as it weighs."""
    return " ".join(terms(subject) * _SUBJECT_WEIGHT + terms(body))


def _word_entries(store: HistoryStore) -> Iterator[LexicalEntry]:
    numbers = sorted(commit.number for commit in store.stored_commits().values())
    for start in range(0, len(numbers), BATCH):
        for commit in store.commits(numbers[start : start + BATCH]).values():
            yield LexicalEntry(commit.number, commit.number, commit_terms(commit.subject, commit.body))
