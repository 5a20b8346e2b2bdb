"""Find, load and run any sentence-transformers model as an embedder.

The library and PyTorch are imported when a model is loaded. A local folder is identified by its content, a model of the
hub by its commit. Files on this machine are used without a look at the network: a model does not change by itself. Only
a hub model that is missing is downloaded, once, because its name stands in the person's own settings.

A passage is encoded as `path container name`, then its text on the next line, cut to the model's maximum, at most
MAX_TOKENS. Before it, and before a query, goes the prefix that the model was trained with: the prompts named in its
folder (`query`; `document`, `passage` or `corpus`), else `query: ` and `passage: ` for the E5 family, else nothing.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import re
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from msgspec import Struct

from scry.core.errors import ModelUnavailable
from scry.core.installation import install_command
from scry.embedding.embedder import Passage, Vectors

_EXTRA = "transformers"


_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")


_LIBRARY_MODULES = "sentence_transformers."


_HASH_LENGTH = 16


_READ_BYTES = 1 << 20


OptionalModule: TypeAlias = Any
"""A module outside the default environment, so that its types are unknown."""


PASSAGE_FORMAT_VERSION = 1
"""Raised when passages are composed in another way, since their vectors are then others."""


MAX_TOKENS = 512
"""Maximum length of a passage: a symbol's beginning describes it, and the rest costs more than it adds."""


_CHARACTERS_PER_TOKEN = 16
"""Characters per token beyond which text is not even given to the tokenizer."""


_E5_MODEL_NAME = re.compile(r"(^|[/_.-])e5([/_.-]|$)", re.IGNORECASE)


_QUERY_PROMPTS = ("query",)


_PASSAGE_PROMPTS = ("document", "passage", "corpus")


_BATCH_ON_GPU = 32


_QUIET_ENVIRONMENT = {
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


class SentenceTransformer(Protocol):
    """The part of the library's class of that name that is used."""

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
        """Take a loaded model and its files; callers use `load`."""
        self._model = model
        self._turns = _PriorityLock()
        self._tokens = min(model.max_seq_length or MAX_TOKENS, MAX_TOKENS)
        model.max_seq_length = self._tokens
        self._query_prefix, self._passage_prefix = choose_prefixes(files.name, model.prompts, model.default_prompt_name)
        # On a CPU one at a time: a vector then does not depend on its batch (F10), and it is not slower.
        self._batch = 1 if str(model.device) == "cpu" else _BATCH_ON_GPU
        self._dimension = len(self._encode([""], "")[0])
        prefixes = f"{self._query_prefix!r} {self._passage_prefix!r}"
        self._identity = (
            f"{files.name}@{files.revision}/{self._dimension} {prefixes} {self._tokens} form {PASSAGE_FORMAT_VERSION}"
        )

    @classmethod
    def load(cls, setting: str) -> TransformerModel:
        """Load the model that the setting names; takes seconds. Raises ModelUnavailable with the remedy."""
        for name, value in _QUIET_ENVIRONMENT.items():
            os.environ.setdefault(name, value)
        files = find_model(setting)
        library = import_optional_module("sentence_transformers", setting)
        _limit_threads(import_optional_module("torch", setting))
        try:
            model = library.SentenceTransformer(str(files.folder), trust_remote_code=False, local_files_only=True)
            return cls(model, files)
        except Exception as error:  # a damaged model may raise anything, by its format
            reason = " ".join(str(error).split())[:200]
            raise ModelUnavailable(
                f"The model {setting} can't be loaded ({type(error).__name__}: {reason})."
            ) from error

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
        output = self._model.encode(
            cut, prompt=prefix, batch_size=self._batch, normalize_embeddings=True, show_progress_bar=False
        )
        vectors: Vectors = np.nan_to_num(np.asarray(output, np.float32))
        return vectors


class _PriorityLock:
    """A lock for encoding, which takes one thread at a time since the tokenizer is not thread-safe; queries go
    first.
    """

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
    """Return a passage as a model reads it: its path, container and name, then its text."""
    heading = " ".join(part for part in (passage.path, passage.container, passage.name) if part)
    text = f"{heading}\n{passage.text}"
    return text.encode("utf-8", "replace").decode()  # a path may hold undecodable bytes


def choose_prefixes(name: str, prompts: Mapping[str, str], default: str | None) -> tuple[str, str]:
    """Return the prefixes of queries and of passages for a model."""
    fallback = prompts.get(default, "") if default else ""
    query = _first_prompt(prompts, _QUERY_PROMPTS) or fallback
    passage = _first_prompt(prompts, _PASSAGE_PROMPTS) or fallback
    if not query and not passage and _E5_MODEL_NAME.search(name):
        return "query: ", "passage: "
    return query, passage


def _first_prompt(prompts: Mapping[str, str], names: Sequence[str]) -> str:
    return next((prompts[name] for name in names if prompts.get(name)), "")


def _limit_threads(torch: OptionalModule) -> None:
    """Use half of the cores, so that an editor and other programs stay responsive while thousands of passages are
    encoded.
    """
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // 2))


class ModelFiles(Struct, frozen=True):
    """A model's folder, its name, and its commit on the hub or the hash of its content."""

    folder: Path
    name: str
    revision: str


def find_model(setting: str) -> ModelFiles:
    """Return the files of the model that the setting names, downloaded if need be.

    setting: a folder's absolute path, or a name on the hub, with an optional revision: `organisation/name@revision`.
    Raises ModelUnavailable with the remedy.
    """
    path = Path(os.path.expanduser(setting))  # noqa: PTH111 - Path.expanduser raises for an unknown user
    if path.is_absolute() or setting.startswith("."):
        files = _find_local_model(setting, path)
    else:
        name, _, revision = setting.partition("@")
        if not _HUB_NAME.fullmatch(name):
            raise ModelUnavailable(f"The model {setting!r} is neither a folder's absolute path nor a name on the hub.")
        files = _find_cached_model(name, revision) or _download_model(name, revision)
    _reject_custom_code(setting, files.folder)
    return files


def import_optional_module(name: str, setting: str) -> OptionalModule:
    """Import a module of the extra. Raises ModelUnavailable where the extra is not installed, or broken."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name == name:
            raise ModelUnavailable(
                f"Run {install_command(_EXTRA)} for the model {setting}: what it needs is not installed."
            ) from error
        raise ModelUnavailable(
            f"The model {setting} can't be loaded ({error}); {install_command(_EXTRA)} may mend that."
        ) from error
    except Exception as error:  # a broken library may raise anything when it is imported
        reason = f"{type(error).__name__}: {error}"
        raise ModelUnavailable(
            f"The model {setting} can't be loaded ({reason}); {install_command(_EXTRA)} may mend that."
        ) from error


def _find_local_model(setting: str, path: Path) -> ModelFiles:
    if not path.is_absolute():
        raise ModelUnavailable(f"The model {setting} is a relative path; give an absolute one.")
    if not (path / "modules.json").is_file():
        raise ModelUnavailable(f"The model {setting} is no sentence-transformers folder: it holds no modules.json.")
    try:
        return ModelFiles(path, path.name, _hash_folder(path))
    except OSError as error:
        raise ModelUnavailable(f"The model {setting} can't be read: {error}") from error


def _hash_folder(folder: Path) -> str:
    """Return a hash of the names and contents of all files in a folder; about a second for each GB."""
    digest = hashlib.blake2b(digest_size=20)
    for path in _visible_files(folder):
        name = path.relative_to(folder).as_posix().encode("utf-8", "surrogateescape")
        digest.update(b"%d %d " % (len(name), path.stat().st_size) + name)
        with path.open("rb") as file:
            while chunk := file.read(_READ_BYTES):
                digest.update(chunk)
    return digest.hexdigest()[:_HASH_LENGTH]


def _visible_files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder without the hidden ones, which version control and downloads leave beside a model."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden:
            yield path


def _find_cached_model(name: str, revision: str) -> ModelFiles | None:
    """Return the model's files from the hub's cache on this machine; None when it does not hold them."""
    hub = import_optional_module("huggingface_hub", name)
    try:
        folder = Path(hub.snapshot_download(name, revision=revision or None, local_files_only=True))
    except (OSError, ValueError):  # LocalEntryNotFoundError and HFValidationError are subclasses
        return None
    return ModelFiles(folder, name, folder.name[:_HASH_LENGTH]) if (folder / "modules.json").is_file() else None


def _download_model(name: str, revision: str) -> ModelFiles:
    """Download the files that sentence-transformers needs of a model. Raises ModelUnavailable."""
    library = import_optional_module("sentence_transformers", name)
    label = f"{name}@{revision}" if revision else name
    try:
        library.SentenceTransformer(name, revision=revision or None, trust_remote_code=False, device="cpu")
    except Exception as error:  # the hub passes on whatever the libraries below it raise
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelUnavailable(
            f"The model {label} is not on this machine and could not be fetched ({reason[:200]}). "
            "Connect to the network once, or name a folder that holds it."
        ) from error
    files = _find_cached_model(name, revision)
    if files is None:
        raise ModelUnavailable(f"The model {label} is no sentence-transformers model: it holds no modules.json.")
    return files


def _reject_custom_code(setting: str, folder: Path) -> None:
    """Refuse a model that names classes of its own, or of another installed package; only the library's are run."""
    try:
        modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
        classes = [str(module["type"]) for module in modules]
        paths = [Path(str(module["path"])) for module in modules]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ModelUnavailable(f"The model {setting} can't be read: its modules.json is broken ({error}).") from error
    foreign = [each for each in classes if not each.startswith(_LIBRARY_MODULES)]
    if foreign:
        raise ModelUnavailable(f"The model {setting} brings code of its own ({foreign[0]}), which Scry never runs.")
    if any(path.is_absolute() or ".." in path.parts for path in paths):
        raise ModelUnavailable(f"The model {setting} names files outside its folder, which Scry never reads.")
