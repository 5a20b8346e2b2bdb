"""The worked example of the ranking: one answer of the tutorial's repository, its scores computed anew step by step."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Callable, Iterator

from scry_protocol.messages import Answer, ResultItem

QUESTION = "where are failed requests retried"

_HEAD = """\
# A worked example

The question is `{question}`, asked of the repository of the [tutorial](tutorial/index.md). Everything on this page
comes from the JSON of that one answer (`scry find --json`) and is computed from its own figures; a test asks again and
compares.
[Ranking](ranking.md) has the formula and the reasons.

## Ranks by oracle

Each oracle ranks what it found by its own measure. Cosines, BM25 and counts of commits have no common unit, so only the
ranks go on from here.

"""

_SUMS = """
## Ranks become a sum

A document gets *weight / ({k} + rank)* from each oracle that found it (reciprocal rank fusion). The weights of this
question, of intent *{intent}*, are {weights}.

| | document | rank sum |
|---|---|---|
"""

_SCORES = """
## Factors, and the ceiling

The sum is multiplied by each adjustment, and divided by the most that any document could get for this question,
{ceiling:.5f}.

| rank | document | rank sum | adjustments | fused score |
|---|---|---|---|---|
"""

_REASONS = """
The reasons, as the answer words them:

"""

_TRY = """
## Try other weights

Move a weight to 0 to leave an oracle out. The table below is computed in this page, from the same figures. Places
within a file (`place`, `repeat`) depend on all scores of the file and are kept as they are.

<div class="fusion" data-answer="{data}"></div>
"""


def example_page(answer: Answer, normalise: Callable[[str], str]) -> str:
    """Return the page. Raises ValueError where a score does not follow from the answer's own figures."""
    scoring = answer.scoring
    weights = ", ".join(f"{name} {weight:g}" for name, weight in scoring.weights.items())
    parts = [
        _HEAD.format(question=answer.query),
        *_oracle_table(answer),
        _SUMS.format(k=scoring.k, intent=answer.intent, weights=weights),
        *(_sum_row(answer, result) for result in answer.results),
        _SCORES.format(ceiling=scoring.ceiling),
        *(_score_row(answer, result) for result in answer.results),
        _REASONS,
        *(
            f"- {_name(result)}: {'; '.join(adjustment.reason for adjustment in result.adjustments)}\n"
            for result in answer.results
            if result.adjustments
        ),
        _TRY.format(data=html.escape(_data(answer), quote=True)),
    ]
    return normalise("".join(parts))


def rank_sum(answer: Answer, result: ResultItem) -> float:
    """Return the sum over the oracles that found a result."""
    weights, k = answer.scoring.weights, answer.scoring.k
    return sum(weights[name] / (k + each.rank) for name, each in result.contributions.items() if name in weights)


def fused_score(answer: Answer, result: ResultItem) -> float:
    """Return the score of a result as it follows from the answer's own figures."""
    product = math.prod(adjustment.factor for adjustment in result.adjustments)
    return rank_sum(answer, result) * product / answer.scoring.ceiling


def _name(result: ResultItem) -> str:
    return f"`{result.doc_id.removeprefix('./')}`"


def _oracles(answer: Answer) -> list[str]:
    return [name for name in answer.scoring.weights if any(name in each.contributions for each in answer.results)]


def _oracle_table(answer: Answer) -> Iterator[str]:
    oracles = _oracles(answer)
    yield f"| document | {' | '.join(oracles)} |\n|---|{'---|' * len(oracles)}\n"
    for result in answer.results:
        cells = [
            f"{found.rank} ({found.raw_score:.2f})" if (found := result.contributions.get(name)) else ""
            for name in oracles
        ]
        yield f"| {_name(result)} | {' | '.join(cells)} |\n"


def _sum_row(answer: Answer, result: ResultItem) -> str:
    weights, k = answer.scoring.weights, answer.scoring.k
    terms = " + ".join(f"{weights[name]:g}/({k} + {each.rank})" for name, each in result.contributions.items())
    return f"| {result.rank} | {_name(result)} | {terms} = {rank_sum(answer, result):.5f} |\n"


def _score_row(answer: Answer, result: ResultItem) -> str:
    computed = fused_score(answer, result)
    if not math.isclose(computed, result.fused_score, rel_tol=1e-4, abs_tol=1e-6):
        raise ValueError(f"{result.doc_id}: {computed} is computed, {result.fused_score} was answered")
    moved = " ".join(f"× {adjustment.factor:.4f} `{adjustment.name}`" for adjustment in result.adjustments)
    return f"| {result.rank} | {_name(result)} | {rank_sum(answer, result):.5f} | {moved} | {computed:.4f} |\n"


def _data(answer: Answer) -> str:
    """Return what the page needs to compute the scores with other weights, as JSON."""
    oracles = _oracles(answer)
    results = [
        {
            "name": result.doc_id.removeprefix("./"),
            "ranks": {name: result.contributions[name].rank for name in oracles if name in result.contributions},
            "factor": round(math.prod(adjustment.factor for adjustment in result.adjustments), 6),
        }
        for result in answer.results
    ]
    weights = {name: answer.scoring.weights[name] for name in oracles}
    return json.dumps(
        {"k": answer.scoring.k, "ceiling": answer.scoring.ceiling, "weights": weights, "results": results}
    )
