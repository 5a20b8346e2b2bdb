"""Two hundred secrets in commands, outputs and settings: each a text, and the part that must not be stored.

They are made up by a fixed seed, in the providers' documented forms.
"""

from __future__ import annotations

import base64
import json
import random
import string
from dataclasses import dataclass
from functools import partial

_LOWER, _UPPER, _DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
_ALNUM, _HEX, _URL = _LOWER + _UPPER + _DIGITS, "0123456789abcdef", _LOWER + _UPPER + _DIGITS + "-_"


@dataclass(frozen=True, slots=True)
class Planted:
    """A text with a secret in it."""

    text: str
    secret: str


class _SecretFactory:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def some(self, alphabet: str, count: int) -> str:
        """Random characters; of mixed alphabets one of each kind at least."""
        made = [self._random.choice(alphabet) for _ in range(count)]
        kinds = [kind for kind in (_LOWER, _UPPER, _DIGITS) if set(kind) <= set(alphabet)]
        for place, kind in enumerate(kinds if count > len(kinds) else (), 1):
            made[place * (count - 1) // (len(kinds) + 1)] = self._random.choice(kind)
        return "".join(made)

    def url(self, count: int) -> str:
        """Random characters of base 64 as URLs have it; the last is a letter, so that the secret ends there."""
        return self.some(_URL, count - 1) + "x"

    def word(self) -> str:
        """Return a password as people choose them: a few letters and a digit."""
        return f"{self.some(_LOWER, 6)}{self.some(_DIGITS, 2)}"


def _tokens(make: _SecretFactory) -> list[str]:
    a, h, u = partial(make.some, _ALNUM), partial(make.some, _HEX), make.url
    up = partial(make.some, _UPPER + _DIGITS)
    jwt = ".".join(
        base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
        for part in ({"alg": "HS256", "typ": "JWT"}, {"sub": a(8), "iat": 1700000000})
    )
    return [
        *(f"{prefix}{up(16)}" for prefix in ("AKIA", "ASIA", "AROA", "ABIA")),
        f"AIza{u(35)}", f"GOCSPX-{u(28)}", f"ya29.{u(60)}", f"1//0{u(40)}", f"{a(3)}8Q~{a(34)}", f"LTAI{a(20)}",
        f"AKID{a(32)}", f"AQVN{u(36)}", f"dop_v1_{h(64)}", f"doo_v1_{h(64)}", f"HRKU-{u(36)}",
        f"v1.0-{h(24)}-{h(146)}", f"nfp_{a(36)}", f"fo1_{u(43)}", f"dapi{h(32)}", f"pscale_tkn_{u(43)}",
        f"sbp_{h(40)}", f"sb_secret_{u(31)}", f"{a(14)}.atlasv1.{u(64)}", f"hvs.{u(90)}", f"hvb.{u(60)}",
        f"s.{a(24)}", f"pul-{h(40)}", f"dp.pt.{a(43)}", f"dp.st.{a(43)}",
        *(f"gh{kind}_{a(36)}" for kind in "pousr"),
        f"github_pat_{a(22)}_{a(59)}", f"glpat-{u(20)}", f"gldt-{u(20)}", f"glrt-{u(20)}", f"glptt-{h(40)}",
        f"ATATT3{u(180)}", f"ATBB{a(32)}", f"npm_{a(36)}", f"pypi-AgEIcHlwaS5vcmc{u(120)}",
        f"pypi-AgENdGVzdC5weXBpLm9yZ{u(120)}", f"rubygems_{h(48)}", f"cio{a(32)}",
        f"oy2{make.some(_LOWER + _DIGITS, 43)}", f"dckr_pat_{u(27)}", f"AKC{a(69)}", f"cmVmd{a(59)}",
        f"sntrys_{a(80)}", f"sntryu_{h(64)}", f"glsa_{a(32)}_{h(8)}", f"glc_{a(60)}", f"NRAK-{up(27)}",
        f"PMAK-{h(24)}-{h(34)}", f"figd_{u(43)}", f"lin_api_{a(40)}", f"secret_{a(43)}", f"ntn_{a(46)}",
        f"pat{a(14)}.{h(64)}", f"CFPAT-{u(43)}", f"pnu_{make.some(_LOWER + _DIGITS, 36)}",
        f"rdme_{make.some(_LOWER + _DIGITS, 70)}",
        f"sk-ant-api03-{u(93)}", f"sk-{a(48)}", f"sk-proj-{u(100)}", f"sk-svcacct-{u(80)}", f"sk-or-v1-{h(64)}",
        f"hf_{a(34)}", f"gsk_{a(52)}", f"xai-{a(80)}", f"r8_{a(37)}", f"pplx-{a(48)}",
        f"sk_live_{a(24)}", f"sk_test_{a(99)}", f"rk_live_{a(24)}", f"pk_live_{a(24)}", f"whsec_{a(32)}",
        f"sq0atp-{u(22)}", f"sq0csp-{u(43)}", f"EAAA{u(60)}", f"access_token$production${h(16)}${h(32)}",
        f"shpat_{h(32)}", f"shpss_{h(32)}", f"shippo_live_{h(40)}", f"FLWSECK_TEST-{a(32)}", f"EZAK{a(54)}",
        f"SG.{u(22)}.{u(43)}", f"SK{h(32)}", f"key-{a(32)}", f"{h(32)}-us14", f"xkeysib-{h(64)}-{a(16)}",
        *(f"xox{kind}-{make.some(_DIGITS, 12)}-{a(24)}" for kind in "abprs"),
        f"xapp-1-{up(11)}-{make.some(_DIGITS, 13)}-{h(64)}", f"M{a(25)}.{u(6)}.{u(38)}",
        f"{make.some(_DIGITS, 10)}:AA{u(33)}", f"EAA{a(180)}", f"sl.{u(130)}",
        f"{jwt}.{u(43)}", f"AGE-SECRET-KEY-1{up(58)}", f"$2b$12${a(53)}",
        f"$argon2id$v=19$m=65536,t=3,p=4${a(22)}${a(43)}", f"$6${a(16)}${a(86)}",
    ]  # fmt: skip


def _named(make: _SecretFactory) -> list[Planted]:
    """Secrets that only the words around them tell."""
    word, a, h = make.word, partial(make.some, _ALNUM), partial(make.some, _HEX)
    forms = [
        ("password={}", word), ("PASSWORD={}", word), ("DB_PASSWORD={}", word), ("export PGPASSWORD={}", word),
        ("MYSQL_ROOT_PASSWORD: {}", word), ("db.password = {}", word), ("spring.datasource.password={}", word),
        ('password = "{}"', word), ("passwd: '{}'", word), ('"password": "{}"', word), ('{{"pwd":"{}"}}', word),
        ("passphrase: {}", word), ("the password is {}", word), ("--password {}", word), ("--password={}", word),
        ("--db-password '{}'", word), ("admin_pass={}", word), ("user.dbPassword={}", word),
        ("API_KEY={}", lambda: a(32)), ('api_key: "{}"', lambda: a(24)), ("X-Api-Key: {}", lambda: h(40)),
        ("apiKey={}", lambda: a(20)), ("access_token={}", lambda: a(40)), ('"refresh_token":"{}"', lambda: a(40)),
        ("client_secret={}", lambda: a(32)), ("clientSecret: '{}'", lambda: a(32)),
        ("SECRET_KEY = '{}'", lambda: a(50)),
        ("DJANGO_SECRET_KEY={}", lambda: a(50)), ("aws_secret_access_key = {}", lambda: a(40)),
        ("AWS_SECRET_ACCESS_KEY={}", lambda: a(40)), ("aws_session_token={}", lambda: a(200)),
        ("aws configure set aws_secret_access_key {}", lambda: a(40)), ("AccountKey={}", lambda: a(86) + "=="),
        ("AZURE_STORAGE_KEY={}", lambda: a(86) + "=="), ("CLOUDFLARE_API_TOKEN={}", lambda: a(40)),
        ("DATADOG_API_KEY={}", lambda: h(32)), ("VAULT_TOKEN={}", lambda: a(26)), ("--token {}", lambda: a(40)),
        ("--api-key {}", lambda: a(32)), ("--client-secret {}", lambda: a(32)), ("NPM_TOKEN={}", lambda: h(36)),
        ("signing_key: {}", lambda: h(64)), ("encryption-key={}", lambda: h(64)), ("private_key_id: {}", lambda: h(40)),
        ("Authorization: Bearer {}", lambda: a(40)), ("authorization: token {}", lambda: h(40)),
        ('-H "Authorization: Basic {}"', lambda: a(24) + "=="), ("'Authorization': 'Bearer {}'", lambda: a(32)),
        ("Proxy-Authorization: Basic {}", lambda: a(20) + "="), ("bearer {}", lambda: a(30)),
        ("Cookie: session={}; theme=dark", lambda: a(32)), ("Set-Cookie: sid={}; HttpOnly", lambda: h(32)),
        ("postgres://app:{}@db.internal:5432/shop", word), ("mysql://root:{}@localhost/x", word),
        ("mongodb+srv://u:{}@cluster0.example.net/test", word), ("redis://:{}@cache:6379/0", word),
        ("amqp://guest:{}@mq/", word), ("https://ada:{}@example.invalid/repo.git", word),
        ("git clone https://oauth2:{}@git.example.invalid/a.git", lambda: a(26)),
        ("https://{}@git.example.invalid/a.git", lambda: a(40)),
        ("https://x.example.invalid/cb?access_token={}&state=1", lambda: a(32)),
        ("https://s.example.invalid/f?sv=2024&sig={}", lambda: a(44)),
        ("https://s.example.invalid/f?X-Amz-Signature={}", lambda: h(64)),
        ("https://hooks.slack.com/services/{}", lambda: f"T{a(8)}/B{a(8)}/{a(24)}"),
        ("https://discord.com/api/webhooks/{}", lambda: f"{make.some(_DIGITS, 18)}/{a(68)}"),
        ("mysql -u root -p{} shop", word), ("mysqldump -h db -uapp -p{} shop > x.sql", word),
        ("curl -u ada:{} https://example.invalid", word), ("curl --user ada:{} https://example.invalid", word),
        ("sshpass -p {} ssh ada@host", word), ("docker login -u ada -p {}", word), ("redis-cli -a {} ping", word),
        ("openssl rsa -in k -passin pass:{}", word), ("htpasswd -b users ada {}", word),
        ("machine example.invalid login ada password {}", word), ("CREATE USER a IDENTIFIED BY '{}'", word),
        ("ALTER ROLE ada PASSWORD '{}'", word), ("<password>{}</password>", word),
        ("<apiKey>{}</apiKey>", lambda: a(32)),
        ("os.environ['API_TOKEN'] = '{}'", lambda: a(32)), ('config["secret"] = "{}"', word),
        ("got {} from the vault", lambda: a(48)), ("\x1b[31mtoken={}\x1b[0m", lambda: a(30)),
        ("connect(host='x', password='{}')", word), ('{{\\"password\\": \\"{}\\"}}', word),
    ]  # fmt: skip
    made = [(form, value()) for form, value in forms]
    return [Planted(form.format(value), value) for form, value in made]


def _keys(make: _SecretFactory) -> list[Planted]:
    planted: list[Planted] = []
    for kind in ("RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK"):
        for end in (f"\n-----END {kind}-----", ""):
            lines = [make.some(_ALNUM, 64) for _ in range(4)]
            planted.append(Planted("\n".join([f"-----BEGIN {kind}-----", *lines]) + end, lines[2]))
    escaped = make.some(_ALNUM, 64)
    pem = f'"private_key": "-----BEGIN PRIVATE KEY-----\\n{escaped}\\n-----END PRIVATE KEY-----\\n"'
    return [*planted, Planted(pem, escaped)]


def planted_secrets() -> list[Planted]:
    """Return all secrets, each different."""
    make = _SecretFactory(20261121)
    tokens = [Planted(f"error: {token} was refused", token) for token in _tokens(make)]
    return [*tokens, *_named(make), *_keys(make)]
