"""The pinned corpus: this repository as it was at one commit, with the history up to there, and our questions about it.

The questions were written by reading that code, before their answers were looked at, and are not changed to suit a
ranking. Those of the category `reworded` share no word with the definition that answers them.

    python -m tests.rank.pinned     writes figures.json anew; say in the commit why the figures moved
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from scry.lab import EvaluatedIndex, EvaluationRun, MetricSummary, read_cases
from scry.lab.evaluate import evaluate
from scry.surfaces.cli.usage import open_subject

COMMIT = "58f2c1e02535df90a0a58dc4010d6ea7c667248e"
QUESTIONS = Path(__file__).with_name("questions.jsonl")
FIGURES = Path(__file__).with_name("figures.json")
REPOSITORY = Path(__file__).resolve().parents[2]


class Recorded(msgspec.Struct, frozen=True):
    """The figures measured last. ndcg: of each question. variants: NDCG@10 by name."""

    commit: str
    figures: MetricSummary
    categories: dict[str, MetricSummary]
    variants: dict[str, float]
    ndcg: dict[str, float]


def lay_out(folder: Path) -> None:
    """Return the corpus as a work tree that shares this repository's objects;
    RuntimeError where the commit is missing.
    """
    for command in (
        ["git", "clone", "-q", "--shared", "--no-checkout", str(REPOSITORY), str(folder)],
        ["git", "-C", str(folder), "checkout", "-q", "--detach", COMMIT],
    ):
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{done.stderr.strip()}; the corpus needs the whole history: git fetch --unshallow")


@contextmanager
def corpus() -> Generator[EvaluatedIndex]:
    """Return the corpus, indexed by the real indexer, with its history."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "corpus"
        lay_out(root)
        with open_subject(root, force=False, wait=True) as (_, subject):
            yield subject


def measured(subject: EvaluatedIndex) -> EvaluationRun:
    """Run all questions, with the ablation."""
    return evaluate(subject, read_cases(QUESTIONS), QUESTIONS.name, ablate=True)


def recorded(run: EvaluationRun) -> Recorded:
    """Return the part of a run that is recorded."""
    variants = {each.name: each.figures.ndcg for each in run.variants}
    return Recorded(COMMIT, run.figures, run.categories, variants, {each.query: each.ndcg for each in run.asked})


def main() -> None:
    """Write the figures."""
    with corpus() as subject:
        found = recorded(measured(subject))
    FIGURES.write_bytes(msgspec.json.format(msgspec.json.encode(_rounded(found)), indent=1) + b"\n")


def _rounded(found: Recorded) -> Recorded:
    """To six digits, so that a difference of processors is none of the file's."""
    return msgspec.convert(_round(msgspec.to_builtins(found)), Recorded)


def _round(value: object) -> object:
    if isinstance(value, dict):
        return {key: _round(each) for key, each in value.items()}  # type: ignore[reportUnknownVariableType]
    return round(value, 6) if isinstance(value, float) else value


if __name__ == "__main__":
    main()
