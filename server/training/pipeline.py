"""The steps from the manifest to the model, each reading the output of earlier ones in the cache folder."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import scry.embedding.static_model
from scry.embedding.static_model import HASH_BUCKETS, FieldWeights, StaticModel, Tokenizer
from training.card import Mined, write_card
from training.contrast import Matrix
from training.corpus import mine_corpus, records_file
from training.dataset import HISTORY_KINDS, build_dataset, load_dataset, without_copies
from training.download import download
from training.evaluate import build_cases, compare_by_commits, evaluate
from training.export import export_model, export_sentence_transformers, merge, restored, temper, with_buckets
from training.histories.mine import mine_repositories
from training.histories.repositories import (
    REPOSITORIES,
    held_out_names,
    load_repositories,
    scan,
    write_repositories,
)
from training.manifest import load_manifest
from training.records import Record, read_records
from training.sharing import sharing_matrix
from training.train import RECIPES, Recipe, train
from training.vocabulary import learn_vocabulary, word_counts, write_vocabulary

STEPS = ("download", "mine", "histories", "vocabulary", "train", "evaluate", "export", "card")
RESUMED = ("download", "mine", "histories")
"""Steps that store their output piece by piece, and only make what is missing."""

NAME = "scry-static"
VOCABULARY_SIZE = 30_000
WEIGHTS = FieldWeights(name=1.0, path=0.35, container=0.45, head=0.5)
"""Chosen on validation packages; see decision 31."""

EARLIER = {
    "table.npy": "bfa1add05fe441297e974991fe42ed26a3931cda",
    "scales.npy": "8ff01d8fce866729bfe6cac366a66a85b4ec93dc",
    "vocabulary.txt": "16c640cdc3a200357e9a52eecac797bdd4f6feed",
}
"""The files of the model before, as git blobs of this repository (commit af302f3f)."""

_SOURCES_FOLDER = Path(__file__).parent
_BUNDLED = Path(scry.embedding.static_model.__file__).parent / "model"
_DOCS = Path(__file__).parents[2] / "docs"


class Pipeline:
    """Runs single steps; all but the last two write into the cache folder only."""

    def __init__(self, cache: Path, seed: int, mirror: Path | None = None, recipe: str = "shipped") -> None:
        """Keep the folders. mirror: the folder of clones, by default one in the cache. recipe: a key of RECIPES."""
        self._recipe = RECIPES[recipe]
        self._cache = cache
        self._mirror = mirror or cache / "clones"
        self._seed = seed
        self._packages = load_manifest()

    def output(self, step: str) -> Path:
        """Return the folder that a step fills; archives and records are stored package by package."""
        return self._cache / {"download": "archives", "mine": "records"}.get(step, step)

    def run(self, step: str) -> None:
        """Run one step; its folder appears when it is done."""
        if step in RESUMED:
            return getattr(self, f"_{step}")(self.output(step))
        partial = self._cache / f"{step}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        getattr(self, f"_{step}")(partial)
        shutil.rmtree(self.output(step), ignore_errors=True)
        partial.rename(self.output(step))
        return None

    def _download(self, folder: Path) -> None:
        download(self._packages, folder)

    def _mine(self, folder: Path) -> None:
        mine_corpus(self._packages, self.output("download"), folder)

    def _histories(self, folder: Path) -> None:
        if self._recipe.repositories:
            refusals = mine_repositories(load_repositories(), self._mirror, folder)
            print(f"refused: {dict(refusals)}", flush=True)

    def scan(self) -> None:
        """List the repositories of the folder of clones, pinned to their newest commits."""
        found, refused = scan(self._mirror, self._packages, held_out_names())
        write_repositories(found, refused, REPOSITORIES)

    def _vocabulary(self, folder: Path) -> None:
        pieces = learn_vocabulary(word_counts(self._new_records(set())), VOCABULARY_SIZE)
        write_vocabulary(pieces, folder / "vocabulary.txt")

    def _train(self, folder: Path) -> None:
        tokenizer = self._tokenizer()
        recipe, members = self._recipe, self._recipe.members
        earlier = [self.earlier_table()] if recipe.earlier else []
        build_dataset(self._trained_on(), tokenizer, folder / "dataset")
        workers = min(len(members), os.cpu_count() or 1)
        with ProcessPoolExecutor(workers, get_context("spawn")) as executor:
            vocabulary = self.output("vocabulary") / "vocabulary.txt"
            train_one = partial(_train_member, folder / "dataset", vocabulary, recipe)
            seeds = range(self._seed * len(members), (self._seed + 1) * len(members))
            tables = list(executor.map(train_one, seeds, members))
        counts = load_dataset(folder / "dataset").occurrences(tokenizer.size)
        lengths = [1.0] * len(members) + [recipe.earlier * len(members) ** 0.5] * len(earlier)
        tables = [*map(temper, tables), *earlier]
        np.save(folder / "table.npy", merge(tables, counts, recipe.schedule.kept, recipe.count_power, lengths))

    def earlier_table(self) -> Matrix:
        """Return the table of the model before; raises RuntimeError where its rows are those of other pieces."""
        if _blob(EARLIER["vocabulary.txt"]) != (self.output("vocabulary") / "vocabulary.txt").read_bytes():
            raise RuntimeError(
                "the vocabulary is not that of the earlier table: use the records that it was learnt from"
            )
        rows, scales = (np.load(io.BytesIO(_blob(EARLIER[name]))) for name in ("table.npy", "scales.npy"))
        return restored(rows, scales)

    def _evaluate(self, folder: Path) -> None:
        table = with_buckets(
            np.load(self.output("train") / "table.npy"), self._tokenizer().size - HASH_BUCKETS, self._seed
        )
        chance = np.random.default_rng(self._seed).standard_normal(table.shape).astype(np.float32)
        model, random = self._exported(table, folder / "model"), self._exported(chance, folder / "chance")
        before = self._exported(self.earlier_table(), folder / "before") if self._recipe.earlier else None
        figures = evaluate(build_cases(self._held_out()), model, random, before)
        if before is not None:
            questions = sorted((self.output("histories") / "questions").glob("*.jsonl"))
            figures.compared.extend(compare_by_commits(questions, before, model))
        (folder / "figures.json").write_text(json.dumps(asdict(figures), indent=2), encoding="utf-8")

    def _export(self, folder: Path) -> None:
        shutil.copytree(self.output("evaluate") / "model", _BUNDLED, dirs_exist_ok=True)
        export_sentence_transformers(_BUNDLED, folder / "sentence-transformers")

    def _card(self, folder: Path) -> None:
        figures = json.loads((self.output("evaluate") / "figures.json").read_text(encoding="utf-8"))
        repositories = load_repositories() if self._recipe.repositories else []
        mined = Mined(self._packages, self.output("mine"), repositories, self.output("histories"))
        card, sources = write_card(mined, figures, WEIGHTS, self._recipe)
        for name, text, target in (
            ("model-card.md", card, _DOCS),
            ("model-sources.md", sources, _SOURCES_FOLDER),
        ):
            (folder / name).write_text(text, encoding="utf-8")
            shutil.copy(folder / name, target)

    def _exported(self, table: np.ndarray[tuple[int, int], np.dtype[np.float32]], folder: Path) -> StaticModel:
        pieces = (self.output("vocabulary") / "vocabulary.txt").read_text(encoding="utf-8").split("\n")
        export_model(table, pieces, WEIGHTS, NAME, folder)
        return StaticModel.load(folder)

    def _tokenizer(self) -> Tokenizer:
        return Tokenizer.load(self.output("vocabulary") / "vocabulary.txt")

    def _held_out(self) -> list[Record]:
        return list(self._records(held_out=True))

    def _trained_on(self) -> Iterator[Record]:
        """Yield the records to train on: of packages and, where the recipe wants them, of repositories and of their
        commits. None but those of commits has code that is also in a held-out package or in an earlier record: commits
        change a function many times.
        """
        seen: set[bytes] = set()
        yield from self._new_records(seen)
        if not self._recipe.repositories:
            return
        folder = self.output("histories")
        names = sorted(one.file_name for one in load_repositories() if not one.held_out)
        yield from without_copies(read_records(folder / "repos" / name for name in names), seen)
        for name in names:
            changed = read_records([folder / "commits" / name] if (folder / "commits" / name).exists() else [])
            of_commits = (record for record in changed if record.kind in HISTORY_KINDS)
            yield from sorted(of_commits, key=lambda record: (record.path, record.name))

    def _new_records(self, seen: set[bytes]) -> Iterator[Record]:
        """Yield the packages' records whose code is not in a held-out package, and add both to `seen`."""
        for _ in without_copies(self._records(held_out=True), seen):
            pass
        yield from without_copies(self._records(held_out=False), seen)

    def _records(self, *, held_out: bool) -> Iterator[Record]:
        chosen = [package for package in self._packages if package.held_out is held_out]
        return read_records(records_file(self.output("mine"), package) for package in chosen)


def _blob(blob: str) -> bytes:
    """Return the content of a git blob of this repository."""
    done = subprocess.run(["git", "cat-file", "blob", blob], cwd=_SOURCES_FOLDER, check=False, capture_output=True)
    if done.returncode:
        raise RuntimeError(
            f"{done.stderr.decode().strip()}; the earlier table needs the whole history of this repository"
        )
    return done.stdout


def _train_member(dataset: Path, vocabulary: Path, recipe: Recipe, seed: int, named_share: float) -> Matrix:
    size = Tokenizer.load(vocabulary).size
    sharing = sharing_matrix(vocabulary.read_text(encoding="utf-8").split("\n") if recipe.shared else [], size)
    return train(load_dataset(dataset), sharing, WEIGHTS, recipe.schedule, seed, named_share, recipe.block)
