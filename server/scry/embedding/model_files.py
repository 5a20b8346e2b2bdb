"""Where the files of a named model lie, and what pins them: a folder by its content, a model of the hub by its commit.

Whatever is there already is used as it is, without a look at the network: a model does not change by itself. Only a
model of the hub that is not there yet is fetched, once; its name in the person's own settings is what asks for that.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

from scry.core.errors import ModelUnavailable

INSTALL_EXTRA_COMMAND = "pip install 'scry-sidecar[transformers]'"

_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
_LIBRARY_MODULES = "sentence_transformers."
_HASH_LENGTH = 16
_READ_BYTES = 1 << 20

OptionalModule: TypeAlias = Any
"""A module that is not in the default environment, so that no type of it is known."""


class ModelFiles(Struct, frozen=True):
    """A model's folder, the name it goes by, and its commit on the hub or the hash of its content."""

    folder: Path
    name: str
    revision: str


def find_model(setting: str) -> ModelFiles:
    """The files of the model that the setting means, fetched if need be.

    setting: a folder's absolute path, or a name on the hub, if wanted with a revision: `organisation/name@revision`.
    Raises ModelUnavailable saying what a person can do.
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
    """One of the extra's modules. Raises ModelUnavailable where the extra is not installed, or broken."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name == name:
            raise ModelUnavailable(f"Run {INSTALL_EXTRA_COMMAND} for the model {setting}: what it needs is not installed.") from error
        raise ModelUnavailable(f"The model {setting} can't be loaded ({error}); {INSTALL_EXTRA_COMMAND} may mend that.") from error
    except Exception as error:  # whatever a library does when it is imported
        words = f"{type(error).__name__}: {error}"
        raise ModelUnavailable(f"The model {setting} can't be loaded ({words}); {INSTALL_EXTRA_COMMAND} may mend that.") from error


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
    """Stands for the names and contents of all its files; about a second for each GB."""
    digest = hashlib.blake2b(digest_size=20)
    for path in _visible_files(folder):
        name = path.relative_to(folder).as_posix().encode("utf-8", "surrogateescape")
        digest.update(b"%d %d " % (len(name), path.stat().st_size) + name)
        with path.open("rb") as file:
            while chunk := file.read(_READ_BYTES):
                digest.update(chunk)
    return digest.hexdigest()[:_HASH_LENGTH]


def _visible_files(folder: Path) -> Iterator[Path]:
    """Without what version control and downloads leave beside a model."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden:
            yield path


# The hub --------------------------------------------------------------------------------------------------------------


def _find_cached_model(name: str, revision: str) -> ModelFiles | None:
    """The model as the hub's cache on this machine has it; None when it does not."""
    hub = import_optional_module("huggingface_hub", name)
    try:
        folder = Path(hub.snapshot_download(name, revision=revision or None, local_files_only=True))
    except (OSError, ValueError):  # LocalEntryNotFoundError and HFValidationError are of these
        return None
    return ModelFiles(folder, name, folder.name[:_HASH_LENGTH]) if (folder / "modules.json").is_file() else None


def _download_model(name: str, revision: str) -> ModelFiles:
    """Downloads what sentence-transformers needs of a model. Raises ModelUnavailable."""
    library = import_optional_module("sentence_transformers", name)
    shown = f"{name}@{revision}" if revision else name
    try:
        library.SentenceTransformer(name, revision=revision or None, trust_remote_code=False, device="cpu")
    except Exception as error:  # the hub raises what its libraries below raise
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelUnavailable(
            f"The model {shown} is not on this machine and could not be fetched ({reason[:200]}). "
            "Connect to the network once, or name a folder that holds it."
        ) from error
    found = _find_cached_model(name, revision)
    if found is None:
        raise ModelUnavailable(f"The model {shown} is no sentence-transformers model: it holds no modules.json.")
    return found


def _reject_custom_code(setting: str, folder: Path) -> None:
    """A model may name classes of its own, or of anything that is installed; only the library's are run."""
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
