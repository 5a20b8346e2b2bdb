"""Any sentence-transformers model as an embedder; the library and PyTorch are imported when one is loaded.

A passage is encoded as `path container name`, then its text on the next line, and cut to what the model takes, at most
`MOST_TOKENS`. Before that, and before a query, goes the prefix that the model was trained with: what its folder names
as prompts (`query`; `document`, `passage` or `corpus`), else `query: ` and `passage: ` for the E5 family, else nothing.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

import numpy as np

from scry.core.errors import ModelUnavailable
from scry.embedding.embedder import Passage, Vectors
from scry.embedding.model_files import OptionalModule, ModelFiles, find_model, import_optional_module

PASSAGE_FORMAT_VERSION = 1
"""Raised when passages are composed in another way: their vectors are then others."""

MAX_TOKENS = 512
"""Longer passages cost more than they say: a symbol's beginning tells what it is about."""

_CHARACTERS_PER_TOKEN = 16
"""More is not even given to the tokenizer."""

_E5_MODEL_NAME = re.compile(r"(^|[/_.-])e5([/_.-]|$)", re.IGNORECASE)
_QUERY_PROMPTS = ("query",)
_PASSAGE_PROMPTS = ("document", "passage", "corpus")
_BATCH_ON_GPU = 32
_QUIET_ENVIRONMENT = {"HF_HUB_DISABLE_PROGRESS_BARS": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "TOKENIZERS_PARALLELISM": "false"}


class SentenceTransformer(Protocol):
    """What is needed of the library's class of that name."""

    prompts: Mapping[str, str]
    default_prompt_name: str | None
    max_seq_length: int | None
    device: object

    def encode(
        self, texts: list[str], *, prompt: str, batch_size: int, normalize_embeddings: bool, show_progress_bar: bool
    ) -> object:
        """Return an (n, d) array."""
        ...


class TransformerModel:
    """An `Embedder` over a sentence-transformers model. Safe to share between threads; queries go before passages."""

    def __init__(self, model: SentenceTransformer, files: ModelFiles) -> None:
        """Use `load`."""
        self._model = model
        self._turns = _PriorityLock()
        self._tokens = min(model.max_seq_length or MAX_TOKENS, MAX_TOKENS)
        model.max_seq_length = self._tokens
        self._query_prefix, self._passage_prefix = choose_prefixes(files.name, model.prompts, model.default_prompt_name)
        # One by one on a processor: a vector is then the same whatever was encoded beside it (F10), and not slower.
        self._batch = 1 if str(model.device) == "cpu" else _BATCH_ON_GPU
        self._dimension = len(self._encode([""], "")[0])
        prefixes = f"{self._query_prefix!r} {self._passage_prefix!r}"
        self._identity = f"{files.name}@{files.revision}/{self._dimension} {prefixes} {self._tokens} form {PASSAGE_FORMAT_VERSION}"

    @classmethod
    def load(cls, setting: str) -> TransformerModel:
        """Loads the model that the setting means; takes seconds. Raises ModelUnavailable saying what can be done."""
        for name, value in _QUIET_ENVIRONMENT.items():
            os.environ.setdefault(name, value)
        files = find_model(setting)
        library = import_optional_module("sentence_transformers", setting)
        _limit_threads(import_optional_module("torch", setting))
        try:
            model = library.SentenceTransformer(str(files.folder), trust_remote_code=False, local_files_only=True)
            return cls(model, files)
        except Exception as error:  # a damaged model fails in as many ways as there are formats
            words = " ".join(str(error).split())[:200]
            raise ModelUnavailable(f"The model {setting} can't be loaded ({type(error).__name__}: {words}).") from error

    @property
    def identity(self) -> str:
        """Name, revision or hash, dimension, prefixes, and how passages are composed and cut."""
        return self._identity

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._dimension

    def encode_passages(self, passages: Sequence[Passage]) -> Vectors:
        """Return one unit row for each passage."""
        if not passages:
            return np.zeros((0, self._dimension), np.float32)
        with self._turns.hold(first=False):
            return self._encode([passage_text(passage) for passage in passages], self._passage_prefix)

    def encode_query(self, query: str) -> Vectors:
        """Return the query's unit vector."""
        with self._turns.hold(first=True):
            vector: Vectors = self._encode([query], self._query_prefix)[0]
            return vector

    def _encode(self, texts: list[str], prefix: str) -> Vectors:
        cut = [text[: self._tokens * _CHARACTERS_PER_TOKEN] for text in texts]
        made = self._model.encode(
            cut, prompt=prefix, batch_size=self._batch, normalize_embeddings=True, show_progress_bar=False
        )
        vectors: Vectors = np.nan_to_num(np.asarray(made, np.float32))
        return vectors


class _PriorityLock:
    """Lets one thread encode at a time (the tokenizer is not made for several), those first that someone waits for."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._taken = False
        self._first = 0

    @contextmanager
    def hold(self, *, first: bool) -> Generator[None]:
        with self._condition:
            self._first += first
            try:
                self._condition.wait_for(lambda: not self._taken and (first or not self._first))
            finally:
                self._first -= first
            self._taken = True
        try:
            yield
        finally:
            with self._condition:
                self._taken = False
                self._condition.notify_all()


def passage_text(passage: Passage) -> str:
    """What a model reads of a passage: where it stands and what it is called, then its text."""
    place = " ".join(part for part in (passage.path, passage.container, passage.name) if part)
    text = f"{place}\n{passage.text}"
    return text.encode("utf-8", "replace").decode()  # undecodable bytes of a path


def choose_prefixes(name: str, prompts: Mapping[str, str], default: str | None) -> tuple[str, str]:
    """What goes before queries and passages of a model."""
    otherwise = prompts.get(default, "") if default else ""
    query = _first_prompt(prompts, _QUERY_PROMPTS) or otherwise
    passage = _first_prompt(prompts, _PASSAGE_PROMPTS) or otherwise
    if not query and not passage and _E5_MODEL_NAME.search(name):
        return "query: ", "passage: "
    return query, passage


def _first_prompt(prompts: Mapping[str, str], names: Sequence[str]) -> str:
    return next((prompts[name] for name in names if prompts.get(name)), "")


def _limit_threads(torch: OptionalModule) -> None:
    """Half of the cores: an editor and other programs go on working while thousands of passages are encoded."""
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // 2))
