"""Notices: messages for a person as codes with typed arguments, rendered once in the commands of the client.

A notice stays data until an answer or an error leaves for a client. `render` then makes its text with the names that
this client has for commands, so that nobody has to find and replace a command in finished text. `str` renders for the
command line. The notices of the engine's modes are in engine/notices.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec import Struct


class CommandNames(Struct, frozen=True):
    """The commands that texts name, as one client calls them; the defaults are those of the command line.

    index_hint: how to make the index, in parentheses after a space; empty for a client that makes it by itself.
    min_score, neighbors_by_dependency: options; empty for a client without them. ask_graph: what asks the code graph.
    """

    index_hint: str = " (scry index)"
    resume_index: str = "scry index --resume"
    log_on: str = "scry log on"
    memory_on: str = "scry memory on"
    add_project: str = "scry project add FOLDER"
    list_projects: str = "scry project list"
    show_status: str = "scry status"
    min_score: str = "a lower minimum score"
    neighbors_by_dependency: str = "--by dependency"
    ask_graph: str = "--reason"


COMMAND_LINE = CommandNames()


class Notice(Struct, frozen=True, tag_field="code"):
    """A message for a person: its class is tagged with the code, its fields are the arguments.

    explains_emptiness: whether an answer without results needs no other reason beside this notice.
    """

    explains_emptiness: ClassVar[bool] = True

    def render(self, commands: CommandNames) -> str:
        """Return the text for a client with these commands."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.render(COMMAND_LINE)


def render_notices(notices: Iterable[Notice], commands: CommandNames) -> str:
    """Return the texts of all notices as one line; empty for none."""
    return "; ".join(notice.render(commands) for notice in notices)


class ModelNotReady(Notice, frozen=True, tag="model_not_ready"):
    """Another model answers than the one that the settings name, because no indexer has made the vectors yet."""

    answering: str
    configured: str

    def render(self, commands: CommandNames) -> str:
        """Return the text."""
        return f"the model {self.answering} answers, because {self.configured} is not ready{commands.index_hint}"


class IndexDamage(Notice, frozen=True, tag="index_damage"):
    """The answer lacks data of the index that could not be read."""

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return "the index was damaged and is being made anew; parts that can't be read are missing here"


class IndexDamageFound(Notice, frozen=True, tag="index_damage_found"):
    """Files of the index or the history differ from those written, and nothing was asked since. damage: where."""

    damage: str

    def render(self, commands: CommandNames) -> str:
        """Return the text."""
        return f"the index is damaged ({self.damage}); the next question has it made anew{commands.index_hint}"


class IndexRepaired(Notice, frozen=True, tag="index_repaired"):
    """The index or the history was damaged, and was made anew before the answer. damage: where, in words."""

    damage: str

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return f"the index was damaged ({self.damage}) and was made anew"


class DataDamage(Notice, frozen=True, tag="data_damage"):
    """Something that can't be made again was damaged or lost. report: what, and what was saved, in words."""

    report: str

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command but its own."""
        return self.report


class UnknownProjects(Notice, frozen=True, tag="unknown_projects"):
    """No project has these names. names: each with a hint at what may be meant. has_team: whether a team is joined."""

    names: tuple[tuple[str, str], ...]
    has_team: bool = False

    def render(self, commands: CommandNames) -> str:
        """Return the text."""
        advice = f"({commands.list_projects}; {commands.add_project})"
        of_team = (
            "; a repository of the joined team is asked with team: by find and recent together with all others, by "
            "orient and neighbors alone"
            if self.has_team
            else ""
        )
        return "; ".join(f"no project is called {name!r}; {hint} {advice}" for name, hint in self.names) + of_team


class NoOtherProject(Notice, frozen=True, tag="no_other_project"):
    """No project is registered but the open ones."""

    def render(self, commands: CommandNames) -> str:
        """Return the text."""
        return f"No other project is known yet. Register one: {commands.add_project}."


class RegistryDamaged(Notice, frozen=True, tag="registry_damaged"):
    """The registry's file is damaged and has to be replaced."""

    path: str
    problem: str

    def render(self, commands: CommandNames) -> str:
        """Return the text."""
        return (
            f"the registry of projects, {self.path}, is damaged ({self.problem}); remove or rename it, then add your "
            f"projects anew ({commands.add_project})"
        )


class LinkTargetUnknown(Notice, frozen=True, tag="link_target_unknown"):
    """A link leads to a project that is not registered."""

    def render(self, commands: CommandNames) -> str:
        """Return the text."""
        return f"leads to a project that is not registered ({commands.list_projects})"
