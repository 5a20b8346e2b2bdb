from __future__ import annotations

import pytest

from scry.core.memory import MASK, MAX_LINE_LENGTH, mask_secrets
from tests.planted_secrets import Planted, planted_secrets
from tests.strangers.growth import grows_too_fast

PLANTED = planted_secrets()


def test_two_hundred_distinct_secrets_are_planted() -> None:
    assert len({each.secret for each in PLANTED}) == len(PLANTED) >= 200


@pytest.mark.acceptance("M1")
@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.text[:40])
def test_a_secret_is_masked(planted: Planted) -> None:
    for text in (planted.text, f"$ run {planted.text} --now", f"first line\n  {planted.text}\nlast line"):
        found = mask_secrets(text)
        assert planted.secret not in found.text, found.text
        assert MASK in found.text
        assert found.count >= 1


@pytest.mark.parametrize(
    "text",
    [
        "def login(user: str, password: str) -> Token:",
        "password: str = ''",
        "token = self._next_token()",
        "token, rest = tokens[0], tokens[1:]",
        "for token in tokens: yield token.value",
        "connect(host=host, password=password)",
        "client = Client(api_key=settings.api_key)",
        "secret = os.environ['SECRET']",
        "password = getpass.getpass()",
        "password=$PASSWORD ./deploy.sh",
        'PASSWORD="${PASSWORD:?}"',
        "class PasswordField(CharField): pass",
        "password is wrong",
        "password: required",
        "AssertionError: token mismatch: expected IDENT, got NUMBER",
        "max_tokens: 4096, tokens_per_second=120",
        "assert parse('a.b') == ['a', 'b']",
        "commit da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "FAILED tests/test_login.py::test_password_is_checked - assert 3 == 4",
        "https://localhost:8080/@scope/package?key=a",
        "https://example.invalid/issues?page=2&sort=new",
        "git@example.invalid:ada/shop.git",
        "ssh ada@host -p 2222",
        "uuid 0f8fad5b-d9cd-469f-a165-70873028950e",
        "testThatHttp2ConnectionPoolReusesIdleConnectionsAfterTimeout",
        "src/components/Http2/ConnectionPoolManagerFactoryBeanTest.java",
        "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
        "fetch(url, { credentials: 'include' })",
        "Basic authentication is off by default",
        "the bearer of this token may post",
        "PWD=/home/ada/shop OLDPWD=/home/ada",
        "docker run -p 8080:80 shop",
        "mysql -u root -p shop",
        "pass: 12, fail: 0",
        "E   TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'",
        "if (token.kind === TokenKind.Identifier) { return token.text }",
        "public static final int ACCESS_TOKEN_TTL = 3600;",
        "sort_key = lambda item: item.rank",
        "primary_key=True, foreign_key=users.id",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "sk-learn and sk-image are libraries",
        "key-value-store-with-write-ahead-log",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert mask_secrets(text).text == text


def test_masking_is_idempotent() -> None:
    for planted in PLANTED:
        once = mask_secrets(planted.text).text
        assert mask_secrets(once).text == once


def test_long_line_is_cut_between_words() -> None:
    secret = "ghp_" + "a1B2" * 9
    line = "x" * (MAX_LINE_LENGTH - 60) + " " + "y" * 40 + " " + secret
    found = mask_secrets(line).text
    assert len(found) < MAX_LINE_LENGTH
    assert "ghp_" not in found


@pytest.mark.parametrize(
    "piece", ["a-", "a", "password", "ab12", "://a:", "curl -u ", "= ", "x.y=\"'", "a:", "abcdefgh12345678\n", "mysql "]
)
def test_masking_is_linear(piece: str) -> None:
    assert not grows_too_fast(mask_secrets, lambda length: piece * (length // len(piece)), 1 << 16)
