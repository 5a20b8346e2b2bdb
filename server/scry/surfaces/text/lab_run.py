"""A run of the lab as a page: figures, what each part is worth, and what was missed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scry.lab.metrics import RECALL_AT, Figures, Place, matches
from scry.lab.misses import is_miss
from scry.lab.record import Asked, Found, Ground, Run, Variant
from scry.surfaces.text.line import Line, Part, line
from scry.surfaces.text.page import Block, Heading, Items, Paragraph, Table

_SHORT = {"semantic": "sem", "lexical": "lex", "temporal": "temp"}


def run_blocks(run: Run, *, verbose: bool = False, kept: str | None = None) -> Iterator[Block]:
    """verbose: every question with what was retrieved, not only the misses. kept: the file that the run is in."""
    yield Paragraph(line((_count(run.figures.questions, "question"), "strong"), f" of {run.ground.queries}"))
    yield Items(list(ground_lines(run.ground)))
    yield figures_table({"all": run.figures, **(run.categories if len(run.categories) > 1 else {})})
    if run.variants:
        yield Heading("What each part is worth")
        yield variants_table(run)
        yield Paragraph(
            line(("Differences of NDCG@10 to the run; * where the 95 % interval leaves out zero.", "quiet"))
        )
    misses = [asked for asked in run.asked if is_miss(asked)]
    yield Heading(f"{_count(len(misses), 'question')} with a target that is not among the first ten")
    if misses and kept is not None:
        yield Paragraph(
            line("One of them explained, by its number: ", (f"scry lab why {kept} {misses[0].number}", "place"))
        )
    for asked in misses:
        yield from asked_blocks(asked)
    if verbose:
        yield Heading("All others, with what was retrieved")
        for asked in run.asked:
            if not is_miss(asked):
                yield from asked_blocks(asked)


def ground_lines(ground: Ground) -> Iterator[Line]:
    """What was judged."""
    of = f" of {ground.commit[:7]}" if ground.commit else ""
    yield line((ground.root, "place"), f": {_count(ground.files, 'file')}{of}, model {ground.model or 'none'}")
    if ground.recipe != "as it is":
        yield line(("Weighed otherwise: ", "warning"), ground.recipe)
    for trouble in ground.missing:
        yield line((f"Could not answer, for some question: {trouble}", "bad"))


def figures_table(figures: Mapping[str, Figures]) -> Table:
    """A row for each name."""
    recalls = [f"#recall@{k}" for k in RECALL_AT]
    rows = [
        [
            line(name),
            line(str(of.questions)),
            line((f"{of.ndcg:.3f}", "strong")),
            line(f"{of.file_ndcg:.3f}"),
            line(f"{of.mrr:.3f}"),
            *(line(f"{of.recall[str(k)]:.3f}") for k in RECALL_AT),
        ]
        for name, of in figures.items()
    ]
    return Table(["", "#questions", "#NDCG@10", "#once per file", "#MRR", *recalls], rows)


def variants_table(run: Run) -> Table:
    """A row for each variant, with the difference of each category."""
    categories = list(run.categories) if len(run.categories) > 1 else []
    rows = [
        [
            line(each.name),
            line(f"{each.figures.ndcg:.3f}"),
            line((f"{each.difference.mean:+.3f}{'*' if each.difference.is_sure else ' '}", _judged(each))),
            line(f"{each.difference.low:+.3f} … {each.difference.high:+.3f}"),
            *(line(f"{each.categories[name].ndcg - run.categories[name].ndcg:+.3f}") for name in categories),
        ]
        for each in run.variants
    ]
    return Table(["", "#NDCG@10", "#difference", "#95 %", *(f"#{name}" for name in categories)], rows)


def asked_blocks(asked: Asked) -> Iterator[Block]:
    """A question with its targets and what was found instead, or beside them."""
    places = ", ".join("–" if rank is None else f"#{rank}" for rank in asked.ranks)
    yield Paragraph(
        line(
            f"{asked.number}. ",
            (asked.query, "strong"),
            f"  {asked.category}, NDCG@10 {asked.ndcg:.2f}, wanted ",
            (", ".join(each.doc_id or each.path for each in asked.targets), "place"),
            f" ({places})",
        )
    )
    yield Items([_found_line(rank, found, asked) for rank, found in enumerate(asked.found, 1)])


def _found_line(rank: int, found: Found, asked: Asked) -> Line:
    place = Place(found.doc_id, found.path, found.start_line, found.end_line)
    right = any(matches(place, target) for target in asked.targets)
    mark: tuple[str, Part] = ("right ", "good") if right else ("      ", "plain")
    evidence = " | ".join(f"{_SHORT.get(name, name)} #{place}" for name, place in found.found_by.items())
    moved = " ".join(f"{name} ×{factor:.2f}" for name, factor in found.adjustments.items())
    return line(
        mark, f"{rank}. ", found.doc_id, (f"  ({evidence})", "evidence"), (f"  {moved}" if moved else "", "quiet")
    )


def _judged(variant: Variant) -> Part:
    if not variant.difference.is_sure:
        return "quiet"
    return "bad" if variant.difference.mean < 0 else "good"


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
