from __future__ import annotations

import json
from pathlib import Path

from scry.surfaces.serving import protocol_schema, rebase_references, referenced_structs, struct_schema

ROOT = Path(__file__).parents[4]


def test_packaged_schema_equals_the_published_one() -> None:
    assert protocol_schema() == json.loads((ROOT / "protocol" / "generated" / "schema.json").read_bytes())


def test_what_a_struct_refers_to_is_found() -> None:
    found = referenced_structs(["Answer"])
    assert found[0] == "Answer"
    assert {"ResultItem", "Location", "Position", "IndexState"} <= set(found)
    assert len(found) == len(set(found))


def test_references_lead_elsewhere_and_the_original_stays() -> None:
    before = json.dumps(protocol_schema())
    moved = json.dumps(rebase_references(struct_schema("Answer"), "#/components/schemas/"))
    assert "#/$defs/" not in moved
    assert "#/components/schemas/ResultItem" in moved
    assert json.dumps(protocol_schema()) == before
