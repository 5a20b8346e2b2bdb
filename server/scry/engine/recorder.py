"""Where every answer passes on its way out: it is kept, then logged; and where uses and ratings come in (E1-E3).

Nothing here can fail a question: what goes wrong is told once, in the state of the next answer.
"""

from __future__ import annotations

import os
import secrets
import sys
import threading
from collections.abc import Sequence
from functools import partial
from typing import TypeVar

import msgspec

from scry.core.errors import LogUnavailable
from scry.core.events import Event
from scry.core.settings import Settings
from scry.engine.answers import Answers, Asked, Kept, now_ms
from scry.engine.event_bodies import detail_event, feedback_event, options_of, query_event, use_event
from scry.engine.log_switch import LogSwitch
from scry.engine.log_writer import LogWriter, Make
from scry.engine.query_id import new_query_id
from scry.index.project import Project
from scry_protocol.messages import Answer, Detail, Explanation, FeedbackParams, Recorded, UseParams

Outcome = TypeVar("Outcome", Answer, Explanation)

_OFF = "the log is off, so this was not kept (scry log on)"
_PRIVATE = "this was asked while the log was off, so what is done with it is not kept"
_AGAIN = "this act was recorded before"


class Recorder:
    """Keeps and logs the answers of one project. Every method may be called from any thread."""

    def __init__(self, project: Project, settings: Settings, surface: str) -> None:
        """surface: the way in, such as cli or lsp. Opens nothing yet."""
        self.answers = Answers(project)
        self._project = project
        self._surface = surface
        self._asker = f"{surface}:{_asker_number(surface)}"
        self._switch = LogSwitch(settings)
        self._writer = LogWriter(project)
        self._told = ""
        self._lock = threading.Lock()

    # Answers on their way out -------------------------------------------------------------------------------------

    def leave(
        self, answer: Outcome, params: msgspec.Struct, encoding: str = "utf-16", numbers: Sequence[int] = ()
    ) -> Outcome:
        """Keeps the answer and has it logged; returns it with what there is to say of the log. Never fails.

        params: what was asked. numbers: the store's numbers of the results' documents, by rank.
        """
        mode = answer.mode if isinstance(answer, Answer) else "why"
        asked = self._asked(mode, params, encoding, numbers)
        clean = msgspec.structs.replace(answer, query=_encodable(answer.query)) if answer.query else answer
        kept = Kept(asked, clean) if isinstance(clean, Answer) else Kept(asked, explanation=clean)
        self.answers.keep(kept)
        self._log(partial(query_event, kept), asked, getattr(params, "picker", None))
        return self._with_news(answer)

    def leave_detail(self, detail: Detail, params: msgspec.Struct) -> Detail:
        """Has a result that is shown in full logged, as a question and as a use. Never fails."""
        asked = self._asked("detail", params, "utf-16", ())
        self._log(partial(detail_event, detail, asked, new_query_id()), asked, None)
        kept = self.answers.find(detail.query_id)
        if kept is not None and not kept.asked.is_private:
            use = UseParams(detail.query_id, detail.result.rank, "detail", f"detail-{secrets.token_hex(8)}")
            self._log(partial(query_event, kept), asked, None)
            self._log(partial(use_event, use, detail.result, self._surface), asked, None)
        return detail

    # Acts ---------------------------------------------------------------------------------------------------------

    def use(self, params: UseParams) -> Recorded:
        """A result was used. It is on the disk when this returns `recorded`.

        Raises BadRequest for an answer or a rank that does not exist.
        """
        kept = self.answers.read(params.query_id)
        result = kept.result(params.rank)
        return self._act(kept, use_event(params, result, self._surface))

    def feedback(self, params: FeedbackParams) -> Recorded:
        """An answer was good or bad. It is on the disk when this returns `recorded`. Raises BadRequest as `use`."""
        kept = self.answers.read(params.query_id)
        result = None if params.rank is None else kept.result(params.rank)
        return self._act(kept, feedback_event(params, result, self._surface))

    # The log ------------------------------------------------------------------------------------------------------

    @property
    def trouble(self) -> str:
        """What keeps answers or events from being kept, in words for a person; empty for nothing."""
        if self._writer.trouble:
            return f"{self._writer.trouble}; search works, but what it is used for is not logged"
        if self.answers.trouble:
            return f"answers can't be kept ({self.answers.trouble}); search works, but detail and open may not"
        return ""

    def news(self) -> str:
        """The same, if it was not told before."""
        with self._lock:
            trouble = self.trouble
            if trouble == self._told:
                return ""
            self._told = trouble
            return trouble

    def close(self) -> None:
        """Writes what is left."""
        self._writer.close()
        self.answers.close()

    # Inside -------------------------------------------------------------------------------------------------------

    def _asked(self, mode: str, params: msgspec.Struct, encoding: str, numbers: Sequence[int]) -> Asked:
        return Asked(
            mode=mode,
            time_ms=now_ms(),
            surface=self._surface,
            asker=self._asker,
            root=_encodable(str(self._project.root)),
            encoding=encoding,
            options=options_of(params),
            is_private=not self._switch.is_on(),
            numbers=numbers,
        )

    def _log(self, make: Make, asked: Asked, picker: str | None) -> None:
        if asked.is_private:
            return
        if picker is None:
            self._writer.add(make)
        else:
            self._writer.add_typed(picker, make)

    def _act(self, kept: Kept, event: Event) -> Recorded:
        if not self._switch.is_on() or kept.asked.is_private:
            return Recorded(kept.query_id, recorded=False, note=_PRIVATE if kept.asked.is_private else _OFF)
        try:
            _, is_new = self._writer.record([partial(query_event, kept), lambda: event])
        except LogUnavailable as error:
            return Recorded(kept.query_id, recorded=False, note=f"this was not kept: {error}")
        return Recorded(kept.query_id, recorded=is_new, note="" if is_new else _AGAIN)

    def _with_news(self, answer: Outcome) -> Outcome:
        news = self.news()
        if not news:
            return answer
        message = "; ".join(part for part in (answer.index.message, news) if part)
        return msgspec.structs.replace(answer, index=msgspec.structs.replace(answer.index, message=message))


def _asker_number(surface: str) -> int:
    """Tells askers apart: on the command line the terminal, else the process."""
    if surface == "cli" and sys.platform != "win32":
        return os.getsid(0)
    return os.getpid()


def _encodable(text: str) -> str:
    """A question may hold half a surrogate pair, and a path undecodable bytes; neither can be written."""
    return text.encode("utf-8", "backslashreplace").decode()
