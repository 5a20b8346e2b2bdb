"""Asks every oracle, and reports those that fail instead of failing with them (F3)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from scry.core.errors import Cancelled
from scry.core.types import OracleFault, SearchQuery, OracleMatch
from scry.oracles.oracle import Oracle, OracleReader

_log = logging.getLogger(__name__)


class OracleVotes(Struct, frozen=True):
    """All votes by oracle name, and the oracles that could not answer."""

    votes: Mapping[str, Sequence[OracleMatch]]
    faults: tuple[OracleFault, ...]


def consult_oracles(oracles: Sequence[Oracle], question: SearchQuery, reader: OracleReader, cancelled: Callable[[], bool]) -> OracleVotes:
    """Every oracle's votes. Raises Cancelled as soon as nobody waits for them."""
    votes: dict[str, tuple[OracleMatch, ...]] = {}
    faults: list[OracleFault] = []
    for oracle in oracles:
        if cancelled():
            raise Cancelled("the question was withdrawn")
        try:
            votes[oracle.name] = oracle.consult(question, reader)
        except Exception as error:  # an oracle's failure must cost its own votes only, whatever it is
            _log.warning("oracle %s failed", oracle.name, exc_info=True)
            faults.append(OracleFault(oracle.name, f"{type(error).__name__}: {error}"))
    return OracleVotes(votes, tuple(faults))
