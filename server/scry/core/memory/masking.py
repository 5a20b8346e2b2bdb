"""Secrets, masked before anything is kept (M1): by their form, by the name beside them, and by how random they look.

What is masked in doubt costs a word of a memory; what is not may cost an account. But code that only speaks of a
password (`password: str`, `token = next_token()`) is left alone: the value has to look like one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from msgspec import Struct

from scry.core.memory.secret_forms import WEBHOOK_URL, PRIVATE_KEY_BLOCK, TOKEN_PATTERN

MASK = "[masked]"

MAX_LINE_LENGTH = 2_000
"""Characters: the time that patterns take grows with the square of a line. A longer one is data, not language."""

_TERMINAL_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
"""What colours a terminal's text. It would stand between a word's boundary and the secret."""

_QUOTE = r"\\?[\"'`]"

_STRONG_NAME = (
    r"pass(?:word|wd|phrase|code)|(?<=[_.-])pass|pwd|secrets?|credentials?|private[_-]?key(?:[_-]?id)?"
    r"|client[_-]?secret"
)
_WEAK_NAME = (
    r"token|(?:api|app|access|account|auth|encryption|signing|signature|master|storage|shared|session|license|service"
    r"|deploy|consumer|subscription|webhook|ssh|hmac|aes|jwt)[_-]?(?:key|secret)(?:[_-]?id)?|secret[_-]?key|auth|bearer"
    r"|connection[_-]?string|dsn|otp"
)
_SECRET_NAME = (
    r"(?<![A-Za-z0-9])(?P<name>(?:[A-Za-z0-9]{1,40}[_.-]){0,8}(?:[a-z0-9]{1,40}?)??"
    rf"(?:(?P<strong>{_STRONG_NAME})|{_WEAK_NAME})(?:[_-]?\d{{1,3}})?)"
)

_ASSIGNMENT = re.compile(
    rf"{_SECRET_NAME}(?P<between>(?:{_QUOTE})?[\])]?(?:\s{{0,3}}(?:=>|:=|[=:])\s{{0,3}}|\sis\s))"
    rf"(?:(?P<quote>{_QUOTE})(?P<quoted>(?:(?!(?P=quote))[^\n]){{1,4096}})|(?P<bare>[^\s\"'`]{{1,4096}}))",
    re.IGNORECASE,
)
"""A name that speaks of a secret, and what is given to it."""

_XML_ELEMENT = re.compile(
    r"<(?P<name>[\w.:-]{0,40}(?:password|passwd|passphrase|secret|token|api-?key)[\w.-]{0,40})(?:\s[^<>]{0,200})?>"
    r"(?P<secret>[^<>]{1,4096})(?=</)",
    re.IGNORECASE,
)

_OPTION = re.compile(
    r"(?P<option>(?<!\S)--?(?:[a-z0-9]+-)*(?:pass(?:word|wd|phrase)?|pwd|secret|token|api-?key|access-key|auth|private-key"
    r"|secret-key|client-secret|pat)(?:\s+))(?P<quote>[\"']?)(?P<secret>(?!-)[^\s\"']+)",
    re.IGNORECASE,
)
"""`--password x`: with a space, for with an equals sign it is an assignment."""

_REST_OF_COMMAND = r"\b[^\n|;&]*?\s"
_COMMANDS: tuple[re.Pattern[str], ...] = (
    re.compile(rf"\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump){_REST_OF_COMMAND}-p(?P<secret>[^\s\"'-][^\s\"']*)"),
    re.compile(
        rf"\b(?:curl|wget|http|https|xh|ab){_REST_OF_COMMAND}(?:-u|--user|-a|--auth|-U|--proxy-user)[ =]?[\"']?[^\s:\"']*:"
        r"(?P<secret>[^\s\"']+)"
    ),
    re.compile(rf"\b(?:sshpass|docker\s+login|podman\s+login|az\s+login){_REST_OF_COMMAND}-p\s*[\"']?(?P<secret>[^\s\"']+)"),
    re.compile(r"\bhtpasswd\s+-\w*b\w*\s+\S+\s+\S+\s+[\"']?(?P<secret>[^\s\"']+)"),
    re.compile(rf"\bredis-cli{_REST_OF_COMMAND}-a\s+[\"']?(?P<secret>[^\s\"']+)"),
    re.compile(r"-pass(?:in|out)?\s+pass:(?P<secret>\S+)"),
    re.compile(r"\bset\s+[\w.]*(?:secret|token|password|key)[\w.]*\s+[\"']?(?P<secret>[^\s\"'=]{8,})", re.IGNORECASE),
    re.compile(r"\bmachine\s+\S+\s+login\s+\S+\s+password\s+(?P<secret>\S+)"),
    re.compile(r"\bIDENTIFIED\s+(?:WITH\s+\S+\s+)?BY\s+(?:PASSWORD\s+)?[\"'](?P<secret>[^\"'\n]+)", re.IGNORECASE),
    re.compile(r"\bPASSWORD\s+[\"'](?P<secret>[^\"'\n]+)", re.IGNORECASE),
)
"""Commands whose arguments are secrets though no name says so."""

_AUTHORIZATION_HEADER = re.compile(
    r"(?P<name>\b(?:proxy-)?authorization\b\\?[\"']?\s*[:=]\s*(?:\\?[\"'])?)(?P<scheme>[A-Za-z][\w-]*\s+)?"
    r"(?P<secret>(?=[^\s\"'\\]*[\d=+/._-]|[^\s\"'\\]{16})[^\s\"'\\,()]{6,}(?:,?\s*\w+=[^\s\"'\\]+)*)",
    re.IGNORECASE,
)
_AUTHORIZATION_SCHEME = re.compile(
    r"(?P<scheme>\b(?:bearer|basic|token|apikey)\s+)(?P<secret>(?=[A-Za-z0-9._~+/-]*[\d=])[A-Za-z0-9._~+/-]{12,}={0,2})",
    re.IGNORECASE,
)
_COOKIE = re.compile(
    r"(?P<name>\b(?:set-)?cookie\b\\?[\"']?\s*:\s*\\?[\"']?)(?P<secret>[\w.$-]+=[^\n\"']+)", re.IGNORECASE
)
_URL_PASSWORD = re.compile(
    r"(?P<before>[a-z][a-z0-9+.-]{1,20}://[^\s/?#:@\"'<>]*:)(?P<secret>[^\s/?#\"'<>]+)(?=@[^\s@])", re.I
)
_URL_USER = re.compile(
    r"(?P<before>[a-z][a-z0-9+.-]{1,20}://)(?P<secret>(?=[^\s/@]*\d)[A-Za-z0-9_.~%-]{20,})(?=@)", re.IGNORECASE
)
_URL_PARAMETER = re.compile(
    r"(?P<before>[?&;](?:[\w-]*(?:token|secret|password|passwd|pwd|api_?key|apikey|signature|credential)|sig|auth|code|key"
    r"|pass)=)(?P<secret>[^&\s#\"'<>]{6,})",
    re.IGNORECASE,
)

_RANDOM_CANDIDATE = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{32,4096}={0,2}(?![A-Za-z0-9+/_-])")
_MIN_CLASS_CHANGES = 0.45
"""Of two neighbouring characters of random base 62, in 62 of 100 cases one is a small letter, a capital or a digit and
the other is not; in names of code, however long, in fewer than 35."""

_PLACEHOLDER = re.compile(
    r"(?:\$\{[^}]*\}?|\$[\w:.-]*|\$\([^)]*\)?|%[\w()]*s|%\w+%|\{\{?[^}]*\}?\}|<[^>]*>|\[[^\]]*\]|\*+|\.{2,}|…|x+|•+|none|null|nil"
    r"|undefined|true|false|required|optional|redacted|masked|hidden|your[_-].*|example|string|str|text|password|secret"
    r"|token|include|omit|same-origin)[,;)\]}]*",
    re.IGNORECASE,
)
"""A value that stands for one, or says nothing."""

_PASSWORD_DESCRIPTIONS = frozenset(
    """
    str string bytes bool boolean int integer float number any object optional secretstr secret none null undefined void
    char varchar text uuid self cls this true false required missing invalid wrong expired empty unset incorrect
    mismatch rejected denied failed error unknown ignored disabled enabled default plain hashed include omit not the
    """.split()
)
"""Words behind a colon that say what a password is, or what became of it."""

_CODE_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?P<after>\(|\[|\.|::|->|[,;)\]}]|$)")
_EXPRESSION_PREFIXES = ("(", "[", "{", "<", "&", "*", "$(", "=", "~")
_TRAILING_PUNCTUATION = ",;)]}"
_MIN_BARE_PASSWORD_LENGTH = 6
"""A shorter word behind `password:` is rarely one."""

_FILE_SUFFIXES = (".py", ".ts", ".js", ".json", ".txt", ".pem", ".md", ".yml", ".yaml")
_PATH_PREFIXES = ("/", "./", "../", "~/", "http://", "https://", "file:")


class MaskedText(Struct, frozen=True):
    """A text without its secrets, and how many there were."""

    text: str
    count: int


def mask_secrets(text: str) -> MaskedText:
    """The text with `[masked]` in the place of each secret, without a terminal's colours and the ends of long lines."""
    counter = _MaskCounter()
    plain = "\n".join(_truncate_line(line) for line in _TERMINAL_ESCAPES.sub("", text).split("\n"))
    for pattern, replace in _MASKING_STEPS:
        plain = pattern.sub(lambda match, put=replace: counter.count(match, put(match)), plain)
    return MaskedText(plain, counter.total)


def _truncate_line(line: str) -> str:
    """A line as long as the patterns can take; of a word that is cut nothing stays, for it may be a secret's half."""
    if len(line) <= MAX_LINE_LENGTH:
        return line
    head, space, _ = line[:MAX_LINE_LENGTH].rpartition(" ")
    return f"{head}{space}…"


class _MaskCounter:
    """Counts what is truly replaced."""

    def __init__(self) -> None:
        self.total = 0

    def count(self, match: re.Match[str], replaced: str) -> str:
        self.total += replaced != match.group()
        return replaced


def _mask_all(_: re.Match[str]) -> str:
    return MASK


def _mask_secret_group(match: re.Match[str]) -> str:
    """What is around the secret stays."""
    start, end = match.span("secret")
    if match["secret"].startswith(MASK) or _PLACEHOLDER.fullmatch(match["secret"]):
        return match.group()
    return match.group()[: start - match.start()] + MASK + match.group()[end - match.start() :]


def _mask_assigned_value(match: re.Match[str]) -> str:
    group = "bare" if match["quoted"] is None else "quoted"
    value = match[group].rstrip(_TRAILING_PUNCTUATION) if group == "bare" else match[group]
    if not value or MASK in value or _PLACEHOLDER.fullmatch(value) or not _is_secret(match, value):
        return match.group()
    start = match.start(group) - match.start()
    return match.group()[:start] + MASK + match.group()[start + len(value) :]


def _is_secret(match: re.Match[str], value: str) -> bool:
    if match["strong"]:
        return _is_password(match, value)
    if _is_path(value) or " " in value:
        return False
    if match["bare"] is not None and _is_code_expression(match["bare"]):
        return False
    has_both = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return (len(value) >= 8 and has_both) or _looks_random(value)


def _is_password(match: re.Match[str], value: str) -> bool:
    """Whatever stands in quotes; without them, what is no name of code, call, type or prose."""
    if match["name"].lower().endswith("pwd") and value.startswith(_PATH_PREFIXES):
        return False  # the shell's working folder
    if match["quoted"] is not None:
        return True
    if value.startswith(_EXPRESSION_PREFIXES) or _is_code_expression(match["bare"]):
        return False
    if not value.isalpha():
        return not value.replace("_", "").isalpha()
    if value.lower() in _PASSWORD_DESCRIPTIONS:
        return False
    if match["between"] == "=":
        return value == match["bare"]  # else it is an argument of a call: f(password=value)
    rest = match.string[match.end() :].partition("\n")[0].strip()
    return not rest and value == match["bare"] and value.islower() and len(value) >= _MIN_BARE_PASSWORD_LENGTH


def _is_code_expression(bare: str) -> bool:
    """Whether code gets it from somewhere: `next_token(…`, `settings.token`, `keys[…`."""
    found = _CODE_IDENTIFIER.match(bare)
    return found is not None and found["after"] in ("(", "[", ".", "::", "->")


def _is_path(value: str) -> bool:
    return value.startswith(_PATH_PREFIXES) or value.endswith(_FILE_SUFFIXES)


def _mask_if_random(match: re.Match[str]) -> str:
    return MASK if _looks_random(match.group()) else match.group()


def _looks_random(value: str) -> bool:
    letters = [c for c in value if c.isalnum()]
    kinds = [(c.isdigit(), c.isupper()) for c in letters]
    if len(letters) < 20 or min(map(kinds.count, ((True, False), (False, True), (False, False)))) < 2:
        return False
    changes = sum(before != after for before, after in pairwise(kinds))
    return changes / (len(kinds) - 1) >= _MIN_CLASS_CHANGES


_MASKING_STEPS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (PRIVATE_KEY_BLOCK, _mask_all),
    (WEBHOOK_URL, _mask_secret_group),
    (_URL_PASSWORD, _mask_secret_group),
    (TOKEN_PATTERN, _mask_all),
    (_URL_USER, _mask_secret_group),
    (_URL_PARAMETER, _mask_secret_group),
    (_AUTHORIZATION_HEADER, _mask_secret_group),
    (_COOKIE, _mask_secret_group),
    (_AUTHORIZATION_SCHEME, _mask_secret_group),
    *((command, _mask_secret_group) for command in _COMMANDS),
    (_OPTION, _mask_secret_group),
    (_XML_ELEMENT, _mask_secret_group),
    (_ASSIGNMENT, _mask_assigned_value),
    (_RANDOM_CANDIDATE, _mask_if_random),
)
