"""The platform's folders for Scry's files, private files, atomic file replacement, sizes, network file systems.

The folders follow the platform's conventions and the XDG variables. They are made by whoever writes into them. Nobody
but their user may enter the folders (0700) or open the files (0600), from the moment on at which they exist. Their
paths are not cached: the variables may change within a process (tests, a language server's client).
"""

from __future__ import annotations

import os
import stat
import sys
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec
from platformdirs import PlatformDirs


def cache_home() -> Path:
    """Return the folder of everything that can be rebuilt: the indexes, one folder per project."""
    return PlatformDirs("scry", appauthor=False).user_cache_path


def data_home() -> Path:
    """Return the folder of everything that can't be rebuilt: the event log, memory and persona notes."""
    return PlatformDirs("scry", appauthor=False).user_data_path


def config_home() -> Path:
    """Return the folder of the person's own settings file, `config.toml`."""
    return PlatformDirs("scry", appauthor=False).user_config_path


DAMAGE_MARK = "damaged"
"""File in the data folder that exists while answers say that something in there was damaged or is gone."""

OTHERS = stat.S_IRWXG | stat.S_IRWXO
"""The access that other users have to a file, as bits of its mode."""


def make_private_folder(folder: Path) -> None:
    """Create a folder that only this user can enter, with its parents, or restrict an existing one. Raises OSError.

    Scry's folder around it, such as that of all caches, is restricted, too.
    """
    try:
        folder.mkdir(mode=0o700)
    except FileNotFoundError:
        make_private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError:
        if not folder.is_dir():
            raise
    restrict_access(folder)
    if folder.parent in (cache_home(), data_home(), config_home()):
        restrict_access(folder.parent)


def create_private_file(path: Path) -> None:
    """Create an empty file that only this user can open, or restrict an existing one. Raises OSError."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600))
    restrict_access(path)


def restrict_access(path: Path) -> None:
    """Take all access to a file or folder from other users; leave links, and files of others, as they are."""
    if sys.platform == "win32":  # the profile's folders are the user's alone
        return
    with suppress(OSError):
        status = path.lstat()
        if status.st_mode & OTHERS and not stat.S_ISLNK(status.st_mode) and status.st_uid == os.getuid():
            path.chmod(stat.S_IMODE(status.st_mode) & ~OTHERS)


def restrict_folder(folder: Path) -> None:
    """Take all access to a folder, and to everything in it, from other users."""
    restrict_access(folder)
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            restrict_access(Path(place, name))


def replace_file_text(path: Path, text: str) -> None:
    """Replace a text file as a whole: readers see the old or the new text, never a part. Raises OSError.

    A file that exists keeps its mode; a new one is readable by this person only.
    """
    import tempfile  # settings, which every start reads, need it on no platform

    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        if path.exists():
            Path(temporary).chmod(path.stat().st_mode & 0o777)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


# Seals ----------------------------------------------------------------------------------------------------------------


class SealedFile(msgspec.Struct, frozen=True, array_like=True):
    """A file as it was when it was sealed; see `scry.store.seals`."""

    size: int
    mtime_ns: int
    crc: int


_decode_seal = msgspec.json.Decoder(dict[str, SealedFile]).decode
_CHUNK_BYTES = 1 << 20


def describe_seal_damage(seal: Path, *, thorough: bool) -> str:
    """Return which file that a seal lists is not as it was sealed, and how; "" where all are, and without a seal.

    thorough: compare every checksum, not only those of files whose time differs.
    """
    try:
        content = seal.read_bytes()
        checksum, _, listed = content.partition(b"\n")
        sealed_files = _decode_seal(listed) if checksum == b"%08x" % zlib.crc32(listed) else {}
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):  # there is none, or one of another version
        return ""
    damage = ""
    for name, sealed in sealed_files.items():
        path = seal.parent / name
        try:
            status = path.stat()
            if status.st_size != sealed.size:
                damage = f"{name} has {status.st_size:,} bytes instead of {sealed.size:,}"
            elif (thorough or status.st_mtime_ns != sealed.mtime_ns) and file_checksum(path) != sealed.crc:
                damage = f"{name} is not as it was written"
        except FileNotFoundError:
            damage = f"{name} is missing"
        except OSError as error:
            damage = f"{name} can't be read: {error.strerror or error}"
        if damage:  # a writer removes the seal before it changes a file: a difference counts while the seal is there
            with suppress(OSError):
                return damage if seal.read_bytes() == content else ""
            return ""
    return ""


def file_checksum(path: Path) -> int:
    """Return the CRC-32 of a file's content. Raises OSError."""
    crc = 0
    with path.open("rb", buffering=0) as file:
        while chunk := file.read(_CHUNK_BYTES):
            crc = zlib.crc32(chunk, crc)
    return crc


_KILO = 1_000
_UNITS = ("kB", "MB", "GB", "TB")


def format_size(count: int) -> str:
    """Return a number of bytes in decimal units with one digit: "812 bytes", "12.3 MB"."""
    if count < _KILO:
        return f"{count} byte{'' if count == 1 else 's'}"
    amount = float(count)
    for unit in _UNITS:
        amount /= _KILO
        if round(amount, 1) < _KILO or unit == _UNITS[-1]:
            return f"{amount:.1f} {unit}"
    raise AssertionError("the last unit takes everything")


_NETWORK_TYPES = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "beegfs", "gpfs", "ncpfs"}
    | {"fuse.sshfs", "fuse.glusterfs", "fuse.ceph", "fuse.s3fs", "fuse.rclone", "fuse.smbnetfs", "fuse.davfs2"}
)
"""File system types, as Linux names them, whose files another machine may have open at the same time."""

_MOUNT_INFO = Path("/proc/self/mountinfo")
_DRIVE_REMOTE = 4


@cache
def is_on_network_file_system(folder: Path) -> bool:
    """Return whether other machines may write in this folder; False where that is unknown."""
    if sys.platform == "win32":
        return _is_remote_drive(folder)
    try:
        return network_file_system_type(os.fsencode(folder.resolve()), _MOUNT_INFO.read_bytes()) is not None
    except OSError:
        return False


def network_file_system_type(path: bytes, mounts: bytes) -> str | None:
    """Return the type of the network file system that a path is on; None for a local one.

    mounts: as in /proc/self/mountinfo. Of several mounts over one another the last one counts.
    """
    best, kind = b"", ""
    for line in mounts.splitlines():
        fields, _, rest = line.partition(b" - ")
        words = fields.split(b" ")
        if len(words) < 5 or not rest:
            continue
        point = words[4].replace(b"\\040", b" ").replace(b"\\011", b"\t").replace(b"\\134", b"\\")
        is_inside = path == point or path.startswith(point.rstrip(b"/") + b"/")
        if is_inside and len(point) >= len(best):
            best, kind = point, rest.split(b" ", 1)[0].decode("ascii", "replace")
    return kind if kind in _NETWORK_TYPES else None


def _is_remote_drive(folder: Path) -> bool:
    if sys.platform != "win32":
        return False
    import ctypes

    anchor = folder.resolve().anchor
    return anchor.startswith("\\\\") or ctypes.windll.kernel32.GetDriveTypeW(anchor) == _DRIVE_REMOTE
