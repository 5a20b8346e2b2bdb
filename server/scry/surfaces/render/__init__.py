"""Render answers, explanations and states as text, Markdown and HTML."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.surfaces.render.activity import render_index_state as render_index_state
    from scry.surfaces.render.budget import estimate_tokens as estimate_tokens
    from scry.surfaces.render.budget import render_answer_within as render_answer_within
    from scry.surfaces.render.budget import truncate_to_budget as truncate_to_budget
    from scry.surfaces.render.evaluation import comparison_blocks as comparison_blocks
    from scry.surfaces.render.evaluation_html import render_comparison_html as render_comparison_html
    from scry.surfaces.render.evaluation_html import render_run_html as render_run_html
    from scry.surfaces.render.explanation import add_explanation_text as add_explanation_text
    from scry.surfaces.render.explanation import render_detail as render_detail
    from scry.surfaces.render.explanation import render_explanation as render_explanation
    from scry.surfaces.render.page import render_lines as render_lines
    from scry.surfaces.render.plots import BarRow as BarRow
    from scry.surfaces.render.plots import IntervalRow as IntervalRow
    from scry.surfaces.render.plots import axis_ticks as axis_ticks
    from scry.surfaces.render.plots import bar_chart as bar_chart
    from scry.surfaces.render.plots import interval_chart as interval_chart
    from scry.surfaces.render.prompt import code_reference as code_reference
    from scry.surfaces.render.prompt import render_for_model as render_for_model
    from scry.surfaces.render.prompt import result_clipboard_text as result_clipboard_text
    from scry.surfaces.render.results import describe_result_figures as describe_result_figures
    from scry.surfaces.render.results import proof_lines as proof_lines
    from scry.surfaces.render.results import render_answer as render_answer
    from scry.surfaces.render.styled_text import display_width as display_width
    from scry.surfaces.render.styled_text import grapheme_clusters as grapheme_clusters
    from scry.surfaces.render.styled_text import make_printable as make_printable
    from scry.surfaces.render.styled_text import to_plain_text as to_plain_text
    from scry.surfaces.render.styled_text import wrap_text as wrap_text
else:
    _MODULES = {
        "BarRow": "plots",
        "IntervalRow": "plots",
        "add_explanation_text": "explanation",
        "axis_ticks": "plots",
        "bar_chart": "plots",
        "code_reference": "prompt",
        "comparison_blocks": "evaluation",
        "describe_result_figures": "results",
        "display_width": "styled_text",
        "estimate_tokens": "budget",
        "grapheme_clusters": "styled_text",
        "interval_chart": "plots",
        "make_printable": "styled_text",
        "proof_lines": "results",
        "render_answer": "results",
        "render_answer_within": "budget",
        "render_comparison_html": "evaluation_html",
        "render_detail": "explanation",
        "render_explanation": "explanation",
        "render_for_model": "prompt",
        "render_index_state": "activity",
        "render_lines": "page",
        "render_run_html": "evaluation_html",
        "result_clipboard_text": "prompt",
        "to_plain_text": "styled_text",
        "truncate_to_budget": "budget",
        "wrap_text": "styled_text",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
