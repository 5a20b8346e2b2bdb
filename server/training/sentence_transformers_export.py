"""The model as a sentence-transformers folder: one custom module, since their StaticEmbedding pools by a plain mean.

The folder holds the model's files, and the module's code, which needs `scry` installed: it tokenises with the product's
tokenizer and pools with torch. A query is encoded from a string; a passage from a string too (its text alone), or from
a dictionary with the keys text, name, path and container.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

_MODULE = "scry_static_module"


def export_sentence_transformers(model: Path, folder: Path) -> None:
    """Write the folder; `SentenceTransformer(str(folder), trust_remote_code=True)` loads it."""
    part = folder / "0_ScryStatic"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(model, part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(Path(__file__).with_name("sentence_transformers_module.py"), folder / f"{_MODULE}.py")
    module = {"idx": 0, "name": "0", "path": part.name, "type": f"{_MODULE}.ScryStatic"}
    _write_json(folder / "modules.json", [module])
    _write_json(folder / "config_sentence_transformers.json", {"prompts": {}, "similarity_fn_name": "cosine"})


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
