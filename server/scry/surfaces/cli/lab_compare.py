"""`scry lab compare`: what moved between two runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from scry.surfaces.cli.lab_options import HtmlOption, SeedOption, print_report, write_file
from scry.surfaces.cli.options import JsonOption


def compare(
    before: Annotated[Path, Parameter(help="A run that scry lab eval --out wrote.")],
    after: Annotated[Path, Parameter(help="Another one, over the same questions.")],
    *,
    html: HtmlOption = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> int:
    """Says which questions moved between two runs, and whether the difference is more than chance."""
    from scry.lab.bootstrap import BOOTSTRAP_SEED
    from scry.lab.compare import compare as compare_runs
    from scry.lab.record import read_run
    from scry.surfaces.text.lab_compared import comparison_blocks

    found = compare_runs(read_run(before, "before"), read_run(after, "after"), BOOTSTRAP_SEED if seed is None else seed)
    if html is not None:
        from scry.surfaces.text.lab_html import render_comparison_html

        write_file(html, render_comparison_html(found), "html")
    print_report(found, comparison_blocks(found), as_json=as_json)
    return 0
