"""After masking, the published rules of detect-secrets find nothing more.

The rules judge the mask and are no part of Scry: they know 28 providers of its 110, take 0.1 s to import, bring an HTTP
client with them, and several take time by the square of a line.
"""

from __future__ import annotations

import pytest
from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from detect_secrets.plugins.base import RegexBasedDetector

from scry.core.memory import mask_secrets
from tests.planted_secrets import planted_secrets
from tests.strangers.secret_shapes import secret_shapes

NO_SECRET = frozenset({"Private Key", "Public IP (ipv4)"})
"""Rules for the first line of a key and for addresses, which are no secrets."""

RULES = {
    name: rule
    for name, rule in get_mapping_from_secret_type_to_class().items()
    if issubclass(rule, RegexBasedDetector) and name not in NO_SECRET
}
TEXTS = [each.text for each in (*planted_secrets(), *secret_shapes())]


def test_rules_find_many_of_the_secrets_before_masking() -> None:
    found = {name for name, rule in RULES.items() if any(any(rule().analyze_string(text)) for text in TEXTS)}
    assert len(found) >= 14, found


@pytest.mark.acceptance("M1")
@pytest.mark.parametrize("name", RULES)
def test_rule_finds_nothing_after_masking(name: str) -> None:
    rule = RULES[name]()
    left = {text: list(rule.analyze_string(mask_secrets(text).text)) for text in TEXTS}
    assert {text: found for text, found in left.items() if any(found) and "[masked]" not in "".join(found)} == {}
