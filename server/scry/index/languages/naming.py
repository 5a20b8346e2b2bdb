"""How a used name finds its definition in a language: the facts that the code graph needs of it."""

from __future__ import annotations

from msgspec import Struct

FILE_SCOPE, FOLDER_SCOPE, PROJECT_SCOPE = "file", "folder", "project"

METHOD_KINDS = frozenset({"method"})
METHOD_AND_FUNCTION_KINDS = frozenset({"method", "function"})
"""Where functions in a container are members as well: of an object, a table, or the type that they extend."""


class NameResolution(Struct, frozen=True):
    """The facts of one language.

    family: languages of one family call each other; empty for a language by itself.
    reach: where a name that stands alone may be defined without an import: in its own file, in its folder (a package),
    or anywhere in the project.
    opens: an import makes every name of the imported file known (`#include`, `require`).
    own_members: a name that stands alone may be a member of the class around it. outer_members: or of a class around
    that.
    reopened: types of one qualified name in several files are one.
    members: kinds of what a call on an unknown receiver may mean.
    open_types: members of a type may stand in other files than the type.
    overloads: several definitions of one qualified name are different ones.
    tables: a module is a table, so that what is put into one at the top of a file is known by the module's name.
    accessors: what stands between a receiver and a member. own_fields: what a field of the object itself begins with.
    """

    family: str = ""
    reach: str = PROJECT_SCOPE
    opens: bool = False
    own_members: bool = False
    outer_members: bool = True
    reopened: bool = False
    members: frozenset[str] = METHOD_KINDS
    open_types: bool = False
    overloads: bool = False
    tables: bool = False
    accessors: tuple[str, ...] = (".",)
    own_fields: str = ""


DEFAULT_NAME_RESOLUTION = NameResolution()
