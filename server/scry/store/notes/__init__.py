"""Knowledge notes, searchable by words and by meaning."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.store.notes.database import NoteDatabase as NoteDatabase
    from scry.store.notes.project_notes import NewNote as NewNote
    from scry.store.notes.project_notes import ProjectNoteDatabase as ProjectNoteDatabase
    from scry.store.notes.project_notes import describe_project_note_damage as describe_project_note_damage
    from scry.store.notes.reader import NO_FAULTS as NO_FAULTS
    from scry.store.notes.reader import NoteReader as NoteReader
    from scry.store.notes.reader import VectorFaults as VectorFaults
    from scry.store.notes.reader import WordQuery as WordQuery
    from scry.store.notes.schema import persona_file as persona_file
    from scry.store.notes.store import NoteStore as NoteStore
else:
    _MODULES = {
        "NO_FAULTS": "reader",
        "NewNote": "project_notes",
        "NoteDatabase": "database",
        "NoteReader": "reader",
        "NoteStore": "store",
        "ProjectNoteDatabase": "project_notes",
        "VectorFaults": "reader",
        "WordQuery": "reader",
        "describe_project_note_damage": "project_notes",
        "persona_file": "schema",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
