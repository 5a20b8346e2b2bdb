"""A small transformer that tests make themselves: two layers of random weights, as a sentence-transformers folder."""

from __future__ import annotations

import importlib
import string
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

Library: TypeAlias = Any
"""torch and those built on it are not in the default environment."""

E5_PROMPTS: Mapping[str, str] = {"query": "query: ", "passage": "passage: "}

WORDS = "def return class self value other thing key of query passage where is cart shop send back pay step import from"


def make_model(
    folder: Path, *, seed: int = 0, prompts: Mapping[str, str] = E5_PROMPTS, width: int = 32, layers: int = 2
) -> Path:
    """Write the model into the folder; the same arguments give the same model."""
    torch: Library = importlib.import_module("torch")
    transformers: Library = importlib.import_module("transformers")
    modules: Library = importlib.import_module("sentence_transformers.models")
    library: Library = importlib.import_module("sentence_transformers")
    pieces = _pieces()
    torch.manual_seed(seed)
    shape = {"hidden_size": width, "num_hidden_layers": layers, "intermediate_size": 4 * width}
    config = transformers.BertConfig(
        vocab_size=len(pieces), num_attention_heads=4, max_position_embeddings=256, **shape
    )
    bare = folder.with_name(folder.name + "-bare")
    transformers.BertModel(config).save_pretrained(bare)
    _tokenizer(transformers, pieces).save_pretrained(bare)
    words = modules.Transformer(str(bare), max_seq_length=128)
    model = library.SentenceTransformer(modules=[words, modules.Pooling(width)], device="cpu", prompts=dict(prompts))
    model.save(str(folder))
    return folder


def _pieces() -> list[str]:
    characters = string.ascii_lowercase + string.digits + string.punctuation
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    return [*special, *characters, *(f"##{each}" for each in string.ascii_lowercase + string.digits), *WORDS.split()]


def _tokenizer(transformers: Library, pieces: list[str]) -> Library:
    """WordPiece as BERT has it."""
    tokenizers: Library = importlib.import_module("tokenizers")
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocab=vocabulary, unk_token="[UNK]"))
    made.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    ends = [("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])]
    made.post_processor = tokenizers.processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]"
    )
