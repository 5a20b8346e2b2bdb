"""The commands that docs/team.md and the compose file give to whoever runs a team's server do what they say."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scry.store.team.jumps import TeamJump, give_jumps, read_given_jumps
from scry.team import index_one_by_one, read_sources
from tests.gates.parts import ROOT
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer, programs
from tests.team.team_samples import SHOP, find, stored_words

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]

QUESTION = "sum up the prices"
BELIEF = {".scry/beliefs/cents.md": "---\nstatement: Prices are summed up in cents.\n---\n"}


@pytest.fixture
def other() -> Iterator[PostgresServer]:
    """Return a second server, with the roles of the first."""
    server = PostgresServer()
    yield server
    server.remove()


@pytest.fixture
def team_file(tmp_path: Path) -> Path:
    for name, files in (("shop", {**SHOP, **BELIEF}), ("vault", {"vault/prices.py": SHOP["shop/cart.py"]})):
        project = HistoryProject(tmp_path / name).init_repository()
        project.commit(f"Open the {name}", files)
    path = tmp_path / "team.toml"
    text = (
        'readers = ["public"]\n[[repository]]\nurl = "shop"\n[[repository]]\nurl = "vault"\nreaders = ["dump_guards"]\n'
    )
    path.write_text(text, encoding="utf-8")
    return path


def documented_commands(*names: str) -> list[str]:
    """Return the listed commands of docs/team.md that begin with these words, without comments."""
    text = (ROOT / "docs" / "team.md").read_text(encoding="utf-8")
    lines = [line.strip().partition("  #")[0] for line in text.splitlines() if line.startswith("        ")]
    return [line for line in lines if line.split() and line.split()[0] in names]


def run(command: Sequence[str], folder: Path, environ: Mapping[str, str] = os.environ) -> str:
    paths = f"{programs()}{os.pathsep}{environ['PATH']}"
    program, *arguments = command
    done = subprocess.run(
        [str(programs() / program) if (programs() / program).exists() else program, *arguments],
        cwd=folder,
        env={**environ, "PATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_dump_is_restored_on_another_server(
    postgres: PostgresServer, other: PostgresServer, team_file: Path, tmp_path: Path
) -> None:
    for server in (postgres, other):
        for role in ("indexer LOGIN CREATEDB", "dump_guards", "dump_clerk LOGIN"):
            server.execute(f"CREATE ROLE {role}")
    postgres.execute("CREATE DATABASE team OWNER indexer")
    postgres.execute("CREATE EXTENSION vector", postgres.address("team"))
    first, second = postgres.address("team", "indexer"), other.address("team", "indexer")
    assert [each.error for each in index_one_by_one(first, read_sources(team_file))] == ["", ""]
    clerk, restored_clerk = postgres.address("team", "dump_clerk"), other.address("team", "dump_clerk")
    give_jumps(clerk, [TeamJump("shop", "./shop/cart.py", 1, "prices", is_hashed=False, act=b"1")])
    commands = documented_commands("pg_dump", "createdb", "psql", "pg_restore")
    assert [command.split()[0] for command in commands] == ["pg_dump", "createdb", "psql", "pg_restore"]
    for command in commands:
        places = command.replace("db1", str(postgres.folder)).replace("db2", str(other.folder))
        run(shlex.split(places), tmp_path)
    assert stored_words(second) == stored_words(first)
    assert find(restored_clerk, QUESTION) == find(clerk, QUESTION) != []
    assert "shop:belief:cents" in [name for name, _ in find(restored_clerk, QUESTION)]
    assert not [name for name, _ in find(restored_clerk, QUESTION) if name.startswith("vault")]
    assert read_given_jumps(restored_clerk) == read_given_jumps(clerk) != []
    assert [each.is_unchanged for each in index_one_by_one(second, read_sources(team_file))] == [True, True]


# The compose file -----------------------------------------------------------------------------------------------------


def compose() -> dict[str, Any]:
    return msgspec.yaml.decode((ROOT / "docs" / "team" / "compose.yaml").read_bytes(), type=dict[str, Any])


def test_compose_file_is_complete() -> None:
    """Each key is one of the compose specification, and each name that is used is defined."""
    read = compose()
    assert set(read) == {"services", "volumes"}
    services, known = read["services"], {
        "image", "environment", "command", "ports", "volumes", "healthcheck", "depends_on",
    }  # fmt: skip
    assert set(services) == {"server", "indexer"}
    for service in services.values():
        assert set(service) <= known
        assert re.fullmatch(r"[a-z0-9./-]+:[a-z0-9.]+", service["image"])
        for mount in service.get("volumes", ()):
            source, target, *mode = mount.split(":")
            assert source in read["volumes"] or source == "./team.toml"
            assert target.startswith("/")
            assert mode in ([], ["ro"])
        for needed, condition in service.get("depends_on", {}).items():
            assert condition == {"condition": "service_healthy"}
            assert "healthcheck" in services[needed]
        for value in service["environment"].values():
            assert "$" not in value or value == "${POSTGRES_PASSWORD:?}"  # told where it is not set


def test_commands_of_the_compose_file_run(other: PostgresServer, team_file: Path, tmp_path: Path) -> None:
    services = compose()["services"]
    server, indexer = services["server"], services["indexer"]
    environment = server["environment"]
    other.execute(f"CREATE ROLE {environment['POSTGRES_USER']} SUPERUSER LOGIN")
    other.execute(f"CREATE DATABASE {environment['POSTGRES_DB']} OWNER {environment['POSTGRES_USER']}")
    other.execute("CREATE ROLE dump_guards")
    at_server = {**os.environ, "PGHOST": str(other.folder)}
    way, *check = server["healthcheck"]["test"]
    assert way == "CMD"
    assert "accepting connections" in run(check, tmp_path, at_server)
    other.stop()
    other.start(server["command"])
    for name, value in (each.split("=") for each in server["command"] if each != "-c"):
        assert other.execute(f"SHOW {name}") == [(value,)]
    shell, option, script = indexer["command"]
    assert (shell, option) == ("sh", "-c")
    subprocess.run([shell, "-n", option, script], check=True)
    installed, loop = script.split(" && ") if " && " in script else script.split("&&")
    assert shlex.split(installed)[:2] == ["pip", "install"]
    pyproject = msgspec.toml.decode((ROOT / "pyproject.toml").read_bytes())["project"]
    [(package, extra)] = re.findall(r"'([a-z-]+)\[([a-z-]+)\]'", installed)
    assert package == pyproject["name"]
    assert extra in pyproject["optional-dependencies"]
    [indexing] = re.findall(r"scry [^;]*", loop)
    words = [each.replace("@server/", "@/").replace("/team.toml", str(team_file)) for each in shlex.split(indexing)]
    run([sys.executable, "-m", *words], tmp_path, at_server)
    address = other.address(environment["POSTGRES_DB"], environment["POSTGRES_USER"])
    assert {name.partition(":")[0] for name, _ in find(address, QUESTION)} == {"shop", "vault"}
