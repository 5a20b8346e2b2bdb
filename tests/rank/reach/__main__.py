"""How well reach predicts the files that a belief concerns: `python -m tests.rank.reach FOLDER`.

FOLDER holds clones of the repositories of labels.json under their names, with their history. Each is brought to the
labelled commit in a work tree of its own, which is removed again. A file is labelled where it implements, tests or
documents what the belief says: who changes what is believed has to look at it. The files that a belief cites are
counted apart, for those are given.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scry.index.notes import BeliefSnapshot
from scry.store.index import IndexStore
from scry.store.notes import ProjectNoteDatabase
from tests.sample.indexed import IndexedProject

LABELS = Path(__file__).with_name("labels.json")


@dataclass(frozen=True, slots=True)
class Reached:
    """Reached and expected files of a belief, without the files that it cites."""

    statement: str
    found: frozenset[str]
    wanted: frozenset[str]

    @property
    def right(self) -> frozenset[str]:
        """Return the files that are reached and expected."""
        return self.found & self.wanted


def main(arguments: Sequence[str]) -> int:
    """Print precision and recall; returns the exit status."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    every: list[Reached] = []
    for labelled in json.loads(LABELS.read_text()):
        reached = reach_in(Path(arguments[0], labelled["repository"]), labelled)
        for each in reached:
            wrong, missed = sorted(each.found - each.wanted), sorted(each.wanted - each.found)
            print(f"{each.statement}\n  right {sorted(each.right)}\n  wrong {wrong}\n  missed {missed}")
        print(f"{labelled['repository']}: {figures(reached)}\n")
        every += reached
    print(f"all: {figures(every)}")
    return 0


def figures(reached: Sequence[Reached]) -> str:
    """Precision and recall over all files of all beliefs that are not cited."""
    right = sum(len(each.right) for each in reached)
    found, wanted = sum(len(each.found) for each in reached), sum(len(each.wanted) for each in reached)
    return (
        f"precision {right / max(1, found):.2f} ({right} of {found}), recall {right / wanted:.2f} ({right} of {wanted})"
    )


def reach_in(repository: Path, labelled: Mapping[str, Any]) -> list[Reached]:
    """Return what the beliefs about a repository reach, in their order."""
    with _checked_out(repository, labelled["commit"]) as place:
        beliefs = labelled["beliefs"]
        place.write({f".scry/beliefs/b{number}.md": _file_of(belief) for number, belief in enumerate(beliefs)})
        place.update_index()
        cache = place.project.cache
        with (
            closing(ProjectNoteDatabase.open(cache, write=False)) as file,
            closing(IndexStore.open(cache, write=False)) as store,
        ):
            sample = BeliefSnapshot(file, store, None, 0.0)
            names = [f"belief:b{number}" for number in range(len(beliefs))]
            reached = sample.reached_files(names)
            return [_compare(belief, reached.get(name, [])) for name, belief in zip(names, beliefs, strict=True)]


def _compare(belief: Mapping[str, Any], reached: Sequence[Any]) -> Reached:
    cited = {evidence.rpartition(":")[0] for evidence in belief["evidence"]}
    found = {each.target.removeprefix("./") for each in reached}
    return Reached(belief["statement"], frozenset(found - cited), frozenset(set(belief["reaches"]) - cited))


def _file_of(belief: Mapping[str, Any]) -> str:
    evidence = "".join(f"  - {each}\n" for each in belief["evidence"])
    return f"---\nstatement: {json.dumps(belief['statement'])}\nevidence:\n{evidence}---\n"


@contextmanager
def _checked_out(repository: Path, commit: str) -> Generator[IndexedProject]:
    """Return the repository at a commit, in a world of its own."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("CACHE", "DATA", "CONFIG"):
            os.environ[f"XDG_{name}_HOME"] = str(Path(folder, name.lower()))
        tree = Path(folder, repository.name)
        git = ["git", "-C", str(repository)]
        subprocess.run([*git, "worktree", "add", "--quiet", "--detach", str(tree), commit], check=True)
        try:
            yield IndexedProject(tree)
        finally:
            subprocess.run([*git, "worktree", "remove", "--force", str(tree)], check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
