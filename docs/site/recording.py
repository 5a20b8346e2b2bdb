"""Make docs/images/recording.svg: a terminal in which commands are typed and answer, from their true output.

    .venv/bin/python -m docs.site.recording        or `make tutorial`

The picture is one SVG file. Each line appears by an animation of CSS, so that it loads nothing and runs no script; with
reduced motion, or in a viewer without animations, all of it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.text import Text

from docs.make_images import COLUMNS, IMAGES, draw
from docs.site.tutorial import Shell, shell

COMMANDS = (
    'scry "where are failed requests retried" --limit 2',
    "scry neighbors --file courier/retry.py",
    'scry find --reason "what calls is_temporary"',
)
TYPING_S, ANSWER_S, READING_S = 0.045, 0.3, 2.2
"""Seconds for a key, until an answer, and to read it."""

_STYLE = """\
@keyframes appear {{ from {{ opacity: 0 }} }}
.line {{ animation: appear 1ms linear backwards }}
@media (prefers-reduced-motion: reduce) {{ .line {{ animation: none }} }}
"""
_TEXT = re.compile(r'<text (?P<rest>[^>]*clip-path="url\(#[\w-]+-line-(?P<line>\d+)\)"[^>]*)>')


def record(shell: Shell, picture: Path) -> None:
    """Write the picture of the commands."""
    lines = list(_lines(shell))
    draw(picture, "scry", COLUMNS, *(line for line, _ in lines))
    picture.write_text(_animated(picture.read_text(encoding="utf-8"), [at for _, at in lines]), encoding="utf-8")


def _lines(shell: Shell) -> Iterator[tuple[Text, float]]:
    """Yield each line of the terminal, cut at its width, with the second at which it appears."""
    now = 0.5
    for command in COMMANDS:
        yield Text.assemble(("$ ", "bold green"), command), now
        now += len(command) * TYPING_S + ANSWER_S
        printed = shell.run(f"FORCE_COLOR=1 NO_COLOR= {command}")
        for line in printed.rstrip("\n").split("\n"):
            yield Text.from_ansi(line), now
        yield Text(""), now
        now += READING_S


def _animated(svg: str, appears: Sequence[float]) -> str:
    """Return the picture with a time for each line."""

    def delayed(match: re.Match[str]) -> str:
        at = appears[min(int(match["line"]), len(appears) - 1)]
        rest = match["rest"].replace('class="', 'class="line ')
        return f'<text style="animation-delay:{at:.2f}s" {rest}>'

    svg = svg.replace("</style>", _STYLE.format() + "</style>", 1)
    return _TEXT.sub(delayed, svg)


def main() -> None:
    """Draw the recording of a new repository of the tutorial."""
    with shell() as opened:
        for command in ("python3 courier.py ~/courier", "cd ~/courier", "scry index"):
            opened.run(command)
        record(opened, IMAGES / "recording.svg")


if __name__ == "__main__":
    main()
