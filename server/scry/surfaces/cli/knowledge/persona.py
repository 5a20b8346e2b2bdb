"""`scry persona`: add, list, search, supersede and forget the person's own notes, found in every project."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter

from scry.surfaces.cli.knowledge.notes import convert_options, run_knowledge_action
from scry.surfaces.cli.options import DomainOption, ForceOption, JsonOption, RootOption
from scry_protocol.messages import PersonaParams, RememberParams

persona = App(
    name="persona",
    help="Keeps notes of your own, which are found in every project. They stay on this machine.",
    default_parameter=Parameter(negative=(), show_default=False),
)

NoteTextArgument = Annotated[str, Parameter(help="What to remember.")]
NoteIdArgument = Annotated[str, Parameter(help="The note, by the name that list shows.")]


@persona.command
def add(
    text: NoteTextArgument,
    /,
    *,
    domain: DomainOption = (),
    root: RootOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Keeps a note."""
    params = convert_options(RememberParams, {"text": text, "domains": domain})
    return run_knowledge_action(lambda engine: engine.knowledge.remember(params), root, force, as_json)


@persona.default
def list_by_default(*, root: RootOption = None, force: ForceOption = False, as_json: JsonOption = False) -> int:
    """Shows all notes that stand, the newest first."""
    return list_notes(root=root, force=force, as_json=as_json)


@persona.command(name="list")
def list_notes(
    *, domain: DomainOption = (), root: RootOption = None, force: ForceOption = False, as_json: JsonOption = False
) -> int:
    """Shows all notes that stand, the newest first."""
    params = convert_options(PersonaParams, {"action": "list", "domains": domain})
    return run_knowledge_action(lambda engine: engine.knowledge.persona(params), root, force, as_json)


@persona.command
def search(
    query: Annotated[str, Parameter(help="The words to search for.")],
    /,
    *,
    domain: DomainOption = (),
    root: RootOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Searches your notes alone; with find --type persona they are ranked as in an answer."""
    params = convert_options(PersonaParams, {"action": "search", "query": query, "domains": domain})
    return run_knowledge_action(lambda engine: engine.knowledge.persona(params), root, force, as_json)


@persona.command
def supersede(
    doc_id: NoteIdArgument,
    text: NoteTextArgument,
    /,
    *,
    domain: DomainOption = (),
    root: RootOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Keeps a note in place of another, which is never found again."""
    params = convert_options(RememberParams, {"text": text, "domains": domain, "supersedes": doc_id})
    return run_knowledge_action(lambda engine: engine.knowledge.remember(params), root, force, as_json)


@persona.command
def forget(
    doc_id: NoteIdArgument, /, *, root: RootOption = None, force: ForceOption = False, as_json: JsonOption = False
) -> int:
    """Removes a note for good: no file of Scry holds its text then."""
    params = convert_options(PersonaParams, {"action": "forget", "doc_id": doc_id})
    return run_knowledge_action(lambda engine: engine.knowledge.persona(params), root, force, as_json)
