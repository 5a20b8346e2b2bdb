"""Define the shell scripts that have failing commands remembered.

What a shell reads at its start so that failing commands are remembered.

Each notes a command only when it fails, in the background, inside a git work tree. Left out is what the person keeps
out of the shell's history (a blank in front), what was interrupted (130) or not found (127), and the `no` of commands
that answer with 1.
"""

from __future__ import annotations

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


def shell_hook_script(shell: str, command: str) -> str:
    """The script for a shell. command: how it runs Scry, quoted for a shell."""
    return _HEAD + _SCRIPTS[shell].replace("@SCRY@", command)
