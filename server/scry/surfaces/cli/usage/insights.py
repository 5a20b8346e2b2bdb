"""`scry insights`: summarize how the project was searched, in the terminal or as one HTML file."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.core.settings import load_settings
from scry.core.text import escape_unencodable
from scry.projects.project import Project
from scry.store.events.insights import read_insights
from scry.store.events.log import WEIGHTS_FILE, now_ms
from scry.surfaces.cli.engines import open_engine, resolve_project
from scry.surfaces.cli.options import JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines, print_text, terminal_width
from scry.surfaces.render.insights import InsightsReport, insights_blocks
from scry.surfaces.render.page import render_lines

DEFAULT_DAYS = 90
MAX_DAYS = 36_500
_DAY_MS = 86_400_000


def insights(
    *,
    days: Annotated[int, Parameter(show_default=True, help="Of the last so many days.")] = DEFAULT_DAYS,
    html: Annotated[
        Path | None, Parameter(name="--html", help="Write a page with plots to this file, readable for you alone.")
    ] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Shows what was asked, what was chosen and where it stood, by mode and by oracle, and what learning changed.

    It reads the log alone (scry log), on this machine. For example: scry insights --html insights.html
    """
    if not 1 <= days <= MAX_DAYS:
        raise BadRequest("days", f"is a number of days from 1 to {MAX_DAYS}")
    report = make_report(resolve_project(root), days)
    if html is not None:
        from scry.surfaces.render.insights_html import render_insights_html

        _write_private(html, render_insights_html(report))
    if as_json:
        print_json(report)
    elif html is not None:
        print_text(f"{escape_unencodable(str(html))}\n")
    else:
        print_lines(render_lines(insights_blocks(report), terminal_width(sys.stdout)))
    return 0


def make_report(project: Project, days: int) -> InsightsReport:
    """Return the report of a period that ends now. Raises LogUnavailable, BadSettings."""
    settings = load_settings(project.root, os.environ)
    with open_engine(project.root, force=True) as engine:
        learning = engine.status().learning
    return InsightsReport(
        root=escape_unencodable(str(project.root)),
        made=time.strftime("%Y-%m-%d %H:%M"),
        days=days,
        log_state="" if settings.log else "The log is off: nothing new is counted (scry log on).",
        learning=learning,
        weights=_describe_weights(project) if settings.learn and settings.log else "",
        insights=read_insights(project.data, now_ms() - days * _DAY_MS),
    )


def _describe_weights(project: Project) -> str:
    """Return the learnt weights that rank, with what they gained on held-back jumps; empty where the defaults rank."""
    from scry.store.events.learnt import WeightsFile

    weights = WeightsFile(project.data / WEIGHTS_FILE).read()
    if weights is None or not weights.is_on:
        return ""
    oracles = ", ".join(f"{name} × {factor:.2f}" for name, factor in sorted(weights.oracles.items()))
    of = weights.held_back
    return f"{oracles}; NDCG@10 of held-back jumps {of.gain:+.3f} ({of.low:+.3f} … {of.high:+.3f})"


def _write_private(path: Path, content: bytes) -> None:
    """Write a file that only this person can read. Raises BadRequest where the path can't be written."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as sink:
            sink.write(content)
    except OSError as error:
        raise BadRequest("html", f"{path} can't be written: {error.strerror}") from error
