"""Stream git's output piece by piece, and read one commit's patch with it.

Reads what git prints while it prints it, in bytes, piece by piece: a long history is never held as a whole.

A commit's patch by git itself, as far as it concerns one folder. Nothing of the repository is executed for it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from scry.projects.git import safe_git_command, safe_git_environment

_CHUNK_BYTES = 256 * 1024
_MAX_FIELD_BYTES = 1_000_000
"""What is longer (a line of data in a patch, a message that is none) is cut here."""

_MAX_ERROR_LENGTH = 300


class GitFailed(Exception):
    """Git could not do it; the text is its own last words."""


class GitStream:
    """The output of one git command. Used in a `with`, which waits for the command or, after an error, ends it."""

    def __init__(self, folder: Path, arguments: Iterable[str], stdin: Iterable[str] = ()) -> None:
        """stdin: lines that the command reads, given to it by way of a file, so that neither side waits for the other.

        Raises GitFailed when git can't be started.
        """
        import subprocess

        self._closing = ExitStack()
        self._errors = self._closing.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - it lives on
        with tempfile.TemporaryFile() as lines:
            lines.writelines(line.encode() + b"\n" for line in stdin)
            lines.seek(0)
            try:
                self._process = subprocess.Popen(
                    safe_git_command(list(arguments)),
                    cwd=folder,
                    env=safe_git_environment(os.environ),
                    stdin=lines,
                    stdout=subprocess.PIPE,
                    stderr=self._errors,
                    bufsize=0,
                )
            except (OSError, ValueError) as error:
                self._closing.close()
                raise GitFailed(f"git can't be started: {error}") from error
        assert self._process.stdout is not None
        self._output = self._process.stdout
        self._data = b""
        self._place = 0

    def __enter__(self) -> GitStream:
        """Itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the command. Raises GitFailed when it failed."""
        if kind is not None:
            self._process.kill()
        self._output.close()
        status = self._process.wait()
        words = self._read_error()
        self._closing.close()
        if kind is None and status != 0:
            raise GitFailed(words or f"git ended with status {status}")

    def _read_error(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read(_MAX_FIELD_BYTES).decode("utf-8", "replace").strip().splitlines()
        fatal = next((line for line in lines if line.startswith("fatal:")), lines[-1] if lines else "")
        return fatal.removeprefix("fatal:").strip()[:_MAX_ERROR_LENGTH]

    # Reading ------------------------------------------------------------------------------------------------------

    def peek(self, count: int) -> bytes:
        """The next bytes, fewer only at the end."""
        while len(self._data) - self._place < count and self._read_chunk():
            pass
        return self._data[self._place : self._place + count]

    def skip(self, count: int) -> None:
        """Leaves out bytes that `peek` has shown."""
        self._place += count

    def read_until(self, end: bytes) -> bytes:
        """All up to the next `end` (one byte), which is left out, or up to the end of the output."""
        searched = self._place
        while (found := self._data.find(end, searched)) < 0:
            kept = self._data[self._place : self._place + _MAX_FIELD_BYTES]
            full = len(self._data) - self._place > _MAX_FIELD_BYTES
            searched = len(self._data) - self._place
            if full:  # only the head of it is kept
                self._data, self._place, searched = kept, 0, len(kept)
            if not self._read_chunk():
                rest = self._data[self._place :]
                self._data, self._place = b"", 0
                return rest[:_MAX_FIELD_BYTES]
        piece = self._data[self._place : found]
        self._place = found + 1
        return piece[:_MAX_FIELD_BYTES]

    def _read_chunk(self) -> bool:
        """Reads on; what was taken is let go. False at the end."""
        chunk = self._output.read(_CHUNK_BYTES)
        self._data = self._data[self._place :] + chunk
        self._place = 0
        return bool(chunk)


_PATCH_OPTIONS = (
    "--format=",
    "--patch",
    "--stat=100",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-show-signature",
    "--submodule=short",
    "--find-renames",
    "--diff-merges=first-parent",
    "--relative",
)


def read_patch(root: Path, sha: str, max_bytes: int) -> tuple[str, bool] | None:
    """A summary of the files and the patch, and whether it was cut at `most` bytes; None where git can't tell.

    Only what lies in the folder is shown.
    """
    try:
        with GitStream(root, ["show", *_PATCH_OPTIONS, "--end-of-options", sha, "--", "."]) as output:
            data = output.peek(max_bytes + 1)
            if len(data) > max_bytes:
                raise _OutputLimitReached(data[:max_bytes])
    except _OutputLimitReached as enough:
        data = enough.data
        return data[: data.rfind(b"\n") + 1].decode("utf-8", "replace"), True
    except GitFailed:
        return None
    return data.decode("utf-8", "replace"), False


class _OutputLimitReached(Exception):
    """What was read is enough: git is ended, however much it still has to say."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.data = data
