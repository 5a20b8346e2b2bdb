# pyright: basic, reportMissingImports=false
# ruff: noqa: ANN401
"""The static model's pooling in torch, for sentence-transformers. Copied into the exported folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sentence_transformers.models import InputModule

from scry.embedding.embedder import Passage
from scry.embedding.static_model import PASSAGE_FIELDS, FieldWeights, Tokenizer, field_texts, field_weights

_FILES = ("table.npy", "scales.npy", "vocabulary.txt", "meta.json")


class ScryStatic(InputModule):
    """Tokenises into bags of five fields, and pools each by 1 + log10(tf)."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self._folder = Path(folder)
        meta = json.loads((self._folder / "meta.json").read_text(encoding="utf-8"))
        rows = torch.from_numpy(np.load(self._folder / "table.npy").astype(np.float32))
        scales = torch.from_numpy(np.load(self._folder / "scales.npy"))
        self.rows = torch.nn.Parameter(rows * scales[:, None], requires_grad=False)
        self.weights = field_weights(FieldWeights(*(meta[f"{field}_weight"] for field in PASSAGE_FIELDS[1:])))
        self.tokenizer = Tokenizer.load(self._folder / "vocabulary.txt")

    def tokenize(self, texts: list[Any], **_: Any) -> dict[str, torch.Tensor]:
        """Return padded ids of shape (texts, fields, longest), -1 where a field has no more pieces."""
        bags = [[self.tokenizer.encode(field) for field in _fields(text)] for text in texts]
        longest = max((len(bag) for fields in bags for bag in fields), default=0)
        padded = [[bag + [-1] * (longest - len(bag)) for bag in fields] for fields in bags]
        return {"input_ids": torch.tensor(padded, dtype=torch.long).reshape(len(texts), -1, longest)}

    def preprocess(self, inputs: list[Any], **options: Any) -> dict[str, torch.Tensor]:
        """Call `tokenize`, under the name that newer releases of sentence-transformers use."""
        return self.tokenize(inputs, **options)

    def forward(self, features: dict[str, torch.Tensor], **_: Any) -> dict[str, torch.Tensor]:
        """Add `sentence_embedding`, of length 1, or zeros for an empty text."""
        vectors = [self._pool(fields) for fields in features["input_ids"].to(self.rows.device)]
        features["sentence_embedding"] = torch.stack(vectors)
        return features

    def get_sentence_embedding_dimension(self) -> int:
        """Return the length of a vector."""
        return self.rows.shape[1]

    def get_embedding_dimension(self) -> int:
        """Return the length of a vector, under the newer name of the method."""
        return self.rows.shape[1]

    def save(self, output_path: str, *args: Any, **_: Any) -> None:
        """Copy the model's files."""
        for file in _FILES:
            shutil.copy(self._folder / file, output_path)

    @classmethod
    def load(cls, model_name_or_path: str, subfolder: str = "", **_: Any) -> ScryStatic:
        """Read the model from its part of the folder."""
        return cls(str(Path(model_name_or_path) / subfolder))

    def _pool(self, fields: torch.Tensor) -> torch.Tensor:
        pooled = torch.zeros(self.rows.shape[1], device=self.rows.device)
        for weight, bag in zip(self.weights, fields, strict=True):
            ids, counts = torch.unique(bag[bag >= 0], return_counts=True)
            if len(ids):
                pooled = pooled + weight * _unit((1 + torch.log10(counts.float())) @ self.rows[ids])
        return _unit(pooled)


def _fields(text: str | dict[str, str]) -> tuple[str, ...]:
    if isinstance(text, str):
        return text, "", "", "", ""
    passage = Passage(text.get("name", ""), text.get("path", ""), text.get("container", ""), text.get("text", ""))
    return field_texts(passage)


def _unit(vector: torch.Tensor) -> torch.Tensor:
    length = vector.norm()
    return vector / length if length > 0 else vector
