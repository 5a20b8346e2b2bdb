"""A commit's patch by git itself, as far as it concerns one folder. Nothing of the repository is executed for it."""

from __future__ import annotations

from pathlib import Path

from scry.index.git_stream import GitFailed, GitStream

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
