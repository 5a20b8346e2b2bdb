"""Give jumps to the team, for those who opted in: in a thread of its own, so that no jump and no question waits.

Jumps that can't be given wait for the next one, at most MAX_WAITING of them, and the team's answers tell it until then.
"""

from __future__ import annotations

import atexit
import hashlib
import logging
import threading
from collections import deque
from typing import TYPE_CHECKING

from scry.core.doc_id import split_off_repository
from scry.core.errors import ScryError
from scry.core.memory.masking import mask_secrets
from scry.core.text import format_count

if TYPE_CHECKING:
    from scry.store.team.jumps import TeamJump

MAX_WAITING = 100
"""Jumps that wait for the server; the oldest are dropped first."""

CLOSE_TIMEOUT_S = 2.0
"""Seconds that the end of the process waits for the server."""

_log = logging.getLogger(__name__)


class JumpGiver:
    """Gives jumps to the joined team. Every method may be called from any thread."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._lock = threading.Lock()
        self._waiting: deque[TeamJump] = deque()
        self._thread: threading.Thread | None = None
        self._reason = ""
        self._dropped = 0

    def give(self, jump: TeamJump) -> None:
        """Queue a jump, and try to give all that wait."""
        with self._lock:
            self._waiting.append(jump)
            if len(self._waiting) > MAX_WAITING:
                self._waiting.popleft()
                self._dropped += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="scry-jumps", daemon=True)
                self._thread.start()

    def describe_trouble(self) -> str:
        """Return how many jumps could not be given, and why, in words for a person; empty where the last could."""
        with self._lock:
            if not self._reason:
                return ""
            jumps = format_count(len(self._waiting) + self._dropped, "jump")
            dropped = f" ({self._dropped} of them are dropped)" if self._dropped else ""
            return f"{jumps} could not be given to the team{dropped}: {self._reason}"

    def wait(self, seconds: float) -> None:
        """Wait until what is being given is given or has failed."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)

    def _run(self) -> None:
        while True:
            with self._lock:
                jumps = list(self._waiting)
                if not jumps:
                    self._thread = None
                    return
            reason = _try_to_give(jumps)
            with self._lock:
                self._reason = reason
                if reason:
                    self._thread = None
                    return
                self._dropped = 0
                given = {jump.act for jump in jumps}
                self._waiting = deque(jump for jump in self._waiting if jump.act not in given)


def _try_to_give(jumps: list[TeamJump]) -> str:
    """Give jumps to the team that is joined now, if any; return why it failed, empty where it did not."""
    from scry.store.team.jumps import give_jumps
    from scry.store.team.membership import read_membership

    try:
        membership = read_membership()
        if membership is not None:
            give_jumps(membership.connection_string(), jumps)
    except ScryError as error:
        return str(error)
    except Exception as error:  # the thread ends with a reason, whatever is raised
        _log.error("jumps can't be given to the team", exc_info=error)
        return f"{type(error).__name__}: {error}"
    return ""


GIVER = JumpGiver()
"""That of this process."""

atexit.register(lambda: GIVER.wait(CLOSE_TIMEOUT_S))


def give_jump(doc_id: str, rank: int, query: str, act_id: str, way: str) -> None:
    """Give a jump to a result of the team. way: `hashed` or `clear`, as the setting team_jumps."""
    from scry.store.team.jumps import TeamJump

    name, own_id = split_off_repository(doc_id)
    act = hashlib.blake2b(f"{doc_id} {act_id} {query}".encode("utf-8", "replace"), digest_size=16).digest()
    GIVER.give(TeamJump(name, own_id, rank, prepare_question(query, way), way == "hashed", act))


def prepare_question(query: str, way: str) -> str:
    """Return a question as it is given: hashed, or in the clear with secrets masked."""
    from scry.store.team.jumps import MAX_QUESTION_CHARACTERS, hash_question

    return hash_question(query) if way == "hashed" else mask_secrets(query[:MAX_QUESTION_CHARACTERS]).text
