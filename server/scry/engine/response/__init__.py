"""Convert domain values into wire messages, and render notices."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.engine.response.answer import RequestedProjects as RequestedProjects
    from scry.engine.response.answer import add_notice as add_notice
    from scry.engine.response.answer import describe_emptiness as describe_emptiness
    from scry.engine.response.answer import describe_evidence as describe_evidence
    from scry.engine.response.answer import describe_incomplete as describe_incomplete
    from scry.engine.response.answer import names_projects as names_projects
    from scry.engine.response.answer import present_state as present_state
    from scry.engine.response.answer import requested_projects as requested_projects
    from scry.engine.response.knowledge import remember_persona_note as remember_persona_note
    from scry.engine.response.recording import record_answer as record_answer
    from scry.engine.response.recording import record_feedback as record_feedback
    from scry.engine.response.recording import record_use as record_use
else:
    _MODULES = {
        "RequestedProjects": "answer",
        "add_notice": "answer",
        "describe_emptiness": "answer",
        "describe_evidence": "answer",
        "describe_incomplete": "answer",
        "names_projects": "answer",
        "present_state": "answer",
        "record_answer": "recording",
        "record_feedback": "recording",
        "record_use": "recording",
        "remember_persona_note": "knowledge",
        "requested_projects": "answer",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
