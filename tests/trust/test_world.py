"""What the world does to a project while it is read: one bad item costs itself, and all others are found."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import socket
import stat
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from scry.core import IndexUnavailable, SkipReason
from scry.index import project_parser
from scry.index.git import GitFailed
from scry.index.git import history as history_module
from scry.index.scan.read_file import read_file
from scry_protocol.messages import Explanation, WhyParams
from tests.sample.history import HistoryProject
from tests.sample.indexed import IndexedProject, doc_ids
from tests.unit.indexer.test_refresh import IndexSample

SEED = os.environ.get("TRUST_SEED") or str(random.SystemRandom().randrange(10**6))
FILES = int(os.environ.get("TRUST_FILES", "3000"))
COMMITS = int(os.environ.get("TRUST_COMMITS", "1500"))

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120 + (FILES + COMMITS) // 40)]


@contextlib.contextmanager
def _inside(folder: Path) -> Generator[None]:
    """Work in a folder: names and sockets below it have short paths."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _names(number: int) -> str:
    return f"def item_{number}():\n    return other_{number}()\n"


def _why(project: IndexedProject, doc_id: str) -> Explanation:
    with contextlib.closing(project.engine()) as engine:
        return engine.why(WhyParams(doc_id))


# Items that change while they are read ----------------------------------------------------------------------------


def _replace_by_folder(path: Path) -> None:
    (path / "inner").mkdir(parents=True)
    (path / "inner" / "new.py").write_text("def in_the_folder():\n    pass\n")


def _replace_by_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound, _inside(path.parent):
        bound.bind(path.name)


def _replace_by_device(path: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))  # /dev/zero has no end
    except PermissionError:  # only root may; the pipe is read from as little
        os.mkfifo(path)


KINDS: dict[str, Callable[[Path], object]] = {
    "gone": lambda _: None,
    "folder": _replace_by_folder,
    "link out": lambda path: path.symlink_to("/etc/passwd"),
    "link to itself": lambda path: path.symlink_to(path.name),
    "link to the folder": lambda path: path.symlink_to("."),
    "link to a device": lambda path: path.symlink_to("/dev/zero"),
    "pipe": os.mkfifo,
    "socket": _replace_by_socket,
    "device": _replace_by_device,
    "empty": lambda path: path.touch(),
    "large": lambda path: path.write_bytes(b"x = 1\n" * 400_000),
    "other text": lambda path: path.write_text("def another():\n    pass\n"),
}


def _become(path: Path, kind: str) -> None:
    """Replace whatever is at a path."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    KINDS[kind](path)


@pytest.mark.needs("posix")
@pytest.mark.parametrize("kind", KINDS)
def test_item_that_changes_its_kind_before_it_is_read_costs_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    sample = IndexSample(tmp_path / "project")
    for number in range(5):
        sample.write(f"item_{number}.py", _names(number))
    bad = sample.root / "item_2.py"

    def read_changed(root: Path, path: str, limit: int) -> object:
        if path == bad.name:
            _become(bad, kind)
        return read_file(root, path, limit)

    with monkeypatch.context() as patch:
        patch.setattr(project_parser, "read_file", read_changed)
        assert sample.update_index().state == "ready"
    assert {f"./item_{n}.py::item_{n}" for n in (0, 1, 3, 4)} <= set(sample.names())
    assert sample.store.files.faults(9) == []
    sample.update_index()
    assert "./item_2.py::item_2" not in sample.names()
    assert ("./item_2.py/inner/new.py::in_the_folder" in sample.names()) == (kind == "folder")


@pytest.mark.needs("posix")
def test_tree_that_changes_all_the_while_is_indexed(tmp_path: Path) -> None:
    sample, rng, ended = IndexSample(tmp_path / "project"), random.Random(f"{SEED} tree"), threading.Event()
    for number in range(60):
        sample.write(f"f{number % 7}/item_{number}.py", _names(number))

    def change() -> None:
        while not ended.is_set():
            path = sample.root / f"f{rng.randrange(7)}" / f"item_{rng.randrange(30)}.py"
            with contextlib.suppress(OSError):
                _become(path, rng.choice(list(KINDS)))
            with contextlib.suppress(OSError):
                (sample.root / f"f{rng.randrange(7)}").rename(sample.root / f"f{rng.randrange(7)}")

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(25):
            assert sample.update_index().state == "ready", SEED
            paths = [f"f{rng.randrange(7)}/item_{rng.randrange(60)}.py" for _ in range(9)]
            assert sample.update_index(*paths).state == "ready", SEED
    finally:
        ended.set()
        thread.join()
    sample.update_index()
    assert sample.store.files.faults(9) == [], SEED
    whole = [path for path in sample.root.rglob("item_*.py") if path.is_file() and "def item" in path.read_text()]
    found = set(sample.names())
    assert {f"./{path.relative_to(sample.root)}::{path.stem}" for path in whole if not path.is_symlink()} <= found, SEED


# Names ------------------------------------------------------------------------------------------------------------

LONG = "n" * 252 + ".py"
ODD = ["ü.py", "u\u0308.py", "a b.py", "line\nbreak.py", "#L1-L2.py", "a::b.py", "-x.py", "\u202e.py", "%2e.py", "~.py"]


@pytest.mark.needs("posix")
def test_file_of_any_name_is_found_and_explained(tmp_path: Path) -> None:
    project = IndexedProject(tmp_path / "p")
    names = [LONG, _name_of_size(project.root, 4000), os.fsdecode(b"\xff\xfe.py"), os.fsdecode(b"caf\xe9/x.py"), *ODD]
    names += ["Case.py", "case.py", "CASE.py", "sub/Case.py", "SUB/case.py"]
    for number, name in enumerate(names):
        project.write({name: _names(number)})
    _make_path_over_the_limit(project.root)
    assert project.update_index().state == "ready"
    for number, name in enumerate(names):
        if not (project.root / name).read_text().startswith(f"def item_{number}("):
            continue  # a file system that knows no case keeps one of them
        doc_id = doc_ids(project.find(f"item_{number}"))[0]
        assert doc_id.endswith(f"::item_{number}"), name
        assert _why(project, doc_id).status == "indexed", name
    assert doc_ids(project.find("beyond_the_limit")) == []


def _name_of_size(root: Path, size: int) -> str:
    """Return a path below `root` whose absolute path has so many bytes; the system takes 4,095."""
    left, folders = size - len(os.fsencode(root)) - 1, list[str]()
    while left > 255:
        folders.append("d" * 250)
        left -= 251
    return "/".join([*folders, f"{'e' * (left - 3)}.py"])


def _make_path_over_the_limit(root: Path) -> None:
    """Write a file whose absolute path the system can't take; it can be reached folder by folder only."""
    root.mkdir(exist_ok=True)
    with _inside(root):
        for _ in range(18):
            Path("o" * 250).mkdir()
            os.chdir("o" * 250)
        Path("far.py").write_text("def beyond_the_limit():\n    pass\n")


def test_folder_of_many_files_is_indexed(tmp_path: Path) -> None:
    sample = IndexSample(tmp_path / "project")
    for number in range(FILES):
        (sample.root / f"item_{number}.py").write_text(f"def item_{number}(): pass\n")
    assert sample.update_index().files_indexed == FILES
    sample.write("item_7.py", "def changed(): pass\n")
    sample.write("item_new.py", "def added(): pass\n")
    (sample.root / "item_8.py").unlink()
    state = sample.update_index("item_7.py", "item_new.py", "item_8.py")
    assert (state.state, state.files_indexed) == ("ready", FILES)
    names = set(sample.names())
    assert {"./item_7.py::changed", "./item_new.py::added", "./item_9.py::item_9"} <= names
    assert not {"./item_7.py::item_7", "./item_8.py::item_8"} & names


# Permissions and clock --------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _as_somebody(folder: Path) -> Generator[None]:
    """Run as another user than root, who may read everything, and who owns nothing but this folder."""
    if os.getuid() != 0:
        yield
        return
    for path in (folder, *folder.rglob("*")):
        os.chown(path, 65534, 65534)
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@pytest.mark.needs("posix")
def test_items_without_permission_are_rows_and_all_others_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm_up = IndexedProject(tmp_path / "warm_up")
    warm_up.write({"a.py": "x = 1\n"})
    warm_up.update_index()  # imports what another user may not be able to read
    warm_up.find("x")
    _why(warm_up, "a.py")
    home = Path(tempfile.mkdtemp())
    home.chmod(0o755)
    for name in ("CACHE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name))
    (home / "p").mkdir()
    for number in range(4):
        (home / "p" / f"d{number}").mkdir()
        (home / "p" / f"d{number}" / f"item_{number}.py").write_text(_names(number))
    (home / "p" / "d1").chmod(0)
    (home / "p" / "d2" / "item_2.py").chmod(0)
    (home / "p" / "d3" / ".gitignore").write_text("*.log\n")
    (home / "p" / "d3" / ".gitignore").chmod(0)
    try:
        with _as_somebody(home):
            project = IndexedProject(home / "p")
            assert project.update_index().state == "ready"
            found = {doc_id for n in range(4) for doc_id in doc_ids(project.find(f"item_{n}"))}
            closed = _why(project, "d2/item_2.py")
            (home / "p" / "d1").chmod(0o700)
            (home / "p" / "d2" / "item_2.py").chmod(0o600)
            project.update_index()
            healed = {doc_id for n in range(4) for doc_id in doc_ids(project.find(f"item_{n}"))}
    finally:
        shutil.rmtree(home, ignore_errors=True)
    assert {"./d0/item_0.py::item_0", "./d3/item_3.py::item_3"} <= found
    assert (closed.status, closed.reason.partition(" (")[0]) == ("skipped", SkipReason.UNREADABLE.value)
    assert {f"./d{n}/item_{n}.py::item_{n}" for n in range(4)} <= healed


def test_clock_that_runs_backwards_hides_no_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = IndexSample(tmp_path / "project")
    now = time.time()

    def clock() -> float:
        nonlocal now
        now -= 3600.0
        return now

    monkeypatch.setattr(time, "time", clock)
    monkeypatch.setattr(time, "time_ns", lambda: int(clock() * 1e9))
    for round_number, mtime in enumerate((2**33, 2**31, 10**9, 1, 0, -1, -(2**31))):
        sample.write("a.py", f"def round_{round_number}(): pass\n")
        os.utime(sample.root / "a.py", (mtime, mtime))
        assert sample.update_index().state == "ready"
        assert sample.names() == [f"./a.py::round_{round_number}"]


# Histories --------------------------------------------------------------------------------------------------------


@pytest.fixture
def history(tmp_path: Path) -> HistoryProject:
    sample = HistoryProject(tmp_path / "p")
    sample.root.mkdir()
    sample.init_repository()
    for number in range(30):
        sample.commit(
            f"change {number}", {"a.py": f"def one():\n    return {number}\n", f"b{number}.py": _names(number)}
        )
    return sample


def _try_history(sample: HistoryProject) -> bool:
    """Update the history as the indexer does; return whether git could read it. Other exceptions are faults."""
    try:
        sample.update_history()
    except (GitFailed, IndexUnavailable):
        return False
    return True


def test_damaged_repository_costs_history_alone(history: HistoryProject) -> None:
    rng = random.Random(f"{SEED} git")
    original = history.root.parent / "original"
    shutil.copytree(history.root / ".git", original)
    for round_number in range(12):
        shutil.rmtree(history.root / ".git")
        shutil.copytree(original, history.root / ".git")
        if round_number % 2:
            history.git("gc", "-q", "--prune=now")
        files = sorted(path for path in (history.root / ".git").rglob("*") if path.is_file() and path.stat().st_size)
        for path in rng.sample(files, rng.choice((1, 1, 5, len(files) // 2))):
            data = bytearray(path.read_bytes())
            if rng.random() < 0.5:
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            else:
                data = data[: rng.randrange(len(data))]
            path.chmod(0o600)
            path.write_bytes(data)
        project = IndexedProject(history.root)
        with contextlib.suppress(GitFailed, IndexUnavailable):
            project.update_index()
        _try_history(history)
        assert "./b3.py::item_3" in doc_ids(project.find("item_3")), (SEED, round_number)
    shutil.rmtree(history.root / ".git")
    shutil.copytree(original, history.root / ".git")
    assert _try_history(history), SEED
    assert len(history.stored_commits()) == 30, SEED


@pytest.mark.parametrize("how", ["gc", "rebase", "detach", "orphan", "shallow", "reset", "no HEAD", "no objects"])
def test_repository_that_changes_while_it_is_read(
    history: HistoryProject, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(history_module, "BATCH_COMMITS", 5)
    monkeypatch.setattr(history_module, "NEWEST_COMMITS", 5)
    calls = iter(range(10**6))

    def change() -> None:
        if next(calls) == 2:
            _change_repository(history, how)

    with history.history() as store, contextlib.suppress(GitFailed):
        history_module.update_history(history.folder, store, change)
    readable = _try_history(history)
    assert readable == (how != "no objects")
    if readable:
        head = history.git("rev-list", "HEAD", check=False).split() if how not in ("orphan", "no HEAD") else []
        assert sorted(history.stored_commits()) == sorted(head)


def _change_repository(sample: HistoryProject, how: str) -> None:
    if how == "gc":
        sample.git("gc", "-q", "--prune=now", "--aggressive")
    elif how == "rebase":
        sample.git("checkout", "-q", "-b", "other", "HEAD~20")
        sample.commit("aside", {"aside.py": "x = 1\n"})
        sample.git("rebase", "-q", "-X", "theirs", "HEAD", "master", check=False)
        sample.git("rebase", "--abort", check=False)
        sample.git("checkout", "-q", "-f", "other")
        sample.git("reflog", "expire", "--expire=now", "--all")
        sample.git("gc", "-q", "--prune=now")
    elif how == "detach":
        sample.git("checkout", "-q", "--detach", "HEAD~10")
    elif how == "orphan":
        sample.git("checkout", "-q", "--orphan", "fresh")
    elif how == "shallow":
        (sample.root / ".git" / "shallow").write_text(sample.git("rev-parse", "HEAD~5") + "\n")
    elif how == "reset":
        sample.git("reset", "-q", "--hard", "HEAD~25")
    elif how == "no HEAD":
        (sample.root / ".git" / "HEAD").write_text("ref: refs/heads/nowhere\n")
    else:
        shutil.rmtree(sample.root / ".git" / "objects")
        (sample.root / ".git" / "objects").mkdir()


def test_history_of_many_commits_is_read(tmp_path: Path) -> None:
    sample = HistoryProject(tmp_path / "p")
    sample.root.mkdir()
    sample.init_repository()
    stream = "".join(
        f"commit refs/heads/long\ncommitter A <a@example.invalid> {1_600_000_000 + n} +0000\n"
        f"data <<END\nchange {n}\nEND\n"
        f"M 644 inline f{n % 40}.py\ndata <<END\ndef item_{n}(): pass\nEND\n"
        for n in range(COMMITS)
    )
    subprocess.run(["git", "fast-import", "--quiet"], cwd=sample.root, input=stream.encode(), check=True)
    sample.git("checkout", "-q", "long")
    state = sample.update_history()
    with sample.history() as store:
        assert store.reader.commit_count == min(COMMITS, 20_000)
    assert ("newest 20,000" in state.extent) == (COMMITS >= 20_000)
    sample.commit("one more", {"f1.py": "def later(): pass\n"}, days=9999)
    assert sample.update_history().state == "ready"
    with sample.history() as store:
        assert store.reader.commit_count == min(COMMITS + 1, 20_000)
