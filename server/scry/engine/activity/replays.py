"""Describe for a status how the version that answers now does on a person's past questions."""

from __future__ import annotations

from pathlib import Path

from scry.core.settings import Settings
from scry.core.text import format_count
from scry.engine.activity.answer_store import RecordingSwitch
from scry.indexer.freshness import index_format_version
from scry.store.events.log import WEIGHTS_FILE
from scry.store.events.replays import AnsweringVersion, ReplayOutcome, digest_weights, find_replay


def describe_replay(settings: Settings, folder: Path, model: str | None) -> str:
    """Return the outcome of the replay of past questions by this version, in words; empty where there is none.

    folder: the project's data. model: the identity of the model that answers.
    """
    if not RecordingSwitch(settings, "log").is_on():
        return ""
    version = AnsweringVersion(index_format_version(), model or "", digest_weights(folder / WEIGHTS_FILE))
    record = find_replay(folder, version)
    if record is None:
        return ""
    if record.outcome is None:
        return f"{format_count(len(record.ranks), 'past question')} kept, to compare the next version with"
    of = record.outcome
    figures = f"mean of 1 / rank {of.after:.2f}, before {of.before:.2f}"
    questions = format_count(of.questions, "past question")
    if not of.is_worse:
        return f"{questions} answered no worse than {describe_difference(of.version, version)[0]} ({figures})"
    return _describe_loss(of, questions, figures, version)


def _describe_loss(of: ReplayOutcome, questions: str, figures: str, version: AnsweringVersion) -> str:
    other, way_back = describe_difference(of.version, version)
    return (
        f"your own questions got worse: of {questions}, {of.later} find what you chose later, {of.earlier} earlier, "
        f"than {other} ({figures}). scry lab replay shows what moved. To go back: {way_back}"
    )


def describe_difference(before: AnsweringVersion, now: AnsweringVersion) -> tuple[str, str]:
    """Return in what another version differed, as in "with Scry 0.1.0", and how to go back to it."""
    names: list[str] = []
    ways: list[str] = []
    if before.scry != now.scry:
        number = before.scry.partition("+")[0]
        names.append(f"with Scry {before.scry}")
        ways.append(f"pip install scry-sidecar=={number}")
    if before.model != now.model:
        names.append(f"with the model {before.model or 'none'}")
        ways.append("the setting model")
    if before.weights != now.weights:
        names.append("with the weights of then" if before.weights else "with the default weights")
        ways.append("scry learn reset" if now.weights else "scry learn apply")
    return " and ".join(names) or "before", ", ".join(ways) or "none is known"
