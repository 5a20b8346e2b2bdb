"""Prepare everything that enters memory for its file: mask secrets, remove NUL characters, cut long texts."""

from __future__ import annotations

import hashlib
import json

from msgspec.structs import replace

from scry.core.memory.masking import mask_secrets
from scry.core.memory.types import CONTENT_KEY, Observation
from scry.core.text import escape_unencodable
from scry.store.memory.sessions import SessionOwner

MAX_TEXT_CHARACTERS, MAX_DETAIL_CHARACTERS = 4_000, 20_000
"""Limits in characters. Of a longer text the beginning is kept; of a longer detail the end, which shows what failed."""

MAX_AGENT_NAME_CHARACTERS = 100
"""Limit of the name of an agent, in characters."""

SESSION_KEY_PREFIXES = ("act ", "content ")
"""Beginnings of the keys that identify an observation in its session; any other key does so in its piece of work."""

_MAX_MASKED_CHARACTERS = 200_000
"""Characters of a text that are searched for secrets.

A text is masked before it is cut, or half a secret could be left.
"""

_DIGEST_CHARACTERS, _NAME_DIGEST_CHARACTERS = 32, 8


def clean_text(text: str, most: int = MAX_TEXT_CHARACTERS, *, from_end: bool = False) -> tuple[str, int]:
    """Return a text as it may be stored, and the number of secrets in it.

    NUL characters are removed first: between the letters of a secret (UTF-16) they would hide it.
    """
    text = text.replace("\0", "")
    masked = mask_secrets(text[-_MAX_MASKED_CHARACTERS:] if from_end else text[:_MAX_MASKED_CHARACTERS])
    plain = escape_unencodable(masked.text).strip()
    if len(plain) > most:
        plain = f"…{plain[1 - most :]}" if from_end else f"{plain[: most - 1]}…"
    return plain, masked.count


def clean_observation(observation: Observation) -> tuple[Observation, int]:
    """Return an observation as it may be stored, and the number of secrets in it."""
    text, in_text = clean_text(observation.text)
    detail, in_detail = clean_text(observation.detail, MAX_DETAIL_CHARACTERS, from_end=True)
    refs = [clean_text(ref) for ref in observation.refs]
    clean = replace(observation, text=text, detail=detail, refs=tuple(ref for ref, _ in refs))
    return replace(clean, key=_stored_key(clean)), in_text + in_detail + sum(count for _, count in refs)


def clean_owner(owner: SessionOwner) -> SessionOwner:
    """Return an owner as it may be stored. A name that is masked or cut ends with a digest, so that it stays unique."""
    if not owner.agent:
        return owner
    name, masked = clean_text(owner.agent)
    if masked or len(name) > MAX_AGENT_NAME_CHARACTERS:
        digest = _digest(owner.agent)[:_NAME_DIGEST_CHARACTERS]
        name = f"{name[: MAX_AGENT_NAME_CHARACTERS - len(digest) - 1]} {digest}"
    return replace(owner, agent=name)


def _stored_key(observation: Observation) -> str:
    """Return the key as it is stored: its first word, and a digest of the rest, which may look like a secret."""
    if observation.key == CONTENT_KEY:
        each = observation
        parts = (each.kind, each.text, each.detail, each.status, each.outcome, each.refs, each.scope)
        return f"{CONTENT_KEY} {_digest(json.dumps(parts))}"
    kind, _, rest = observation.key.partition(" ")
    return f"{kind} {_digest(rest)}" if rest else observation.key


def _digest(text: str) -> str:
    return hashlib.sha256(escape_unencodable(text).encode()).hexdigest()[:_DIGEST_CHARACTERS]
