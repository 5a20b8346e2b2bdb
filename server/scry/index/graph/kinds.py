"""Which kinds of definitions a use of a name can mean, and in what others it can be nested and still be seen."""

from __future__ import annotations

KINDS_WITH_MEMBERS = frozenset({"class", "interface", "struct", "enum", "trait", "type", "module", "implementation"})
"""What has members."""

TYPE_KINDS = KINDS_WITH_MEMBERS - {"implementation"}
"""What can be inherited from, or stand before a member."""

CALLABLE_KINDS = frozenset(
    {"function", "method", "macro", "class", "struct", "enum", "type", "constant", "variable", "field"}
)
"""What a call of a name that stands alone can mean; a field is a constructor of an enum or a data type."""

INSTANTIABLE_KINDS = frozenset({"class", "struct", "enum", "type", "field", "interface"})
"""What can be made an instance of."""

MEMBER_KINDS = frozenset({"method", "function", "macro", "class", "struct", "constant", "variable", "field"})
"""What a call of a member can mean, where it is known whose member."""

TRANSPARENT_KINDS = frozenset({"function", "method", "macro", "module"})
"""What is nested in these is seen by its bare name from inside."""
