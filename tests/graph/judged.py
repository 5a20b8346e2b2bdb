"""Precision and recall of the calls in the code graph, by calls and edges that were judged by hand.

    python -m tests.graph.judged --repos FOLDER            compares with what is recorded
    python -m tests.graph.judged --repos FOLDER --record   records what the graph has now
    python -m tests.graph.judged --repos FOLDER --draw 20  draws edges to judge, of each language

FOLDER holds clones of the repositories below, each under the last part of its name and with the commit in its history.
`calls.jsonl` has calls that were drawn from the text, with the definition that each means: how many have an edge is the
recall. `edges.jsonl` has edges that were drawn from the graph, with the judgement: how many are right is the precision.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import subprocess
import tarfile
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec import Struct

from scry.core.path_kinds import classify_path
from scry.store import Confidence, EdgeKind
from tests.sample.graph import GraphProject

FOLDER = Path(__file__).parent
LABELS = tuple(confidence.label for confidence in Confidence)
MANIFESTS = ("go.mod", "package.json")


class Repository(Struct, frozen=True):
    """A repository at one commit, and the endings of the files that are read."""

    source: str
    commit: str
    language: str
    endings: tuple[str, ...]

    @property
    def name(self) -> str:
        """The last part of its name."""
        return self.source.rpartition("/")[2]


REPOSITORIES = (
    Repository("gin-gonic/gin", "dcaa4296d111981ffb31ac3eba90bb63e1eb5ab9", "Go", (".go",)),
    Repository("labstack/echo", "05489dc1730161df26b72d1ae2a3ba6fb8178fc7", "Go", (".go",)),
    Repository("pallets/flask", "2ac89889f4cc330eabd50f295dcef02828522c69", "Python", (".py",)),
    Repository("Textualize/rich", "42899d8a0a96b121a514516f4be9db44ff7aeaf3", "Python", (".py",)),
    Repository("google/gson", "9835b6f90192f79cdf5300c528fc6212455fb6c1", "Java", (".java",)),
    Repository("honojs/hono", "28a9c128912de19f3fb28b00ae289c9b93f6f392", "TypeScript", (".ts", ".tsx")),
    Repository("seanmonstar/reqwest", "065a5ae5209d27d4f4e3c4409725672c49a8aa39", "Rust", (".rs",)),
    Repository("BurntSushi/ripgrep", "3fce3b5bb0236da2df6d99672afb8a719642eca7", "Rust", (".rs",)),
)
LANGUAGES = tuple(dict.fromkeys(repository.language for repository in REPOSITORIES))
_LANGUAGE_OF = {repository.name: repository.language for repository in REPOSITORIES}


class JudgedCall(Struct, frozen=True):
    """A call in the text, `path:line`, and the definition that it means, `path::Type.name`.

    The path of the definition may be its end alone. edge: the label of the best edge to it when it was recorded; empty
    for none.
    """

    repository: str
    call: str
    target: str
    edge: str = ""

    @property
    def language(self) -> str:
        """The language of its repository."""
        return _LANGUAGE_OF[self.repository]


class JudgedEdge(Struct, frozen=True):
    """An edge of the graph, and whether the call at `call` may mean the target. edge: as in JudgedCall."""

    repository: str
    source: str
    target: str
    call: str
    right: bool
    edge: str = ""

    @property
    def language(self) -> str:
        """The language of its repository."""
        return _LANGUAGE_OF[self.repository]


class GraphCall(Struct, frozen=True):
    """A call in the graph: two doc_ids without `./`, the 1-based line of the call, and the label of its certainty."""

    source: str
    target: str
    line: int
    label: str


class CallGraph:
    """The calls of one repository at its commit."""

    def __init__(self, project: GraphProject) -> None:
        """Read all of them."""
        self._spans: dict[str, list[tuple[int, int, str]]] = {}
        store, ids = project.store, dict[int, str]()
        for path in store.files.all_files():
            keys = {key: doc_id.removeprefix("./") for key, doc_id in store.documents.doc_keys_in_file(path)[1]}
            documents = store.documents.get_documents(list(keys), with_descriptions=False)
            spans = [(each.symbol.span, keys[key]) for key, each in documents.items()]
            self._spans[path] = [(span.start.line + 1, span.end.line + 1, doc_id) for span, doc_id in spans]
            ids |= keys
        found = {
            GraphCall(
                ids[item.edge.source_key],
                ids[item.edge.target_key],
                item.edge.line + 1,
                Confidence(item.edge.confidence).label,
            )
            for key in ids
            for item in store.graph.neighbors([key], EdgeKind.CALLS, 100_000).items
        }
        self.calls = sorted(found, key=lambda call: (call.source, call.target, call.line))
        self._by_source: dict[str, list[GraphCall]] = {}
        for call in self.calls:
            self._by_source.setdefault(call.source, []).append(call)

    def label_of_call(self, judged: JudgedCall) -> str:
        """Return the label of the surest edge to the definition, from any that the call stands in; empty for none."""
        path, _, line = judged.call.rpartition(":")
        around = [doc_id for start, end, doc_id in self._spans.get(path, ()) if start <= int(line) <= end]
        edges = (edge for doc_id in around for edge in self._by_source.get(doc_id, ()))
        return _surest(edge.label for edge in edges if _is_definition(edge.target, judged.target))

    def label_of_edge(self, judged: JudgedEdge) -> str:
        """Return the label of the edge; empty where the graph has it no more."""
        edges = self._by_source.get(judged.source, ())
        return _surest(edge.label for edge in edges if edge.target == judged.target)


def _surest(labels: Iterator[str]) -> str:
    return min(labels, key=LABELS.index, default="")


_TYPE_PARAMETERS = re.compile(r"<[^<>]*>")


def _is_definition(doc_id: str, wanted: str) -> bool:
    """Return whether a doc_id is the wanted definition: the same name, in the same type, in a file with that end."""
    path, _, name = doc_id.partition("::")
    file, _, wanted_name = wanted.partition("::")
    own = _TYPE_PARAMETERS.sub("", name.partition("~")[0]).split(".")
    parts = wanted_name.split(".")
    return path.endswith(file) and own[-len(parts) :] == parts


@contextmanager
def call_graph(repository: Repository, folder: Path) -> Generator[tuple[CallGraph, Mapping[str, str]]]:
    """Return the graph of a clone in `folder` at its commit, and the files that it was made of."""
    command = ["git", "archive", "--format=tar", repository.commit]
    packed = subprocess.run(command, cwd=folder / repository.name, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        wanted = [each for each in archive if each.isfile() and each.name.endswith((*repository.endings, *MANIFESTS))]
        opened = {each.name: archive.extractfile(each) for each in wanted}
        files = {name: file.read().decode("utf-8", "replace") for name, file in opened.items() if file}
    with TemporaryDirectory() as place:
        project = GraphProject(Path(place) / repository.name, files)
        try:
            yield CallGraph(project), files
        finally:
            project.store.close()


def read_calls() -> list[JudgedCall]:
    """Return the judged calls."""
    return msgspec.json.decode(_as_list(FOLDER / "calls.jsonl"), type=list[JudgedCall])


def read_edges() -> list[JudgedEdge]:
    """Return the judged edges."""
    return msgspec.json.decode(_as_list(FOLDER / "edges.jsonl"), type=list[JudgedEdge])


def _as_list(path: Path) -> bytes:
    return b"[" + b",".join(path.read_bytes().splitlines()) + b"]"


def measure(folder: Path) -> tuple[list[JudgedCall], list[JudgedEdge]]:
    """Return the judged calls and edges with the labels that they have in the graph of now."""
    calls, edges = list[JudgedCall](), list[JudgedEdge]()
    for repository in REPOSITORIES:
        with call_graph(repository, folder) as (graph, _):
            for call in read_calls():
                if call.repository == repository.name:
                    calls.append(msgspec.structs.replace(call, edge=graph.label_of_call(call)))
            for edge in read_edges():
                if edge.repository == repository.name:
                    edges.append(msgspec.structs.replace(edge, edge=graph.label_of_edge(edge)))
    return calls, edges


def recall_table(calls: Sequence[JudgedCall]) -> list[str]:
    """Return the rows of a table: of each language the calls with an edge, and how sure these edges are."""
    rows = ["| | calls with an edge | exact | by name | ambiguous |", "|---|---|---|---|---|"]
    for name, language in [*((each, each) for each in LANGUAGES), ("all", "")]:
        of_language = [call.edge for call in calls if language in ("", call.language)]
        count = Counter(of_language)
        shares = " | ".join(str(count[label]) for label in LABELS)
        rows.append(f"| {name} | {len(of_language) - count['']} of {len(of_language)} | {shares} |")
    return rows


def precision_table(edges: Sequence[JudgedEdge]) -> list[str]:
    """Return the rows of a table: of each language the edges that are right, by how sure they are."""
    rows = ["| right of judged | exact | by name | ambiguous |", "|---|---|---|---|"]
    for name, language in [*((each, each) for each in LANGUAGES), ("all", "")]:
        of_language = [edge for edge in edges if language in ("", edge.language)]
        cells = [[edge.right for edge in of_language if edge.edge == label] for label in LABELS]
        rows.append(f"| {name} | " + " | ".join(f"{sum(cell)} of {len(cell)}" for cell in cells) + " |")
    return rows


def draw(folder: Path, count: int, seed: int) -> None:
    """Print one call each of definitions that are drawn at random outside of tests, for a person to judge."""
    for language in LANGUAGES:
        calls: dict[tuple[str, str], list[tuple[GraphCall, str]]] = {}
        for repository in (each for each in REPOSITORIES if each.language == language):
            with call_graph(repository, folder) as (graph, files):
                for call in graph.calls:
                    path = re.split("::|#", call.source)[0]
                    if not classify_path(path):
                        shown = f"{path}:{call.line} {_line(files, path, call.line)}"
                        calls.setdefault((repository.name, call.source), []).append((call, shown))
        drawn = random.Random(seed)
        for name, source in drawn.sample(sorted(calls), count):
            call, shown = drawn.choice(calls[name, source])
            print(f"{language} {name} {call.label}: {source} -> {call.target}\n    {shown}")


def _line(files: Mapping[str, str], path: str, line: int) -> str:
    return files[path].splitlines()[line - 1].strip()


def main() -> None:
    """Print the tables of now, or draw edges."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True, help="the folder with the clones")
    parser.add_argument("--record", action="store_true", help="record the labels of now")
    parser.add_argument("--draw", type=int, default=0, help="draw so many edges of each language instead")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.draw:
        draw(options.repos, options.draw, options.seed)
        return
    calls, edges = measure(options.repos)
    if options.record:
        (FOLDER / "calls.jsonl").write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in calls))
        (FOLDER / "edges.jsonl").write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in edges))
    print("\n".join([*recall_table(calls), "", *precision_table(edges)]))


if __name__ == "__main__":
    main()
