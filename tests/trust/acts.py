"""Acts of a person over the language server and the command line, and a ledger of those that were acknowledged.

An act is acknowledged when its reply was received as a whole and says that it was recorded, also in a pipe that the
killed process left behind.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from scry.index.notes.note_file import MalformedNote, parse_note
from scry.projects import open_project
from scry.projects.project import persona_store_path
from scry.store.events import EVENTS_FILE
from scry.store.memory.schema import MEMORY_FILE
from scry.store.sqlite import roll_back
from tests.e2e.lsp_client import LspClient, RpcError
from tests.sample.history import HistoryProject
from tests.sample.indexed import IndexedProject

Json = dict[str, Any]

ACTIVITIES = ("find", "log", "memory", "persona", "belief")
"""What a person does beside editing."""

QUESTIONS = ("return the value", "where is it called", "run", "class with a method", "import")


class Ended(Exception):
    """The process ended before it answered."""


@dataclass
class Ledger:
    """What was acknowledged.

    uses, ratings: the query_id of each act_id and comment. memories, notes: texts by doc_id. beliefs: statements by id.
    forgotten: doc_ids of deleted notes. answers: with results, the newest last. refusals: errors that a person got.
    """

    root: Path
    uses: dict[str, str] = field(default_factory=dict[str, str])
    ratings: dict[str, str] = field(default_factory=dict[str, str])
    memories: dict[str, str] = field(default_factory=dict[str, str])
    notes: dict[str, str] = field(default_factory=dict[str, str])
    beliefs: dict[str, str] = field(default_factory=dict[str, str])
    forgotten: set[str] = field(default_factory=set[str])
    answers: list[Json] = field(default_factory=list[Json])
    refusals: list[str] = field(default_factory=list[str])
    numbers: count[int] = field(default_factory=count)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next_number(self) -> int:
        """Return a number that no other act has."""
        with self.lock:
            return next(self.numbers)

    @property
    def acknowledged(self) -> int:
        """The number of acts."""
        kinds = (self.uses, self.ratings, self.memories, self.notes, self.beliefs, self.forgotten)
        return sum(map(len, kinds))

    def lost(self) -> list[str]:
        """Return what was acknowledged and is not on the disk, in words."""
        data = open_project(self.root).data
        return [
            *self._lost_events(_rows(data / EVENTS_FILE, "SELECT sequence, kind, query_id, act_id, body FROM events")),
            *_lost_texts(
                "memory", self.memories, dict(_rows(data / MEMORY_FILE, "SELECT 'memory:' || id, text FROM memories"))
            ),
            *self._lost_notes(),
            *self._lost_beliefs(),
        ]

    def _lost_events(self, rows: Sequence[tuple[Any, ...]]) -> list[str]:
        lost = [f"sequence {row[0]} at place {at}" for at, row in enumerate(rows, 1) if row[0] != at][:1]
        asked: dict[str, list[str]] = {}
        uses: dict[str, str] = {}
        ratings: dict[str, str] = {}
        for _, kind, query_id, act_id, body in rows:
            content = json.loads(body)
            if kind == "scry.query":
                asked[query_id] = [result["doc_id"] for result in content["results"]]
            elif kind == "scry.use":
                uses[act_id] = query_id
                if content["result_used"] not in asked.get(query_id, ()):
                    lost.append(f"what was shown when {act_id} was used")
            elif kind == "scry.feedback":
                ratings[content["comment"]] = query_id
        lost += [f"use {act}" for act, query_id in self.uses.items() if uses.get(act) != query_id]
        lost += [f"rating {text}" for text, query_id in self.ratings.items() if ratings.get(text) != query_id]
        if len(uses) + len(ratings) != sum(row[1] in ("scry.use", "scry.feedback") for row in rows):
            lost.append("an act is logged twice")
        return lost

    def _lost_notes(self) -> list[str]:
        rows = _rows(persona_store_path(), "SELECT doc_id, body FROM persona_events WHERE kind = 'add'")
        stored = {doc_id: json.loads(body)["text"] for doc_id, body in rows if body is not None}
        lost = _lost_texts("note", self.notes, stored)
        return lost + [f"{doc_id} is back" for doc_id in self.forgotten & stored.keys()]

    def _lost_beliefs(self) -> list[str]:
        lost: list[str] = []
        for name, statement in self.beliefs.items():
            path = self.root / ".scry" / "beliefs" / f"{name}.md"
            text = path.read_text() if path.exists() else ""
            if statement not in text:
                lost.append(f"belief {name}: {text!r}")
        for path in (self.root / ".scry" / "beliefs").glob("*.md"):
            if isinstance(parse_note(f".scry/beliefs/{path.name}", "belief", path.read_text()), MalformedNote):
                lost.append(f"the whole of {path.name}: {path.read_text()!r}")
        return lost


def _rows(path: Path, statement: str) -> list[Any]:
    if not path.exists():
        return []
    roll_back(path)
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=30)) as database:
        try:
            return list(database.execute(statement))
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):  # killed while the file was made
                return []
            raise


def _lost_texts(kind: str, acknowledged: dict[str, str], stored: dict[str, str]) -> list[str]:
    return [f"{kind} {doc_id}: {text}" for doc_id, text in acknowledged.items() if stored.get(doc_id) != text]


# Language server --------------------------------------------------------------------------------------------------


def ask(client: LspClient, mode: str, params: Json) -> Any:  # noqa: ANN401 (JSON of any shape)
    """Return the reply of a language server that may be killed meanwhile. Raises Ended, RpcError."""
    try:
        number = client.post(f"scry/{mode}", params)
    except OSError as error:
        raise Ended from error
    seen = 0
    while True:
        is_last = client.is_heard_out()
        messages = client.received[seen:]
        seen += len(messages)
        for message in messages:
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise RpcError(message["error"])
                return message["result"]
        if is_last:
            raise Ended
        time.sleep(0.002)


@dataclass
class Editor:
    """A person at an editor: acts over one language server until it ends. answers: those that may be used."""

    client: LspClient
    ledger: Ledger
    chance: random.Random
    answers: list[Json] = field(default_factory=list[Json])

    def act(self, activity: str) -> None:
        """Do one thing, and note what was acknowledged. Raises Ended, RpcError."""
        doers: dict[str, Callable[[], object]] = {
            "find": self._find,
            "log": self._log,
            "memory": self._memory,
            "persona": self._persona,
            "belief": self._belief,
        }
        doers[activity]()

    def act_until_ended(self, activity: str, times: int = 10**9) -> None:
        """Do the same over and over until the process is gone, or so many times."""
        with suppress(Ended):
            for _ in range(times):
                try:
                    self.act(activity)
                except RpcError as error:
                    self.ledger.refusals.append(f"{activity}: {error}")

    def _find(self) -> Json:
        answer: Json = ask(self.client, "find", {"query": self.chance.choice(QUESTIONS), "limit": 5})
        if answer["results"]:
            self.answers.append(answer)
        return answer

    def _log(self) -> None:
        self._find()
        if not self.answers:
            return
        answer = self.chance.choice(self.answers[-3:])
        name, query_id = f"act {self.ledger.next_number()}", answer["query_id"]
        if self.chance.random() < 0.6:
            rank = self.chance.randint(1, len(answer["results"]))
            params = {"query_id": query_id, "rank": rank, "how": "jump", "act_id": name}
            if ask(self.client, "use", params)["recorded"]:
                self.ledger.uses[name] = query_id
        elif ask(self.client, "feedback", {"query_id": query_id, "signal": "good", "comment": name})["recorded"]:
            self.ledger.ratings[name] = query_id

    def _memory(self) -> None:
        text = f"decided number {self.ledger.next_number()}"
        observed = ask(self.client, "observe", {"kind": "decision", "text": text})
        if observed["recorded"]:
            self.ledger.memories[observed["doc_id"]] = text

    def _persona(self) -> None:
        text = f"prefers number {self.ledger.next_number()}"
        note = ask(self.client, "remember", {"text": text})["notes"][0]
        self.ledger.notes[note["doc_id"]] = text
        if self.chance.random() < 0.2:
            doc_id = self.chance.choice(list(self.ledger.notes))
            del self.ledger.notes[doc_id]  # from here on it may be gone
            ask(self.client, "persona", {"action": "forget", "doc_id": doc_id})
            self.ledger.forgotten.add(doc_id)

    def _belief(self) -> None:
        number = self.ledger.next_number()
        name, statement = f"belief-{number}", f"Rule number {number} is kept."
        ask(self.client, "believe", {"statement": statement, "id": name})
        self.ledger.beliefs[name] = statement


# Command line -----------------------------------------------------------------------------------------------------


@dataclass
class Command:
    """A run of the command line that may be killed; `finish` notes what it acknowledged."""

    ledger: Ledger
    activity: str
    words: Sequence[str]
    name: str
    process: subprocess.Popen[bytes]

    @classmethod
    def start(cls, ledger: Ledger, activity: str) -> Command:
        """Start a command of an activity; `index` is one, too."""
        number = ledger.next_number()
        name, words = _command_words(ledger, activity, number)
        command = [sys.executable, "-m", "scry", *words, "--json"]
        process = subprocess.Popen(
            command, cwd=ledger.root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        return cls(ledger, activity, words, name, process)

    def finish(self) -> bool:
        """Read what was printed, and note what it acknowledged; return whether it was a whole reply."""
        out, error = self.process.communicate()
        assert b"Traceback" not in error, error.decode()
        try:
            reply = json.loads(out)
        except ValueError:
            return False
        assert "error" not in reply, (self.words, reply)
        self._note(reply)
        return True

    def _note(self, reply: Json) -> None:
        if self.words[0] == "find":
            if reply["results"]:
                self.ledger.answers.append(reply)
        elif self.activity == "log" and reply["recorded"]:
            self.ledger.ratings[self.name] = self.words[1]
        elif self.activity == "memory" and reply["recorded"]:
            self.ledger.memories[reply["doc_id"]] = self.name
        elif self.activity == "persona":
            self.ledger.notes[reply["notes"][0]["doc_id"]] = self.name
        elif self.activity == "belief":
            self.ledger.beliefs[self.words[-1]] = self.name


def _command_words(ledger: Ledger, activity: str, number: int) -> tuple[str, list[str]]:
    """Return the text that a command is to store, and its words."""
    if activity == "log" and ledger.answers:
        name = f"act {number}"
        return name, ["feedback", ledger.answers[-1]["query_id"], "bad", "--comment", name]
    if activity == "memory":
        return f"decided number {number}", ["observe", "decision", f"decided number {number}"]
    if activity == "persona":
        return f"prefers number {number}", ["persona", "add", f"prefers number {number}"]
    if activity == "belief":
        return f"Rule number {number} is kept.", [
            "belief",
            "add",
            f"Rule number {number} is kept.",
            "--id",
            f"b-{number}",
        ]
    return "", ["index"] if activity == "index" else ["find", QUESTIONS[number % len(QUESTIONS)], "--no-wait"]


# Project ----------------------------------------------------------------------------------------------------------


def make_project(root: Path, chance: random.Random, files: int) -> IndexedProject:
    """Write a repository with classes that inherit, call and import each other, and with a history."""
    project = HistoryProject(root).init_repository()
    for _ in range(6):
        for number in chance.sample(range(files), files // 2):
            project.write_file(f"part{number % 9}/f{number}.py", source(number, chance, files))
        project.commit(f"change number {chance.randrange(10**6)}")
    return IndexedProject(root)


def source(number: int, chance: random.Random, files: int) -> str:
    """Return the text of a file: a class below one or two others, and functions that call across files."""
    others = [chance.randrange(files) for _ in range(4)]
    imports = "".join(f"from part{each % 9}.f{each} import Part{each}, make{each}\n" for each in others[:3])
    bases = ", ".join(f"Part{each}" for each in others[: chance.choice((0, 1, 1, 2))])
    calls = "".join(f"        self.run{each % 5}()\n        make{each}(value).run{each % 3}()\n" for each in others)
    methods = "".join(f"    def run{each}(self, value):\n{calls}" for each in chance.sample(range(5), 2))
    return (
        f"{imports}\n\nclass Part{number}({bases}):\n{methods}\n\ndef make{number}(value):\n    return Part{number}()\n"
    )


# Moments ----------------------------------------------------------------------------------------------------------


def wait_for_moment(chance: random.Random, folder: Path, longest_s: float) -> None:
    """Wait for a random time, or until the files in a folder have changed some times and some milliseconds more."""
    end = time.monotonic() + longest_s
    if chance.random() < 0.4:
        time.sleep(chance.uniform(0, longest_s))
        return
    for _ in range(chance.choice((1, 1, 3, 9))):
        before = _signatures(folder)
        while _signatures(folder) == before and time.monotonic() < end:
            time.sleep(0.0005)
    time.sleep(chance.choice((0, 0.0005, 0.002, 0.01, 0.05, 0.2)) * chance.random())


def _signatures(folder: Path) -> set[tuple[str, int, int]]:
    found: set[tuple[str, int, int]] = set()
    with suppress(OSError):
        for entry in os.scandir(folder):
            with suppress(OSError):
                status = entry.stat()
                found.add((entry.name, status.st_size, status.st_mtime_ns))
    return found
