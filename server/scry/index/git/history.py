"""Bring the stored history up to HEAD: list, compare, read, publish, rename.

The list of commits that HEAD reaches is compared with the stored commits, so a rebase, a force-push, a deepened clone
and a branch switch need no special case: some commits are added, some removed. Where HEAD only moved forward, git lists
the new commits alone.

A first reading publishes the newest commits before all others, under the keys that they have in the order of time.

The history is bounded: the newest 20,000 commits, and the changed lines of the newest 2,000 of them that are no merges.
Nothing is ever fetched: objects that a shallow or partial clone lacks stay unknown, and a commit whose lines or files
git can't tell is stored without them. A commit that can't be read or stored at all is left out and recorded as a fault.
Where it is git that can't read, the next update tries again, since the repository may have been repaired or the objects
fetched; another version of Scry reads the history anew where there are faults.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from scry.core.doc_id import commit_doc_id
from scry.core.text import tokenize
from scry.core.types import FileFault, IndexingStage
from scry.index.git.log import CommitSummary, GitOutputUnreadable, LoggedCommit, list_commits, read_commits
from scry.index.git.stream import GitFailed
from scry.index.parse.parser_version import reading_version
from scry.projects.git import GitRepository, find_repository, read_small_file, run_git
from scry.projects.project import head_commit
from scry.store.history.commits import FIRST_COMMIT_KEY, NewChange, NewCommit, StoredCommit
from scry.store.history.store import HistoryStore
from scry.store.lexical import LexicalEntry
from scry.store.sqlite.database import STORE_ERRORS

MAX_COMMITS = 20_000
MAX_COMMITS_WITH_LINES = 2_000

HISTORY_READER_VERSION = 2
"""Raised when the same commits would be read otherwise; the history is then rebuilt."""

BATCH_COMMITS = 500

NEWEST_COMMITS = 100
"""Commits that are read before all others: a list of recent changes takes few, and they are there in half a second."""

_SUBJECT_WEIGHT = 3
_MAX_SUBJECT_LENGTH = 1_000
_MAX_BODY_LENGTH = 4_000
_MAX_DELETED_SHARE = 0.05
_MAX_SHALLOW_BYTES = 1_000_000
_MAX_PACKED_REFS_BYTES = 64_000_000
_MAX_INCOMPLETE_COMMITS = 40
"""Commits with missing objects that are each read without their lines; after that all remaining ones are."""

_MAX_UNREADABLE_COMMITS = 20
"""Commits that may be left out because git can't read them; with more the repository is damaged, which is told."""

_TRAILER = re.compile(r"^(?:[A-Za-z]+-by|Change-Id|Co-authored-by|Fixes|See-also|CC): .*$", re.I | re.M)

_MAX_PROBED_COMMITS = 3
"""Incomplete commits that an update tries, a tenth of a second each in a partial clone. Only where one of them is
complete now, all of them are read again."""

Checkpoint = Callable[[], None]

log = logging.getLogger(__name__)


class HistorySource(Struct, frozen=True):
    """The repository of a history, the opened folder, and whether that lies below the work tree's top."""

    repository: GitRepository
    root: Path
    in_subfolder: bool

    def fingerprint(self) -> str:
        """Return a text of all that determines the stored history besides HEAD."""
        shallow = hashlib.blake2b(self._shallow_file(), digest_size=8).hexdigest()
        subfolder = self.root.relative_to(self.repository.work_tree)
        basis = f"{HISTORY_READER_VERSION} {MAX_COMMITS} {MAX_COMMITS_WITH_LINES} {shallow} {subfolder}"
        replaced = self._replacements()
        return f"{basis} {hashlib.blake2b(replaced, digest_size=8).hexdigest()}" if replaced else basis

    def _replacements(self) -> bytes:
        """Return which objects `git replace` has replaced by which, in bytes of any form; empty where none is."""
        folder, packed = self.repository.common_dir / "refs/replace", self.repository.common_dir / "packed-refs"
        loose = [b"%b %b" % (os.fsencode(path.name), read_small_file(path) or b"") for path in sorted(folder.glob("*"))]
        lines = (read_small_file(packed, _MAX_PACKED_REFS_BYTES) or b"").splitlines()
        return b"\n".join([*loose, *(line for line in lines if b" refs/replace/" in line)])

    def shallow_commits(self) -> frozenset[str]:
        """Return the commits at which a shallow clone ends: git reports all their files as added."""
        return frozenset(self._shallow_file().decode("ascii", "replace").split())

    def _shallow_file(self) -> bytes:
        return read_small_file(self.repository.common_dir / "shallow", _MAX_SHALLOW_BYTES) or b""


def find_history_source(root: Path) -> HistorySource | None:
    """Return the source of the history of a resolved folder; None without git."""
    repository = find_repository(root)
    return None if repository is None else HistorySource(repository, root, repository.work_tree != root)


def update_history(root: Path, store: HistoryStore, checkpoint: Checkpoint) -> bool:
    """Bring the store up to HEAD; return whether there is a history (without git, or before the first commit, there is
    none).

    checkpoint: called between batches; may block, or raise Cancelled: batches published by then stay.
    Raises GitFailed when git can't read the history, IndexUnavailable when the store can't be written.
    """
    source = find_history_source(root)
    head = head_commit(root)
    if source is None or head is None:
        if store.reader.commit_count or store.reader.head:
            store.reset()
        return False
    if store.faults_version not in ("", reading_version()):
        store.reset()
    update = _HistoryUpdate(source, store, head, checkpoint)
    if not update.is_current or update.has_gaps:
        try:
            update.run()
        except GitFailed as error:
            store.mark_failed(head=head, warning=f"The history of {head[:7]} can't be read: {error}")
            raise
    return True


class _HistoryUpdate:
    """One comparison of the commits that HEAD reaches with the stored ones, and the changes that follow from it."""

    def __init__(self, source: HistorySource, store: HistoryStore, head: str, checkpoint: Checkpoint) -> None:
        self._source = source
        self._store = store
        self._head = head
        self._checkpoint = checkpoint
        self._shallow_commits = source.shallow_commits()
        self._incomplete_count = 0
        self._published = False
        self._places: Mapping[str, int] = {}
        self._fingerprint = source.fingerprint()
        self._is_resumed = store.is_partial
        self.is_current = not self._is_resumed and (store.reader.head, store.fingerprint) == (head, self._fingerprint)
        self._unread = store.unread_commits()
        self._incomplete = [sha for sha in store.incomplete_commits() if sha not in self._shallow_commits]

    @property
    def has_gaps(self) -> bool:
        """Whether git could not read commits, or not their files or lines."""
        return bool(self._unread or self._incomplete)

    def run(self) -> None:
        """Run the update; see `update_history`."""
        if self._store.fingerprint != self._fingerprint:
            self._store.reset(self._fingerprint)
        doc_keys = self._number_commits() if self._store.reader.head is None else {}
        stored = self._store.stored_commits()
        added, removed = self._compare_commits(stored)
        self._store.record_faults({}, map(commit_doc_id, removed), reading_version())
        self._store.remove_commits(removed)
        remaining = {sha: commit for sha, commit in stored.items() if sha not in set(removed)}
        newest = select_commits_with_lines(added, remaining)
        self._places = self._find_places(added, remaining)
        self._store.forget_changed_lines(
            [c.doc_key for sha, c in remaining.items() if c.has_lines and sha not in newest]
        )
        missing_lines = [sha for sha, c in remaining.items() if sha in newest and not c.has_lines]
        again = dict.fromkeys([*missing_lines, *self._completed_commits(remaining, newest)])
        self._read_and_publish([*again, *(commit.sha for commit in reversed(added))], newest, doc_keys)
        if self._published or removed or self._is_resumed:
            self._store.follow_renames(retrace=self._is_resumed)
        elif self.is_current:
            return
        warning = self._describe_extent(len(remaining) + len(added))
        self._store.mark_complete(head=self._head, fingerprint=self._fingerprint, warning=warning)
        count = self._store.reader.commit_count
        # A reading that was killed can leave words of commits that are too old now.
        has_stray_words = bool(doc_keys) and self._store.reader.lexical.document_count != count
        if has_stray_words or self._store.dead_commit_count > _MAX_DELETED_SHARE * count:
            self._store.rewrite_lexical(_lexical_entries(self._store))

    def _number_commits(self) -> dict[str, int]:
        """Return the doc_keys of all commits of a first reading, so that the newest ones can be read before the others.

        Keys rise from the oldest commit to the newest, as in later updates. Where the commits of a reading that was
        interrupted have other keys, because the history was rewritten meanwhile, the reading begins anew.
        """
        places = {commit.sha: place for place, commit in enumerate(reversed(self._reachable))}
        stored = self._store.stored_commits().items()
        firsts = {commit.doc_key - places[sha] for sha, commit in stored if sha in places}
        if len(firsts) > 1 or min(firsts, default=FIRST_COMMIT_KEY) < FIRST_COMMIT_KEY:
            self._store.reset(self._fingerprint)
            firsts.clear()
        first = min(firsts, default=self._store.next_doc_key)
        return {sha: first + place for sha, place in places.items()}

    @cached_property
    def _reachable(self) -> list[CommitSummary]:
        """The commits that HEAD reaches, as far as they are read, the newest first. Raises GitFailed."""
        return self._list_commits(self._head)

    def _find_places(self, added: Sequence[CommitSummary], stored: Mapping[str, StoredCommit]) -> Mapping[str, int]:
        """Return the place of each commit among those of one time: 0, or above the highest of its parents of that time.

        The ancestors of a commit decide alone, so that its place is the same however the commits were read.
        """
        known = {sha: (commit.time, commit.place) for sha, commit in stored.items()}
        for commit in reversed(self._list_with_parents(added, stored)):
            above = [known[parent] for parent in commit.parents if parent in known]
            known[commit.sha] = commit.time, max((place + 1 for time, place in above if time == commit.time), default=0)
        return {sha: place for sha, (_, place) in known.items()}

    def _list_with_parents(
        self, added: Sequence[CommitSummary], stored: Mapping[str, StoredCommit]
    ) -> Sequence[CommitSummary]:
        """Return these commits with their parents, the newest first: also with others where parents of the same time
        may have changed nothing in the folder.
        """
        times = {commit.time for commit in added}
        if not self._source.in_subfolder or (
            len(times) == len(added) and times.isdisjoint(commit.time for commit in stored.values())
        ):
            return added
        names = (f"--max-age={min(times)}", self._head)
        return list_commits(self._source.root, names, MAX_COMMITS, in_subfolder=False)

    def _completed_commits(self, stored: Mapping[str, StoredCommit], with_lines: frozenset[str]) -> list[str]:
        """Return the commits that were stored without their files or lines, if git can tell those of the newest now."""
        incomplete = [sha for sha in self._incomplete if sha in stored]
        probed = incomplete[:_MAX_PROBED_COMMITS]
        return incomplete[::-1] if any(self._is_readable(sha, sha in with_lines) for sha in probed) else []

    def _is_readable(self, sha: str, with_lines: bool) -> bool:
        try:
            in_subfolder = self._source.in_subfolder
            for _ in read_commits(self._source.root, [sha], in_subfolder=in_subfolder, with_lines=with_lines):
                pass
        except GitFailed:
            return False
        return True

    def _compare_commits(self, stored: Mapping[str, StoredCommit]) -> tuple[list[CommitSummary], list[str]]:
        """Return the commits to add, newest first, and the names of those to remove, or to try no more."""
        forward = self._list_new_commits(stored)
        if forward is not None and not self._unread:
            return forward, []
        try:
            listed = self._reachable
        except GitFailed:
            if forward is None:
                raise
            return forward, []
        reachable = {commit.sha for commit in listed}
        removed = [sha for sha in (*stored, *self._unread) if sha not in reachable]
        return [commit for commit in listed if commit.sha not in stored], removed

    def _list_new_commits(self, stored: Mapping[str, StoredCommit]) -> list[CommitSummary] | None:
        """Return the commits to add where HEAD moved forward, or not at all; None where all have to be compared."""
        old_head = None if self._store.is_partial else self._store.reader.head
        if old_head is None or not stored or not self._is_fast_forward(old_head):
            return None
        added = [commit for commit in self._list_commits(self._head, "^" + old_head) if commit.sha not in stored]
        return added if len(stored) + len(added) <= MAX_COMMITS else None

    def _list_commits(self, *names: str) -> list[CommitSummary]:
        return list_commits(self._source.root, names, MAX_COMMITS, in_subfolder=self._source.in_subfolder)

    def _is_fast_forward(self, old_head: str) -> bool:
        return run_git(self._source.root, ["merge-base", "--is-ancestor", old_head, self._head]) is not None

    def _describe_extent(self, commits: int) -> str:
        if commits >= MAX_COMMITS:
            return f"of the newest {MAX_COMMITS:,} commits"
        return ""

    # Reading ------------------------------------------------------------------------------------------------------

    def _read_and_publish(self, shas: Sequence[str], with_lines: frozenset[str], doc_keys: Mapping[str, int]) -> None:
        """Read commits, the oldest first, and publish them batch by batch.

        doc_keys: of the commits, where known ahead. Then the newest ones go first: a person asks for them first.
        """
        newest = shas[-NEWEST_COMMITS:] if doc_keys else ()
        older = shas[: len(shas) - len(newest)]
        batches = [older[start : start + BATCH_COMMITS] for start in range(0, len(older), BATCH_COMMITS)]
        for batch in filter(None, (newest, *batches)):
            self._checkpoint()
            commits: dict[str, NewCommit] = {}
            for commit in self._read_with_lines([sha for sha in batch if sha in with_lines]):
                self._add_commit(commits, commit, has_lines=True)
            for commit in self._read_with_files([sha for sha in batch if sha not in commits]):
                self._add_commit(commits, commit, has_lines=commit.sha in with_lines)
            self._publish([commits[sha] for sha in batch if sha in commits], doc_keys)
            self._store.forget_traces_of(batch)

    def _publish(self, commits: Sequence[NewCommit], doc_keys: Mapping[str, int]) -> None:
        """Publish commits; where that fails for one of them, all others."""
        try:
            self._store.publish(commits, doc_keys)
            self._published = self._published or bool(commits)
            self._store.record_faults({}, [commit_doc_id(commit.sha) for commit in commits], reading_version())
        except STORE_ERRORS:
            raise
        except Exception as error:
            if len(commits) == 1:
                self._record_fault(commits[0].sha, error)
            for commit in commits if len(commits) > 1 else ():
                self._publish([commit], doc_keys)

    def _record_fault(self, sha: str, error: Exception) -> None:
        is_of_git = isinstance(error, GitFailed) and not isinstance(error, GitOutputUnreadable)
        log.warning("commit %s is left out", sha, exc_info=error)
        doc_id = commit_doc_id(sha)
        fault = FileFault.from_error(IndexingStage.GIT if is_of_git else IndexingStage.COMMIT, error)
        self._store.record_faults({doc_id: str(fault)}, [doc_id], reading_version())

    def _add_commit(self, commits: dict[str, NewCommit], commit: LoggedCommit, *, has_lines: bool) -> None:
        try:
            commits[commit.sha] = self._make_commit(commit, has_lines=has_lines)
        except Exception as error:
            self._record_fault(commit.sha, error)

    def _read_with_lines(self, shas: Sequence[str]) -> Iterator[LoggedCommit]:
        """Yield commits with their lines; a commit of which git lacks an object is left out."""
        remaining = list(shas)
        while remaining and self._incomplete_count <= _MAX_INCOMPLETE_COMMITS:
            read = 0
            try:
                for commit in read_commits(
                    self._source.root, remaining, in_subfolder=self._source.in_subfolder, with_lines=True
                ):
                    read += 1
                    yield commit
                return
            except GitFailed:
                self._incomplete_count += 1
                remaining = remaining[read + 1 :]

    def _read_with_files(self, shas: Sequence[str]) -> Iterator[LoggedCommit]:
        """Yield commits with their files, and without them those of which git lacks an object: singly at first, then
        all that remain. A single one that can't be read so is recorded as a fault.

        Raises GitFailed if several can't be read.
        """
        remaining = list(shas)
        while remaining:
            read = 0
            try:
                for commit in read_commits(self._source.root, remaining, in_subfolder=self._source.in_subfolder):
                    read += 1
                    yield commit
                return
            except GitFailed:
                self._incomplete_count += 1
                is_alone = self._incomplete_count <= _MAX_INCOMPLETE_COMMITS
                yield from self._read_without_files(remaining[read : read + 1] if is_alone else remaining[read:])
                remaining = remaining[read + 1 :] if is_alone else []

    def _read_without_files(self, shas: Sequence[str]) -> Iterator[LoggedCommit]:
        try:
            yield from read_commits(self._source.root, shas, in_subfolder=self._source.in_subfolder, with_files=False)
        except GitFailed as error:
            if len(shas) > 1 or self._incomplete_count > _MAX_UNREADABLE_COMMITS:
                raise
            self._record_fault(shas[0], error)

    def _make_commit(self, commit: LoggedCommit, *, has_lines: bool) -> NewCommit:
        files = None if commit.sha in self._shallow_commits else commit.files
        is_merge = len(commit.parents) > 1
        changed = () if is_merge or files is None else files
        subject, body = commit.subject[:_MAX_SUBJECT_LENGTH], _TRAILER.sub("", commit.body).strip()[:_MAX_BODY_LENGTH]
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
            weighted_commit_terms(subject, body),
            self._places.get(commit.sha, 0),
        )


def select_commits_with_lines(added: Sequence[CommitSummary], stored: Mapping[str, StoredCommit]) -> frozenset[str]:
    """Return the names of the newest commits, merges left out, whose changed lines are stored."""
    dated = [(commit.time, commit.sha) for commit in added if not commit.is_merge]
    dated += [(commit.time, sha) for sha, commit in stored.items() if not commit.is_merge]
    return frozenset(sha for _, sha in sorted(dated, reverse=True)[:MAX_COMMITS_WITH_LINES])


def weighted_commit_terms(subject: str, body: str) -> str:
    """Return a commit's terms for the lexical index, those of its subject repeated `_SUBJECT_WEIGHT` times."""
    return " ".join(tokenize(subject) * _SUBJECT_WEIGHT + tokenize(body))


def _lexical_entries(store: HistoryStore) -> Iterator[LexicalEntry]:
    doc_keys = sorted(commit.doc_key for commit in store.stored_commits().values())
    for start in range(0, len(doc_keys), BATCH_COMMITS):
        for commit in store.reader.get_commits(doc_keys[start : start + BATCH_COMMITS]).values():
            yield LexicalEntry(commit.doc_key, commit.doc_key, weighted_commit_terms(commit.subject, commit.body))
