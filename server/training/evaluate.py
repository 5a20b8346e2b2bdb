"""Held-out packages: the first sentence of a documentation comment must find its own code among all of the package's.

A package gives at most 200 questions, drawn with a fixed seed from those whose sentence is unique in it and has at
least four words, and whose code has at least four lines. Reported is the mean reciprocal rank (0 beyond rank 100).
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scry.embedding.static import StaticModel, path_text
from scry.embedding.tokenizer import split_words
from training.dataset import passage_of
from training.docs import first_sentence
from training.lexical import Bm25, query_terms, terms
from training.records import Record

_QUESTIONS = 200
_FEWEST_QUESTIONS = 15
_DEPTH = 100
_RRF = 60
"""Cormack et al. 2009, "Reciprocal Rank Fusion", take 60 as well."""

NAME_BOOST = 1.0
"""Weight of the name field beside the body's: the best for BM25 of 0.5, 1, 2 and 3, so that the baseline is strong."""

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """A held-out package: its passages, and its questions with the number of the passage that each must find."""

    package: str
    records: list[Record]
    questions: list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Figure:
    """The mean reciprocal rank of every system over some questions."""

    questions: int
    mrr: dict[str, float]


def build_cases(records: Sequence[Record]) -> list[Case]:
    """Return the packages that have enough questions; remarks and Markdown are no candidates."""
    packages: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record.kind == "definition":
            packages[record.package].append(record)
    cases = [Case(package, members, _questions(members)) for package, members in packages.items()]
    return [case for case in cases if len(case.questions) >= _FEWEST_QUESTIONS]


def evaluate(cases: Sequence[Case], model: StaticModel, chance: StaticModel) -> tuple[dict[str, Figure], Figure]:
    """Return the figures by language, and those over all questions; `chance` is the model with random vectors."""
    ranks: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for case in cases:
        systems = {**_lexical(case), "model": _semantic(case, model), "random vectors": _semantic(case, chance)}
        for question, target in case.questions:
            language = case.records[target].language
            scores = {name: system(question) for name, system in systems.items()}
            scores["fused"] = _fuse(scores["bm25 + name"], scores["model"])
            scores["random fused"] = _fuse(scores["bm25 + name"], scores["random vectors"])
            for name, values in scores.items():
                ranks[language][name].append(_reciprocal_rank(values, target))
    by_language = {language: _figure(ranks[language]) for language in sorted(ranks)}
    together = {name: [rank for found in ranks.values() for rank in found[name]] for name in next(iter(ranks.values()))}
    return by_language, _figure(together)


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
    body = Bm25(terms(f"{path_text(passage_of(record))} {record.code}") for record in case.records)
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
    """Reciprocal rank fusion of the best hundred of each system; a score of zero or less is no hit."""
    fused = np.zeros(len(systems[0]))
    for scores in systems:
        best = np.argsort(-scores, kind="stable")[:_DEPTH]
        best = best[scores[best] > 0]
        fused[best] += 1 / (_RRF + 1 + np.arange(len(best)))
    return fused


def _reciprocal_rank(scores: Scores, target: int) -> float:
    if scores[target] <= 0:
        return 0.0
    better = int((scores > scores[target]).sum() + (scores[:target] == scores[target]).sum())
    return 1 / (better + 1) if better < _DEPTH else 0.0


def _figure(ranks: Mapping[str, Sequence[float]]) -> Figure:
    return Figure(len(next(iter(ranks.values()))), {name: float(np.mean(values)) for name, values in ranks.items()})
