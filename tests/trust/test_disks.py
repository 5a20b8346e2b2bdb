"""A disk that is full or read-only fails what needs it, says so, and harms nothing."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from scry.core.platform import create_private_file, make_private_folder
from tests.e2e.command_line import CommandLine
from tests.live_files import walk_live
from tests.polling import eventually
from tests.sample.files import SMALL_SHOP
from tests.sample.project import SampleProject
from tests.trust.damage import QUERIES, KeptProject, make_kept_project

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@contextmanager
def mounted(folder: Path, *options: str) -> Generator[None]:
    """Mount a file system on a folder."""
    subprocess.run(["mount", *options, str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def project(tmp_path: Path) -> KeptProject:
    project = make_kept_project(tmp_path)
    project.restore()
    return project


@pytest.mark.needs("mount")
def test_full_cache_disk_is_told_and_indexing_goes_on_once_there_is_room(tmp_path: Path) -> None:
    cache, root = tmp_path / "cache", tmp_path / "shop"
    cache.mkdir()
    root.mkdir()
    (root / "cart.py").write_text("def add_to_cart(item):\n    return item\n")
    scry = CommandLine(root, {"XDG_CACHE_HOME": str(cache), "XDG_DATA_HOME": str(tmp_path / "data")})
    with mounted(cache, "-t", "tmpfs", "-o", "size=1m", "tmpfs"):
        filling = cache / "filling"
        filling.write_bytes(bytes(900_000))
        done = scry.run("index", "--json")
        assert "Traceback" not in done.err
        assert "full" in done.out + done.err
        subprocess.run(["mount", "-o", "remount,size=64m", str(cache)], check=True)
        filling.unlink()
        eventually(lambda: scry.run("index").status == 0, "the index is made once there is room")
        assert scry.find("add_to_cart").results[0].doc_id == "./cart.py::add_to_cart"
        scry.run("purge", "--yes")


@pytest.mark.needs("mount")
@pytest.mark.parametrize("room", [20_000, 150_000, 400_000, 700_000, 1_200_000])
def test_disk_that_fills_up_in_any_stage_of_indexing_is_survived(tmp_path: Path, room: int) -> None:
    cache = tmp_path / "home" / "cache"
    cache.mkdir(parents=True)
    with mounted(cache, "-t", "tmpfs", "-o", "size=8m", "tmpfs"):
        (cache / "filling").write_bytes(bytes(8_000_000 - room))
        root = tmp_path / "shop"
        sample = SampleProject(root)
        sample.write(SMALL_SHOP)
        sample.init_repository()
        sample.commit("Compute totals in cents")
        scry = CommandLine(
            root,
            {**{f"XDG_{name.upper()}_HOME": str(tmp_path / "home" / name) for name in ("cache", "data", "config")}},
        )
        for words in (("index",), ("--json", QUERIES[0]), ("doctor",)):
            done = scry.run(*words)
            assert "Traceback" not in done.err, (words, done)
            told = done.out + done.err
            assert done.status == 0 or "full" in told or "free some space" in told, (words, done)
        (cache / "filling").unlink()
        eventually(lambda: scry.run("index").status == 0, "the index is made once there is room")
        answer = scry.find(QUERIES[0])
        assert answer.results[0].doc_id == "./shop/cart.py::add_to_cart"
        assert not answer.faults
        assert scry.run("doctor").status == 0
        scry.run("purge", "--yes")


@pytest.mark.needs("mount")
def test_full_data_disk_is_told_and_nothing_noted_before_is_lost(tmp_path: Path) -> None:
    data, root = tmp_path / "data", tmp_path / "shop"
    data.mkdir()
    root.mkdir()
    (root / "cart.py").write_text("def add_to_cart(item):\n    return item\n")
    scry = CommandLine(root, {"XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_DATA_HOME": str(data)})
    with mounted(data, "-t", "tmpfs", "-o", "size=4m", "tmpfs"):
        for words in (
            ("index",),
            ("persona", "add", "I like short functions"),
            ("observe", "note", "carts hold items"),
        ):
            assert scry.run(*words).status == 0
        filling = data / "filling"
        with filling.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))
        for words in (("persona", "add", "x" * 9_000), ("observe", "note", "y" * 50_000)):
            done = scry.run(*words)
            assert done.status == 1, (words, done)
            assert "Traceback" not in done.err
            assert "full" in done.out + done.err, (words, done)
        answer = scry.find("add_to_cart")
        assert answer.results[0].doc_id == "./cart.py::add_to_cart"
        filling.unlink()
        assert scry.run("observe", "note", "there is room").status == 0
        assert "I like short functions" in scry.run("persona", "list").out
        notes = scry.run("memory", "list").out
        assert "carts hold items" in notes
        assert "there is room" in notes


@contextmanager
def read_only(folder: Path) -> Generator[None]:
    with mounted(folder, "--bind", str(folder)):
        subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
        yield


@pytest.mark.needs("mount")
def test_read_only_cache_is_told_in_json_and_works_again_afterwards(project: KeptProject) -> None:
    before = project.answers()
    project.wait_for_end()
    with read_only(project.home("cache")):
        done = project.scry.run("--json", QUERIES[0])
    assert "Traceback" not in done.err
    assert done.status == 1, done
    assert "can't be written" in json.loads(done.out)["error"]["message"]
    assert project.answers() == before
    assert project.find(QUERIES[0]).notice == "", "nothing was damaged"


@pytest.mark.needs("mount")
def test_read_only_data_answers_and_stays_as_it_is(project: KeptProject) -> None:
    before = project.answers()
    project.wait_for_end()
    with read_only(project.home("data")):
        done = project.scry.run("--json", QUERIES[0])
        assert "Traceback" not in done.err
        assert done.status == 0, done
        found = project.find(QUERIES[0]).results
    assert [(result.doc_id, result.snippet) for result in found] == before[: len(found)]


@pytest.mark.needs("resource")
def test_nobody_else_can_read_what_is_stored(project: KeptProject) -> None:
    for home in ("cache", "data"):
        place = project.home(home)
        for path, status in [(place, place.lstat()), *walk_live(place)]:
            mode = status.st_mode
            assert stat.S_IMODE(mode) == (0o700 if stat.S_ISDIR(mode) else 0o600), (path, oct(mode))


@pytest.mark.needs("resource")
def test_files_that_were_open_to_others_are_closed(project: KeptProject) -> None:
    for path in (project.home("cache"), *project.home("cache").rglob("*"), *project.home("data").rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert project.scry.run("status").status == 0
    assert stat.S_IMODE(project.home("cache").stat().st_mode) == 0o700, "nobody can look in from the first command on"
    (project.root / "shop" / "new.py").write_text("def send_invoice():\n    pass\n")
    assert project.scry.run("index").status == 0

    def open_to_others() -> list[Path]:
        places = (project.home("cache").parent, project.home("data"))
        return [path for place in places for path, status in walk_live(place) if status.st_mode & 0o077]

    eventually(lambda: not open_to_others(), "nobody else can read")


@pytest.mark.needs("resource")
def test_private_files_are_closed_from_the_first_moment_whatever_the_mask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        make_private_folder(tmp_path / "a" / "b")
        create_private_file(tmp_path / "a" / "b" / "c")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / path).stat().st_mode) for path in ("a", "a/b", "a/b/c")]
    assert modes == [0o700, 0o700, 0o600]


@pytest.mark.needs("mount")
def test_read_only_project_is_indexed_and_refuses_beliefs(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "cart.py").write_text("def add_to_cart(item):\n    return item\n")
    homes = {f"XDG_{name.upper()}_HOME": str(tmp_path / "home" / name) for name in ("cache", "data", "config")}
    scry = CommandLine(root, homes)
    with read_only(root):
        assert scry.run("index").status == 0
        assert scry.find("add_to_cart").results[0].doc_id == "./cart.py::add_to_cart"
        done = scry.run("belief", "add", "Carts hold items", "--evidence", "cart.py:1")
    assert done.status == 1, done
    assert "Traceback" not in done.err
    assert sorted(path.name for path in root.iterdir()) == ["cart.py"]
