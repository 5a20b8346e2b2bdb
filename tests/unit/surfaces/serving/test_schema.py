from __future__ import annotations

import json
from pathlib import Path

from scry.surfaces.serving import protocol_schema, rebase_references, referenced_structs, struct_schema

ROOT = Path(__file__).parents[4]


def test_packaged_schema_equals_the_published_one() -> None:
    assert protocol_schema() == json.loads((ROOT / "protocol" / "generated" / "schema.json").read_bytes())


def test_referenced_structs_are_collected() -> None:
    found = referenced_structs(["Answer"])
    assert found[0] == "Answer"
    assert {"ResultItem", "Location", "Position", "IndexState"} <= set(found)
    assert len(found) == len(set(found))


def test_schema_references_are_rewritten_in_a_copy() -> None:
    before = json.dumps(protocol_schema())
    moved = json.dumps(rebase_references(struct_schema("Answer"), "#/components/schemas/"))
    assert "#/$defs/" not in moved
    assert "#/components/schemas/ResultItem" in moved
    assert json.dumps(protocol_schema()) == before
