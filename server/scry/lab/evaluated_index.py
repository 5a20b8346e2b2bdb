"""The project index that is evaluated, queried as `find` queries it, without storing or logging answers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from scry.core.errors import IndexUnavailable
from scry.core.settings import Settings
from scry.core.types import Candidate, Document, IndexState, SearchQuery
from scry.embedding.embedder import Vectors
from scry.engine.project_index import ProjectIndex
from scry.engine.search.pipeline import Ranking, rank_candidates, retrieve
from scry.lab.ablation import NO_OVERRIDES, WeightOverrides
from scry.lab.metrics import JudgedLocation, may_be_same_file
from scry.lab.questions import ExpectedResult
from scry.lab.run import QueryOutcome
from scry.oracles.reader import OracleReader
from scry.projects.project import Project, find_project_root
from scry.store.events.learnt import LearntWeights, WeightsFile
from scry.store.events.log import WEIGHTS_FILE
from scry.store.vector_sets import EmbedderInfo

ENCODE_TIMEOUT_S = 30.0
"""Time for a model in another process to encode a query: nobody waits for the single answer."""


class EvaluatedIndex:
    """A project's index, open for reading.

    oracles: names of the oracles that found anything so far.
    adjustments: names of the adjustments that changed any score so far.
    """

    def __init__(self, project: Project, settings: Settings) -> None:
        """Open the index of the project. Raises IndexUnavailable where there is none, or none that can be read."""
        self.project = project
        self._learns = settings.log and settings.learn
        self._indexed = ProjectIndex(project, settings, start_indexer=False)
        store = self._indexed.store()
        if store is None:
            raise IndexUnavailable(f"{project.root} has no index yet; make one with: scry index")
        self.store = store
        self._above = _folders_above(project.root)
        self._read: dict[int, Document] = {}
        self.adjustments: set[str] = set()
        self.oracles: set[str] = set()

    def rank(self, question: SearchQuery, overrides: WeightOverrides = NO_OVERRIDES) -> Ranking:
        """Return find's complete ranking of a query. overrides: weight overrides."""
        history = self._indexed.history.read
        retrieval = retrieve(question, self.store, self._encode, None, history, lambda: None)
        ranking = rank_candidates(question, retrieval.reader, retrieval.oracle_matches)
        self.oracles.update(name for name, matches in ranking.oracle_matches.by_oracle.items() if matches)
        self.adjustments.update(adjustment.name for each in ranking.ranked for adjustment in each.adjustments)
        return ranking if overrides is NO_OVERRIDES else reweigh(ranking, overrides)

    def locate_results(self, ranked: Sequence[Candidate], reader: OracleReader) -> list[JudgedLocation]:
        """Return the locations of these results. reader: the one of their ranking."""
        missing = [each.document.doc_key for each in ranked if each.document.doc_key not in self._read]
        self._read.update(reader.get_documents(missing))
        return [self._locate(each) for each in ranked if each.document.doc_key in self._read]

    def absent_paths(self, paths: Iterable[str]) -> list[str]:
        """Return those of these paths of a query set that name no indexed file, once each."""
        files = {self._above + path for _, path, *_ in self.store.files.indexed_files()}
        return [
            path
            for path in dict.fromkeys(paths)
            if path not in files and not any(may_be_same_file(file, path) for file in files)
        ]

    def resolve_path(self, path: str) -> str:
        """Return the indexed file that a path of a query set names, relative to the root; the path itself if there is
        none.
        """
        files = list(self.store.files.all_files())
        wanted = path.removeprefix(self._above)
        if wanted in files:
            return wanted
        return next((file for file in sorted(files) if may_be_same_file(self._above + file, path)), path)

    def learnt_weights(self) -> LearntWeights | None:
        """Return the weights learnt from jumps, where they rank; None where the defaults do."""
        weights = WeightsFile(self.project.data / WEIGHTS_FILE).read() if self._learns else None
        return weights if weights is not None and weights.is_on else None

    def state(self) -> IndexState:
        """Return the state of the index, with the answering model."""
        return self._indexed.state_with_model(())

    def close(self) -> None:
        """Close the index."""
        self._indexed.close()

    def _locate(self, candidate: Candidate) -> JudgedLocation:
        document = self._read[candidate.document.doc_key]
        if not document.path:
            return JudgedLocation(document.doc_id, "", 0, 0)
        span = document.symbol.span
        return JudgedLocation(document.doc_id, self._above + document.path, span.start.line + 1, span.end.line + 1)

    def _encode(self, embedder: EmbedderInfo, query: str) -> Vectors:
        return self._indexed.encode(ENCODE_TIMEOUT_S, embedder, query)


def reweigh(ranking: Ranking, overrides: WeightOverrides) -> Ranking:
    """Return the ranking of the same oracle results with these weight overrides."""
    return rank_candidates(overrides.apply_to(ranking.question), ranking.reader, ranking.oracle_matches)


def list_faults(rankings: Iterable[Ranking]) -> list[str]:
    """Return the oracles that could not answer, and why, once each."""
    return sorted(
        {f"{fault.oracle}: {fault.message}" for ranking in rankings for fault in ranking.oracle_matches.faults}
    )


def _folders_above(root: Path) -> str:
    """Return the path from the repository's top to the project's root, with a slash at its end; empty where they are
    the same.
    """
    top = find_project_root(root)
    return "" if top == root else os.path.relpath(root, top) + "/"


def why_targets(subject: EvaluatedIndex, outcome: QueryOutcome) -> list[str]:
    """Return the ids to ask `why` for: each target, and the first result if it is none of them.

    A target that is not indexed keeps the name of the query set, and why explains its absence.
    """
    names = [_why_target(subject, target) for target in outcome.targets]
    if outcome.found and 1 not in outcome.ranks:
        names.append(outcome.found[0].doc_id)
    return list(dict.fromkeys(names))


def _why_target(subject: EvaluatedIndex, target: ExpectedResult) -> str:
    if target.doc_id is not None:
        return target.doc_id
    path = subject.resolve_path(target.path)
    return path if target.start_line is None else f"{path}:{target.start_line}"
