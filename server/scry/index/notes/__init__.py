"""Read notes of the project (`.scry`) and test reports."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.index.notes.belief_coverage import update_belief_coverage as update_belief_coverage
    from scry.index.notes.belief_evaluation import BeliefSnapshot as BeliefSnapshot
    from scry.index.notes.junit import read_junit_report as read_junit_report
    from scry.index.notes.note_file import make_note_entry as make_note_entry
    from scry.index.notes.note_file import parse_note as parse_note
else:
    _MODULES = {
        "BeliefSnapshot": "belief_evaluation",
        "make_note_entry": "note_file",
        "parse_note": "note_file",
        "read_junit_report": "junit",
        "update_belief_coverage": "belief_coverage",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
