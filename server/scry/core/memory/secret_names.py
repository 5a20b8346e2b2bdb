"""Recognize a secret by the name that it is assigned to: `password = "…"`, `SECRET_KEY_BASE=…`, `the token is …`."""

from __future__ import annotations

import re

from scry.core.memory.secret_numbers import looks_random

MASK = "[masked]"

_QUOTE = r"\\?[\"'`]"

_OTHER_LANGUAGES = "kennwort|wachtwoord|lösenord|contraseña|senha|hasło|пароль|密码|密碼|口令|パスワード|비밀번호"
"""Password in other languages; German and French have `pass` in it."""

NAME_WORD = re.compile(
    "pass|pwd|secret|credential|key|auth|bearer|string|dsn|otp|token|psk|(?<![a-z0-9])pw(?![a-z])|" + _OTHER_LANGUAGES
)
"""The words, in small letters, one of which the name of every secret holds."""

_KEY_OWNERS = (
    "api app access account auth encryption signing signature master storage shared session license service deploy"
    " consumer subscription webhook ssh hmac aes jwt secret crypto cipher server".split()
)
_AFTER_OWNER = "|".join(f"(?<={owner})|(?<={owner}[_-])" for owner in _KEY_OWNERS)

_NAME = (
    rf"(?P<strong>pass(?:word|wort|wd|phrase|code)s?|(?<=[_.-])pass|{_OTHER_LANGUAGES}|pwd|secrets?|credentials?"
    r"|(?<=(?<![a-z])wpa[_-])psk|(?<![A-Za-z0-9])psk|(?:(?<=private)|(?<=private[_-]))key(?:[_-]?id)?)"
    rf"|(?:{_AFTER_OWNER})key(?:[_-]?id)?|(?:(?<=connection)|(?<=connection[_-]))string|tokens?|auth|bearer|dsn|otp"
    r"|pass(?:e)?(?![a-z])|pw"
)
_SUFFIX = (
    r"(?:[_-]?\d{1,3}|[_-](?:base|value|hash|salt|b64|base64|hex|enc|prod|production|dev|staging|live|old|new|current|primary"
    r"|secondary|plain|raw)){0,2}"
)
_TYPE = r"(?:\[\d{0,5}\]|\s?:\s?[A-Za-z_&'][\w.\[\]<>|&?']{0,40}(?=\s?=[^=>]))?"
_ASSIGNMENT = re.compile(
    rf"(?:{_NAME}){_SUFFIX}(?P<between>(?:{_QUOTE})?[\])]?{_TYPE}"
    rf"(?:\s{{0,3}}(?:=>|:=|\|\|=|\?\?=|\?=|[=!]==?|[=:])\s{{0,3}}@?|\sis\s|(?<=[\"'`]),\s?(?=[\"'`])))"
    rf"(?:(?P<quote>{_QUOTE})(?P<quoted>(?:(?!(?P=quote))[^\n]){{1,4096}})|(?P<bare>[^\s\"'`]{{1,4096}}))",
    re.IGNORECASE,
)
"""A name of a secret, and the value assigned to it."""

PLACEHOLDER = re.compile(
    r"(?:\$\{[^}]*\}?|\$[\w:.-]*|\$\([^)]*\)?|%[\w()]*s|%\w+%|\{\{?[^}]*\}?\}|<[^>]*>|\[[^\]]*\]|\*+|\.{2,}|…|x+|•+|none|null|nil"
    r"|undefined|true|false|required|optional|redacted|masked|hidden|your[_-].*|change[_-]?me|example|string|str|text"
    r"|password|passwd|secret|token|include|omit|same-origin|-|stdin|prompt)[,;)\]}]*",
    re.IGNORECASE,
)
"""Placeholders and empty values."""

_PASSWORD_DESCRIPTIONS = frozenset(
    """
    str string bytes bool boolean int integer float number any object optional secretstr secret none null undefined void
    char varchar text uuid self cls this true false required missing invalid wrong expired empty unset incorrect
    mismatch rejected denied failed error unknown ignored disabled enabled default plain hashed include omit not the
    """.split()
)
"""Words after a colon that describe a password or its state."""

_CODE_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?P<after>\(|\[|\.|::|->|[,;)\]}]|$)")
_EXPRESSION_PREFIXES = ("(", "[", "{", "<", "&", "*", "$(", "=", "~", "!!")
_TRAILING_PUNCTUATION = ",;)]}"
_MIN_BARE_PASSWORD_LENGTH = 6
"""Least length of an unquoted word after `password:` that is taken for a password."""

_FILE_SUFFIXES = (".py", ".ts", ".js", ".json", ".txt", ".pem", ".md", ".yml", ".yaml")
_PATH_PREFIXES = ("/", "./", "../", "~/", "http://", "https://", "file:")


def assigned_value(text: str, start: int) -> tuple[int, int, int]:
    """Return the range of the secret that is assigned to the name at `start`, and where to go on; (0, 0, 0) for none.

    The range is empty where a value is assigned that is no secret.
    """
    match = _ASSIGNMENT.match(text, start)
    if match is None:
        return 0, 0, 0
    group = "bare" if match["quoted"] is None else "quoted"
    value = match[group].rstrip(_TRAILING_PUNCTUATION) if group == "bare" else match[group]
    start = match.start(group)
    if not value or MASK in value or PLACEHOLDER.fullmatch(value):
        return start, start, match.end()
    if not _is_secret(match, value):
        return start, start, start  # a name may stand in it: `user: password=…`
    return start, start + len(value), match.end()


def _is_secret(match: re.Match[str], value: str) -> bool:
    if match["strong"]:
        return _is_password(match, value)
    if _is_path(value) or " " in value:
        return False
    if match["bare"] is not None and (value.startswith((*_EXPRESSION_PREFIXES, ":")) or _is_code_expression(value)):
        return False
    has_both = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    is_one_time = match.group()[:3].lower() == "otp" and value.isdigit() and len(value) >= 6
    return (len(value) >= 8 and has_both) or is_one_time or looks_random(value)


def _is_password(match: re.Match[str], value: str) -> bool:
    """Return whether a value is a password: any in quotes; unquoted, none that is a name, call, type or prose."""
    if match["strong"].lower() == "pwd" and value.startswith(_PATH_PREFIXES):
        return False  # the shell's working folder
    if match["quoted"] is not None:
        return not _ends_a_string(match, value)
    if "\n" in match["between"]:
        return False  # the next key of a mapping; answers of prompts are looked for apart
    if value.startswith(_EXPRESSION_PREFIXES) or _is_code_expression(match["bare"]):
        return False
    if not value.isalpha():
        return not value.replace("_", "").isalpha()
    if value.lower() in _PASSWORD_DESCRIPTIONS:
        return False
    if match["between"] == "=":
        return value == match["bare"]  # else it is an argument of a call: f(password=value)
    return _ends_line(match.string, match.end()) and _is_lone_word(match, value)


def _ends_a_string(match: re.Match[str], value: str) -> bool:
    """Return whether the quote before a value closes the string that the name stands in: `input("Password: ")`."""
    if value[0] not in ")],;":
        return False
    line_start = match.string.rfind("\n", 0, match.start()) + 1
    return match.string.count(match["quote"], line_start, match.start("quote")) % 2 == 1


def _ends_line(text: str, place: int) -> bool:
    """Return whether nothing but blanks stands between a place and the end of its line."""
    end = text.find("\n", place)
    return not text[place : end if end >= 0 else len(text)].strip()


def _is_lone_word(match: re.Match[str], value: str) -> bool:
    return value == match["bare"] and value.islower() and len(value) >= _MIN_BARE_PASSWORD_LENGTH


def _is_code_expression(bare: str) -> bool:
    """Return whether a value is an expression of code: `next_token(…`, `settings.token`, `keys[…`."""
    found = _CODE_IDENTIFIER.match(bare)
    return found is not None and found["after"] in ("(", "[", ".", "::", "->")


def _is_path(value: str) -> bool:
    return value.startswith(_PATH_PREFIXES) or value.endswith(_FILE_SUFFIXES)
