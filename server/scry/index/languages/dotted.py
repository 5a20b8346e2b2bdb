"""Imports by dotted names that mirror folders, as in Kotlin and Scala."""

from __future__ import annotations

from scry.index.languages.project_files import ProjectFiles


def resolve_dotted_import(name: str, extension: str, files: ProjectFiles) -> tuple[str, ...]:
    """The file of a dotted name: its longest leading part, of two words at least, that is the end of one path.

    Where sources leave the common package out of their folders, the end of that part, of two words at least.
    """
    parts = name.split(".")
    for count in range(len(parts), 1, -1):
        if parts[count - 1] in files.path_words:
            for first in range(count - 1):
                found = files.find_by_suffix("/".join(parts[first:count]) + extension)
                if found:
                    return found
    return ()
