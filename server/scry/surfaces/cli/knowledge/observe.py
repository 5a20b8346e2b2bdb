"""`scry observe` and `scry hook`: record an observation in memory, by hand or from a shell.

The shell scripts of `scry hook` note a command only when it fails, in the background, inside a git work tree. They
leave out a command that the person keeps out of the shell's history (a blank in front), one that was interrupted (130)
or not found (127), and the exit status 1 of commands that answer "no" with it.
"""

from __future__ import annotations

import shlex
import sys
from typing import Annotated, Literal

from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.core.text import escape_unencodable
from scry.projects.programs import SCRY_ARGUMENTS
from scry.surfaces.cli.options import AgentOption, JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_text

ObservationKind = Literal["command", "error", "test", "edit", "decision", "note", "message"]
ObservationScopeOption = Annotated[
    Literal["session", "repository", "agent"] | None,
    Parameter(help="For whom: this session, all work in the repository, or an agent; by its kind when left out."),
]

MAX_INPUT_CHARS = 1_000_000
"""Characters kept of standard input: its last ones."""


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
    from scry.engine.response.knowledge import record_observation as remember
    from scry.surfaces.cli.knowledge.memory_view import open_memory
    from scry_protocol.messages import ObserveParams

    if text == "-" and detail == "-":
        raise BadRequest("detail", "standard input can be read once: for the text or for the detail")
    texts, refs = (_read_argument(text), _read_argument(detail)), [escape_unencodable(each) for each in ref]
    params = ObserveParams(kind, *texts, status, outcome, refs, scope, escape_unencodable(agent))
    with open_memory(root) as memory:
        observed = remember(memory, params)
    if as_json:
        print_json(observed)
    else:
        note = f" ({observed.note})" if observed.note else ""
        print_text(f"Remembered as {observed.doc_id}{note}.\n" if observed.doc_id else f"{observed.note}\n")
    return 0 if observed.doc_id else 1


def _read_argument(text: str) -> str:
    """Return an argument, or standard input where the argument is a dash."""
    if text != "-":
        return escape_unencodable(text)
    return sys.stdin.buffer.read().decode("utf-8", "replace")[-MAX_INPUT_CHARS:]


_HEAD = """\
# Scry: commands that fail are remembered in the project's memory, on this machine alone (scry memory).
# It is on in every shell that reads this; a blank in front of a command keeps it out.
"""

_BASH = """\
__scry_remember() {
  case "$1 $2" in 130\\ * | 127\\ * | 1\\ grep* | 1\\ rg* | 1\\ diff* | 1\\ test\\ * | 1\\ \\[*) return ;; esac
  (git rev-parse --git-dir && @SCRY@ observe command --status "$1" -- "$2") </dev/null >/dev/null 2>&1 &
}
__scry_entry() { HISTTIMEFORMAT='' builtin history 1; }
__scry_prompt() {
  local failed=$? entry
  entry=$(__scry_entry)
  if [[ $failed -ne 0 && -n ${__scry_last+seen} && $entry != "$__scry_last" ]]; then
    local words=${entry#"${entry%%[0-9]*}"}
    words=${words#"${words%%[!0-9]*}"}
    words=${words:2}
    [[ $words == [[:space:]]* ]] || (__scry_remember "$failed" "$words")
  fi
  __scry_last=$entry
  return "$failed"
}
if [[ ${PROMPT_COMMAND[*]:-} != *__scry_prompt* ]]; then
  PROMPT_COMMAND="__scry_prompt${PROMPT_COMMAND:+; $PROMPT_COMMAND}"
fi
"""

_ZSH = """\
__scry_remember() {
  case "$1 $2" in 130\\ * | 127\\ * | 1\\ grep* | 1\\ rg* | 1\\ diff* | 1\\ test\\ * | 1\\ \\[*) return ;; esac
  (git rev-parse --git-dir && @SCRY@ observe command --status "$1" -- "$2") </dev/null >/dev/null 2>&1 &!
}
__scry_preexec() { __scry_command=$1; }
__scry_precmd() {
  local failed=$?
  if [[ $failed -ne 0 && -n $__scry_command && $__scry_command != ' '* ]]; then
    __scry_remember $failed "$__scry_command"
  fi
  __scry_command=
  return $failed
}
typeset -ga preexec_functions precmd_functions
preexec_functions=(__scry_preexec ${preexec_functions:#__scry_preexec})
precmd_functions=(__scry_precmd ${precmd_functions:#__scry_precmd})
"""

_FISH = """\
function __scry_postexec --on-event fish_postexec
    set -l failed $status
    string match -qr '^(0|130|127) |^1 (grep|rg|diff|test |\\[)|^\\d+  ' -- "$failed $argv[1]"; and return
    git rev-parse --git-dir >/dev/null 2>&1; or return
    @SCRY@ observe command --status $failed -- $argv[1] </dev/null >/dev/null 2>&1 &
    disown 2>/dev/null
end
"""

_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def hook(shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="Your shell.")], /) -> int:
    """Prints what makes your shell remember the commands that fail, with their exit status.

    In ~/.bashrc or ~/.zshrc: eval "$(scry hook bash)"; in fish's config: scry hook fish | source
    """
    print_text(_shell_hook_script(shell, shlex.join((sys.executable, *SCRY_ARGUMENTS))))
    return 0


def _shell_hook_script(shell: str, command: str) -> str:
    """Return the script for a shell. command: the command that runs Scry, quoted for a shell."""
    return _HEAD + _SCRIPTS[shell].replace("@SCRY@", command)
