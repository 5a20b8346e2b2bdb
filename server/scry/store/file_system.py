"""What kind of file system a folder is on."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

_NETWORK_TYPES = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "beegfs", "gpfs", "ncpfs"}
    | {"fuse.sshfs", "fuse.glusterfs", "fuse.ceph", "fuse.s3fs", "fuse.rclone", "fuse.smbnetfs", "fuse.davfs2"}
)
"""Types whose files another machine may have open at the same time, as Linux names them."""

_MOUNT_INFO = Path("/proc/self/mountinfo")
_DRIVE_REMOTE = 4


@cache
def is_on_network_file_system(folder: Path) -> bool:
    """Whether other machines may write in this folder. False where that can't be told."""
    if sys.platform == "win32":
        return _is_remote_drive(folder)
    try:
        return network_file_system_type(os.fsencode(folder.resolve()), _MOUNT_INFO.read_bytes()) is not None
    except OSError:
        return False


def network_file_system_type(path: bytes, mounts: bytes) -> str | None:
    """The type of the network file system that a path is on, None for a local one. mounts: as in /proc/self/mountinfo.

    Of several mounts over one another the last one counts.
    """
    best, found = b"", ""
    for line in mounts.splitlines():
        fields, _, rest = line.partition(b" - ")
        words = fields.split(b" ")
        if len(words) < 5 or not rest:
            continue
        point = words[4].replace(b"\\040", b" ").replace(b"\\011", b"\t").replace(b"\\134", b"\\")
        holds = path == point or path.startswith(point.rstrip(b"/") + b"/")
        if holds and len(point) >= len(best):
            best, found = point, rest.split(b" ", 1)[0].decode("ascii", "replace")
    return found if found in _NETWORK_TYPES else None


def _is_remote_drive(folder: Path) -> bool:
    if sys.platform != "win32":
        return False
    import ctypes

    anchor = folder.resolve().anchor
    return anchor.startswith("\\\\") or ctypes.windll.kernel32.GetDriveTypeW(anchor) == _DRIVE_REMOTE
