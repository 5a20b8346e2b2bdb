"""Commands that ask a question or use its answer: find, orient, recent, neighbors, why, detail, open, copy, feedback.

answering           asks an up-to-date engine and prints the answer
question_options    options of the commands that ask
desktop             opens a place in an editor, copies text to the clipboard

People wait for `find`: a module on its way imports nothing that it does not need.
"""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.surfaces.cli.questions.desktop import clipboard_commands as clipboard_commands
    from scry.surfaces.cli.questions.desktop import copy_to_clipboard as copy_to_clipboard
    from scry.surfaces.cli.questions.desktop import editor_command as editor_command
    from scry.surfaces.cli.questions.desktop import osc52_sequence as osc52_sequence
    from scry.surfaces.cli.questions.question_options import QuestionOptions as QuestionOptions
else:
    _MODULES = {
        "QuestionOptions": "question_options",
        "clipboard_commands": "desktop",
        "copy_to_clipboard": "desktop",
        "editor_command": "desktop",
        "osc52_sequence": "desktop",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
