"""The figures behind a result, with their units (X2)."""

from __future__ import annotations

from msgspec import UNSET

from scry_protocol.messages import Adjustment, Answer, CompositePart, Contribution, ResultItem, Structural


def describe_scoring(answer: Answer) -> str:
    """How the scores of an answer came about."""
    scoring = answer.scoring
    if answer.mode == "reason":
        return "scores are the parts of the question that a result meets, as a share of the most that any meets"
    if not scoring.k:
        return "scores are the sum of weight x value of each part, times what is adjusted"
    weights = ", ".join(f"{name} {weight:g}" for name, weight in scoring.weights.items())
    return f"intent {answer.intent}; scores by rank fusion, k {scoring.k}, weights: {weights}"


def describe_result_figures(result: ResultItem) -> list[str]:
    """One line for each thing that found, moved or describes the result."""
    lines = [f"{name.capitalize()}: {_describe_contribution(name, found)}" for name, found in result.contributions.items()]
    if result.annotations.composite is not UNSET:
        lines += [_describe_composite_part(part) for part in result.annotations.composite]
    if result.annotations.structural is not UNSET:
        lines.append(f"Structural: {describe_structure(result.annotations.structural)}")
    lines += [f"Adjusted: {_describe_adjustment(adjustment)}" for adjustment in result.adjustments]
    lines.append(f"Score: {result.fused_score:.4f}")
    return lines


def _describe_composite_part(part: CompositePart) -> str:
    name = part.name.replace("_", " ").capitalize()
    return f"{name}: {part.value:.2f} x {part.weight:g} ({part.reason})"


def _describe_contribution(name: str, found: Contribution) -> str:
    text = f"#{found.rank} ({describe_score(found.score_type, found.raw_score)})"
    if found.snippet is not UNSET and found.snippet:  # of a person's note its own words, of a memory words about it
        return f'{text} "{found.snippet}"' if name == "persona" else f"{text} {found.snippet}"
    if found.matches is UNSET or not found.matches:
        return text
    return f"{text} matched: " + ", ".join(f'"{term}"' for term in found.matches)


def describe_score(score_type: str, raw_score: float) -> str:
    """A raw score with its unit."""
    if score_type == "cosine":
        return f"{raw_score:.2f} cosine"
    if score_type == "bm25":
        return f"{raw_score:.1f} BM25"
    if score_type == "relevance":
        return f"{raw_score:.2f} relevance"
    if score_type == "co_change_count":
        return f"co-changes: {raw_score:.0f}"
    return f"{raw_score:g} {score_type}"


def describe_structure(structural: Structural) -> str:
    """What the code around a result says of it, in words."""
    parts = [
        "1 importer" if structural.importers == 1 else f"{structural.importers} importers",
        f"{structural.centrality} centrality",
    ]
    if structural.activity_level is not UNSET:
        level = structural.activity_level
        parts.append("no activity of late" if level == "none" else f"{level} activity")
    if "test" not in structural.flags:
        parts.append("not test")
    return ", ".join([*parts, *(flag.replace("_", " ") for flag in structural.flags)])


def _describe_adjustment(adjustment: Adjustment) -> str:
    return f"x{adjustment.factor:.3g} {adjustment.name.replace('_', ' ')} ({adjustment.reason})"
