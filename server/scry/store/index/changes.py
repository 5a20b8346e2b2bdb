"""Remember which files a writer has changed, so that what follows from a change need not look at all files."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, field

_MOST_REMEMBERED = 20_000
"""Changes from which on the older half is forgotten; who has not seen these looks at all files."""


class ChangedPaths(Struct):
    """The paths of changed files in order, as far back as they are remembered. Used under the lock of the index."""

    _first: int = 0
    _paths: list[str] = field(default_factory=list[str])

    @property
    def position(self) -> int:
        """The position behind the last change."""
        return self._first + len(self._paths)

    def record(self, paths: Iterable[str]) -> None:
        """Record files as changed: added, replaced or removed."""
        self._paths += paths
        if len(self._paths) > _MOST_REMEMBERED:
            forgotten = len(self._paths) // 2
            self._first += forgotten
            del self._paths[:forgotten]

    def forget(self) -> None:
        """Forget all changes: all files may have changed."""
        self._first = self.position + 1
        self._paths.clear()

    def since(self, position: int) -> frozenset[str] | None:
        """Return the files that changed since a position; None where that is not known."""
        return frozenset(self._paths[position - self._first :]) if position >= self._first else None
