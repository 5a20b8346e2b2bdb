"""Annotated repositories evaluated one by one, and their figures together as Markdown: docs/quality.md is made of it.

    python -m tests.rank.across --repos DIR --queries DIR --manifest FILE --runs DIR [--whole]

--runs: a folder for one run a repository; those that are there already are not made again. Macro figures are means over
repositories; a language's over its repositories; a category's, and the intervals, over questions.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import msgspec

from scry.lab import EvaluationRun, VariantResult, paired_bootstrap, read_run
from scry.lab.evaluate import evaluate
from tests.rank.repositories import Repository, add_options, judged, read_repositories

_NOTABLE = 0.015
"""A language is named where an ablation moves it by as much."""

Judged = Mapping[str, tuple[str, EvaluationRun]]
"""By repository: its language and its run."""


def main() -> None:
    """Evaluate and prints."""
    parser = argparse.ArgumentParser(description="Figures over annotated repositories.")
    add_options(parser)
    parser.add_argument("--runs", type=Path, required=True, help="where the runs are kept")
    options = parser.parse_args()
    options.runs.mkdir(parents=True, exist_ok=True)
    found = {each.name: (each.language, _run(each, options.runs)) for each in read_repositories(options)}
    for line in (*_totals(found), "", *_languages(found), "", *_ablation(found)):
        print(line)


def _run(repository: Repository, folder: Path) -> EvaluationRun:
    path = folder / f"{repository.name}.json"
    if not path.exists():
        with judged(repository) as subject:
            run = evaluate(subject, repository.cases, f"{repository.name}.jsonl", ablate=True)
        path.write_bytes(msgspec.json.encode(run))
    return read_run(path)


def _totals(found: Judged) -> Iterator[str]:
    runs = [run for _, run in found.values()]
    figures = [
        (of.ndcg, of.file_ndcg, of.mrr, of.recall["1"], of.recall["10"], of.recall["50"])
        for of in (run.figures for run in runs)
    ]
    asked = [each for run in runs for each in run.asked]
    means = " | ".join(f"{fmean(column):.3f}" for column in zip(*figures, strict=True))
    yield "| | questions | NDCG@10 | once per file | MRR | recall@1 | recall@10 | recall@50 |"
    yield "|---|---|---|---|---|---|---|---|"
    yield f"| macro, {len(runs)} repositories | {len(asked)} | {means} |"
    for name in sorted({each.category for each in asked}):
        of = [each for each in asked if each.category == name]
        yield f"| {name} | {len(of)} | {fmean(e.ndcg for e in of):.3f} | {fmean(e.file_ndcg for e in of):.3f} | | | | |"


def _languages(found: Judged) -> Iterator[str]:
    yield "| language | repository: NDCG@10, once per file |"
    yield "|---|---|"
    for language in _names(found):
        of = [(name, run.figures) for name, (spoken, run) in found.items() if spoken == language]
        mean = f"**{fmean(figures.ndcg for _, figures in of):.3f}** " if len(of) > 1 else ""
        each = ", ".join(f"{name} {figures.ndcg:.3f}, {figures.file_ndcg:.3f}" for name, figures in of)
        yield f"| {language} | {mean}{each} |"


def _ablation(found: Judged) -> Iterator[str]:
    categories = sorted({asked.category for _, run in found.values() for asked in run.asked})
    yield f"| | macro | difference | 95 % over questions | repositories +/− | {' | '.join(categories)} | languages |"
    yield "|" + "---|" * (6 + len(categories))
    names = list(dict.fromkeys(variant.name for _, run in found.values() for variant in run.variants))
    base = fmean(run.figures.ndcg for _, run in found.values())
    for name in names:
        moved = {key: _differences(run, name) for key, (_, run) in found.items()}
        of_each = {key: fmean(each) for key, each in moved.items()}
        mean = fmean(of_each.values())
        cells = [name, f"{base + mean:.3f}", f"{mean:+.4f}", _interval(moved), _signs(of_each)]
        cells += [f"{_of_category(found, moved, category):+.3f}" for category in categories]
        yield f"| {' | '.join(cells)} | {_notable(found, of_each)} |"


def _interval(moved: Mapping[str, Sequence[float]]) -> str:
    questions = [each for differences in moved.values() for each in differences]
    sure = paired_bootstrap([0.0] * len(questions), questions)
    return f"{sure.low:+.3f} … {sure.high:+.3f}"


def _signs(of_each: Mapping[str, float]) -> str:
    return f"{sum(each > 1e-9 for each in of_each.values())}/{sum(each < -1e-9 for each in of_each.values())}"


def _differences(run: EvaluationRun, name: str) -> list[float]:
    """Return the difference of each question; zero where the variant could not matter and was not tried."""
    variant: VariantResult | None = next((each for each in run.variants if each.name == name), None)
    if variant is None:
        return [-asked.ndcg if name.endswith(" alone") else 0.0 for asked in run.asked]
    return [after - asked.ndcg for after, asked in zip(variant.ndcgs, run.asked, strict=True)]


def _of_category(found: Judged, moved: Mapping[str, Sequence[float]], category: str) -> float:
    return fmean(
        each
        for key, (_, run) in found.items()
        for asked, each in zip(run.asked, moved[key], strict=True)
        if asked.category == category
    )


def _notable(found: Judged, of_each: Mapping[str, float]) -> str:
    means = {
        language: fmean(of_each[key] for key, (spoken, _) in found.items() if spoken == language)
        for language in _names(found)
    }
    named = sorted((mean, language) for language, mean in means.items() if abs(mean) >= _NOTABLE)
    return ", ".join(f"{language} {mean:+.3f}" for mean, language in named)


def _names(found: Judged) -> list[str]:
    return sorted({language for language, _ in found.values()})


if __name__ == "__main__":
    main()
