"""Files of `.scry` for the shop of tests, and an engine that knows them and notes of the person's."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from scry.core import Settings
from scry.engine import Engine
from scry.engine.response import remember_persona_note
from scry_protocol.messages import RememberParams
from tests.acceptance.conftest import make_shop

BELIEFS: Mapping[str, str] = {
    ".scry/beliefs/fusion-by-rank.md": """---
statement: Fusion adds reciprocal ranks, never raw scores, for these have no common unit.
entrenchment: core
evidence:
  - shop/fusion.py:7
  - ./shop/fusion.py::fuse
domains: [ranking]
date: 2026-11-20
---
Raw scores were added once, and the order fell apart.
""",
    ".scry/beliefs/raw-scores.md": """---
statement: Adding raw scores would rank better than reciprocal rank fusion.
entrenchment: tentative
evidence: shop/gone.py:3
attacks: fusion-by-rank
---
""",
    ".scry/patterns/retry-policy.md": """# Retry with a policy

Everything that may fail is tried again by a retry policy. It never waits for ever.
""",
    ".scry/sessions/2026-11-20-fusion.md": """---
title: How fusion came to be
date: 2026-11-20
---
We tried to add scores. It did not work, so ranks are fused.
""",
}


@contextmanager
def opened_shop(place: Path, *notes: RememberParams) -> Generator[Engine]:
    """Return the shop with these beliefs, in a folder whose data is that person's alone, with these notes of theirs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(place / "data"))
        shop = make_shop(place / "shop")
        shop.write(BELIEFS)
        shop.update_index()
        for note in notes:
            remember_persona_note(note, Settings())
        with closing(shop.engine()) as engine:
            yield engine
