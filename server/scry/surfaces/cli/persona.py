"""`scry persona`: the person's own notes, which the answers of every project know."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter

from scry.surfaces.cli.knowing import Domains, carry_out, params_of
from scry.surfaces.cli.options import Force, Json, Root
from scry_protocol.messages import PersonaParams, RememberParams

persona = App(
    name="persona",
    help="Keeps notes of your own, which are found in every project. They stay on this machine.",
    default_parameter=Parameter(negative=(), show_default=False),
)

Text = Annotated[str, Parameter(help="What to remember.")]
DocId = Annotated[str, Parameter(help="The note, by the name that list shows.")]


@persona.command
def add(text: Text, /, *, domain: Domains = (), root: Root = None, force: Force = False, as_json: Json = False) -> int:
    """Keeps a note."""
    params = params_of(RememberParams, {"text": text, "domains": domain})
    return carry_out(lambda engine: engine.knowledge.remember(params), root, force, as_json)


@persona.default
def show(*, root: Root = None, force: Force = False, as_json: Json = False) -> int:
    """Shows all notes that stand, the newest first."""
    return list_notes(root=root, force=force, as_json=as_json)


@persona.command(name="list")
def list_notes(*, domain: Domains = (), root: Root = None, force: Force = False, as_json: Json = False) -> int:
    """Shows all notes that stand, the newest first."""
    params = params_of(PersonaParams, {"action": "list", "domains": domain})
    return carry_out(lambda engine: engine.knowledge.persona(params), root, force, as_json)


@persona.command
def search(
    query: Annotated[str, Parameter(help="The words to search for.")],
    /,
    *,
    domain: Domains = (),
    root: Root = None,
    force: Force = False,
    as_json: Json = False,
) -> int:
    """Searches your notes alone; with find --type persona they are ranked as in an answer."""
    params = params_of(PersonaParams, {"action": "search", "query": query, "domains": domain})
    return carry_out(lambda engine: engine.knowledge.persona(params), root, force, as_json)


@persona.command
def supersede(
    doc_id: DocId,
    text: Text,
    /,
    *,
    domain: Domains = (),
    root: Root = None,
    force: Force = False,
    as_json: Json = False,
) -> int:
    """Keeps a note in place of another, which is never found again."""
    params = params_of(RememberParams, {"text": text, "domains": domain, "supersedes": doc_id})
    return carry_out(lambda engine: engine.knowledge.remember(params), root, force, as_json)


@persona.command
def forget(doc_id: DocId, /, *, root: Root = None, force: Force = False, as_json: Json = False) -> int:
    """Removes a note for good: no file of Scry holds its text then."""
    params = params_of(PersonaParams, {"action": "forget", "doc_id": doc_id})
    return carry_out(lambda engine: engine.knowledge.persona(params), root, force, as_json)
