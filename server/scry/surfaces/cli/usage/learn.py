"""`scry learn`: fit the weights of the ranking to jumps, show what would change, apply, switch off and reset (U2)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping

import msgspec
from cyclopts import App, Parameter

from scry.core.errors import BadRequest
from scry.core.settings import load_settings
from scry.core.text import format_count
from scry.engine.activity.weights import MIN_JUMPS, WeightsFit, fit_weights
from scry.projects.project import Project
from scry.store.events.learnt import HeldBackGain, LearntWeights, WeightsFile
from scry.store.events.log import WEIGHTS_FILE
from scry.surfaces.cli.engines import resolve_project
from scry.surfaces.cli.options import JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines, terminal_width
from scry.surfaces.render.activity import format_utc_timestamp
from scry.surfaces.render.page import Block, Paragraph, TableBlock, render_lines
from scry.surfaces.render.styled_text import styled_line


class LearningReport(msgspec.Struct, frozen=True):
    """Weights, in force or proposed. state: none, off, ranking or proposed. note: why there are none, or what to do.

    jumps: how many they are fitted to, of the `needed`. fitted: when, in UTC; empty for never. oracles: factors of
    their weights. adjustments: exponents of their factors. held_back: the gain of NDCG@10 on jumps that the weights
    were not fitted to.
    """

    state: str
    note: str
    jumps: int
    needed: int
    fitted: str = ""
    oracles: Mapping[str, float] = {}
    adjustments: Mapping[str, float] = {}
    held_back: HeldBackGain | None = None


learn = App(
    name="learn",
    help="Weighs oracles and adjustments by what you jump to in this project, shows the gain, and applies it.",
    default_parameter=Parameter(negative=(), show_default=False),
)


@learn.default
def propose(*, root: RootOption = None, as_json: JsonOption = False) -> int:
    """Fits weights to your jumps and shows what they would change in jumps held back; applies nothing."""
    fit = _fit(resolve_project(root))
    report = _report_of("proposed", "scry learn apply lets them rank", fit.weights) if fit.weights else _too_few(fit)
    return _print_report(report, as_json=as_json)


@learn.command
def apply(*, root: RootOption = None, as_json: JsonOption = False) -> int:
    """Fits weights to your jumps and ranks by them from now on, on every surface; answers show them."""
    project = resolve_project(root)
    fit = _fit(project)
    if fit.weights is None:
        return _print_report(_too_few(fit), as_json=as_json)
    try:
        WeightsFile(project.data / WEIGHTS_FILE).write(fit.weights)
    except OSError as error:
        raise BadRequest("learn", f"the weights can't be written: {error.strerror}") from error
    return _print_report(_report_of("ranking", "scry learn off goes back", fit.weights), as_json=as_json)


@learn.command
def show(*, root: RootOption = None, as_json: JsonOption = False) -> int:
    """Shows the weights that rank, and how they were learnt."""
    file = WeightsFile(resolve_project(root).data / WEIGHTS_FILE)
    weights = file.read()
    if weights is None:
        note = f"the weights can't be read: {file.trouble}; scry learn reset removes them" if file.trouble else ""
        return _print_report(LearningReport("none", note or "the defaults rank", 0, MIN_JUMPS), as_json=as_json)
    if not weights.is_on:
        return _print_report(_report_of("off", "scry learn apply fits them anew", weights), as_json=as_json)
    reason = _why_off()
    if reason:
        return _print_report(_report_of("off", reason, weights), as_json=as_json)
    return _print_report(_report_of("ranking", "scry learn off goes back", weights), as_json=as_json)


@learn.command
def off(*, root: RootOption = None, as_json: JsonOption = False) -> int:
    """Ranks by the defaults from now on, until you apply weights again; the learnt ones are kept."""
    file = WeightsFile(resolve_project(root).data / WEIGHTS_FILE)
    weights = file.read()
    if weights is None:
        raise BadRequest("learn", "there are no weights to switch off; the defaults rank")
    file.write(msgspec.structs.replace(weights, is_on=False))
    return _print_report(_report_of("off", "the defaults rank", weights), as_json=as_json)


@learn.command
def reset(*, root: RootOption = None, as_json: JsonOption = False) -> int:
    """Removes the learnt weights; the defaults rank. Learnt uses stay: see scry log forget."""
    existed = WeightsFile(resolve_project(root).data / WEIGHTS_FILE).remove()
    note = "the learnt weights are removed; the defaults rank" if existed else "the defaults rank already"
    return _print_report(LearningReport("none", note, 0, MIN_JUMPS), as_json=as_json)


def _fit(project: Project) -> WeightsFit:
    reason = _why_off()
    if reason:
        raise BadRequest("learn", f"nothing is learnt: {reason}")
    return fit_weights(project.data)


def _why_off() -> str:
    """Return why nothing is learnt, by the settings; empty where it is."""
    settings = load_settings(None, os.environ)
    if not settings.log:
        return "the log is off (scry log on)"
    return "" if settings.learn else "the setting learn is off"


def _too_few(fit: WeightsFit) -> LearningReport:
    note = f"{format_count(fit.jumps, 'jump')} of the {MIN_JUMPS} from which on weights are fitted; the defaults rank"
    return LearningReport("none", note, fit.jumps, MIN_JUMPS)


def _report_of(state: str, note: str, weights: LearntWeights) -> LearningReport:
    fitted = format_utc_timestamp(weights.fitted_ms)
    return LearningReport(
        *(state, note, weights.jumps, MIN_JUMPS, fitted), weights.oracles, weights.adjustments, weights.held_back
    )


def _print_report(report: LearningReport, *, as_json: bool) -> int:
    if as_json:
        print_json(report)
    else:
        print_lines(render_lines(_blocks(report), terminal_width(sys.stdout)))
    return 0


def _blocks(report: LearningReport) -> Iterator[Block]:
    if report.held_back is None:
        yield Paragraph(styled_line(f"{report.note[:1].upper()}{report.note[1:]}."))
        return
    states = {"ranking": "rank now", "off": "are off", "proposed": "are proposed"}
    of = f"Weights of {format_count(report.jumps, 'jump')}, fitted {report.fitted},"
    yield Paragraph(styled_line(f"{of} {states[report.state]}; {report.note}."))
    gain = report.held_back
    surely = "surely a gain" if gain.low > 0 else "surely a loss" if gain.high < 0 else "may be chance"
    interval = f"{gain.gain:+.3f} ({gain.low:+.3f} … {gain.high:+.3f}), {surely}"
    yield Paragraph(styled_line(f"NDCG@10 of held-back jumps: {gain.before:.3f} by the defaults, {interval}."))
    rows = [(name, f"× {value:.2f}") for name, value in report.oracles.items()]
    rows += [(name, f"^ {value:.2f}") for name, value in report.adjustments.items()]
    yield TableBlock(
        ("Oracle or adjustment", "#Learnt"),
        [[styled_line((name, "strong")), styled_line(value)] for name, value in rows],
    )
