"""Simulated people who use answers for a month, and what the oracle of use then gains: docs/quality.md is made of it.

    python -m tests.bench.simulated_use --repos DIR --queries DIR --manifest FILE [--only NAME …] [--questions-a-day 15]

Clicks follow two published models. In the position-based one a person looks at rank r with probability 1 / r and clicks
on what looks right (Richardson, Dominowska, Ragno: Predicting clicks, WWW 2007; Joachims et al., WSDM 2017). In the
cascade the person reads from the top, clicks, and stops when satisfied (Craswell, Zoeter, Taylor, Ramsey: An
experimental comparison of click position-bias models, WSDM 2008). The probabilities of a click and of stopping are
those that interleaving and learning to rank are usually simulated with (Hofmann, Schuth, Whiteson, de Rijke: Reusing
historical interaction data for faster online learning to rank, WSDM 2013): honest people are "navigational", the
careless one is "informational".

One person works in one area: a third of the questions, most often the first of them. One jumps around between all. One
clicks carelessly. A question comes back as it was, without one of its words, or in another order. The log, the learning
and the ranking are the real ones, and every answer of the month already ranks by what was learnt before it: what feeds
on itself shows.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from unittest import mock

from msgspec.structs import replace

from scry.core.events import QUERY, USE, LogEvent
from scry.core.text import STOP_WORDS
from scry.core.types import SearchQuery
from scry.engine.activity.learning import learn_from_log
from scry.engine.activity.weights import fit_weights
from scry.engine.search import BASE_ORACLE_WEIGHTS
from scry.engine.search.pipeline import OracleMatches, Ranking, rank_candidates
from scry.engine.search.query import parse_query
from scry.lab import EvaluatedIndex, EvaluationCase
from scry.lab.metrics import JudgedLocation, matches_target, score_results
from scry.oracles import use
from scry.store.events import EventLog
from scry.store.events.learnt import LearntUses, LearntWeights
from scry.store.events.log import LEARNT_FILE
from tests.rank.repositories import add_options, judged, read_repositories

SEED = 26
LIMIT = 10
WORKDAYS = 20
QUESTIONS_A_DAY = 5
DAY_MS = 86_400_000
SHARE_OF_AREA = 3
"""The person who works in one area asks every third question."""

WORDINGS = 3


@dataclass(frozen=True)
class ClickBehaviour:
    """Probabilities of a click and of stopping after it, for wrong and right results."""

    click: tuple[float, float]
    stop: tuple[float, float]


NAVIGATIONAL = ClickBehaviour((0.05, 0.95), (0.2, 0.9))
INFORMATIONAL = ClickBehaviour((0.4, 0.9), (0.1, 0.5))

PEOPLE: Mapping[str, ClickBehaviour] = {
    "one area": NAVIGATIONAL,
    "jumps around": NAVIGATIONAL,
    "careless": INFORMATIONAL,
}
MODELS = ("position", "cascade")


def clicked_ranks(relevant: Sequence[bool], model: str, behaviour: ClickBehaviour, chance: random.Random) -> list[int]:
    """Return the ranks that a person clicks on, in the order of the clicks. relevant: whether each result is right."""
    ranks: list[int] = []
    for rank, is_right in enumerate(relevant, 1):
        if model == "position" and chance.random() >= 1 / rank:
            continue
        if chance.random() < behaviour.click[is_right]:
            ranks.append(rank)
            if model == "cascade" and chance.random() < behaviour.stop[is_right]:
                break
    return ranks


def wordings(question: str, chance: random.Random) -> list[str]:
    """Return a question, the same without one of its content words, and in another order of words."""
    words = question.split()
    telling = [at for at, word in enumerate(words) if word.lower().strip("?.,") not in STOP_WORDS]
    if len(telling) < 3:
        return [question] * WORDINGS
    left = chance.choice(telling)
    shuffled = [words[at] for at in telling]
    chance.shuffle(shuffled)
    return [question, " ".join(words[:left] + words[left + 1 :]), " ".join(shuffled)]


class Clock:
    """The time of the simulation, in place of the module `time` of the oracle of use."""

    def __init__(self) -> None:
        self.now_ms = 1_760_000_000_000
        self.localtime = time.localtime

    def time_ns(self) -> int:
        """Return the simulated time."""
        return self.now_ms * 1_000_000


@dataclass
class Subject:
    """An index whose rankings are made once for each wording of a question."""

    index: EvaluatedIndex
    cases: Sequence[EvaluationCase]
    clock: Clock
    wordings: list[list[str]] = field(init=False)
    _ranked: dict[str, Ranking] = field(default_factory=dict[str, Ranking])

    def __post_init__(self) -> None:
        chance = random.Random(SEED)
        self.wordings = [wordings(case.query, chance) for case in self.cases]

    def rank(self, query: str, learnt: LearntUses | None, weights: LearntWeights | None = None) -> Ranking:
        """Return the ranking of a query. learnt: what the person taught; None for nothing. weights: None for none."""
        if query not in self._ranked:
            self._ranked[query] = self.index.rank(parse_query(query, BASE_ORACLE_WEIGHTS, limit=LIMIT))
        ranking = self._ranked[query]
        if weights is not None:
            question = weights.apply_to(ranking.question)
            ranking = rank_candidates(question, ranking.reader, ranking.oracle_matches, LIMIT)
        return _add_use(ranking, learnt) if learnt is not None else ranking

    def results(self, ranking: Ranking) -> list[JudgedLocation]:
        """Return the first results of a ranking."""
        return self.index.locate_results(ranking.ranked[:LIMIT], ranking.reader)

    def ndcg(
        self, case: EvaluationCase, query: str, learnt: LearntUses | None, weights: LearntWeights | None = None
    ) -> float:
        """Return NDCG@10 of a query."""
        return score_results(self.results(self.rank(query, learnt, weights)), case.targets).ndcg


def _add_use(ranking: Ranking, learnt: LearntUses) -> Ranking:
    reader = replace(ranking.reader, learnt=learnt.find_places)
    matches = use.consult(ranking.question, reader)
    if not matches:
        return ranking
    weight = use.WEIGHT * ranking.question.use_factor
    question: SearchQuery = replace(ranking.question, weights={**ranking.question.weights, "use": weight})
    voted = OracleMatches({**ranking.oracle_matches.by_oracle, "use": matches}, ranking.oracle_matches.faults)
    return rank_candidates(question, reader, voted, LIMIT)


def _logged(ranking: Ranking) -> list[dict[str, object]]:
    """Return the results as an event has them."""
    return [
        {
            "rank": rank,
            "doc_id": each.document.doc_id,
            "fused_score": each.fused_score,
            "contributions": {name: {"rank": match.rank} for name, match in each.oracle_matches.items()},
            "adjustments": {adjustment.name: adjustment.factor for adjustment in each.adjustments},
        }
        for rank, each in enumerate(ranking.ranked[:LIMIT], 1)
    ]


@dataclass(frozen=True)
class Outcome:
    """Gains of NDCG@10. returning: over the questions that had been asked. every: over all questions. jumps: logged.

    weighed: over all questions, with learnt weights where held-back jumps exclude a loss. fitted: with them anyway; 0
    below the number of jumps from which on weights are fitted.
    """

    returning: float
    every: float
    jumps: int
    weighed: float
    fitted: float


def live_a_month(
    subject: Subject, person: str, model: str, folder: Path, questions_a_day: int = QUESTIONS_A_DAY, seed: int = SEED
) -> Outcome:
    """Return what a month of a person's use gains in the next one."""
    chance = random.Random(f"{seed} {person} {model}")
    asked, jumps, numbers = set[int](), 0, 0
    own = list(range(len(subject.cases)))
    chance.shuffle(own)
    if person == "one area":
        own = sorted(own[: max(3, len(own) // SHARE_OF_AREA)])
    learnt = LearntUses(folder / LEARNT_FILE)
    start = subject.clock.now_ms
    with closing(learnt), closing(EventLog.open(folder, lambda: folder.mkdir(parents=True, exist_ok=True))) as log:
        for day in range(WORKDAYS):
            events: list[LogEvent] = []
            for hour in range(questions_a_day):
                subject.clock.now_ms = start + int(day * 1.5 * DAY_MS) + hour * (18_000_000 // questions_a_day)
                of = own[min(int(chance.expovariate(3 / len(own))), len(own) - 1)] if person == "one area" else None
                number = chance.choice(own) if of is None else of
                asked.add(number)
                query = chance.choice(subject.wordings[number])
                known = learnt if (folder / LEARNT_FILE).exists() else None
                ranking = subject.rank(query, known)
                results = subject.results(ranking)
                targets = subject.cases[number].targets
                right = [any(matches_target(each, target) for target in targets) for each in results]
                numbers += 1
                name, at = f"q_{numbers}", subject.clock.now_ms
                asked_body = {"mode": "find", "query": query, "results": _logged(ranking)}
                events.append(LogEvent(QUERY, at, json.dumps(asked_body), name))
                for rank in clicked_ranks(right, model, PEOPLE[person], chance):
                    jumps += 1
                    at += chance.randint(5_000, 90_000)
                    body = json.dumps({"rank": rank, "how": "jump", "result_used": results[rank - 1].doc_id})
                    events.append(LogEvent(USE, at, body, name, f"{name} {rank}"))
            log.append(events)
            learn_from_log(folder, now=lambda: subject.clock.now_ms + DAY_MS, until_done=True)
        subject.clock.now_ms = start + 35 * DAY_MS
        known = learnt if (folder / LEARNT_FILE).exists() else None
        fit = fit_weights(folder, now=lambda: subject.clock.now_ms)
        gains, fitted = _gains(subject, known), _gains(subject, known, fit.weights) if fit.weights else None
    subject.clock.now_ms = start
    returning = [gain for at, gain in enumerate(gains) if at in asked]
    every = fmean(gains)
    with_fitted = fmean(fitted) if fitted else every
    return Outcome(fmean(returning), every, jumps, with_fitted if fit.excludes_a_loss else every, with_fitted)


def _gains(subject: Subject, known: LearntUses | None, weights: LearntWeights | None = None) -> list[float]:
    """Return the gain of each case over the defaults, without anything learnt."""
    return [
        fmean(
            subject.ndcg(case, query, known, weights) - subject.ndcg(case, query, None)
            for query in subject.wordings[at]
        )
        for at, case in enumerate(subject.cases)
    ]


@contextmanager
def simulated(index: EvaluatedIndex, cases: Sequence[EvaluationCase]) -> Generator[Subject]:
    """Return a subject whose oracle of use lives in simulated time."""
    subject = Subject(index, cases, Clock())
    with mock.patch.object(use, "time", subject.clock):
        yield subject


def outcomes(
    index: EvaluatedIndex, cases: Sequence[EvaluationCase], questions_a_day: int = QUESTIONS_A_DAY, months: int = 1
) -> dict[tuple[str, str], Outcome]:
    """Return the outcome of each person by each model.

    months: of different people each, whose mean gains are returned. A month of five questions a day is a small sample.
    """
    found: dict[tuple[str, str], Outcome] = {}
    with simulated(index, cases) as subject, tempfile.TemporaryDirectory() as folder:
        for person in PEOPLE:
            for model in MODELS:
                lived = [
                    live_a_month(
                        subject, person, model, Path(folder) / f"{person}-{model}-{seed}", questions_a_day, seed
                    )
                    for seed in range(SEED, SEED + months)
                ]
                found[person, model] = Outcome(
                    fmean(each.returning for each in lived),
                    fmean(each.every for each in lived),
                    sum(each.jumps for each in lived),
                    fmean(each.weighed for each in lived),
                    fmean(each.fitted for each in lived),
                )
    return found


def table(found: Mapping[str, Mapping[tuple[str, str], Outcome]]) -> Iterator[str]:
    """Yield the figures of all repositories, as Markdown."""
    yield (
        "| person | clicks | jumps | returning questions, NDCG@10 | all questions | with learnt weights | "
        "least of a repository |"
    )
    yield "|---|---|---|---|---|---|---|"
    for person in PEOPLE:
        for model in MODELS:
            own = {name: each[person, model] for name, each in found.items()}
            least = min(own, key=lambda name: own[name].weighed)
            yield (
                f"| {person} | {model} | {sum(each.jumps for each in own.values())} | "
                f"{fmean(each.returning for each in own.values()):+.3f} | "
                f"{fmean(each.every for each in own.values()):+.3f} | "
                f"{fmean(each.weighed for each in own.values()):+.3f} | {own[least].weighed:+.4f} ({least}) |"
            )


def main() -> None:
    """Simulate on annotated repositories and print the figures."""
    parser = argparse.ArgumentParser(description="What a month of use gains.")
    add_options(parser)
    parser.add_argument("--questions-a-day", type=int, default=QUESTIONS_A_DAY, help="15 give jumps enough for weights")
    options = parser.parse_args()
    found: dict[str, Mapping[tuple[str, str], Outcome]] = {}
    for repository in read_repositories(options):
        with judged(repository) as index:
            found[repository.name] = outcomes(index, repository.cases, options.questions_a_day)
        told = ", ".join(f"{each.returning:+.3f}/{each.every:+.3f}" for each in found[repository.name].values())
        print(f"{repository.name}: {told}", flush=True)
    for line in table(found):
        print(line)


if __name__ == "__main__":
    main()
