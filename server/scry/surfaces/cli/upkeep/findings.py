"""The findings of `scry doctor`: every state that needs a step, with its meaning and the one next step.

A finding is defined here once. A check reports it with its details (`Finding.at`), and the page of questions and
answers of the documentation is made from the definitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

import msgspec

CheckLevel = Literal["ok", "warn", "fail"]


class CheckResult(msgspec.Struct, frozen=True):
    """Outcome of one check.

    name: the subject. level: ok, warn (works, but not as well as it could) or fail (does not work). found: the state of
    the subject. advice: what to do; empty when the level is ok. code: the finding; empty when the level is ok.
    """

    name: str
    level: CheckLevel
    found: str
    advice: str = ""
    code: str = ""


class Finding(msgspec.Struct, frozen=True):
    """A state that a check can find.

    code: its name, the check's first. level: see CheckResult. meaning: what does not work, and why, in whole sentences.
    advice: the next step, with the names of its details in braces.
    """

    code: str
    level: CheckLevel
    meaning: str
    advice: str

    def at(self, found: str, name: str = "", **details: object) -> CheckResult:
        """Return the outcome of a check that found this. name: the row, where it is not the first part of the code."""
        row = name or self.code.partition(".")[0]
        return CheckResult(row, self.level, found, self.advice.format(**details), self.code)


_MADE_ANEW = "`scry index --rebuild` makes it anew; a find that notices it has that done by itself"

_FINDINGS = (
    Finding(
        "python.old", "fail", "Scry runs on Python 3.10 and newer; this one is older.", "install Python 3.10 or newer"
    ),
    Finding(
        "packages.not_installed",
        "warn",
        "Scry runs from its source, so the versions of the packages that it needs can't be checked.",
        "install it with pip",
    ),
    Finding("packages.missing", "fail", "A package that Scry needs is not installed.", "{command}"),
    Finding(
        "grammars.broken",
        "fail",
        "The parser of a language can't be loaded. Files in this language are read as plain text.",
        "{command}",
    ),
    Finding(
        "git.missing",
        "warn",
        "There is no git. Files are found; history, recent changes and co-changes are not.",
        "install git; without it, worktrees and unusual repositories are not understood",
    ),
    Finding(
        "folder.unwritable",
        "fail",
        "Scry can't write its folder: without a cache there is no index, without data no log, memory or notes.",
        "make {folder} a folder that you can write to",
    ),
    Finding(
        "folder.full",
        "warn",
        "The disk of this folder has less than 500 MB free. An index that meets a full disk stops, and goes on later.",
        "free some space; `scry cache` shows what Scry takes up",
    ),
    Finding(
        "settings.wrong",
        "fail",
        "Your own settings file, or an environment variable, has a value that is not allowed. No command runs.",
        "correct it; `scry settings` explains each value",
    ),
    Finding(
        "settings.ignored",
        "warn",
        "A setting was left out: the project's file can't be read, names something that only you may set, or an "
        "environment variable has an unknown name. All others hold.",
        "correct it, or take it out",
    ),
    Finding(
        "project.refused",
        "fail",
        "The folder does not exist, or is a home folder or the top of a file system, which is indexed only if forced.",
        "name another folder by --root",
    ),
    Finding("project.unreadable", "fail", "The folder of the project can't be read.", "make it readable for you"),
    Finding(
        "project.git_damaged",
        "warn",
        "git can't read the repository. Files are found; there is no history.",
        "`git fsck` there says what is damaged",
    ),
    Finding(
        "index.none",
        "warn",
        "Nothing was indexed yet.",
        "nothing: the first find makes it, and so does `scry index`",
    ),
    Finding(
        "index.damaged",
        "fail",
        "A file of the index differs from what was written, because of the disk, or another program. An index can "
        "always be made again.",
        _MADE_ANEW,
    ),
    Finding(
        "index.incomplete",
        "warn",
        "The index lacks files or vectors. Answers say how much is there.",
        "`scry index` completes it",
    ),
    Finding(
        "files.faults",
        "warn",
        "A stage of indexing failed for a file: it is found as plain text, by words alone, or not at all. All other "
        "files are found.",
        "such a file is tried again when it changes; {log} says more: please report it",
    ),
    Finding("files.unreadable", "warn", "You may not read a file of the project.", "make it readable for you"),
    Finding(
        "files.malformed",
        "warn",
        "A belief or note of `.scry` begins with lines that are no front matter.",
        "correct its first lines, or remove it",
    ),
    Finding("history.damaged", "fail", "A file of the indexed history differs from what was written.", _MADE_ANEW),
    Finding(
        "history.unreadable",
        "warn",
        "git can't read a commit. The history up to it is indexed.",
        "`git fsck` says what is damaged; `scry index` then reads it again",
    ),
    Finding(
        "history.faults",
        "warn",
        "A commit could not be read or stored, or the reach of a belief not computed. All others are found.",
        "another version of Scry tries them again; {log} says more: please report it",
    ),
    Finding("notes.damaged", "fail", "The index of beliefs and notes differs from what was written.", _MADE_ANEW),
    Finding(
        "notes.faults",
        "warn",
        "The model failed for a note, which is found by its words alone.",
        "such a note is tried again when it changes: please report it",
    ),
    Finding(
        "indexer.failed",
        "fail",
        "The process that indexes this project stopped with an error. Answers come from what is indexed.",
        "see {log}",
    ),
    Finding(
        "indexer.other_version",
        "warn",
        "The indexer of an editor that is open since an update writes another format of the index.",
        "this is Scry {version}: restart your editor",
    ),
    Finding(
        "log.unwritable",
        "fail",
        "Questions, uses and ratings can't be logged. Answers do not depend on the log.",
        "until then nothing is logged; all else works",
    ),
    Finding(
        "log.large",
        "warn",
        "The log has more than 1 GB, or lies on a network file system, where it is slower.",
        "`scry log compact` makes it smaller; see docs/events.md",
    ),
    Finding(
        "learnt.damaged",
        "warn",
        "The file of learnt uses can't be read. It follows from the log, and nothing is lost.",
        "nothing: the next result that you open has it made anew",
    ),
    Finding(
        "learnt.weights",
        "warn",
        "The file of learnt weights can't be read, or is another user's. The weights that everybody has rank.",
        "`scry learn reset` removes it",
    ),
    Finding(
        "agents.broken",
        "fail",
        "An agent is configured to start Scry, and the start fails, or its settings file can't be read.",
        "correct the file, or have it written again by `scry mcp install`",
    ),
    Finding(
        "http.token",
        "fail",
        "`scry serve` and `scry mcp --port` refuse to start: their token can't be read, or others can read it.",
        "remove {path}; the next start makes another",
    ),
    Finding(
        "team.membership",
        "fail",
        "The file that names the joined team's server can't be read. Your own projects are answered.",
        "remove {path}, and join the team again: `scry team join URL`",
    ),
    Finding(
        "team.parts",
        "fail",
        "A team is joined, and the packages for it are not installed. Your own projects are answered.",
        "{command}",
    ),
    Finding(
        "team.unreachable",
        "fail",
        "The team's server can't be reached, refuses you, or has a schema of another version. Your own projects are "
        "answered.",
        "`scry team status` tries again; if that fails for everybody, tell whoever runs the server",
    ),
    Finding(
        "data.damaged",
        "fail",
        "A file that can't be made again (notes, memory, the log, the list of projects) is damaged.",
        "`scry index` saves what can be read of it; `scry restore` brings a backup back",
    ),
    Finding("data.newer", "fail", "A newer version of Scry has written this file.", "update this one"),
    Finding(
        "data.kept",
        "warn",
        "The file was damaged once. Its readable rows are in use, and the damaged file is kept.",
        "remove {path}* when it is settled",
    ),
    Finding(
        "data.gone",
        "warn",
        "The file is gone, and there are backups of it.",
        "`scry restore {store}` brings back that of {day}",
    ),
    Finding(
        "access.open",
        "warn",
        "Other users of this machine can look into a folder of Scry.",
        "`scry index` takes their access away, and so does: chmod 700 {folders}",
    ),
    Finding("check.failed", "fail", "The check itself failed, which is a fault of Scry.", "please report this"),
)

FINDINGS: Mapping[str, Finding] = MappingProxyType({finding.code: finding for finding in _FINDINGS})
"""Every finding by its code, in the order of the checks."""
