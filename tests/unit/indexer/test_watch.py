from __future__ import annotations

from pathlib import Path

import pytest

from scry.indexer import file_system_type, why_not_watchable

_MOUNTS = """\
overlay / overlay rw 0 0
proc /proc proc rw 0 0
/dev/sda1 /home ext4 rw 0 0
server:/export /home/ann/share nfs4 rw 0 0
//server/x /mnt/with\\040space cifs rw 0 0
/dev/sdb /home/ann/share/local ext4 rw 0 0
odd
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/", "overlay"),
        ("/home/ann", "ext4"),
        ("/home/ann/share", "nfs4"),
        ("/home/ann/share/project", "nfs4"),
        ("/home/ann/shared", "ext4"),
        ("/home/ann/share/local/x", "ext4"),
        ("/mnt/with space/x", "cifs"),
        ("/mnt/without", "overlay"),
    ],
)
def test_file_system_type_is_that_of_the_innermost_mount(folder: str, kind: str) -> None:
    assert file_system_type(Path(folder), _MOUNTS) == kind


def test_file_system_type_is_unknown_without_mounts() -> None:
    assert file_system_type(Path("/home"), "") == ""


def test_local_disk_is_watchable_unless_disabled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WATCHFILES_FORCE_POLLING", raising=False)
    assert why_not_watchable(tmp_path) == ""
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "1")
    assert "WATCHFILES_FORCE_POLLING" in why_not_watchable(tmp_path)
