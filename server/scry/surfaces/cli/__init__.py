"""The command line: `scry "<question>"` and the commands beside it, one file for each group of commands.

run               from an argv to an exit status; asks a plain question without the option parser
commands          table of the commands, each imported on demand
app               the option parser, shell completion
options           options of many commands         question_options  options of the commands that ask a question
answering         asks a question, prints the answer
engines           finds the project that a command means and opens its engine
output            JSON, text and errors on standard output and error
progress          progress bars on standard error
clients/          configuration files of agents' clients, for `scry mcp install`

People wait for `find`: a module on its way imports nothing that it does not need.
"""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.surfaces.cli.answering import DefaultQuestionOptions as DefaultQuestionOptions
    from scry.surfaces.cli.app import make_app as make_app
    from scry.surfaces.cli.app import run_command as run_command
    from scry.surfaces.cli.commands import COMMANDS as COMMANDS
    from scry.surfaces.cli.desktop import clipboard_commands as clipboard_commands
    from scry.surfaces.cli.desktop import copy_to_clipboard as copy_to_clipboard
    from scry.surfaces.cli.desktop import editor_command as editor_command
    from scry.surfaces.cli.desktop import osc52_sequence as osc52_sequence
    from scry.surfaces.cli.lab import open_subject as open_subject
    from scry.surfaces.cli.output import print_json as print_json
    from scry.surfaces.cli.output import report_error as report_error
    from scry.surfaces.cli.progress import ProgressBars as ProgressBars
    from scry.surfaces.cli.question_options import QuestionOptions as QuestionOptions
    from scry.surfaces.cli.run import BAD_REQUEST as BAD_REQUEST
    from scry.surfaces.cli.run import ask_plain_question as ask_plain_question
    from scry.surfaces.cli.run import parse_plain_question as parse_plain_question
else:
    _MODULES = {
        "BAD_REQUEST": "run",
        "COMMANDS": "commands",
        "DefaultQuestionOptions": "answering",
        "ProgressBars": "progress",
        "QuestionOptions": "question_options",
        "ask_plain_question": "run",
        "clipboard_commands": "desktop",
        "copy_to_clipboard": "desktop",
        "editor_command": "desktop",
        "make_app": "app",
        "open_subject": "lab",
        "osc52_sequence": "desktop",
        "parse_plain_question": "run",
        "print_json": "output",
        "report_error": "output",
        "run_command": "app",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
