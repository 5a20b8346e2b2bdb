"""All that differs between systems: folders, permissions, locks, sockets, processes, signals, streams, file names.

No other module asks which system this is. Scry's folders follow the platform's conventions and the XDG variables. They
are made by whoever writes into them. Nobody but their user may enter the folders (0700) or open the files (0600), from
the moment on at which they exist. Their paths are not cached: the variables may change within a process (tests, a
language server's client).

On Windows a profile's folders are its user's alone, there are no Unix sockets and no fork, a lock is of a byte, and a
process is looked up by its handle. Imports stand inside the functions that need them.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from platformdirs import PlatformDirs

if TYPE_CHECKING:  # a start of the program that only asks imports none of these
    import asyncio
    import socket

SYSTEM: str = sys.platform
"""This system, as Python names it."""

IS_WINDOWS = sys.platform == "win32"
"""Whether this is Windows, for choices that depend on nothing else here."""

SHOWS_CHANGES_PER_FOLDER = sys.platform == "linux"
"""Whether the system reports changes of files for each folder on its own, not for a whole tree."""


# Folders, and whose they are ------------------------------------------------------------------------------------------


def cache_home() -> Path:
    """Return the folder of everything that can be rebuilt: the indexes, one folder per project."""
    return PlatformDirs("scry", appauthor=False).user_cache_path


def data_home() -> Path:
    """Return the folder of everything that can't be rebuilt: the event log, memory and persona notes."""
    return PlatformDirs("scry", appauthor=False).user_data_path


def config_home() -> Path:
    """Return the folder of the person's own settings file, `config.toml`."""
    return PlatformDirs("scry", appauthor=False).user_config_path


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


if sys.platform == "win32":

    def user_id() -> int:
        """Return the number that files of any user have."""
        return 0

    def terminal_session(process_id: int) -> int:
        """Return the number of this process: there are no sessions of terminals."""
        return process_id or os.getpid()

else:
    terminal_session = os.getsid

    def user_id() -> int:
        """Return the number of this process's user, as files have it."""
        return os.getuid()


def is_private(status: os.stat_result) -> bool:
    """Return whether a file or folder is this user's, and nobody else may use it."""
    return IS_WINDOWS or (status.st_uid == user_id() and not status.st_mode & OTHERS)


def write_for_this_user_alone() -> None:
    """Make whatever this process creates from now on its user's alone."""
    if not IS_WINDOWS:
        os.umask(0o077)


def sync_folder(folder: Path) -> None:
    """Flush a folder's list of files: a new file in it is durable only then. Windows does so by itself."""
    if IS_WINDOWS:
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


BINARY = getattr(os, "O_BINARY", 0)
"""Flag of `os.open` for files whose bytes are read and written as they are; only Windows has another kind."""

NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
"""Flag of `os.open` that refuses a link."""

NO_WAITING = getattr(os, "O_NONBLOCK", 0)
"""Flag of `os.open` for what may turn out to be a named pipe, whose other end is not awaited."""

FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
"""Flags of `os.open` to open a folder."""

CAN_OPEN_BY_FOLDER = os.open in os.supports_dir_fd
"""Whether a file can be opened by its name in an open folder."""


def lock_handle(handle: int, *, wait: bool) -> bool:
    """Lock an open file for this process, until it is closed; return whether that was done.

    wait: until another process gives it up. Raises OSError where the file system has no locks.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (BlockingIOError, PermissionError):  # Windows denies the lock, POSIX would have to wait
        if wait:
            raise
        return False
    return True


# Sockets --------------------------------------------------------------------------------------------------------------

LOOPBACK = "127.0.0.1"


def has_unix_sockets() -> bool:
    """Return whether processes can meet at a path, which only one user may enter; else they meet at a port."""
    import socket

    return hasattr(socket, "AF_UNIX") and not IS_WINDOWS


def bind_private_socket(path: Path, backlog: int) -> socket.socket:
    """Return a Unix socket that only this user may connect to. Raises OSError."""
    bound = _unix_socket()
    before = os.umask(0o177)
    try:
        bound.bind(os.fspath(path))
        bound.listen(backlog)
    except OSError:
        bound.close()
        raise
    finally:
        os.umask(before)
    return bound


def connect_to_socket(path: Path, timeout: float) -> socket.socket:
    """Return a connection to the Unix socket at a path. Raises OSError when nobody listens there."""
    connection = _unix_socket()
    connection.settimeout(timeout)
    try:
        connection.connect(os.fspath(path))
    except OSError:
        connection.close()
        raise
    return connection


def _unix_socket() -> socket.socket:
    import socket

    if sys.platform == "win32":
        raise OSError("there are no Unix sockets on this system")
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)


# Processes ------------------------------------------------------------------------------------------------------------


def is_process_alive(process_id: int) -> bool:
    """Return whether a process with this id runs."""
    if sys.platform == "win32":  # os.kill(process_id, 0) would end it
        import ctypes

        synchronize, still_running = 0x00100000, 0x102
        handle = ctypes.windll.kernel32.OpenProcess(synchronize, False, process_id)
        if not handle:
            return False
        try:
            return bool(ctypes.windll.kernel32.WaitForSingleObject(handle, 0) == still_running)
        finally:
            ctypes.windll.kernel32.CloseHandle(handle)
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


class ProcessOptions(TypedDict, total=False):
    """Options of `subprocess.Popen`."""

    start_new_session: bool
    creationflags: int


def detached_process_options() -> ProcessOptions:
    """Return the options of `subprocess.Popen` for a process that no signal to this one and no end of it reaches."""
    if sys.platform != "win32":
        return {"start_new_session": True}
    import subprocess

    flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
    return {"creationflags": flags | subprocess.BELOW_NORMAL_PRIORITY_CLASS}


def idle_process_options() -> ProcessOptions:
    """Return the options of `subprocess.Popen` for a process that runs while nothing else does.

    Elsewhere than on Windows such a process lowers its own priority.
    """
    if sys.platform != "win32":
        return {}
    import subprocess

    return {"creationflags": subprocess.IDLE_PRIORITY_CLASS}


def poll_child(process_id: int) -> int | None:
    """Return the exit status of a forked process; None while it runs."""
    if sys.platform == "win32":
        return None
    pid, status = os.waitpid(process_id, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if pid else None


def kill_process(process_id: int) -> None:
    """End a process at once."""
    import signal

    os.kill(process_id, getattr(signal, "SIGKILL", signal.SIGTERM))


def lower_priority(niceness: int) -> None:
    """Let other processes go first, those of other sessions too; on Windows `detached_process_options` does so."""
    if sys.platform != "win32":
        with suppress(OSError):
            os.nice(niceness)
            if os.getsid(0) == os.getpid():  # Linux shares its cores among sessions first: autogroups in sched(7)
                Path("/proc/self/autogroup").write_text(str(niceness), encoding="ascii")


def available_cpus() -> int:
    """Return the number of CPUs that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def can_fork() -> bool:
    """Return whether a fork is safe: on Linux, while there is one thread. Elsewhere a new process is started."""
    import threading

    return SYSTEM == "linux" and threading.active_count() == 1


def fork_process() -> int | None:
    """Fork this process; return the new one's id, and 0 in it. None where the system refuses."""
    if sys.platform == "win32":
        return None
    try:
        return os.fork()
    except OSError:
        return None


def raise_open_file_limit(wanted: int) -> None:
    """Allow this process so many open files, or as many as the system lets it have."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft < most:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def limit_this_process(seconds: int, memory: int) -> None:
    """Limit this process's time and memory, and let it leave no core file. Without such limits nothing is done."""
    if sys.platform == "win32":
        return
    import resource

    for kind, soft, hard in (
        (resource.RLIMIT_CPU, seconds, seconds + 1),
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (soft, hard))


def used_memory() -> int:
    """Return the memory of this process in bytes. Where the system tells only the most it ever had, that; else 0."""
    if sys.platform == "win32":
        return 0
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


# Signals and streams --------------------------------------------------------------------------------------------------


def call_on_signals(loop: asyncio.AbstractEventLoop, names: Iterable[str], callback: Callable[[], None]) -> None:
    """Call a function in the event loop when one of these signals comes; those that a system lacks are left out."""
    import signal

    for name in names:
        number = getattr(signal, name, None)
        if number is None:
            continue
        try:
            loop.add_signal_handler(number, callback)
        except NotImplementedError:  # Windows: the handler runs between two steps of the main thread
            signal.signal(number, lambda _number, _frame: _call_in_loop(loop, callback))


def _call_in_loop(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the loop is closed
        loop.call_soon_threadsafe(callback)


def start_process_time_limit(seconds: float) -> bool:
    """End this process by a signal after so much processor time.

    Return False where a system has no such limit, and where one is set already.
    """
    if sys.platform == "win32":
        return False
    import signal

    if any(signal.getitimer(signal.ITIMER_VIRTUAL)):
        return False
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    return True


def stop_process_time_limit() -> None:
    """Take back the limit that was started."""
    if sys.platform != "win32":
        import signal

        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def keep_bytes_as_they_are(*handles: int) -> None:
    """Switch off the translation of line ends that Windows has for streams."""
    if sys.platform == "win32":
        import msvcrt

        for handle in handles:
            msvcrt.setmode(handle, os.O_BINARY)


def read_pending_bytes(handle: int, count: int) -> bytes:
    """Read the bytes that a stream has already; empty where that can't be known, and at its end."""
    if IS_WINDOWS:  # select takes sockets only
        return b""
    import select

    try:
        return os.read(handle, count) if select.select([handle], [], [], 0)[0] else b""
    except (OSError, ValueError):
        return b""


def program_name(name: str) -> str:
    """Return the file name of an installed program."""
    return f"{name}.exe" if IS_WINDOWS else name


def program_at(path: str) -> str | None:
    """Return the program at a path; on Windows with one of its endings (PATHEXT). None without one."""
    if IS_WINDOWS:
        import shutil

        return shutil.which(path)
    return path if os.path.isfile(path) and os.access(path, os.X_OK) else None  # noqa: PTH113 - many a question asks


def is_below_folder(path: str, folder: str, normcase: Callable[[str], str] = os.path.normcase) -> bool:
    """Return whether a path begins with a folder's, which ends with a separator.

    normcase: the rules of the system's file names, by which Windows ignores case and the kind of slash.
    """
    return normcase(path).startswith(normcase(folder))


# Network file systems -------------------------------------------------------------------------------------------------

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
        import ctypes

        anchor = folder.resolve().anchor
        return anchor.startswith("\\\\") or ctypes.windll.kernel32.GetDriveTypeW(anchor) == _DRIVE_REMOTE
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
