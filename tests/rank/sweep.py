"""How sharply the constants of ranking are determined: each is moved by itself, over annotated repositories.

    python -m tests.rank.sweep --repos DIR --queries DIR --manifest FILE --out FILE

For every constant: macro NDCG@10 for each value; and, with one language left out at a time, which value is best on the
others, and what that value is worth on the language that was left out. A constant whose best value jumps between
folds, or that gains nothing on the language left out, says little; its default stays where a reason has put it.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from types import ModuleType
from typing import Any

from scry.engine.search import BASE_ORACLE_WEIGHTS, Ranking, parse_query
from scry.engine.search import boosts as rules
from scry.engine.search import document_boosts as definition
from scry.engine.search import fusion as fuse
from scry.engine.search import path_boosts as paths
from scry.lab import CUTOFF, NO_OVERRIDES, EvaluatedIndex, WeightOverrides, reweigh, score_results
from tests.rank.repositories import Repository, add_options, judged, read_repositories


@dataclass(frozen=True, slots=True)
class Constant:
    """values: what it is set to, the default among them. module: where it lives; None for an oracle's weight.

    key: in a mapping of that name.
    """

    name: str
    module: ModuleType | None
    values: tuple[float, ...]
    key: str | None = None

    @property
    def default(self) -> float:
        """Return the value unchanged."""
        if self.module is None:
            return BASE_ORACLE_WEIGHTS[self.name]
        held: Any = getattr(self.module, self.name)
        return held if self.key is None else held[self.key]

    @property
    def title(self) -> str:
        """For a table."""
        return f"weight of {self.name}" if self.module is None else f"{self.name}{f'[{self.key}]' if self.key else ''}"


CONSTANTS = (
    Constant("semantic", None, (0.5, 0.7, 0.85, 1.0, 1.2, 1.5, 1.8, 2.2)),
    Constant("lexical", None, (0.3, 0.5, 0.7, 0.85, 1.0, 1.2, 1.5)),
    Constant("temporal", None, (0.2, 0.35, 0.5, 0.6, 0.7, 0.85, 1.0)),
    Constant("RRF_K", rules, (10, 20, 30, 45, 60, 80, 120)),
    Constant("REPEAT_PENALTY", fuse, (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0)),
    Constant("DEFINITION_FACTOR", definition, (1.0, 2.0, 3.0, 4.3, 6.0, 8.0, 12.0)),
    Constant("SPELLING_FACTOR", definition, (1.0, 1.15, 1.3, 1.5, 2.0)),
    Constant("TYPE_FACTOR", definition, (1.0, 1.15, 1.3, 1.5, 2.0)),
    Constant("OWN_FILE_FACTOR", definition, (1.0, 1.1, 1.2, 1.3, 1.5, 2.0)),
    Constant("TYPE_OWN_FILE_FACTOR", definition, (1.0, 1.2, 1.35, 1.5, 2.0)),
    Constant("MEMBER_FACTOR", definition, (0.5, 0.65, 1 / 1.3, 0.9, 1.0)),
    Constant("MENTIONED_NAME_FACTOR", definition, (1.0, 1.2, 1.5, 2.0, 3.0)),
    Constant("NAME_IN_QUESTION_FACTOR", definition, (1.0, 1.05, 1.1, 1.2, 1.35, 1.5)),
    Constant("RANKS_EXPONENT", rules, (0.0, 0.25, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1.0)),
    Constant("WORDS_SHARE", rules, (0.0, 0.2, 0.4, 0.5, 0.55, 0.6, 0.7, 0.8)),
    Constant("BM25_SHARE", rules, (0.0, 0.25, 0.5, 0.75, 1.0)),
    Constant("FILE_MEANING_SHARE", rules, (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)),
    Constant("FILE_MEANING_EXPONENT", rules, (1.0, 1.5, 2.0)),
    Constant("PATH_WORDS_SHARE", paths, (0.0, 0.8, 1.2, 1.4, 1.7, 2.0, 2.5)),
    Constant("PAST_CHANGES_SHARE", paths, (0.0, 0.4, 0.6, 0.8, 1.0, 1.2)),
    Constant("TESTED_SHARE", rules, (0.0, 0.15, 0.3, 0.45, 0.6)),
    Constant("IDENTIFIERS_SHARE", rules, (0.0, 0.15, 0.3, 0.5, 0.7)),
    Constant("AREA_SHARE", paths, (0.0, 0.5, 1.0, 1.5)),
    Constant("PLATFORM_FACTOR", paths, (0.3, 0.45, 0.6, 0.8, 1.0)),
    Constant("PATH_KIND_FACTORS", paths, (0.15, 0.25, 0.35, 0.5, 0.7, 1.0), "test"),
    Constant("PATH_KIND_FACTORS", paths, (0.15, 0.25, 0.4, 0.55, 0.75, 1.0), "documentation"),
    Constant("PATH_KIND_FACTORS", paths, (0.2, 0.3, 0.4, 0.6, 0.8, 1.0), "example"),
)

Scores = dict[str, dict[float, float]]
"""Of one repository: by the constant's title, by its value."""


def main() -> None:
    """Sweeps, prints a table and writes all figures."""
    parser = argparse.ArgumentParser(description="Moves each constant of ranking by itself.")
    add_options(parser)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    languages: dict[str, list[Scores]] = defaultdict(list)
    for repository in read_repositories(options):
        with judged(repository) as subject:
            languages[repository.language].append(sweep(repository, subject))
        print(repository.name, flush=True)
    found = [folds(constant, languages) for constant in CONSTANTS]
    for each in found:
        print(_line(each))
    if options.out:
        options.out.write_text(json.dumps(found, indent=1))


def sweep(repository: Repository, subject: EvaluatedIndex) -> Scores:
    """Query the oracles once, and rank their matches with each value."""
    rankings = [subject.rank(parse_query(case.query, BASE_ORACLE_WEIGHTS, limit=CUTOFF)) for case in repository.cases]

    def measured(recipe: WeightOverrides) -> float:
        return fmean(
            score_results(subject.locate_results(_ranked(ranking, recipe), ranking.reader), case.targets).ndcg
            for case, ranking in zip(repository.cases, rankings, strict=True)
        )

    return {constant.title: dict(_values(constant, measured)) for constant in CONSTANTS}


def _ranked(ranking: Ranking, recipe: WeightOverrides) -> Sequence[Any]:
    return reweigh(ranking, recipe).ranked[:CUTOFF]


def _values(constant: Constant, measured: Callable[[WeightOverrides], float]) -> Iterator[tuple[float, float]]:
    default = constant.default
    for value in constant.values:
        if constant.module is None:
            yield value, measured(WeightOverrides("swept", "swept", {constant.name: value / default}))
        else:
            with _set(constant, value):
                yield value, measured(NO_OVERRIDES)


@contextmanager
def _set(constant: Constant, value: float) -> Generator[None]:
    """Return the constant with another value; what is derived from it only bounds scores, and here nothing is cut."""
    before: Any = getattr(constant.module, constant.name)
    after = value if constant.key is None else {**before, constant.key: value}
    setattr(constant.module, constant.name, after)  # type: ignore[arg-type]
    try:
        yield
    finally:
        setattr(constant.module, constant.name, before)  # type: ignore[arg-type]


def folds(constant: Constant, languages: Mapping[str, Sequence[Scores]]) -> dict[str, Any]:
    """Return what each value is worth, and what is best with each language left out.

    gain: of the value chosen on the others over the default, on the language left out; the mean over languages.
    """
    mean = {value: _macro(constant, value, languages, None) for value in constant.values}
    chosen = {
        left_out: max(constant.values, key=lambda value: (_macro(constant, value, languages, left_out), -value))
        for left_out in languages
    }
    gains = [
        _of(constant, chosen[left_out], scores) - _of(constant, constant.default, scores)
        for left_out, all_scores in languages.items()
        for scores in all_scores
    ]
    return {
        "constant": constant.title,
        "default": constant.default,
        "values": mean,
        "best": max(mean, key=lambda value: mean[value]),
        "chosen": chosen,
        "gain": fmean(gains),
    }


def _macro(constant: Constant, value: float, languages: Mapping[str, Sequence[Scores]], left_out: str | None) -> float:
    return fmean(
        _of(constant, value, scores) for name, found in languages.items() if name != left_out for scores in found
    )


def _of(constant: Constant, value: float, scores: Scores) -> float:
    return scores[constant.title][value]


def _line(found: Mapping[str, Any]) -> str:
    values = " ".join(f"{value:g}:{score:.4f}" for value, score in found["values"].items())
    chosen: list[float] = list(found["chosen"].values())
    counts = " ".join(f"{value:g}x{chosen.count(value)}" for value in sorted(set(chosen)))
    title, default = found["constant"], found["default"]
    return f"{title:30} default {default:g}, folds {counts}, held out {found['gain']:+.4f} | {values}"


if __name__ == "__main__":
    main()
