"""`scry observe` and `scry hook`: record an observation in memory, by hand or from a shell.

`scry observe`: has something remembered.

`scry hook`: has a shell remember the commands that fail.
"""

from __future__ import annotations

import shlex
import sys
from typing import Annotated, Literal

from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.core.text import escape_unencodable
from scry.surfaces.cli.options import AgentOption, JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_text

ObservationKind = Literal["command", "error", "test", "edit", "decision", "note", "message"]
ObservationScopeOption = Annotated[
    Literal["session", "repository", "agent"] | None,
    Parameter(help="For whom: this session, all work in the repository, or an agent; by its kind when left out."),
]

MAX_INPUT_CHARS = 1_000_000
"""Characters that are read from standard input; of a longer one the end counts."""


def observe(
    kind: Annotated[ObservationKind, Parameter(help="What it is.")],
    text: Annotated[
        str, Parameter(help="What to remember; - reads it from standard input.", allow_leading_hyphen=True)
    ],
    /,
    *,
    detail: Annotated[
        str, Parameter(help="What belongs to it, such as output; - reads standard input.", allow_leading_hyphen=True)
    ] = "",
    status: Annotated[int | None, Parameter(help="The command's exit status.")] = None,
    outcome: Annotated[Literal["passed", "failed"] | None, Parameter(help="How it went.")] = None,
    ref: Annotated[tuple[str, ...], Parameter(help="A place that it is about, as file:line; may be repeated.")] = (),
    scope: ObservationScopeOption = None,
    agent: AgentOption = "",
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Remembers something for later: a decision, an error, a note. Secrets in it are masked; it stays on this machine.

    For example: scry observe decision "Totals are kept in cents" --ref src/cart.py:12
    """
    from scry.engine.knowledge.memory import record_observation as remember
    from scry.surfaces.cli.memory_view import open_memory
    from scry_protocol.messages import ObserveParams

    if text == "-" and detail == "-":
        raise BadRequest("detail", "standard input can be read once: for the text or for the detail")
    said, refs = (_read_argument(text), _read_argument(detail)), [escape_unencodable(each) for each in ref]
    params = ObserveParams(kind, *said, status, outcome, refs, scope, escape_unencodable(agent))
    with open_memory(root) as memory:
        observed = remember(memory, params)
    if as_json:
        print_json(observed)
    else:
        note = f" ({observed.note})" if observed.note else ""
        print_text(f"Remembered as {observed.doc_id}{note}.\n" if observed.recorded else f"{observed.note}\n")
    return 0 if observed.recorded else 1


def _read_argument(text: str) -> str:
    """The argument, or standard input where it is a dash."""
    if text != "-":
        return escape_unencodable(text)
    return sys.stdin.buffer.read().decode("utf-8", "replace")[-MAX_INPUT_CHARS:]


def hook(shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="Your shell.")], /) -> int:
    """Prints what makes your shell remember the commands that fail, with their exit status.

    In ~/.bashrc or ~/.zshrc: eval "$(scry hook bash)"; in fish's config: scry hook fish | source
    """
    from scry.surfaces.cli.shell_hooks import shell_hook_script

    print_text(shell_hook_script(shell, f"{shlex.quote(sys.executable)} -m scry"))
    return 0
