"""`scry team` makes an index of the repositories that a file names; what fails or is killed costs only itself."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scry.core import BadRequest, IndexUnavailable
from scry.core.platform import lock_handle
from scry.store.team import TeamDatabase, TeamReader
from scry.store.team import reader as reader_module
from scry.store.team import writer as writer_module
from scry.store.team.membership import (
    forget_membership,
    has_joined,
    membership_path,
    read_membership,
    save_membership,
    split_off_password,
)
from scry.team.checkout import check_out, checkout_folder, describe_git_failure
from scry.team.indexing import index_in_processes, index_one_by_one
from scry.team.sources import read_sources
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer, as_role
from tests.team.team_samples import SHOP, find, kill_whoever_fetches, stored_words

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]

QUESTION = "sum up the prices"


def scry(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scry", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def as_json(done: subprocess.CompletedProcess[str]) -> Any:  # noqa: ANN401 (JSON of any shape)
    return json.loads(done.stdout)


@pytest.fixture
def sources(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes the file of a team with these repositories, made where they do not exist."""

    def write(*names: str, readers: str = "public", more: str = "") -> Path:
        for name in names:
            if not (tmp_path / name).exists():
                project = HistoryProject(tmp_path / name).init_repository()
                project.commit(f"Open {name}", {**SHOP, f"{name}.py": f"def {name}_only():\n    return 1\n"})
        entries = "".join(f'[[repository]]\nurl = "{name}"\n' for name in names)
        path = tmp_path / "team.toml"
        path.write_text(f'readers = ["{readers}"]\n{entries}{more}', encoding="utf-8")
        return path

    return write


def test_two_commands_make_and_join_a_team(address: str, sources: Callable[..., Path], tmp_path: Path) -> None:
    """From nothing: one command indexes, one joins, and a question finds what is in no folder of this machine."""
    file = sources("cart", "stock", more='[[repository]]\nurl = "missing"\n')
    done = scry("team", "index", str(file), "--server", address, "--json", cwd=tmp_path)
    outcomes = {each["name"]: each for each in as_json(done)["repositories"]}
    assert done.returncode == 1
    assert "git clone failed" in outcomes["missing"]["error"]
    assert [outcomes[name]["error"] for name in ("cart", "stock")] == ["", ""]
    told = [line.partition(" ")[0] for line in done.stderr.splitlines()]
    assert [first for first in told if first.endswith("/3")] == ["1/3", "2/3", "3/3"]
    here = tmp_path / "here"
    here.mkdir()
    (here / "notes.md").write_text("# Notes\n", encoding="utf-8")
    try:
        joined = as_json(scry("team", "join", address, "--json", cwd=here))
        assert [each["name"] for each in joined["repositories"]] == ["cart", "stock"]
        found = as_json(scry("find", QUESTION, "--team", "--json", cwd=here))
        assert found["faults"] == []
        assert "cart:./shop/cart.py::total_price" in [each["doc_id"] for each in found["results"]]
        shown = scry("find", QUESTION, "--team", cwd=here).stdout
        assert "cart/shop/cart.py:" in shown
    finally:
        left = scry("team", "leave", cwd=here)
    assert left.stdout.endswith("is left\n")
    assert not has_joined()


def test_join_that_fails_keeps_the_team_that_was_joined(address: str, sources: Callable[..., Path]) -> None:
    file = sources("cart")
    assert scry("team", "index", str(file), "--server", address, cwd=file.parent).returncode == 0
    try:
        assert scry("team", "join", address, cwd=file.parent).returncode == 0
        refused = scry("team", "join", address.replace("dbname=", "dbname=no_"), cwd=file.parent)
        assert "does not exist" in refused.stderr
        assert "cart" in scry("team", "status", cwd=file.parent).stdout
    finally:
        forget_membership()


@pytest.mark.parametrize(
    ("stderr", "told"),
    [
        (
            "fatal: '/gone' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\n"
            "Please make sure you have the correct access rights\nand the repository exists.\n",
            "fatal: '/gone' does not appear to be a git repository",
        ),
        (
            "git@forge.example: Permission denied (publickey).\r\nfatal: Could not read from remote repository.\n\n"
            "Please make sure you have the correct access rights\nand the repository exists.\n",
            "git@forge.example: Permission denied (publickey).",
        ),
        (
            "warning: redirecting to https://forge.example/x\nremote: Not found.\nfatal: repository 'x' not found\n",
            "remote: Not found.; fatal: repository 'x' not found",
        ),
        ("fatal: Could not read from remote repository.\n", "fatal: Could not read from remote repository."),
        ("", ""),
    ],
)
def test_reason_of_git_is_told_without_its_advice(stderr: str, told: str) -> None:
    assert describe_git_failure(stderr) == told


def test_repository_that_is_gone_fails_with_the_reason_of_git(
    address: str, sources: Callable[..., Path], tmp_path: Path
) -> None:
    repositories = read_sources(sources("cart"))
    assert [each.error for each in index_one_by_one(address, repositories)] == [""]
    (tmp_path / "cart").rename(tmp_path / "moved")
    [outcome] = index_one_by_one(address, repositories)
    assert outcome.error.startswith("git fetch failed: fatal: ")
    assert "does not appear to be a git repository" in outcome.error


def test_second_run_reads_only_what_is_new(address: str, sources: Callable[..., Path], tmp_path: Path) -> None:
    repositories = read_sources(sources("cart", "stock"))
    assert not [each.error for each in index_one_by_one(address, repositories) if each.error]
    again = list(index_one_by_one(address, repositories))
    assert [each.is_unchanged for each in again] == [True, True]
    HistoryProject(tmp_path / "cart").commit("Count", {"count.py": "def count_pallets():\n    return 2\n"})
    changed, unchanged = index_one_by_one(address, repositories)
    assert (changed.name, changed.is_unchanged, changed.documents) == ("cart", False, 1)
    assert unchanged.is_unchanged
    assert find(address, "count pallets")[0][0] == "cart:./count.py::count_pallets"


def graph_of(postgres: PostgresServer, address: str) -> object:
    [(graph,)] = postgres.execute("SELECT to_regclass('scry.documents_by_vector')::oid", address)
    return graph


def test_graph_of_vectors_is_made_once_a_run_ends(
    address: str, sources: Callable[..., Path], postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    repositories = read_sources(sources("cart", "stock"))
    list(index_one_by_one(address, repositories[:1]))
    assert graph_of(postgres, address) is None, "readers compare all of so few vectors"
    monkeypatch.setattr(writer_module, "EXACT_DOCUMENTS", 3)
    run = index_one_by_one(address, repositories)
    next(run)
    assert graph_of(postgres, address) is None, "adding to it costs more than making it"
    del run  # interrupted
    assert [each.is_unchanged for each in index_in_processes(address, repositories, 2)].count(True) >= 1
    made = graph_of(postgres, address)
    assert made is not None, "the next run makes it"
    HistoryProject(Path(repositories[0].url)).commit("Count", {"count.py": "def count_pallets():\n    return 2\n"})
    assert next(iter(index_one_by_one(address, repositories))).documents == 1
    assert graph_of(postgres, address) == made, "later runs add to it"
    monkeypatch.setattr(reader_module, "EXACT_DOCUMENTS", 0)
    assert find(address, "count pallets")[0][0] == "cart:./count.py::count_pallets"


def test_run_without_a_server_tells_it_of_each_repository(address: str, sources: Callable[..., Path]) -> None:
    away = address.replace("dbname=", "dbname=no_such_")
    outcomes = list(index_one_by_one(away, read_sources(sources("cart", "stock"))))
    assert [each.error.partition(":")[0] for each in outcomes] == ["the team's index can't be used"] * 2


def test_indexing_without_ray_goes_on_and_says_so(address: str, sources: Callable[..., Path], tmp_path: Path) -> None:
    """Python is told that there is no Ray, whether it is installed here or not."""
    code = "import sys; sys.modules['ray'] = None; from scry.main import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "team", "index", str(sources("cart", "stock")), "--server", address]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told, *progress = done.stderr.splitlines()
    assert told == "Ray is not installed (the extra team-index): one repository is indexed at a time"
    assert [line.partition(" ")[0] for line in progress] == ["1/2", "2/2"]
    assert done.stdout == "2 repositories indexed\n"
    refused = subprocess.run(
        [*command, "--address", "127.0.0.1:1"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert refused.returncode != 0
    assert "a cluster needs Ray" in refused.stdout + refused.stderr


def test_checkout_left_by_a_killed_git_is_used_again(
    address: str, sources: Callable[..., Path], tmp_path: Path
) -> None:
    """A lock file of git and a half clone, as a killed run leaves them, hold up no later one."""
    repositories = read_sources(sources("cart"))
    half = checkout_folder(repositories[0]).with_name(f"{checkout_folder(repositories[0]).name}.partial")
    half.mkdir(parents=True)
    (half / "HEAD").write_text("", encoding="utf-8")
    assert [each.error for each in index_one_by_one(address, repositories)] == [""]
    (checkout_folder(repositories[0]) / ".git" / "index.lock").touch()
    HistoryProject(tmp_path / "cart").commit("Count", {"count.py": "def count_pallets():\n    return 2\n"})
    assert [(each.error, each.documents) for each in index_one_by_one(address, repositories)] == [("", 1)]


def test_checkout_is_locked_while_it_is_used(sources: Callable[..., Path]) -> None:
    """Two runs on one machine, or a task and the one that replaces it, take turns."""
    repository = read_sources(sources("cart"))[0]
    with check_out(repository) as (folder, _):
        lock = os.open(folder.with_name(f"{folder.name}.lock"), os.O_RDWR)
        try:
            assert not lock_handle(lock, wait=False)
        finally:
            os.close(lock)
    with check_out(repository) as (again, _):
        assert again == folder


def test_branch_that_is_named_is_indexed(address: str, sources: Callable[..., Path], tmp_path: Path) -> None:
    file = sources("cart")
    project = HistoryProject(tmp_path / "cart")
    project.git("checkout", "-q", "-b", "release")
    project.commit("Release", {"release.py": "def release_only():\n    return 3\n"})
    project.git("checkout", "-q", "-")
    text = file.read_text(encoding="utf-8").replace('url = "cart"', 'url = "cart"\nbranch = "release"')
    file.write_text(text, encoding="utf-8")
    [outcome] = index_one_by_one(address, read_sources(file))
    assert outcome.commit == project.git("rev-parse", "release")
    missing = text.replace('"release"', '"nowhere"')
    file.write_text(missing, encoding="utf-8")
    [outcome] = index_one_by_one(address, read_sources(file))
    assert "git rev-parse failed" in outcome.error


def test_repository_on_no_branch_is_indexed(address: str, sources: Callable[..., Path], tmp_path: Path) -> None:
    """The checkout of a pipeline, for instance: HEAD is a commit that no branch has."""
    repositories = read_sources(sources("cart"))
    project = HistoryProject(tmp_path / "cart")
    branch = project.git("branch", "--show-current")
    for name in ("first", "second"):
        project.git("checkout", "-q", "--detach")
        commit = project.commit(name, {f"{name}.py": f"def {name}_only():\n    return 3\n"})
        [outcome] = index_one_by_one(address, repositories)
        assert (outcome.error, outcome.commit) == ("", commit)
    project.git("branch", "-D", branch)
    shutil.rmtree(checkout_folder(repositories[0]))
    [outcome] = index_one_by_one(address, repositories)
    assert (outcome.error, outcome.commit, outcome.is_unchanged) == ("", commit, True)


def test_prune_removes_what_is_not_listed(address: str, sources: Callable[..., Path], tmp_path: Path) -> None:
    list(index_one_by_one(address, read_sources(sources("cart", "stock"))))
    done = scry("team", "index", str(sources("cart")), "--server", address, "--prune", "--json", cwd=tmp_path)
    assert as_json(done)["removed"] == ["stock"]
    with TeamDatabase.open_for_reading(address) as database, database.snapshot():
        assert [each.name for each in TeamReader(database).repositories.values()] == ["cart"]


def test_killed_run_is_finished_by_the_next(address: str, sources: Callable[..., Path], tmp_path: Path) -> None:
    """A run is killed while it works; the next one leaves the index as a single run would have."""
    names = ["cart", "stock", "depot"]
    file = sources(*names)
    command = [sys.executable, "-m", "scry", "team", "index", str(file), "--server", address, "--jobs", "1"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("1/3 cart")
        time.sleep(0.1)  # somewhere within the second
        os.killpg(process.pid, signal.SIGKILL)
    assert scry("team", "index", str(file), "--server", address, cwd=tmp_path).returncode == 0
    resumed = stored_words(address)
    with TeamDatabase.open_for_writing(address) as database:
        database.connection.execute("DROP SCHEMA scry CASCADE")
    list(index_one_by_one(address, read_sources(file)))
    assert stored_words(address) == resumed


def test_several_processes_index_alike(address: str, sources: Callable[..., Path]) -> None:
    repositories = read_sources(sources("cart", "stock", "depot", more='[[repository]]\nurl = "missing"\n'))
    outcomes = {each.name: each.error for each in index_in_processes(address, repositories, 2)}
    assert outcomes.pop("missing").startswith("git clone failed")
    assert outcomes == {"cart": "", "stock": "", "depot": ""}
    together = stored_words(address)
    with TeamDatabase.open_for_writing(address) as database:
        database.connection.execute("DROP SCHEMA scry CASCADE")
    list(index_one_by_one(address, repositories))
    assert stored_words(address) == together


@pytest.mark.acceptance("T3")
def test_repository_that_kills_its_process_costs_itself(
    address: str, sources: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    poison = f'[[repository]]\nurl = "{kill_whoever_fetches(tmp_path, monkeypatch)}"\n'
    repositories = read_sources(sources("cart", "stock", more=poison))
    outcomes = {each.name: each.error for each in index_in_processes(address, repositories, 2)}
    assert outcomes.pop("poison").startswith("its process died: ")
    assert outcomes == {"cart": "", "stock": ""}
    assert {name.partition(":")[0] for name, _ in find(address, QUESTION)} == {"cart", "stock"}


@pytest.mark.acceptance("T2")
def test_readers_change_even_where_the_forge_is_away(
    address: str, sources: Callable[..., Path], tmp_path: Path, postgres: PostgresServer
) -> None:
    list(index_one_by_one(address, read_sources(sources("cart"))))
    file = sources("cart", readers="auditors")
    (tmp_path / "cart").rename(tmp_path / "gone")
    [outcome] = index_one_by_one(address, read_sources(file))
    assert outcome.error.startswith("git fetch failed")
    assert postgres.execute("SELECT role FROM scry.grants", address) == [("auditors",)]
    postgres.execute("CREATE ROLE cashier LOGIN")
    assert find(as_role(address, "cashier"), QUESTION) == []
    assert find(address, QUESTION) != []  # it stays published, for its new readers


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[repository]]\nurl = 'cart'\n", "who may read cart"),
        ("readers = ['public']\n[[repository]]\nurl = 'https://ada:secret@example.invalid/cart'\n", "holds a secret"),
        ("readers = ['public']\n[[repository]]\nurl = 'ext::sh -c id'\nname = 'a:b'\n", "needs a name"),
        ("readers = ['public']\n[[repository]]\nurl = 'ext://x/y'\n", "ext is no way"),
        ("readers = ['public']\n[[repository]]\nurl = 'a/cart'\n[[repository]]\nurl = 'b/cart'\n", "several"),
        ("readers = ['public']\n[[repository]]\nurl = 'cart'\nbranch = '--upload-pack=x'\n", "is no branch"),
        ("readers = ['public']\n[[repository]]\nurl = 'cart'\nreader = ['x']\n", "unknown field"),
        ("what", "is no list of repositories"),
    ],
)
def test_file_of_repositories_is_checked(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "team.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadRequest) as refused:
        read_sources(path)
    assert words in str(refused.value)
    assert "secret@" not in str(refused.value)


def test_file_of_repositories_may_come_from_windows(tmp_path: Path) -> None:
    path = tmp_path / "team.toml"
    path.write_bytes(b'\xef\xbb\xbfreaders = ["public"]\r\n[[repository]]\r\nurl = "cart"\r\n')
    assert [each.name for each in read_sources(path)] == ["cart"]


def test_password_is_never_written_to_a_file(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a keyring of the system a password in the address is refused; the address alone is kept."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    assert split_off_password("postgresql://ada:pa%20ss@db.example/team")[1] == "pa ss"
    code = (
        "from scry.store.team.membership import save_membership\n"
        "save_membership('postgresql://ada:geheim@db.example/team')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "there is no keyring" in done.stderr
    assert not has_joined()
    try:
        save_membership(address)
        assert membership_path().stat().st_mode & 0o077 == 0
        joined = read_membership()
        assert joined is not None
        assert joined.connection_string() == joined.address
    finally:
        forget_membership()


def test_damaged_membership_is_told() -> None:
    membership_path().parent.mkdir(parents=True, exist_ok=True)
    membership_path().write_text("{", encoding="utf-8")
    try:
        with pytest.raises(IndexUnavailable, match="join the team again"):
            read_membership()
    finally:
        membership_path().unlink()
