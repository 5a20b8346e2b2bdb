"""A team that tests of editors join: a depot on a forge in its index, which no machine here has a clone of."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from scry.store.team import TeamDatabase, TeamRepository
from scry.team import load_repository
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer, as_role

URL = "https://github.com/acme/depot.git"

FILES = {
    "src/pallets.py": '''"""The pallets of the depot."""

HEIGHT = 2


def stack_pallets(pallets):
    """Stack the pallets of a truck on top of each other."""
    return sorted(pallets)


def weigh_pallets(pallets):
    """Weigh the pallets of a truck."""
    return sum(pallet.weight for pallet in pallets)
''',
    "src/yard.py": """from src.pallets import stack_pallets


def tidy_up(yard):
    return stack_pallets(yard.left)
""",
    "README.md": "# Depot\n\nKeeps pallets.\n",
}
LINE = 6
"""The line of `stack_pallets`."""

QUESTION = "stack the pallets of a truck"


class JoinedTeam:
    """A server with the depot in its index. address: for a member without privileges."""

    def __init__(self, folder: Path) -> None:
        """Start the server and load the depot, a repository in this folder."""
        self.server = PostgresServer()
        self.server.execute("CREATE ROLE clerk LOGIN")
        owner = self.server.create_database()
        self.address = as_role(owner, "clerk")
        self.depot = HistoryProject(folder / "depot").init_repository()
        self.commit = self.depot.commit("Stack the pallets", FILES)
        with TeamDatabase.open_for_writing(owner) as database:
            load_repository(database, TeamRepository("depot", URL, "", ("public",)), self.depot.root)

    def join(self, environment: Mapping[str, str]) -> None:
        """Join the team as a person does whose folders this environment names."""
        command = [sys.executable, "-m", "scry", "team", "join", self.address]
        subprocess.run(command, env=dict(environment), check=True, capture_output=True)

    @contextmanager
    def halted(self) -> Generator[None]:
        """Halt all processes of the server: it accepts connections and never answers."""
        pids: Sequence[int] = self.server.pids()
        self.server.signal(signal.SIGSTOP, pids)
        try:
            yield
        finally:
            self.server.signal(signal.SIGCONT, pids)

    def remove(self) -> None:
        """Stop the server and remove all that it wrote."""
        self.server.remove()


def clone_of_depot(team: JoinedTeam, folder: Path, environment: Mapping[str, str] = os.environ) -> Path:
    """Return a clone of the depot that the person has registered as a project."""
    subprocess.run(["git", "clone", "-q", str(team.depot.root), str(folder)], check=True)
    subprocess.run(["git", "-C", str(folder), "remote", "set-url", "origin", URL], check=True)
    command = [sys.executable, "-m", "scry", "project", "add", str(folder)]
    subprocess.run(command, env=dict(environment), check=True, capture_output=True)
    return folder
