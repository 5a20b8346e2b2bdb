"""`scry hook`: has a shell remember the commands that fail."""

from __future__ import annotations

import shlex
import sys
from typing import Annotated, Literal

from cyclopts import Parameter

from scry.surfaces.cli.output import print_text


def hook(shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="Your shell.")], /) -> int:
    """Prints what makes your shell remember the commands that fail, with their exit status.

    In ~/.bashrc or ~/.zshrc: eval "$(scry hook bash)"; in fish's config: scry hook fish | source
    """
    from scry.surfaces.text.shell_hooks import shell_hook_script

    print_text(shell_hook_script(shell, f"{shlex.quote(sys.executable)} -m scry"))
    return 0
