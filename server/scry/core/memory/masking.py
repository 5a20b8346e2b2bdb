"""Mask secrets in a text before it is stored (M1): by their form, by the name beside them, and by randomness.

A secret's form is a provider's documented prefix and alphabet, with the shortest length in use; a form without a prefix
is listed only where its shape is unmistakable.

A word masked in doubt costs a word of a memory; a secret that is not masked may cost an account. Code that only
mentions a password (`password: str`, `token = next_token()`) stays: the value has to look like a secret.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from msgspec import Struct

_TOKEN_START, _TOKEN_END = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"

_CLOUDS = (
    r"(?:AKIA|ASIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{16}",  # AWS
    r"ABSK[A-Za-z0-9+/]{60,}={0,2}",  # AWS Bedrock
    r"AIza[0-9A-Za-z_-]{35}",  # Google
    r"GOCSPX-[0-9A-Za-z_-]{20,}",
    r"ya29\.[0-9A-Za-z_.-]{20,}",
    r"1//0[0-9A-Za-z_-]{20,}",
    r"[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}",  # Azure AD
    r"LTAI[A-Za-z0-9]{12,24}",  # Alibaba
    r"AKID[A-Za-z0-9]{13,40}",  # Tencent
    r"AQVN[A-Za-z0-9_-]{35,38}",  # Yandex
    r"do[opr]_v1_[a-f0-9]{64}",  # DigitalOcean
    r"HRKU-[A-Za-z0-9_-]{30,}",  # Heroku
    r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}",  # Cloudflare
    r"nfp_[A-Za-z0-9]{30,}",  # Netlify
    r"(?:fo1_[A-Za-z0-9_-]{40,}|fm\d[ar]?_[A-Za-z0-9+/=_-]{60,})",  # Fly
    r"dapi[a-f0-9]{32}(?:-\d)?",  # Databricks
    r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}",  # PlanetScale
    r"sb(?:p_[a-f0-9]{40}|_secret_[A-Za-z0-9_-]{20,})",  # Supabase
    r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}",  # Terraform
    r"hv[sbr]\.[A-Za-z0-9_-]{20,}",  # Vault
    r"s\.(?=[A-Za-z0-9]*\d)(?=[A-Za-z0-9]*[A-Z])[A-Za-z0-9]{24}",
    r"pul-[a-f0-9]{40}",  # Pulumi
    r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,}",  # Doppler
    r"ops_eyJ[A-Za-z0-9+/=_-]{50,}",  # 1Password
)

_CODE_HOSTS = (
    r"gh[pousr]_[A-Za-z0-9]{20,255}",  # GitHub
    r"github_pat_[A-Za-z0-9_]{22,255}",
    r"gl(?:pat|dt|rt|ptt|ft|soat|cbt|agent|oas|imt|ffct)-[A-Za-z0-9_.-]{20,}",  # GitLab
    r"GR1348941[A-Za-z0-9_-]{20}",
    r"AT(?:ATT|CTT)3[A-Za-z0-9_=-]{60,}",  # Atlassian
    r"ATBB[A-Za-z0-9]{32}",
    r"npm_[A-Za-z0-9]{36}",
    r"pypi-AgE[A-Za-z0-9_-]{30,}",
    r"rubygems_[a-f0-9]{48}",
    r"cio[A-Za-z0-9]{32}",  # crates.io
    r"oy2[a-z0-9]{43}",  # NuGet
    r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}",  # Docker Hub
    r"AKC[A-Za-z0-9]{60,}",  # Artifactory
    r"cmVmd[A-Za-z0-9]{59}",
    r"sntry[su]_[A-Za-z0-9+/=_-]{40,}",  # Sentry
    r"gl(?:sa_[A-Za-z0-9]{32}_[a-f0-9]{8}|c_[A-Za-z0-9+/=]{32,})",  # Grafana
    r"NR(?:AK|AA|RA)-[A-Za-z0-9]{27,}",  # New Relic
    r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}",  # Postman
    r"figd_[A-Za-z0-9_-]{40,}",  # Figma
    r"lin_api_[A-Za-z0-9]{40}",  # Linear
    r"(?:secret|ntn)_[A-Za-z0-9]{40,}",  # Notion
    r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}",  # Airtable
    r"CFPAT-[A-Za-z0-9_-]{43}",  # Contentful
    r"pnu_[a-z0-9]{36}",  # Prefect
    r"rdme_[a-z0-9]{70}",  # ReadMe
)

_MODELS = (
    r"sk-ant-[A-Za-z0-9_-]{20,}",  # Anthropic
    r"sk-(?:proj-|svcacct-|admin-|or-v1-)?(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{20,}",  # OpenAI, OpenRouter
    r"hf_[A-Za-z0-9]{30,}",  # Hugging Face
    r"gsk_[A-Za-z0-9]{40,}",  # Groq
    r"xai-[A-Za-z0-9]{60,}",
    r"r8_[A-Za-z0-9]{37}",  # Replicate
    r"pplx-[A-Za-z0-9]{40,}",  # Perplexity
)

_PAYMENT_AND_MAIL = (
    r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}",  # Stripe
    r"whsec_[A-Za-z0-9+/=]{20,}",
    r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}",  # Square
    r"EAAA[A-Za-z0-9_-]{60}",
    r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",  # Braintree
    r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",  # Shopify
    r"shippo_(?:live|test)_[a-f0-9]{40}",
    r"FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}",  # Flutterwave
    r"EZ[AT]K[A-Za-z0-9]{54}",  # EasyPost
    r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",  # SendGrid
    r"(?:SK|AC)[0-9a-f]{32}",  # Twilio
    r"key-[0-9a-zA-Z]{32}",  # Mailgun
    r"[0-9a-f]{32}-us\d{1,2}",  # Mailchimp
    r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}",  # Brevo
)

_CHAT = (
    r"xox[abeoprs](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}",  # Slack
    r"xapp-\d-[A-Za-z0-9]+-\d+-[A-Za-z0-9]+",
    r"[MNO][A-Za-z\d_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",  # Discord
    r"\d{8,10}:AA[A-Za-z0-9_-]{32,34}",  # Telegram
    r"EAA[A-Za-z0-9]{90,}",  # Facebook
    r"A{16,}[A-Za-z0-9%]{30,}",  # Twitter
    r"sl\.[A-Za-z0-9_-]{100,}",  # Dropbox
)

_SHAPES = (
    r"eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){2,4}",  # JSON Web Token
    r"AGE-SECRET-KEY-1[0-9A-Z]{58}",
    r"\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}",  # bcrypt
    r"\$(?:argon2(?:id|i|d)|scrypt)\$[A-Za-z0-9+/=,$v-]{30,}",
    r"\$[156y]\$[^\s$:]{1,40}\$[./A-Za-z0-9]{20,}",  # crypt(3)
)

TOKEN_PATTERN = re.compile(
    f"{_TOKEN_START}(?:{'|'.join((*_CLOUDS, *_CODE_HOSTS, *_MODELS, *_PAYMENT_AND_MAIL, *_CHAT))}){_TOKEN_END}"
    rf"|(?<![A-Za-z0-9$])(?:{'|'.join(_SHAPES)})"
)
"""Secrets that are recognized by their form alone."""

PRIVATE_KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)"
    r"|(?:(?:^|\\n|\n)[ \t]*[A-Za-z0-9+/=]{16,}[ \t]*){1,200}(?:\\n|\n)[ \t]*"
    r"-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
    r"|^Private-Lines: *\d+\r?\n(?:[A-Za-z0-9+/=]+\r?\n?)+",
    re.MULTILINE,
)
"""Private keys: PEM or PGP, also with the beginning or end missing, and PuTTY's own form."""

WEBHOOK_URL = re.compile(
    r"https://(?:hooks\.slack\.com/(?:services|workflows|triggers)/|(?:\w+\.)?discord(?:app)?\.com/api/webhooks/"
    r"|[\w.-]+\.webhook\.office\.com/webhookb2/|chat\.googleapis\.com/v1/spaces/)(?P<secret>[^\s\"'<>]+)"
)
"""Addresses of webhooks: anybody who knows one may post."""

MASK = "[masked]"

MAX_LINE_LENGTH = 2_000
"""Most characters of a line: patterns take time by the square of its length. A longer one is data, not language."""

_TERMINAL_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
"""Escape sequences of terminals, which would stand between a word's boundary and a secret."""

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
"""A name of a secret, and the value assigned to it."""

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
    re.compile(
        rf"\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump){_REST_OF_COMMAND}-p(?P<secret>[^\s\"'-][^\s\"']*)"
    ),
    re.compile(
        rf"\b(?:curl|wget|http|https|xh|ab){_REST_OF_COMMAND}"
        r"(?:-u|--user|-a|--auth|-U|--proxy-user)[ =]?[\"']?[^\s:\"']*:"
        r"(?P<secret>[^\s\"']+)"
    ),
    re.compile(
        rf"\b(?:sshpass|docker\s+login|podman\s+login|az\s+login){_REST_OF_COMMAND}-p\s*[\"']?(?P<secret>[^\s\"']+)"
    ),
    re.compile(r"\bhtpasswd\s+-\w*b\w*\s+\S+\s+\S+\s+[\"']?(?P<secret>[^\s\"']+)"),
    re.compile(rf"\bredis-cli{_REST_OF_COMMAND}-a\s+[\"']?(?P<secret>[^\s\"']+)"),
    re.compile(r"-pass(?:in|out)?\s+pass:(?P<secret>\S+)"),
    re.compile(r"\bset\s+[\w.]*(?:secret|token|password|key)[\w.]*\s+[\"']?(?P<secret>[^\s\"'=]{8,})", re.IGNORECASE),
    re.compile(r"\bmachine\s+\S+\s+login\s+\S+\s+password\s+(?P<secret>\S+)"),
    re.compile(r"\bIDENTIFIED\s+(?:WITH\s+\S+\s+)?BY\s+(?:PASSWORD\s+)?[\"'](?P<secret>[^\"'\n]+)", re.IGNORECASE),
    re.compile(r"\bPASSWORD\s+[\"'](?P<secret>[^\"'\n]+)", re.IGNORECASE),
)
"""Commands whose arguments are secrets without a name beside them."""

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
"""Least share of neighbouring characters of different classes (small letter, capital, digit) in a random value: in
random base 62 the share is 0.62, in names of code, however long, below 0.35."""

_PLACEHOLDER = re.compile(
    r"(?:\$\{[^}]*\}?|\$[\w:.-]*|\$\([^)]*\)?|%[\w()]*s|%\w+%|\{\{?[^}]*\}?\}|<[^>]*>|\[[^\]]*\]|\*+|\.{2,}|…|x+|•+|none|null|nil"
    r"|undefined|true|false|required|optional|redacted|masked|hidden|your[_-].*|example|string|str|text|password|secret"
    r"|token|include|omit|same-origin)[,;)\]}]*",
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
_EXPRESSION_PREFIXES = ("(", "[", "{", "<", "&", "*", "$(", "=", "~")
_TRAILING_PUNCTUATION = ",;)]}"
_MIN_BARE_PASSWORD_LENGTH = 6
"""Least length of an unquoted word after `password:` that is taken for a password."""

_FILE_SUFFIXES = (".py", ".ts", ".js", ".json", ".txt", ".pem", ".md", ".yml", ".yaml")
_PATH_PREFIXES = ("/", "./", "../", "~/", "http://", "https://", "file:")


class MaskedText(Struct, frozen=True):
    """A text with its secrets masked, and how many there were."""

    text: str
    count: int


def mask_secrets(text: str) -> MaskedText:
    """Replace each secret of a text by `[masked]`; terminal escapes and the ends of long lines are removed."""
    counter = _MaskCounter()
    plain = "\n".join(_truncate_line(line) for line in _TERMINAL_ESCAPES.sub("", text).split("\n"))
    for pattern, replace in _MASKING_STEPS:
        plain = pattern.sub(lambda match, put=replace: counter.count(match, put(match)), plain)
    return MaskedText(plain, counter.total)


def _truncate_line(line: str) -> str:
    """Cut a line at MAX_LINE_LENGTH before the last word, which may be half of a secret."""
    if len(line) <= MAX_LINE_LENGTH:
        return line
    head, space, _ = line[:MAX_LINE_LENGTH].rpartition(" ")
    return f"{head}{space}…"


class _MaskCounter:
    """Counts the matches that are replaced."""

    def __init__(self) -> None:
        self.total = 0

    def count(self, match: re.Match[str], replaced: str) -> str:
        self.total += replaced != match.group()
        return replaced


def _mask_all(_: re.Match[str]) -> str:
    return MASK


def _mask_secret_group(match: re.Match[str]) -> str:
    """Mask the group `secret` of a match and keep the text around it."""
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
    """Return whether a value is a password: any in quotes; unquoted, none that is a name, call, type or prose."""
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
    """Return whether a value is an expression of code: `next_token(…`, `settings.token`, `keys[…`."""
    match = _CODE_IDENTIFIER.match(bare)
    return match is not None and match["after"] in ("(", "[", ".", "::", "->")


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
