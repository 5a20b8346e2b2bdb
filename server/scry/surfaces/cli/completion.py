"""`scry completion`: completes commands and options in a shell."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from scry.surfaces.cli.output import print_text


def completion(shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="Your shell.")]) -> int:
    """Prints a script that completes commands and options, for your shell to read when it starts.

    For example: scry completion bash > ~/.local/share/bash-completion/completions/scry
    """
    from scry.surfaces.cli.app import make_app

    print_text(make_app().generate_completion(shell=shell))
    return 0
