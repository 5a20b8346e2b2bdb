"""List the files of a project and of the person that can't be made again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scry.core.notices import DataDamage
from scry.core.platform import data_home
from scry.projects.project import Project, persona_store_path
from scry.store.events.log import EVENTS_FILE, event_log_file
from scry.store.memory.schema import MEMORY_FILE, memory_file
from scry.store.notes.schema import persona_file
from scry.store.precious.file import PreciousFile
from scry.store.precious.salvage import describe_recent_damage
from scry.store.registry import REGISTRY_FILE, registry_file


def precious_files(project: Project) -> Mapping[str, PreciousFile]:
    """Return the files that can't be made again, by the word that commands have for each."""
    return {
        "persona": persona_file(persona_store_path()),
        "memory": memory_file(project.data / MEMORY_FILE),
        "log": event_log_file(project.data),
        "projects": registry_file(data_home()),
    }


def precious_paths(project: Project) -> tuple[Path, ...]:
    """Return the paths of these files."""
    home = data_home()
    return (persona_store_path(), project.data / MEMORY_FILE, project.data / EVENTS_FILE, home / REGISTRY_FILE)


def data_damage_notices(project: Project) -> tuple[DataDamage, ...]:
    """Return what was lately damaged or lost of these files, and what was saved."""
    reports = (describe_recent_damage(path) for path in precious_paths(project))
    return tuple(DataDamage(report) for report in reports if report)
