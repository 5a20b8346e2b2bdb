"""Render evaluation runs, comparisons and replays as page blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scry.lab.compare import QueryChange, RunComparison
from scry.lab.metrics import RECALL_CUTOFFS, JudgedLocation, MetricSummary, PairedDifference, matches_target
from scry.lab.replay import ReplayedQuery, ReplayReport, UsedResult
from scry.lab.run import EvaluationRun, QueryOutcome, ReturnedResult, RunContext, VariantResult, is_miss
from scry.surfaces.render.page import Block, BulletList, Heading, Paragraph, TableBlock
from scry.surfaces.render.styled_text import StyledLine, TextStyle, make_printable, styled_line

_ORACLE_ABBREVIATIONS = {"semantic": "sem", "lexical": "lex", "temporal": "temp"}


def run_blocks(run: EvaluationRun, *, verbose: bool = False, kept: str | None = None) -> Iterator[Block]:
    """Yield a run: its metrics, the worth of each part, and the questions that missed a target.

    verbose: add all other questions. kept: path of the file that the run was written to, quoted for a shell.
    """
    yield Paragraph(
        styled_line((_format_count(run.figures.questions, "question"), "strong"), f" of {run.ground.queries}")
    )
    yield BulletList(list(evaluation_setup_lines(run.ground)))
    yield figures_table({"all": run.figures, **(run.categories if len(run.categories) > 1 else {})})
    if run.variants:
        yield Heading("What each part is worth")
        yield variants_table(run)
        yield Paragraph(
            styled_line(
                (
                    "Differences of NDCG@10 to the run; * more than chance: the 95 % interval leaves out zero, and "
                    "enough questions changed to tell.",
                    "quiet",
                )
            )
        )
    misses = [outcome for outcome in run.asked if is_miss(outcome)]
    yield Heading(f"{_format_count(len(misses), 'question')} with a target that is not among the first ten")
    if misses and kept is not None:
        yield Paragraph(
            styled_line("One of them explained, by its number: ", (f"scry lab why {kept} {misses[0].number}", "place"))
        )
    for outcome in misses:
        yield from question_blocks(outcome)
    if verbose:
        yield Heading("All others, with what was retrieved")
        for outcome in run.asked:
            if not is_miss(outcome):
                yield from question_blocks(outcome)


def evaluation_setup_lines(ground: RunContext) -> Iterator[StyledLine]:
    """Yield the index, the weights and the faults that a run was made with."""
    of = f" of {ground.commit[:7]}" if ground.commit else ""
    yield styled_line(
        (ground.root, "place"), f": {_format_count(ground.files, 'file')}{of}, model {ground.model or 'none'}"
    )
    if ground.recipe != "as it is":
        yield styled_line(("Weighed otherwise: ", "warning"), ground.recipe)
    if ground.leaves_out_learnt:
        yield styled_line(("The weights learnt from jumps, which rank in this project, take no part here.", "warning"))
    for message in ground.missing:
        yield styled_line((f"Could not answer, for some question: {message}", "bad"))
    if ground.absent:
        more = len(ground.absent) - _MAX_ABSENT_PATHS
        named = ", ".join(make_printable(path) for path in ground.absent[:_MAX_ABSENT_PATHS])
        yield styled_line(("Targets that name no indexed file: ", "bad"), named, f" and {more} more" * (more > 0))


_MAX_ABSENT_PATHS = 5


def figures_table(figures: Mapping[str, MetricSummary]) -> TableBlock:
    """Return a table of metrics with a row for each name."""
    recalls = [f"#recall@{k}" for k in RECALL_CUTOFFS]
    rows = [
        [
            styled_line(name),
            styled_line(str(of.questions)),
            styled_line((f"{of.ndcg:.3f}", "strong")),
            styled_line(f"{of.file_ndcg:.3f}"),
            styled_line(f"{of.mrr:.3f}"),
            *(styled_line(f"{of.recall[str(k)]:.3f}") for k in RECALL_CUTOFFS),
        ]
        for name, of in figures.items()
    ]
    return TableBlock(["", "#questions", "#NDCG@10", "#once per file", "#MRR", *recalls], rows)


def variants_table(run: EvaluationRun) -> TableBlock:
    """Return a table with a row for each variant of a run, with the difference in each category."""
    categories = list(run.categories) if len(run.categories) > 1 else []
    rows = [
        [
            styled_line(each.name),
            styled_line(f"{each.figures.ndcg:.3f}"),
            styled_line(
                (
                    f"{each.difference.mean:+.3f}{'*' if each.difference.is_significant else ' '}",
                    _difference_style(each),
                )
            ),
            styled_line(f"{each.difference.low:+.3f} … {each.difference.high:+.3f}"),
            *(styled_line(f"{each.categories[name].ndcg - run.categories[name].ndcg:+.3f}") for name in categories),
        ]
        for each in run.variants
    ]
    return TableBlock(["", "#NDCG@10", "#difference", "#95 %", *(f"#{name}" for name in categories)], rows)


def question_blocks(outcome: QueryOutcome) -> Iterator[Block]:
    """Yield a question with its targets and the results that it retrieved."""
    ranks = ", ".join("–" if rank is None else f"#{rank}" for rank in outcome.ranks)
    yield Paragraph(
        styled_line(
            f"{outcome.number}. ",
            (outcome.query, "strong"),
            f"  {outcome.category}, NDCG@10 {outcome.ndcg:.2f}, wanted ",
            (", ".join(each.doc_id or each.path for each in outcome.targets), "place"),
            f" ({ranks})",
        )
    )
    yield BulletList([_retrieved_line(rank, result, outcome) for rank, result in enumerate(outcome.found, 1)])


def _retrieved_line(rank: int, result: ReturnedResult, outcome: QueryOutcome) -> StyledLine:
    location = JudgedLocation(result.doc_id, result.path, result.start_line, result.end_line)
    right = any(matches_target(location, target) for target in outcome.targets)
    mark: tuple[str, TextStyle] = ("right ", "good") if right else ("      ", "plain")
    evidence = " | ".join(
        f"{_ORACLE_ABBREVIATIONS.get(name, name)} #{location}" for name, location in result.found_by.items()
    )
    adjustments = " ".join(f"{name} ×{factor:.2f}" for name, factor in result.adjustments.items())
    return styled_line(
        mark,
        f"{rank}. ",
        result.doc_id,
        (f"  ({evidence})", "evidence"),
        (f"  {adjustments}" if adjustments else "", "quiet"),
    )


def _difference_style(variant: VariantResult) -> TextStyle:
    if not variant.difference.is_significant:
        return "quiet"
    return "bad" if variant.difference.mean < 0 else "good"


def _format_count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


_MAX_MOVED_QUESTIONS = 40


def comparison_blocks(compared: RunComparison) -> Iterator[Block]:
    """Yield the difference between two runs, then the questions whose ranks moved."""
    yield Paragraph(_verdict_line(compared))
    yield BulletList(
        [*_run_lines("before", compared.means[0], compared), *_run_lines("after", compared.means[1], compared)]
    )
    yield TableBlock(
        ["", "#difference", "#95 %", "#p"],
        [
            _difference_row("all", compared.difference),
            *(_difference_row(name, each) for name, each in compared.categories.items()),
        ],
    )
    yield Paragraph(
        styled_line(
            (
                f"Paired bootstrap, {compared.difference.draws} draws, seed {compared.difference.seed}. "
                f"{compared.better} better, {compared.worse} worse, {compared.same} the same.",
                "quiet",
            )
        )
    )
    if compared.moved:
        yield Heading("Questions that moved, the furthest first")
        yield BulletList([_moved_question_line(each) for each in compared.moved[:_MAX_MOVED_QUESTIONS]])
        if len(compared.moved) > _MAX_MOVED_QUESTIONS:
            yield Paragraph(
                styled_line((f"… and {len(compared.moved) - _MAX_MOVED_QUESTIONS} more (--json has all)", "quiet"))
            )
    yield from _unmatched_blocks("before", compared.only_before)
    yield from _unmatched_blocks("after", compared.only_after)


def _verdict_line(compared: RunComparison) -> StyledLine:
    difference = compared.difference
    if not difference.is_significant:
        words: tuple[str, TextStyle] = ("No difference that chance could not make", "strong")
    elif difference.mean > 0:
        words = ("Better", "good")
    else:
        words = ("Worse", "bad")
    return styled_line(words, f": NDCG@10 {difference.mean:+.3f} over {compared.questions} questions asked by both.")


def _run_lines(name: str, mean: float, compared: RunComparison) -> list[StyledLine]:
    ground = compared.before if name == "before" else compared.after
    first, *rest = evaluation_setup_lines(ground)
    return [(*styled_line((f"{name:6} {mean:.3f}  ", "strong")), *first), *rest]


def _difference_row(name: str, of: PairedDifference) -> list[StyledLine]:
    style: TextStyle = "plain" if not of.is_significant else "good" if of.mean > 0 else "bad"
    return [
        styled_line(name),
        styled_line((f"{of.mean:+.3f}", style)),
        styled_line(f"{of.low:+.3f} … {of.high:+.3f}"),
        styled_line(f"{of.p:.3f}"),
    ]


def _moved_question_line(change: QueryChange) -> StyledLine:
    better = change.after > change.before
    ranks = ", ".join(f"{_format_rank(old)} → {_format_rank(new)}" for old, new in change.ranks)
    first = "" if change.first[0] == change.first[1] else f"  first was {change.first[0]}, is {change.first[1]}"
    return styled_line(
        (f"{change.after - change.before:+.2f} ", "good" if better else "bad"),
        f"{change.numbers[1]}. ",
        (change.query, "strong"),
        f"  {ranks}",
        (first, "quiet"),
    )


def _format_rank(rank: int | None) -> str:
    return "–" if rank is None else f"#{rank}"


def _unmatched_blocks(name: str, queries: list[str]) -> Iterator[Block]:
    if queries:
        yield Paragraph(
            styled_line((f"{len(queries)} questions only in the run {name}, or with other targets there", "warning"))
        )


_MAX_REPLAYED_QUESTIONS = 20


def replay_blocks(replay: ReplayReport) -> Iterator[Block]:
    """Yield the difference between logged and new answers, in all and question by question."""
    yield Paragraph(
        styled_line(
            (f"{replay.questions} question{'' if replay.questions == 1 else 's'} asked anew", "strong"),
            f": {replay.same} answered just as then, {replay.same_first} with the same first result; "
            f"then and now have {replay.overlap:.0%} of their results in common.",
        )
    )
    if replay.recipe != "as it is":
        yield Paragraph(styled_line(("Weighed otherwise: ", "warning"), replay.recipe))
    if replay.used is not None:
        caveat = "" if replay.used.is_significant else ", which chance could make"
        style = "quiet" if not replay.used.is_significant else "good" if replay.used.mean > 0 else "bad"
        yield Paragraph(
            styled_line(
                "Mean of 1 / rank of what was used: ",
                (f"{replay.used.mean:+.3f}", style),
                f" ({replay.used.low:+.3f} … {replay.used.high:+.3f}){caveat}.",
            )
        )
    if replay.with_use:
        yield Paragraph(
            styled_line(
                (
                    f"The oracle of use takes no part now. It did then in the answers to "
                    f"{_format_count(replay.with_use, 'question')} with a use, which the mean leaves out.",
                    "quiet",
                )
            )
        )
    if replay.merged:
        yield Paragraph(
            styled_line(
                (f"{_format_count(replay.merged, 'question')} left out: several projects or a team answered.", "quiet")
            )
        )
    if replay.moved:
        yield Heading("Questions with another answer, the most different first")
    for each in replay.moved[:_MAX_REPLAYED_QUESTIONS]:
        yield Paragraph(styled_line((each.query, "strong"), f"  {each.overlap:.0%} in common"))
        yield BulletList(list(_answer_differences(each)))
    if len(replay.moved) > _MAX_REPLAYED_QUESTIONS:
        yield Paragraph(
            styled_line((f"… and {len(replay.moved) - _MAX_REPLAYED_QUESTIONS} more (--json has all)", "quiet"))
        )


def _answer_differences(each: ReplayedQuery) -> Iterator[StyledLine]:
    for used in each.used:
        yield _used_line(used)
    for rank, doc_id in enumerate(each.before, 1):
        if doc_id not in each.after:
            yield styled_line(("gone ", "bad"), f"#{rank} ", (doc_id, "place"))
    for rank, doc_id in enumerate(each.after, 1):
        if doc_id not in each.before:
            yield styled_line(("new ", "good"), f"#{rank} ", (doc_id, "place"))
        elif each.before.index(doc_id) + 1 != rank and rank == 1:
            yield styled_line("first now, was ", f"#{each.before.index(doc_id) + 1} ", (doc_id, "place"))


def _used_line(used: UsedResult) -> StyledLine:
    return styled_line(
        ("opened, as inferred, " if used.is_inferred else "used ", "strong"),
        f"{_format_rank(used.before)} → {_format_rank(used.after)} ",
        (used.doc_id, "place"),
    )
