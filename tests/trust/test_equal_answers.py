"""Answers are a function of the tree and its history, not of how the index came to be (F10).

Random edits, renames, deletions, branch switches, reverts, amended and rewound commits and rebuilt caches; beside the
index that saw them all a fresh one is made of the same tree, and each question is asked of both.

`SCRY_DRIFT_ROUNDS` sets the number of rounds, `SCRY_DRIFT_SEED` the seed; `make trust` runs many.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec import UNSET

from scry.engine import Engine
from scry_protocol import messages
from tests.sample.history import HistoryProject
from tests.sample.indexed import IndexedProject

ROUNDS = int(os.environ.get("SCRY_DRIFT_ROUNDS") or 8)
"""Read while the tests are collected: later no variable of Scry's is left in the environment."""

SEED = os.environ.get("SCRY_DRIFT_SEED") or "94"
STEPS = 4
"""Changes between two comparisons."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120 + 60 * ROUNDS)]

WORDS = "cart order price stock refund parse token retry limit queue cache index merge split reader writer".split()
QUESTIONS = (
    "where is the price of an order parsed",
    "retry limit of the queue",
    "cart",
    "what merges and splits the cache index",
    "type:commit refund of an order",
    "stock reader lang:python",
    "never allocate in the writer",
    "parse_token",
)
BELIEF = """---
id: {name}
---
Never allocate in the {word} of `{path}`: it is called for each token.
"""
PATTERN = "# Avoid copies\n\nNever allocate in the {word} of `{path}`, called for each token.\n"


class Tree(HistoryProject, IndexedProject):
    """A repository that changes at random, and its index."""

    chance: random.Random

    def source(self, path: str) -> str:
        """Return a new text for a file."""
        names = [self.words("_", 2) for _ in range(self.chance.randint(1, 6))]
        if path.endswith(".md"):
            return "".join(f"# {name}\n\n{self.words(' ', 30)}\n\n" for name in names)
        imports = "".join(f"from {self.chance.choice(WORDS)}0 import {self.words('_', 2)}\n" for _ in range(3))
        body = "def {}(value):\n    # {}\n    return {}({})\n\n\n"
        return imports + "".join(
            body.format(name, self.words(" ", self.chance.randint(3, 40)), self.words("_", 2), self.words("_", 2))
            for name in names
        )

    def words(self, between: str, count: int) -> str:
        return between.join(self.chance.choices(WORDS, k=count))

    def files(self) -> list[str]:
        return [path for path in self.git("ls-files").splitlines() if (self.root / path).is_file()]

    def edit(self) -> None:
        for path in self.chance.sample(self.files(), min(len(self.files()), self.chance.choice([1, 1, 2, 5]))):
            if path.startswith(".scry"):
                continue
            text = (self.root / path).read_text()
            change = self.chance.choice(("append", "cut", "anew"))
            new = text + self.source(path) if change == "append" else text[: len(text) // 2]
            self.write_file(path, self.source(path) if change == "anew" else new)

    def add(self) -> None:
        path = f"{self.chance.choice(WORDS)}{self.chance.randint(0, 3)}.{self.chance.choice(['py', 'py', 'md'])}"
        self.write_file(path, self.source(path))
        self.git("add", path)

    def believe(self) -> None:
        name = f"no-{self.chance.choice(WORDS)}"
        note = BELIEF.format(name=name, word=self.chance.choice(WORDS), path=self.chance.choice(self.files()))
        self.write_file(f".scry/beliefs/{name}.md", note)
        pattern = self.root / f".scry/patterns/{self.chance.choice(WORDS[:3])}.md"
        if pattern.exists() and self.chance.random() < 0.5:
            pattern.unlink()
        else:
            words = {"word": self.words(" and ", self.chance.randint(1, 3)), "path": self.chance.choice(self.files())}
            self.write_file(str(pattern.relative_to(self.root)), PATTERN.format(**words))
        self.git("add", "-A")

    def rename(self) -> None:
        old, folder = self.chance.choice(self.files()), self.chance.choice(WORDS)
        (self.root / folder).mkdir(exist_ok=True)
        if not old.startswith(".scry"):
            self.git("mv", "-f", "-k", old, f"{folder}/{Path(old).name}")

    def remove(self) -> None:
        if len(self.files()) > 8:
            (self.root / self.chance.choice(self.files())).unlink()

    def revert(self) -> None:
        self.git("reset", "-q", "--hard")

    def commit_all(self) -> None:
        self.commit(f"{self.words(' ', 4)}\n\n{self.words(' ', 12)}", days=self.chance.choice([0, 1, 40]))

    def amend(self) -> None:
        self.git("commit", "-q", "--amend", "--allow-empty", "-m", self.words(" ", 5))

    def rewind(self) -> None:
        self.git("reset", "-q", "--hard", f"HEAD~{self.chance.randint(1, 3)}", check=False)

    def switch(self) -> None:
        self.git("add", "-A")
        self.git("stash", "-q", check=False)
        self.git("checkout", "-q", self.chance.choice(["main", "side"]))
        self.git("stash", "pop", "-q", check=False)
        self.git("reset", "-q", "--hard")

    def step(self) -> str:
        """Change something; return what."""
        changes: tuple[Callable[[], None], ...] = (
            *(self.edit,) * 6,
            *(self.commit_all,) * 3,
            *(self.add, self.rename, self.revert, self.believe) * 2,
            *(self.remove, self.amend, self.rewind, self.switch),
        )
        change = self.chance.choice(changes)
        change()
        return change.__name__

    def answers(self) -> dict[str, str]:
        """Return every answer as text, floats rounded to six digits."""
        engine = self.engine()
        try:
            return _ask_everything(engine, [path for path in self.files() if not path.startswith(".scry")])
        finally:
            engine.close()


def _ask_everything(engine: Engine, files: list[str]) -> dict[str, str]:
    found: dict[str, messages.Answer] = {}
    for question in QUESTIONS:
        found[question] = engine.find(messages.FindParams(query=question, limit=50))
    doc_ids = sorted({result.doc_id for answer in found.values() for result in answer.results})
    for folder in sorted({str(Path(path).parent) for path in files}):
        found[f"orient {folder}"] = engine.orient(messages.OrientParams(path=folder, limit=50))
    for path in files[::3]:
        found[f"changed with {path}"] = engine.neighbors(messages.NeighborsParams(file=path, limit=50))
        by_edges = messages.NeighborsParams(file=path, by="dependency", limit=50)
        found[f"linked to {path}"] = engine.neighbors(by_edges)
    for doc_id in [doc_id for doc_id in doc_ids if ".py::" in doc_id][::5]:
        calls = messages.FindParams(query=f"what calls {doc_id}", limit=50, reason=True)
        found[f"calls of {doc_id}"] = engine.find(calls)
    shown = {name: _plain(answer.results) for name, answer in found.items()}
    shown["beliefs"] = _plain(engine.knowledge.beliefs(messages.BeliefsParams("list")).beliefs)
    recent = engine.recent(messages.RecentParams(query="order price", days=3650, limit=50)).results
    shown["recent"] = _plain([result.doc_id for result in recent])  # what is not committed is of now
    for question in QUESTIONS[:3]:
        for doc_id in doc_ids[::11]:
            why = engine.why(messages.WhyParams(doc_id=doc_id, query=question))
            parts = (why.oracles, why.decisive, why.without, why.places, why.structural, why.lived, why.impact)
            shown[f"why {doc_id}: {question}"] = _plain([part for part in parts if part is not UNSET])
    return shown


def _plain(value: object) -> str:
    """Return a part of an answer as text, its floats rounded to six digits."""
    decoded = json.loads(msgspec.json.encode(value), parse_float=lambda number: round(float(number), 6))
    return json.dumps(decoded, indent=1)


@pytest.mark.acceptance("F10")
def test_answers_depend_on_the_tree_and_its_history_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    caches = {name: str(tmp_path / name) for name in ("lived", "fresh")}
    tree = Tree(tmp_path / "shop").init_repository()
    tree.chance = random.Random(SEED)
    for word in WORDS:
        tree.write_file(f"{word}0.py", tree.source("a.py"))
    tree.write_file("readme.md", tree.source("a.md"))
    tree.commit_all()
    tree.git("branch", "side")
    for number in range(ROUNDS):
        monkeypatch.setenv("XDG_CACHE_HOME", caches["lived"])
        for name in ("scry.indexer.refresh.MAX_REPLACED_SHARE", "scry.index.git.history._MAX_DELETED_SHARE"):
            monkeypatch.setattr(name, tree.chance.choice([0.05, 1e9]))  # or the words of so few files are always new
        if number % 5 == 4:
            shutil.rmtree(tree.project.cache, ignore_errors=True)
        done: list[str] = []
        for _ in range(STEPS):
            done.append(tree.step())
            tree.update_index()
            if tree.chance.random() < 0.5:
                tree.update_graph()
        tree.update_graph()
        lived = tree.answers()
        monkeypatch.setenv("XDG_CACHE_HOME", caches["fresh"])
        tree.update_index()
        tree.update_graph()
        fresh = tree.answers()
        shutil.rmtree(caches["fresh"])
        for name, answer in fresh.items():
            assert lived[name] == answer, f"{name} in round {number} of seed {SEED} after {done}"
        assert lived.keys() == fresh.keys()
