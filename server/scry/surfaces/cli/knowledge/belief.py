"""`scry belief`: add, list, show and check the team's beliefs, which are files of the repository."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from cyclopts import App, Parameter

from scry.surfaces.cli.knowledge.notes import convert_options, run_knowledge_action
from scry.surfaces.cli.options import DomainOption, ForceOption, JsonOption, RootOption
from scry_protocol.messages import Beliefs, BeliefsParams, BelieveParams

belief = App(
    name="belief",
    help="Writes and shows what the team believes: files in .scry/beliefs, to be reviewed like code.",
    default_parameter=Parameter(negative=(), show_default=False),
)


@belief.command
def add(
    statement: Annotated[str, Parameter(help="What is believed, in a sentence.")],
    /,
    *,
    evidence: Annotated[
        tuple[str, ...],
        Parameter(help="FILE:LINE, FILE, a symbol's doc_id, commit:SHA or session:ID; may be repeated."),
    ] = (),
    entrenchment: Annotated[
        str, Parameter(show_default=True, help="tentative, low, medium, high, core, or a number from 0 to 1.")
    ] = "medium",
    name: Annotated[
        str | None, Parameter(name="--id", help="Its name; made of the statement's words unless given.")
    ] = None,
    supports: Annotated[tuple[str, ...], Parameter(help="A belief that it supports; may be repeated.")] = (),
    attacks: Annotated[tuple[str, ...], Parameter(help="A belief that it contradicts; may be repeated.")] = (),
    domain: DomainOption = (),
    root: RootOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Writes a belief to a file of its own. Evidence that is not there is refused."""
    values = {
        "statement": statement,
        "evidence": evidence,
        "entrenchment": entrenchment,
        "id": name,
        "supports": supports,
        "attacks": attacks,
        "domains": domain,
    }
    params = convert_options(BelieveParams, values)
    return run_knowledge_action(lambda engine: engine.knowledge.believe(params), root, force, as_json)


@belief.default
@belief.command(name="list")
def list_beliefs(*, root: RootOption = None, force: ForceOption = False, as_json: JsonOption = False) -> int:
    """Shows all beliefs, also retracted ones, with what they reach and what speaks against them."""
    return _print_beliefs("list", None, root, force, as_json)


@belief.command
def show(
    name: Annotated[str, Parameter(help="The belief, with or without belief: in front.")],
    /,
    *,
    root: RootOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Shows one belief."""
    return _print_beliefs("show", name, root, force, as_json)


@belief.command
def rename(
    name: Annotated[str, Parameter(help="The belief, with or without belief: in front.")],
    new_name: Annotated[str | None, Parameter(help="Its new id; made of the statement's words unless given.")] = None,
    /,
    *,
    root: RootOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Gives a belief another id: in its file, in the file's name, and in the beliefs that support or attack it."""
    params = convert_options(BeliefsParams, {"action": "rename", "id": name, "new_id": new_name})
    return run_knowledge_action(
        lambda engine: engine.knowledge.beliefs(params), root, force, as_json, update_first=True
    )


@belief.command
def check(*, root: RootOption = None, force: ForceOption = False, as_json: JsonOption = False) -> int:
    """Shows what speaks against beliefs: evidence that is gone, contradictions, age; and files that are malformed.

    The exit status is 1 where anything does, for scripts and continuous integration.
    """
    return _print_beliefs(
        "check", None, root, force, as_json, is_failure=lambda report: bool(report.beliefs or report.problems)
    )


def _print_beliefs(
    action: str,
    name: str | None,
    root: RootOption,
    force: ForceOption,
    as_json: JsonOption,
    is_failure: Callable[[Beliefs], bool] = lambda _: False,
) -> int:
    params = convert_options(BeliefsParams, {"action": action, "id": name})
    return run_knowledge_action(
        lambda engine: engine.knowledge.beliefs(params), root, force, as_json, update_first=True, is_failure=is_failure
    )
