"""Check whether clients and sidecars of an older schema understand those of a newer one while PROTOCOL is the same.

Additive, and so allowed: a new method; a new field that may be absent; words of the docs; and in params an added value
of a choice, a wider range, null where it was refused, a default for a required field. Every other change is breaking.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from msgspec import UNSET

from protocol.generate.schema import Document, Method, Node


def complaints(old: Document, new: Document) -> list[str]:
    """Return the changes since `old` that are breaking and not announced by a higher PROTOCOL, each as place and
    reason.
    """
    if new.protocol > old.protocol:
        return []
    if new.protocol < old.protocol:
        return [f"PROTOCOL went back from {old.protocol} to {new.protocol}"]
    return list(breaking_changes(old, new))


def breaking_changes(old: Document, new: Document) -> Iterator[str]:
    """Yield every change that is not additive, whatever PROTOCOL says."""
    for name, before in old.methods.items():
        after = new.methods.get(name)
        if after is None:
            yield f"{name}: removed"
        else:
            yield from _compare_methods(name, before, after, _Comparison(old, new))


def _compare_methods(name: str, before: Method, after: Method, comparison: _Comparison) -> Iterator[str]:
    if (before.result is UNSET) != (after.result is UNSET):
        yield f"{name}: a request became a notification, or the reverse"
        return
    from_client = before.result is not UNSET
    yield from comparison.compare(f"{name} params", before.params, after.params, from_client)
    if before.result is not UNSET and after.result is not UNSET:
        yield from comparison.compare(f"{name} result", before.result, after.result, False)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A walk through both schemas at once. sent: whether the client sends the node; only there may anything be
    widened.
    """

    old: Document
    new: Document
    seen: set[tuple[str, str, bool]] = field(default_factory=set[tuple[str, str, bool]])

    def compare(self, place: str, before: Node, after: Node, sent: bool) -> Iterator[str]:
        """Yield the breaking changes between two schemas of one place, and in all that they hold."""
        if before.struct and after.struct:
            pair = (before.struct, after.struct, sent)
            if pair in self.seen:
                return
            self.seen.add(pair)
        before, after = _resolve(before, self.old), _resolve(after, self.new)
        if before.any_of is not UNSET or after.any_of is not UNSET:
            yield from self._compare_nullable(place, before, after, sent)
        elif before.type != after.type or (before.enum is UNSET) != (after.enum is UNSET):
            yield f"{place}: its type changed"
        else:
            yield from _compare_values(place, before, after, sent)
            yield from self._compare_members(place, before, after, sent)

    def _compare_nullable(self, place: str, before: Node, after: Node, sent: bool) -> Iterator[str]:
        was, now = before.any_of is not UNSET, after.any_of is not UNSET
        if was and not now:
            yield f"{place}: can't be null any more"
        elif now and not was and not sent:
            yield f"{place}: can be null now"
        yield from self.compare(place, _without_null(before), _without_null(after), sent)

    def _compare_members(self, place: str, before: Node, after: Node, sent: bool) -> Iterator[str]:
        if before.items is not UNSET and after.items is not UNSET:
            yield from self.compare(f"{place}[]", before.items, after.items, sent)
        if (before.properties is UNSET) != (after.properties is UNSET):
            yield f"{place}: its type changed"
        elif before.properties is not UNSET and after.properties is not UNSET:
            yield from self._compare_fields(place, before, after, sent)
        elif isinstance(before.additional_properties, Node) and isinstance(after.additional_properties, Node):
            yield from self.compare(f"{place}.*", before.additional_properties, after.additional_properties, sent)

    def _compare_fields(self, place: str, before: Node, after: Node, sent: bool) -> Iterator[str]:
        was, now = before.properties or {}, after.properties or {}
        if after.additional_properties is False and before.additional_properties is not False:
            yield f"{place}: refuses unknown fields now"
        for name in sorted(was.keys() - now.keys()):
            yield f"{place}.{name}: removed"
        for name in sorted(now.keys() - was.keys()):
            if name in (after.required or ()):
                yield f"{place}.{name}: a new field needs a default"
        for name in sorted(was.keys() & now.keys()):
            yield from _compare_presence(f"{place}.{name}", (before, after), name, sent)
            yield from self.compare(f"{place}.{name}", was[name], now[name], sent)


def _compare_presence(place: str, owners: tuple[Node, Node], name: str, sent: bool) -> Iterator[str]:
    was, now = (name in (owner.required or ()) for owner in owners)
    if now and not was:
        yield f"{place}: required now"
    elif was and not now and not sent:
        yield f"{place}: may be absent now"
    before, after = ((owner.properties or {})[name].default for owner in owners)
    if not was and not now and before != after:
        yield f"{place}: its default changed"


def _compare_values(place: str, before: Node, after: Node, sent: bool) -> Iterator[str]:
    if before.enum is not UNSET and after.enum is not UNSET:
        gone, added = set(before.enum) - set(after.enum), set(after.enum) - set(before.enum)
        if gone or (added and not sent):
            yield f"{place}: its values changed: {', '.join(sorted(gone or added))}"
    if _range(before) != _range(after) and not (sent and _holds(_range(after), _range(before))):
        yield f"{place}: its range changed"


def _range(node: Node) -> tuple[float, float]:
    low = float("-inf") if node.minimum is UNSET else node.minimum
    high = float("inf") if node.maximum is UNSET else node.maximum
    return low, high


def _holds(outer: tuple[float, float], inner: tuple[float, float]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _resolve(node: Node, document: Document) -> Node:
    return document.defs[node.struct] if node.struct else node


def _without_null(node: Node) -> Node:
    return node if node.any_of is UNSET else node.any_of[0]
