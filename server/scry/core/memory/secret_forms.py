"""Forms by which a secret is recognized without the words around it: a provider's documented prefix and alphabet.

A form has the shortest length in use; a form without a prefix is listed only where its shape is unmistakable. Every
repetition that a failure can follow has an upper limit, so that a text takes time by its length alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN_START, _TOKEN_END = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"

_CLOUDS = (
    r"(?:A3T[A-Z0-9]|AKIA|ASIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{16}",  # AWS
    r"ABSK[A-Za-z0-9+/]{60,}={0,2}",  # AWS Bedrock
    r"AIza[0-9A-Za-z_-]{35}",  # Google
    r"AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{60,200}",  # Firebase
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
    r"s\.(?=[A-Za-z0-9]{0,23}\d)(?=[A-Za-z0-9]{0,23}[A-Z])[A-Za-z0-9]{24}",
    r"pul-[a-f0-9]{40}",  # Pulumi
    r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,}",  # Doppler
    r"ops_eyJ[A-Za-z0-9+/=_-]{50,}",  # 1Password
    r"A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}-[A-Z0-9]{5}-[A-Z0-9]{5}(?:-[A-Z0-9]{5}){1,2}",
    r"sha256~[A-Za-z0-9_-]{43}",  # OpenShift
    r"tk-us-[A-Za-z0-9_-]{48}",  # Scalingo
    r"ico-[A-Za-z0-9]{32}",  # Infracost
    r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}",  # Dynatrace
    r"API-[A-Z0-9]{25,}",  # Octopus Deploy
    r"sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}",  # Sourcegraph
    r"p8e-[A-Za-z0-9]{32}",  # Adobe
    r"p\.eyJ[A-Za-z0-9+/=_-]{40,}",  # Tinybird
    r"dnkey-[a-z0-9=_-]{26}-[a-z0-9=_-]{52}",
    r"nvapi-[A-Za-z0-9_-]{60,}",  # NVIDIA
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
    r"AKC[A-Za-z0-9]{50,}",  # Artifactory
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
    r"api\.softlayer\.com/soap/v3(?:\.1)?/[a-z0-9]{64}",
    r"rdme_[a-z0-9]{70}",  # ReadMe
    r"CLOJARS_[a-z0-9]{60}",
    r"phc_[A-Za-z0-9]{40,}|phx_[A-Za-z0-9]{40,}",  # PostHog
    r"sm_(?:live|test)_[A-Za-z0-9]{32,}",
    r"tfp_[A-Za-z0-9_.=-]{50,}",  # Typeform
    r"fio-u-[A-Za-z0-9_=-]{60,}",  # Frame.io
    r"ntfy?_?tk_[A-Za-z0-9]{29,}|tk_[a-z0-9]{29}",  # ntfy
    r"snyk_(?:uat|sat)\.[a-z0-9]{8}\.[A-Za-z0-9_-]{60,}",
    r"(?:sk|pk|tk)\.eyJ[A-Za-z0-9_-]{20,400}\.[A-Za-z0-9_-]{20,}",  # Mapbox
    r"bkua_[a-z0-9]{40}",  # Buildkite
    r"cfut_[A-Za-z0-9_-]{40,}",
    r"hb(?:p|u)_[A-Za-z0-9]{36,}",
    r"tvly-[A-Za-z0-9-]{30,}",
)

_MODELS = (
    r"sk-ant-[A-Za-z0-9_-]{20,}",  # Anthropic
    r"sk-(?:proj-|svcacct-|admin-|or-v1-)?(?=[A-Za-z0-9_-]{0,60}\d)[A-Za-z0-9_-]{20,}",  # OpenAI, OpenRouter
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
    r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}",  # Brevo
    r"duffel_(?:test|live)_[A-Za-z0-9_=-]{43}",
    r"(?:live|test)_[a-f0-9]{35}|(?:live|test)_pub_[a-f0-9]{31}",  # Lob
    r"(?:live|sandbox)_[A-Za-z0-9_=-]{40}",  # GoCardless
    r"rzp_(?:live|test)_[A-Za-z0-9]{14,}",  # Razorpay
    r"access-(?:sandbox|development|production)-[0-9a-f-]{36}",  # Plaid
    r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}",  # Resend
    r"shpua_[a-fA-F0-9]{32}|shp[a-z]{2}_[a-fA-F0-9]{32}",
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
    r"eyJ[A-Za-z0-9_-]{8,600}(?:\.[A-Za-z0-9_-]*){2,4}",  # JSON Web Token
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

_KEY_END = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
PRIVATE_KEY_BLOCK = re.compile(
    rf"-----BEGIN [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:{_KEY_END}|\Z)"
    r"|^Private-Lines: {0,8}\d{1,6}\r?\n(?:[A-Za-z0-9+/=]{1,200}\r?\n?){1,400}",
    re.MULTILINE,
)
"""Private keys: PEM or PGP, also without their end, and PuTTY's own form."""

_KEY_END_LINE = re.compile(_KEY_END)
_LAST_KEY_LINE = re.compile(
    r"(?:\A|\\n|\n)[ \t]{0,40}(?P<line>[A-Za-z0-9+/=]{16,200})[ \t]{0,40}(?:\\n|\n)[ \t]{0,40}\Z"
)
_MAX_KEY_LINES, _MAX_KEY_LINE_LENGTH = 100, 330


def find_keys_without_beginning(text: str, _: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of private keys of which only the end is there."""
    for end in _KEY_END_LINE.finditer(text):
        start = end.start()
        for _line in range(_MAX_KEY_LINES):
            window = text[max(0, start - _MAX_KEY_LINE_LENGTH) : start]
            found = _LAST_KEY_LINE.search(window)
            if found is None:
                break
            start -= len(window) - found.start("line")
        if start < end.start():
            yield start, end.end()
