"""A small project with all that Scry keeps of it, whose files are damaged one by one."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from scry_protocol.messages import Answer
from tests.e2e.command_line import CommandLine, Done
from tests.processes import running_with
from tests.sample.files import SMALL_SHOP
from tests.sample.project import SampleProject

QUERIES = ("add_to_cart", "how is a total computed", "why do prices have two digits")
HEAL_S = 60.0


def flip(path: Path, rng: random.Random) -> None:
    """Change some bits at random places."""
    content = bytearray(path.read_bytes())
    for _ in range(3 if content else 0):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def overwrite(path: Path, rng: random.Random) -> None:
    """Overwrite a part in the middle with noise."""
    content = path.read_bytes()
    start = rng.randrange(len(content) // 2 + 1)
    size = min(len(content) - start, max(1, len(content) // 4))
    path.write_bytes(content[:start] + rng.randbytes(size) + content[start + size :])


def truncate(path: Path, rng: random.Random) -> None:
    """Cut the end off."""
    with path.open("r+b") as file:
        file.truncate(rng.randrange(max(1, path.stat().st_size)))


def empty(path: Path, _: random.Random) -> None:
    """Cut everything off."""
    path.write_bytes(b"")


def delete(path: Path, _: random.Random) -> None:
    """Remove the file."""
    path.unlink()


Damage = Callable[[Path, random.Random], None]
WAYS: tuple[Damage, ...] = (flip, overwrite, truncate, empty, delete)


@dataclass(frozen=True)
class KeptProject:
    """A project, and copies of its cache and data as they were when it was at rest."""

    folder: Path
    root: Path
    scry: CommandLine

    def home(self, name: str) -> Path:
        return self.folder / "home" / name / "scry"

    def files(self, name: str) -> list[str]:
        """Return the files of the kept cache or data, relative to its folder."""
        kept = self.folder / "kept" / name / "scry"
        return sorted(str(path.relative_to(kept)) for path in kept.rglob("*") if path.is_file())

    def restore(self) -> None:
        """Bring cache and data back to how they were; no indexer runs then."""
        self.wait_for_end()
        shutil.rmtree(self.folder / "home")
        shutil.copytree(self.folder / "kept", self.folder / "home")

    def keep(self) -> None:
        """Take cache and data as they are for what `restore` brings back."""
        self.wait_for_end()
        shutil.rmtree(self.folder / "kept", ignore_errors=True)
        shutil.copytree(self.folder / "home", self.folder / "kept", ignore=shutil.ignore_patterns("*.sock"))

    def wait_for_end(self) -> None:
        """Wait until no process of the project runs: an indexer removes its address before it closes its files."""
        end = time.monotonic() + HEAL_S
        while running := running_with(str(self.folder)):
            assert time.monotonic() < end, f"does not end: {running}"
            time.sleep(0.05)

    def find(self, query: str) -> Answer:
        """Return the answer to a question, which has to be JSON, without a word of Python's."""
        return checked_answer(self.scry.run("--json", query))

    def answers(self) -> list[tuple[str, str]]:
        """Return what all questions find."""
        return [(each.doc_id, each.snippet) for query in QUERIES for each in self.find(query).results]


def checked_answer(done: Done) -> Answer:
    assert "Traceback" not in done.err, done.err
    assert done.status == 0, done
    return msgspec.json.decode(done.out, type=Answer)


def make_kept_project(folder: Path) -> KeptProject:
    """Make a project with a history, beliefs, notes, memories and a log, and index it."""
    root = folder / "shop"
    sample = SampleProject(root)
    sample.write(SMALL_SHOP)
    sample.init_repository()
    sample.commit("Compute totals in cents")
    sample.write_file("shop/later.py", "def apply_discount(total):\n    return total * 9 // 10\n")
    sample.commit("Apply a discount to the total")
    homes = {f"XDG_{name.upper()}_HOME": str(folder / "home" / name) for name in ("cache", "data", "config")}
    environ = {**homes, "SCRY_INDEXER_LINGER": "3", "PYTHONDONTWRITEBYTECODE": "1"}
    project = KeptProject(folder, root, CommandLine(root, environ))
    for words in (
        ("index",),
        ("belief", "add", "Prices have two digits", "--evidence", "shop/cart.py:1"),
        ("persona", "add", "I like short functions"),
        ("persona", "add", "Totals are computed in cents"),
        ("observe", "decision", "totals stay integers"),
        ("index",),
        *((query,) for query in QUERIES),
    ):
        done = project.scry.run(*words)
        assert done.status == 0, (words, done)
    time.sleep(float(os.environ.get("SCRY_TRUST_REST", "2")))
    project.keep()
    return project


def cases(project: KeptProject, name: str) -> Iterator[tuple[str, Damage]]:
    """Yield every file with every way to damage it."""
    for path in project.files(name):
        for way in WAYS:
            yield path, way
