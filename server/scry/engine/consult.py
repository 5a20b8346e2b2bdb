"""Asks every oracle, and reports those that fail instead of failing with them (F3)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from scry.core.errors import Cancelled
from scry.core.types import Fault, Question, Vote
from scry.oracles.oracle import Oracle, Reader

_log = logging.getLogger(__name__)


class Evidence(Struct, frozen=True):
    """All votes by oracle name, and the oracles that could not answer."""

    votes: Mapping[str, Sequence[Vote]]
    faults: tuple[Fault, ...]


def consult(oracles: Sequence[Oracle], question: Question, reader: Reader, cancelled: Callable[[], bool]) -> Evidence:
    """Every oracle's votes. Raises Cancelled as soon as nobody waits for them."""
    votes: dict[str, tuple[Vote, ...]] = {}
    faults: list[Fault] = []
    for oracle in oracles:
        if cancelled():
            raise Cancelled("the question was withdrawn")
        try:
            votes[oracle.name] = oracle.consult(question, reader)
        except Exception as error:  # an oracle's failure must cost its own votes only, whatever it is
            _log.warning("oracle %s failed", oracle.name, exc_info=True)
            faults.append(Fault(oracle.name, f"{type(error).__name__}: {error}"))
    return Evidence(votes, tuple(faults))
