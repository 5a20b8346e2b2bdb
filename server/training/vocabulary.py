"""Learn the word-piece vocabulary from the words of the packages that are trained on (never from those held out)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from scry.embedding.static_model import CONTINUATION_PREFIX, split_words
from training.records import Record

_IDENTIFIER = re.compile(r"\w+")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_MOST_IN_PACKAGE = 100
"""Largest count of a word in one package, so that a large package's jargon does not fill the vocabulary."""


def word_counts(records: Iterable[Record]) -> Counter[str]:
    """Count words over records that come package by package."""
    totals: Counter[str] = Counter()
    package: str = ""
    identifiers: Counter[str] = Counter()
    for record in records:
        if record.package != package:
            _add(totals, identifiers)
            package = record.package
            identifiers.clear()
        identifiers.update(
            _IDENTIFIER.findall(f"{record.name} {record.container} {record.path} {record.doc} {record.code}")
        )
    _add(totals, identifiers)
    return totals


def _add(totals: Counter[str], identifiers: Counter[str]) -> None:
    words: Counter[str] = Counter()
    for identifier, count in identifiers.items():
        for word in split_words(identifier):
            words[word] += count
    for word, count in words.items():
        if _ASCII_WORD.fullmatch(word) and len(word) < 30:
            totals[word] += min(count, _MOST_IN_PACKAGE)


def learn_vocabulary(counts: Counter[str], size: int) -> list[str]:
    """Return at most `size` pieces in a stable order; every ASCII letter and digit is among them."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, special_tokens=["?"], continuing_subword_prefix=CONTINUATION_PREFIX, show_progress=False
    )
    tokenizer.train_from_iterator(_repeated(counts), trainer)
    pieces = set(tokenizer.get_vocab()) - {"?"}
    alphabet = {
        prefix + char for char in "abcdefghijklmnopqrstuvwxyz0123456789" for prefix in ("", CONTINUATION_PREFIX)
    }
    return sorted(pieces | alphabet)


def _repeated(counts: Counter[str]) -> Iterator[str]:
    for word, count in sorted(counts.items()):
        yield f"{word} " * count


def write_vocabulary(pieces: list[str], path: Path) -> None:
    """Write one piece a line; the line number is its id."""
    path.write_text("\n".join(pieces), encoding="utf-8")
