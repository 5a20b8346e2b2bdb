"""`scry belief`: what the team believes, in files of the repository."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from cyclopts import App, Parameter

from scry.surfaces.cli.knowing import Domains, carry_out, params_of
from scry.surfaces.cli.options import Force, Json, Root
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
    domain: Domains = (),
    root: Root = None,
    force: Force = False,
    as_json: Json = False,
) -> int:
    """Writes a belief to a file of its own. Evidence that is not there is refused."""
    told = {
        "statement": statement,
        "evidence": evidence,
        "entrenchment": entrenchment,
        "id": name,
        "supports": supports,
        "attacks": attacks,
        "domains": domain,
    }
    params = params_of(BelieveParams, told)
    return carry_out(lambda engine: engine.knowledge.believe(params), root, force, as_json)


@belief.default
def show_all(*, root: Root = None, force: Force = False, as_json: Json = False) -> int:
    """Shows all beliefs, also retracted ones, with what they reach and what speaks against them."""
    return list_beliefs(root=root, force=force, as_json=as_json)


@belief.command(name="list")
def list_beliefs(*, root: Root = None, force: Force = False, as_json: Json = False) -> int:
    """Shows all beliefs, also retracted ones, with what they reach and what speaks against them."""
    return _look("list", None, root, force, as_json)


@belief.command
def show(
    name: Annotated[str, Parameter(help="The belief, with or without belief: in front.")],
    /,
    *,
    root: Root = None,
    force: Force = False,
    as_json: Json = False,
) -> int:
    """Shows one belief."""
    return _look("show", name, root, force, as_json)


@belief.command
def check(*, root: Root = None, force: Force = False, as_json: Json = False) -> int:
    """Shows what speaks against beliefs: evidence that is gone, contradictions, age; and files that are malformed.

    The exit status is 1 where anything does, for scripts and continuous integration.
    """
    return _look("check", None, root, force, as_json, fails=lambda found: bool(found.beliefs or found.problems))


def _look(
    action: str,
    name: str | None,
    root: Root,
    force: Force,
    as_json: Json,
    fails: Callable[[Beliefs], bool] = lambda _: False,
) -> int:
    params = params_of(BeliefsParams, {"action": action, "id": name})
    return carry_out(lambda engine: engine.knowledge.beliefs(params), root, force, as_json, current=True, fails=fails)
