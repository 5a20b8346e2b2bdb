"""What differs between systems, each in its own form, and the other's where that can run here."""

from __future__ import annotations

import asyncio
import ntpath
import os
import posixpath
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from scry.core import platform
from scry.core.platform import (
    bind_private_socket,
    call_on_signals,
    can_fork,
    connect_to_socket,
    detached_process_options,
    is_below_folder,
    is_private,
    is_process_alive,
    lock_handle,
    program_at,
    program_name,
    read_pending_bytes,
    restrict_access,
    start_process_time_limit,
    stop_process_time_limit,
    used_memory,
)
from tests.gates.parts import ROOT

_OF_ONE_SYSTEM = re.compile(
    r"sys\.platform|\bos\.name\b|\b(fcntl|msvcrt|resource|winreg|pwd)\b(?=[.\n])|AF_UNIX|windll"
    r"|\bos\.(fork|getuid|geteuid|getsid|setsid|umask|nice|killpg|sched_getaffinity|O_BINARY|O_NOFOLLOW|O_NONBLOCK)\b"
    r"|add_signal_handler|setitimer|creationflags|start_new_session"
)


def test_no_other_module_asks_which_system_this_is() -> None:
    room = Path(platform.__file__)
    found: list[str] = []
    for file in sorted((ROOT / "server" / "scry").rglob("*.py")):
        if file != room:
            lines = file.read_text(encoding="utf-8").splitlines()
            found += [f"{file.name}: {line.strip()}" for line in lines if _OF_ONE_SYSTEM.search(f"{line}\n")]
    assert found == []
    assert _OF_ONE_SYSTEM.search(room.read_text(encoding="utf-8")), "the pattern finds such words"


def test_lock_is_held_by_one_until_it_is_closed(tmp_path: Path) -> None:
    handles = [os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(2)]
    assert lock_handle(handles[0], wait=False)
    assert not lock_handle(handles[1], wait=False)
    os.close(handles[0])
    assert lock_handle(handles[1], wait=True)
    os.close(handles[1])


def test_lock_is_given_up_by_a_process_that_is_killed(tmp_path: Path) -> None:
    holds = (
        "import os, sys\nfrom scry.core.platform import lock_handle\n"
        "lock_handle(os.open(sys.argv[1], os.O_RDWR | os.O_CREAT), wait=True)\nprint('held', flush=True)\ninput()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", holds, str(tmp_path / "lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdout.readline().strip() == b"held"
    handle = os.open(tmp_path / "lock", os.O_RDWR)
    assert not lock_handle(handle, wait=False)
    holder.kill()
    holder.communicate()
    assert lock_handle(handle, wait=True)
    os.close(handle)


@pytest.mark.needs("posix")
def test_files_of_this_user_alone_are_private(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    file.chmod(0o644)
    assert not is_private(file.stat())
    restrict_access(file)
    assert is_private(file.stat())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_files_are_private_where_a_profile_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "IS_WINDOWS", True)
    file = tmp_path / "file"
    file.write_text("x")
    file.chmod(0o644)
    assert is_private(file.stat())
    platform.sync_folder(tmp_path / "that is not there")
    platform.write_for_this_user_alone()


@pytest.mark.needs("posix")
def test_socket_at_a_path_is_for_this_user(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with bind_private_socket(path, 1) as server:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with connect_to_socket(path, 1.0):
            server.accept()[0].close()
    with pytest.raises(OSError, match="refused"):
        connect_to_socket(path, 1.0)


def test_there_is_no_socket_at_a_path_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "IS_WINDOWS", True)
    assert not platform.has_unix_sockets()
    monkeypatch.setattr(platform, "IS_WINDOWS", False)
    monkeypatch.delattr(socket, "AF_UNIX", raising=False)
    assert not platform.has_unix_sockets()


def test_process_is_alive_until_it_ended() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert is_process_alive(process.pid)
    assert is_process_alive(os.getpid())
    process.communicate(b"\n")
    assert not is_process_alive(process.pid)


@pytest.mark.needs("posix")
def test_detached_process_is_in_a_session_of_its_own() -> None:
    command = [sys.executable, "-c", "import os; print(os.getsid(0))"]
    detached = subprocess.Popen(command, stdout=subprocess.PIPE, **detached_process_options())
    output, _ = detached.communicate()
    assert int(output) == detached.pid != os.getsid(0)


@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_other_systems_start_a_process_instead_of_a_fork(monkeypatch: pytest.MonkeyPatch, system: str) -> None:
    monkeypatch.setattr(platform, "SYSTEM", system)
    assert not can_fork()


def test_process_with_threads_is_not_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "SYSTEM", "linux")
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    try:
        assert not can_fork()
    finally:
        done.set()
        other.join()


@pytest.mark.needs("posix")
def test_signal_calls_the_function_in_the_event_loop() -> None:
    async def wait_for_signal() -> None:
        came = asyncio.Event()
        call_on_signals(asyncio.get_running_loop(), ("SIGUSR1", "SIGNONE"), came.set)
        os.kill(os.getpid(), signal.SIGUSR1)
        await came.wait()

    asyncio.run(wait_for_signal())


@pytest.mark.needs("posix")
def test_signal_calls_the_function_where_the_loop_has_no_handlers(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGUSR1)

    async def wait_for_signal() -> None:
        loop, came = asyncio.get_running_loop(), asyncio.Event()
        monkeypatch.setattr(loop, "add_signal_handler", _not_implemented)
        call_on_signals(loop, ("SIGUSR1",), came.set)
        os.kill(os.getpid(), signal.SIGUSR1)
        await came.wait()

    try:
        asyncio.run(wait_for_signal())
        os.kill(os.getpid(), signal.SIGUSR1)  # the loop is closed: nothing is called, and nothing raised
    finally:
        signal.signal(signal.SIGUSR1, before)


def _not_implemented(*_: object) -> None:
    raise NotImplementedError


@pytest.mark.needs("posix")
def test_process_time_is_limited_once() -> None:
    assert start_process_time_limit(60.0)
    assert not start_process_time_limit(60.0)
    stop_process_time_limit()
    assert start_process_time_limit(60.0)
    stop_process_time_limit()


@pytest.mark.parametrize("leads", [True, False])
def test_priority_is_lowered_among_sessions_by_a_process_that_leads_one(leads: bool) -> None:
    lowers = (
        "import os, pathlib\n"
        "from scry.core.platform import lower_priority\n"
        "group = pathlib.Path('/proc/self/autogroup')\n"
        "def niceness(): return (group.read_text().split() if group.exists() else [])[-1:]\n"  # empty: no group
        "before = niceness()\n"
        "lower_priority(5)\n"
        "print(os.nice(0), before, niceness(), sep='|')"
    )
    done = subprocess.run(
        [sys.executable, "-c", lowers], start_new_session=leads, capture_output=True, text=True, check=True
    )
    nice, before, after = done.stdout.strip().split("|")
    assert nice == str(os.nice(0) + 5)
    assert after == ("['5']" if leads and before != "[]" else before)


def test_used_memory_is_that_of_a_python() -> None:
    assert used_memory() == 0 or 5_000_000 < used_memory() < 20_000_000_000


@pytest.mark.needs("posix")
def test_pending_bytes_are_read_without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    source, sink = os.pipe()
    assert read_pending_bytes(source, 10) == b""
    os.write(sink, b"initialize")
    assert read_pending_bytes(source, 4) == b"init"
    monkeypatch.setattr(platform, "IS_WINDOWS", True)
    assert read_pending_bytes(source, 10) == b"", "a pipe can't be asked there"
    os.close(source)
    os.close(sink)


def test_program_has_its_ending_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "scry.exe"
    program.write_text("")
    program.chmod(0o755)
    monkeypatch.setattr(platform, "IS_WINDOWS", True)
    assert program_name("scry") == "scry.exe"
    assert program_at(str(program)) == str(program)
    monkeypatch.setattr(platform, "IS_WINDOWS", False)
    assert program_name("scry") == "scry"
    assert program_at(str(tmp_path / "scry")) is None


def test_names_are_compared_by_the_rules_of_the_system() -> None:
    assert is_below_folder("/Work/a.py", "/Work/", posixpath.normcase)
    assert not is_below_folder("/work/a.py", "/Work/", posixpath.normcase)
    assert is_below_folder("c:/work/a.py", "C:\\Work\\", ntpath.normcase)
    assert not is_below_folder("C:\\Workshop\\a.py", "C:\\Work\\", ntpath.normcase)
