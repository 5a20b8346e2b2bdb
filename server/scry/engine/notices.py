"""Define the notices of the engine's modes, about an answer, a result, a recorded act or a refusal."""

from __future__ import annotations

from typing import ClassVar

from scry.core.notices import CommandNames, Notice
from scry.core.text import format_age, format_count

# Of answers -----------------------------------------------------------------------------------------------------------


class HistoryMissing(Notice, frozen=True, tag="history_missing"):
    """Changes are dated by the files' own times. is_pending: the history is still being read, else there is none."""

    is_pending: bool

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        reason = "the history is not read yet" if self.is_pending else "there is no git history here"
        return f"{reason}: ordered by the files' own times"


class LastWordCompleted(Notice, frozen=True, tag="last_word_completed"):
    """The last word of a query that is being typed occurs nowhere, and was completed."""

    typed: str
    completed: str

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return f"{self.typed}… is taken as {self.completed}"


class LastWordIsPrefix(Notice, frozen=True, tag="last_word_is_prefix"):
    """The last word of a query that is being typed occurs, and words that begin with it match too."""

    typed: str

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return f"words that begin with {self.typed} match too"


class WeightsUnreadable(Notice, frozen=True, tag="weights_unreadable"):
    """The weights that were learnt from jumps can't be used, and the defaults rank."""

    explains_emptiness: ClassVar[bool] = False

    reason: str

    def render(self, commands: CommandNames) -> str:
        """Return the text; only the command line can mend it."""
        return f"the learnt weights can't be read ({self.reason}), so the defaults rank; scry learn reset removes them"


class NothingChanged(Notice, frozen=True, tag="nothing_changed"):
    """Nothing changed in the last days.

    newest: the newest change and age_s its age in seconds; empty where several projects were asked, for the first
    result names it. are_older_shown: whether older changes are shown instead.
    """

    days: int
    are_older_shown: bool
    newest: str = ""
    age_s: float = 0.0

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        parts = [f"nothing changed in the last {format_count(self.days, 'day')}"]
        if self.newest:
            parts.append(f"the newest change is {self.newest}, {format_age(self.age_s)}")
        if self.are_older_shown:
            parts.append("the newest changes are shown instead")
        return "; ".join(parts)


class NoPersonalNoteFound(Notice, frozen=True, tag="no_personal_note_found"):
    """Only the person's own notes were searched, and none matched."""

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return "nothing found among your own notes; no file was searched"


class MatchesOlder(Notice, frozen=True, tag="matches_older"):
    """The matches of a search are all older than the days asked for. newest: doc_id of the newest match."""

    days: int
    newest: str
    age_s: float

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        newest = f"{self.newest}, {format_age(self.age_s)}"
        days = format_count(self.days, "day")
        return f"nothing of what was found changed in the last {days}; the newest of it is {newest}"


class UnknownWords(Notice, frozen=True, tag="unknown_words"):
    """Words of the query that occur in no document.

    similar: names that may be meant. is_all: whether no other word of the query occurs either. has_results: whether
    the answer has results, which then are only near in meaning where `is_all`.
    """

    explains_emptiness: ClassVar[bool] = False

    words: tuple[str, ...]
    similar: tuple[str, ...] = ()
    is_all: bool = False
    has_results: bool = True

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        words = [word if len(word) <= _MAX_SHOWN_WORD else f"{word[: _MAX_SHOWN_WORD - 1]}…" for word in self.words]
        listed = ", ".join(words[:_MAX_SHOWN_WORDS]) + (", …" if len(words) > _MAX_SHOWN_WORDS else "")
        parts = [f"{listed} {'occurs' if len(words) == 1 else 'occur'} nowhere here"]
        if self.is_all and self.has_results:
            parts = [f"no word of this occurs here ({listed})", "the results are the nearest by meaning"]
        return "; ".join([*parts, f"did you mean {' or '.join(self.similar)}?"] if self.similar else parts)


_MAX_SHOWN_WORDS = 5
_MAX_SHOWN_WORD = 40


class UnknownFilterValue(Notice, frozen=True, tag="unknown_filter_value"):
    """A filter of the query has a value that nothing has.

    known: values that there are, for a path those that are similar. is_searched: whether the filter is searched as text
    because it takes only the known values.
    """

    explains_emptiness: ClassVar[bool] = False

    field: str
    value: str
    known: tuple[str, ...]
    is_searched: bool = False

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        written, known = f"{self.field}:{self.value[:_MAX_SHOWN_WORD]}", ", ".join(self.known)
        if self.is_searched:
            return f"{written!r} is searched as text, for {self.field}: takes {known}"
        hint = f"; did you mean {known}?" if self.field == "path" else f"; there are: {known}"
        return f"no file here has {written!r}" + (hint if known else "")


class FiltersWithoutWords(Notice, frozen=True, tag="filters_without_words"):
    """The query is filters alone, and so finds nothing."""

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return "filters alone find nothing: add words to find by"


class PhraseNotFound(Notice, frozen=True, tag="phrase_not_found"):
    """No document holds the quoted texts of the query."""

    phrases: tuple[str, ...]

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        together = "" if len(self.phrases) == 1 else "together "
        return f"no document holds {_quote(self.phrases)} {together}as written, beginning and ending with whole words"


class PhraseSoughtInBest(Notice, frozen=True, tag="phrase_sought_in_best"):
    """Quoted texts whose words stand in too many files to read them all."""

    phrases: tuple[str, ...]

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return (
            f"the words of {_quote(self.phrases)} stand in too many files to read all of them: the text was sought in "
            "the best matches alone, and others may hold it"
        )


def _quote(phrases: tuple[str, ...]) -> str:
    shown = [each if len(each) <= _MAX_SHOWN_WORD else f"{each[: _MAX_SHOWN_WORD - 1]}…" for each in phrases]
    return " and ".join(f'"{each}"' for each in shown[:_MAX_SHOWN_WORDS])


class FileImportanceRank(Notice, frozen=True, tag="file_importance_rank"):
    """The rank of a file by importance among all files of its folder. folder: empty for the whole project."""

    path: str
    rank: int
    file_count: int
    folder: str

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        where = self.folder or "the project"
        return f"{self.path} is #{self.rank} of the {format_count(self.file_count, 'file')} in {where}"


class FileOfDocument(Notice, frozen=True, tag="file_of_document"):
    """The neighbors are those of the file that holds the requested document."""

    requested: str
    path: str

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return f"the file of {self.requested} was taken, {self.path}"


class GraphPending(Notice, frozen=True, tag="graph_pending"):
    """The code graph is not complete yet. missing: relations of this kind may be missing, such as `calls`."""

    missing: str

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return f"the code graph is still being made: {self.missing} may be missing"


class NothingSimilar(Notice, frozen=True, tag="nothing_similar"):
    """No other place is near in meaning to a document, or it has no vector yet. doc_id: the document."""

    doc_id: str

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return f"nothing resembles {self.doc_id}, or its meaning is not indexed yet"


class NoCoChangeHistory(Notice, frozen=True, tag="no_co_change_history"):
    """Co-change can't be asked about, for no history is known; dependency can."""

    def render(self, commands: CommandNames) -> str:
        """Return the text, with the way to ask the code instead where the client has one."""
        instead = commands.neighbors_by_dependency
        return "no history is known here" + (f"; {instead} asks the code instead" if instead else "")


class NoCoChange(Notice, frozen=True, tag="no_co_change"):
    """No commit that is small enough to count changed the file together with another one."""

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return "no commit of 50 files or fewer changed it together with another file"


class BeliefWarning(Notice, frozen=True, tag="belief_warning"):
    """A belief has a warning against relying on it."""

    warning: str

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return self.warning


class ReachesNothing(Notice, frozen=True, tag="reaches_nothing"):
    """The belief reaches no known document; types: none of these content types, where it reaches others."""

    types: tuple[str, ...] = ()

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return f"it reaches no {' or '.join(self.types)}" if self.types else "it reaches nothing that is known"


class NameAmbiguous(Notice, frozen=True, tag="name_ambiguous"):
    """A name in a relational question has several meanings, and all are followed. shown: the first of their doc_ids."""

    name: str
    count: int
    shown: tuple[str, ...]

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        listed = ", ".join(self.shown) + (", …" if self.count > len(self.shown) else "")
        return f"{self.name} is the name of {self.count} things, all are meant: {listed}"


class NoHistoryForRelation(Notice, frozen=True, tag="no_history_for_relation"):
    """A relational question asks for co-changes, and no history is known."""

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return "no history is known here, so nothing is known to change with anything"


class RelationsCut(Notice, frozen=True, tag="relations_cut"):
    """A name has more relations than are read in one step."""

    name: str
    limit: int

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return f"{self.name} is tied to more than {self.limit} things; some are left out"


class RelationsOfFirstRepositories(Notice, frozen=True, tag="relations_of_first_repositories"):
    """A relational question to the team was answered by the first of the repositories that know its names."""

    asked: int
    count: int

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return (
            f"{self.count} repositories of the team know these names, the first {self.asked} were asked; "
            "a doc_id such as cart:./src/app.py::main names one"
        )


class RelationsKnown(Notice, frozen=True, tag="relations_known"):
    """A query was searched by its words and its meaning that the code graph can answer. names: those in it."""

    names: tuple[str, ...]
    explains_emptiness: ClassVar[bool] = False

    def render(self, commands: CommandNames) -> str:
        """Return the text, with what asks the code graph."""
        names = " and ".join(self.names)
        return f"searched by words and meaning; for what the code graph knows of {names}: {commands.ask_graph}"


class RelationsNotRead(Notice, frozen=True, tag="relations_not_read"):
    """A name in a relational question is of a language whose calls and inheritance are not read.

    are_imports_read: whether its imports are.
    """

    languages: tuple[str, ...]
    are_imports_read: bool = False

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        relations = "calls and inheritance" if self.are_imports_read else "calls, imports and inheritance"
        return f"{relations} are not read in {' and '.join(self.languages)}: relations are missing"


class NothingMeetsQuery(Notice, frozen=True, tag="nothing_meets_query"):
    """No document meets the relational question. known: the doc_ids of the names in it. is_about_calls: whether it
    asks for calls.
    """

    known: tuple[str, ...] = ()
    is_about_calls: bool = False

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        named = f" ({', '.join(self.known)} {'is' if len(self.known) == 1 else 'are'} known)" if self.known else ""
        return f"nothing that is known of the code meets this{named}" + (
            "; a function that is passed as a value is not called there" if self.is_about_calls else ""
        )


# Of results in full, and of recorded acts -----------------------------------------------------------------------------


class TextChanged(Notice, frozen=True, tag="text_changed"):
    """A result's text is shown as it is now, for its file changed since the answer."""

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return "its file was changed since the answer, or indexed anew: this is its text now"


class ResultGone(Notice, frozen=True, tag="result_gone"):
    """A result is no longer indexed. similar: doc_ids of likely replacements."""

    reason: str
    similar: tuple[str, ...] = ()

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        similar = f" (similar: {', '.join(self.similar)})" if self.similar else ""
        return f"it is gone: {self.reason}{similar}. This is what was kept of it."


class NoIndexToRead(Notice, frozen=True, tag="no_index_to_read"):
    """A result is shown as it was stored, for there is no index."""

    def render(self, commands: CommandNames) -> str:
        """Return the text."""
        return f"there is no index to look in: this is what was kept of it{commands.index_hint}"


class LogOff(Notice, frozen=True, tag="log_off"):
    """An act was not recorded, because the log is off."""

    def render(self, commands: CommandNames) -> str:
        """Return the text."""
        return f"the log is off, so this was not kept ({commands.log_on})"


class AskedWhileLogOff(Notice, frozen=True, tag="asked_while_log_off"):
    """An act was not recorded, because its question was asked while the log was off."""

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return "this was asked while the log was off, so what is done with it is not kept"


class ActNotWritten(Notice, frozen=True, tag="act_not_written"):
    """An act was not recorded, because the log can't be written."""

    problem: str

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return f"this was not kept: {self.problem}"


class ActRepeated(Notice, frozen=True, tag="act_repeated"):
    """An act with this name was recorded before."""

    def render(self, commands: CommandNames) -> str:
        """Return the text; it names no command."""
        return "this act was recorded before"


class MemoryOff(Notice, frozen=True, tag="memory_off"):
    """An observation was not recorded, because memory is off."""

    def render(self, commands: CommandNames) -> str:
        """Return the text."""
        return f"memory is off, so this was not kept ({commands.memory_on})"


class NoProjectToAsk(Notice, frozen=True, tag="no_project_to_ask"):
    """No project is registered, and the question was not asked from one."""

    def render(self, commands: CommandNames) -> str:
        """Return the text."""
        return f"none is registered and none is asked from ({commands.add_project})"


class ProjectRequired(Notice, frozen=True, tag="project_required"):
    """The question has to name a project. registered: the names to choose from."""

    registered: tuple[str, ...]

    def render(self, commands: CommandNames) -> str:
        """Return the text."""
        names = ", ".join(self.registered) or f"none ({commands.add_project})"
        return f"say which project to ask, or start in one (--root); registered are: {names}"


class NothingIndexedInFolder(Notice, frozen=True, tag="nothing_indexed_in_folder"):
    """A folder holds files, and none of them is indexed."""

    path: str

    def render(self, commands: CommandNames) -> str:
        """Return the text."""
        return f"{self.path} holds no file that is indexed; `{commands.show_status}` says how many are left out"
