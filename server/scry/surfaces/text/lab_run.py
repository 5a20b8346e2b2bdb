"""A run of the lab as a page: figures, what each part is worth, and what was missed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scry.lab.metrics import RECALL_CUTOFFS, MetricSummary, JudgedLocation, matches_target
from scry.lab.misses import is_miss
from scry.lab.record import QueryOutcome, ReturnedResult, RunContext, EvaluationRun, VariantResult
from scry.surfaces.text.line import StyledLine, TextStyle, styled_line
from scry.surfaces.text.page import Block, Heading, BulletList, Paragraph, TableBlock

_ORACLE_ABBREVIATIONS = {"semantic": "sem", "lexical": "lex", "temporal": "temp"}


def run_blocks(run: EvaluationRun, *, verbose: bool = False, kept: str | None = None) -> Iterator[Block]:
    """verbose: every question with what was retrieved, not only the misses. kept: the file that the run is in."""
    yield Paragraph(styled_line((_format_count(run.figures.questions, "question"), "strong"), f" of {run.ground.queries}"))
    yield BulletList(list(evaluation_setup_lines(run.ground)))
    yield figures_table({"all": run.figures, **(run.categories if len(run.categories) > 1 else {})})
    if run.variants:
        yield Heading("What each part is worth")
        yield variants_table(run)
        yield Paragraph(
            styled_line(("Differences of NDCG@10 to the run; * where the 95 % interval leaves out zero.", "quiet"))
        )
    misses = [asked for asked in run.asked if is_miss(asked)]
    yield Heading(f"{_format_count(len(misses), 'question')} with a target that is not among the first ten")
    if misses and kept is not None:
        yield Paragraph(
            styled_line("One of them explained, by its number: ", (f"scry lab why {kept} {misses[0].number}", "place"))
        )
    for asked in misses:
        yield from question_blocks(asked)
    if verbose:
        yield Heading("All others, with what was retrieved")
        for asked in run.asked:
            if not is_miss(asked):
                yield from question_blocks(asked)


def evaluation_setup_lines(ground: RunContext) -> Iterator[StyledLine]:
    """What was judged."""
    of = f" of {ground.commit[:7]}" if ground.commit else ""
    yield styled_line((ground.root, "place"), f": {_format_count(ground.files, 'file')}{of}, model {ground.model or 'none'}")
    if ground.recipe != "as it is":
        yield styled_line(("Weighed otherwise: ", "warning"), ground.recipe)
    for trouble in ground.missing:
        yield styled_line((f"Could not answer, for some question: {trouble}", "bad"))


def figures_table(figures: Mapping[str, MetricSummary]) -> TableBlock:
    """A row for each name."""
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
    """A row for each variant, with the difference of each category."""
    categories = list(run.categories) if len(run.categories) > 1 else []
    rows = [
        [
            styled_line(each.name),
            styled_line(f"{each.figures.ndcg:.3f}"),
            styled_line((f"{each.difference.mean:+.3f}{'*' if each.difference.is_significant else ' '}", _difference_style(each))),
            styled_line(f"{each.difference.low:+.3f} … {each.difference.high:+.3f}"),
            *(styled_line(f"{each.categories[name].ndcg - run.categories[name].ndcg:+.3f}") for name in categories),
        ]
        for each in run.variants
    ]
    return TableBlock(["", "#NDCG@10", "#difference", "#95 %", *(f"#{name}" for name in categories)], rows)


def question_blocks(asked: QueryOutcome) -> Iterator[Block]:
    """A question with its targets and what was found instead, or beside them."""
    places = ", ".join("–" if rank is None else f"#{rank}" for rank in asked.ranks)
    yield Paragraph(
        styled_line(
            f"{asked.number}. ",
            (asked.query, "strong"),
            f"  {asked.category}, NDCG@10 {asked.ndcg:.2f}, wanted ",
            (", ".join(each.doc_id or each.path for each in asked.targets), "place"),
            f" ({places})",
        )
    )
    yield BulletList([_retrieved_line(rank, found, asked) for rank, found in enumerate(asked.found, 1)])


def _retrieved_line(rank: int, found: ReturnedResult, asked: QueryOutcome) -> StyledLine:
    place = JudgedLocation(found.doc_id, found.path, found.start_line, found.end_line)
    right = any(matches_target(place, target) for target in asked.targets)
    mark: tuple[str, TextStyle] = ("right ", "good") if right else ("      ", "plain")
    evidence = " | ".join(f"{_ORACLE_ABBREVIATIONS.get(name, name)} #{place}" for name, place in found.found_by.items())
    moved = " ".join(f"{name} ×{factor:.2f}" for name, factor in found.adjustments.items())
    return styled_line(
        mark, f"{rank}. ", found.doc_id, (f"  ({evidence})", "evidence"), (f"  {moved}" if moved else "", "quiet")
    )


def _difference_style(variant: VariantResult) -> TextStyle:
    if not variant.difference.is_significant:
        return "quiet"
    return "bad" if variant.difference.mean < 0 else "good"


def _format_count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
