"""Evaluate on held-out packages: a comment's first sentence must find its own code among all definitions of the
package.

A package gives at most 200 questions, drawn with a fixed seed from those whose sentence is unique in it and has at
least four words, and whose code has at least four lines. Reported are the mean reciprocal rank (0 beyond rank 100) and
NDCG@10: by language, over all, and over the questions in other words, which share none with the path, container and
name that they must find. A model is compared with the one before it on these questions, and on subjects of commits of
held-out repositories, each of which must find a function that the commit changed among all of the changed files.
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from scry.embedding.embedder import Passage
from scry.embedding.static_model import StaticModel, path_text, split_words
from scry.lab import paired_bootstrap
from training.dataset import passage_of
from training.docs import first_sentence
from training.lexical import Bm25, query_terms, terms
from training.records import Record

_QUESTIONS = 200
_FEWEST_QUESTIONS = 15
_DEPTH = 100
_SEEN = 10
"""Ranks that NDCG counts: those that a person sees. One target a question, so that the best possible sum is 1."""
_RRF = 60
"""The constant of reciprocal rank fusion, as in Cormack et al. 2009, "Reciprocal Rank Fusion"."""

NAME_BOOST = 1.0
"""Weight of the name field beside the body's: the best of 0.5, 1, 2 and 3 for BM25, so that the baseline is strong."""

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """A held-out package: its passages, and its questions with the number of the passage that each must find."""

    package: str
    records: list[Record]
    questions: list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Figure:
    """The mean reciprocal rank and the mean NDCG@10 of every system over some questions."""

    questions: int
    mrr: dict[str, float]
    ndcg: dict[str, float]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The means of a measure with the model before and with the model, and the 95 % interval of their difference."""

    measure: str
    questions: int
    before: float
    after: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Figures:
    """The reported figures: of all questions, of those in other words, by language, and against the model before."""

    total: Figure
    other_words: Figure
    languages: dict[str, Figure]
    compared: list[Comparison]


def build_cases(records: Sequence[Record]) -> list[Case]:
    """Return the packages that have enough questions; remarks and Markdown are no candidates."""
    packages: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record.kind == "definition":
            packages[record.package].append(record)
    cases = [Case(package, members, _questions(members)) for package, members in packages.items()]
    return [case for case in cases if len(case.questions) >= _FEWEST_QUESTIONS]


def evaluate(
    cases: Sequence[Case], model: StaticModel, chance: StaticModel, before: StaticModel | None = None
) -> Figures:
    """Return the figures of all systems. chance: the model with random vectors. before: the one to compare with."""
    found: list[dict[str, int]] = []
    languages: list[str] = []
    in_other_words: list[bool] = []
    for case in cases:
        systems = {**_lexical(case), "model": _semantic(case, model), "random vectors": _semantic(case, chance)}
        if before is not None:
            systems["model before"] = _semantic(case, before)
        for question, target in case.questions:
            scores = {name: system(question) for name, system in systems.items()}
            scores["fused"] = _fuse(scores["bm25 + name"], scores["model"])
            scores["random fused"] = _fuse(scores["bm25 + name"], scores["random vectors"])
            found.append({name: _rank(values, target) for name, values in scores.items()})
            languages.append(case.records[target].language)
            in_other_words.append(shares_no_word(question, case.records[target]))
    apart = [one for one, other in zip(found, in_other_words, strict=True) if other]
    by_language = {
        language: _figure([one for one, other in zip(found, languages, strict=True) if other == language])
        for language in sorted(set(languages))
    }
    compared: list[Comparison] = []
    if before is not None:
        compared = [
            _compare(
                f"{measure}, {kind}", [gain(one["model before"]) for one in of], [gain(one["model"]) for one in of]
            )
            for kind, of in (("held-out comments", found), ("the same in other words", apart))
            for measure, gain in (("MRR", _reciprocal), ("NDCG@10", _discounted))
        ]
    return Figures(_figure(found), _figure(apart), by_language, compared)


def compare_by_commits(files: Sequence[Path], before: StaticModel, model: StaticModel) -> list[Comparison]:
    """Return both models' mean reciprocal ranks of the best target among the passages of the changed files.

    files: of `histories.questions`.
    """
    ranks: list[tuple[float, float]] = []
    in_other_words: list[bool] = []
    for path in files:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        passages = [Passage(one["name"], one["path"], one["container"], one["text"]) for one in lines if "text" in one]
        for one in lines:
            if "question" in one:
                numbers: list[int] = one["file"]
                beside, targets = [passages[number] for number in numbers], set(one["targets"])
                sought = [position for position, number in enumerate(numbers) if number in targets]
                first, second = (_best_rank(each, one["question"], beside, sought) for each in (before, model))
                ranks.append((1 / first, 1 / second))
                in_other_words.append(one["other_words"])
    return [
        _compare(f"MRR, {kind}", [first for first, _ in of], [second for _, second in of])
        for kind, of in (
            ("subjects of held-out commits: a changed function in its files", ranks),
            ("the same in other words", [one for one, other in zip(ranks, in_other_words, strict=True) if other]),
        )
    ]


def _best_rank(model: StaticModel, question: str, passages: Sequence[Passage], sought: Sequence[int]) -> int:
    scores = model.encode_passages(passages) @ model.encode_query(question)
    return 1 + int((scores > max(scores[position] for position in sought)).sum())


def _compare(measure: str, before: Sequence[float], after: Sequence[float]) -> Comparison:
    difference = paired_bootstrap(list(before), list(after))
    return Comparison(measure, len(before), fmean(before), fmean(after), difference.low, difference.high)


def shares_no_word(question: str, record: Record) -> bool:
    """Tell whether no stemmed word of the question, stop words aside, is in the record's path, container or name."""
    return not set(query_terms(question)) & set(terms(f"{record.path} {record.container} {record.name}"))


def _questions(records: list[Record]) -> list[tuple[str, int]]:
    sentences = [first_sentence(record.doc) if record.doc else "" for record in records]
    times = Counter(sentences)
    found = [
        (sentence, number)
        for number, (sentence, record) in enumerate(zip(sentences, records, strict=True))
        if times[sentence] == 1 and 4 <= len(split_words(sentence)) <= 40 and record.code.count("\n") >= 3
    ]
    random.Random(1).shuffle(found)
    return found[:_QUESTIONS]


def _lexical(case: Case) -> Mapping[str, Callable[[str], Scores]]:
    body = Bm25(terms(f"{path_text(one.path)} {one.container} {one.code}") for one in case.records)
    names = Bm25(terms(record.name) for record in case.records)
    return {
        "bm25": lambda question: body.scores(query_terms(question)),
        "bm25 + name": lambda question: (
            body.scores(query_terms(question)) + NAME_BOOST * names.scores(query_terms(question))
        ),
    }


def _semantic(case: Case, model: StaticModel) -> Callable[[str], Scores]:
    passages = model.encode_passages([passage_of(record) for record in case.records])
    return lambda question: (passages @ model.encode_query(question)).astype(np.float64)


def _fuse(*systems: Scores) -> Scores:
    """Fuse the best hundred of each system by reciprocal rank; a score of zero or less is no hit."""
    fused = np.zeros(len(systems[0]))
    for scores in systems:
        best = np.argsort(-scores, kind="stable")[:_DEPTH]
        best = best[scores[best] > 0]
        fused[best] += 1 / (_RRF + 1 + np.arange(len(best)))
    return fused


def _rank(scores: Scores, target: int) -> int:
    """Return the target's rank from 1 on, 0 where it is not found; equal scores rank in the order of the passages."""
    if scores[target] <= 0:
        return 0
    rank = 1 + int((scores > scores[target]).sum() + (scores[:target] == scores[target]).sum())
    return rank if rank <= _DEPTH else 0


def _figure(found: Sequence[Mapping[str, int]]) -> Figure:
    names = list(found[0]) if found else []
    return Figure(
        len(found),
        {name: fmean(_reciprocal(one[name]) for one in found) for name in names},
        {name: fmean(_discounted(one[name]) for one in found) for name in names},
    )


def _reciprocal(rank: int) -> float:
    return 1 / rank if rank else 0.0


def _discounted(rank: int) -> float:
    return 1 / log2(rank + 1) if 0 < rank <= _SEEN else 0.0
