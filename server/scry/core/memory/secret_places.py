"""Places where a secret stands without a form of its own: arguments of commands, headers, cookies, URLs and prompts.

A pattern's group `secret` is masked, the text around it stays. Every repetition that a failure can follow has an upper
limit, so that a text takes time by its length alone.
"""

from __future__ import annotations

import re

from msgspec import Struct


class SecretPlace(Struct, frozen=True):
    """A place of a secret. hints: words in small letters of which a text holds one, or else is not searched."""

    hints: tuple[str, ...]
    pattern: re.Pattern[str]


_REST_OF_COMMAND = r"\b[^\n|;&]{0,400}?\s"
_WORD = r"[\"']?(?P<secret>[^\s\"'|;&<>]+)"


def _command(names: str, option: str, value: str = _WORD) -> SecretPlace:
    """Return the place of an option's value. names: of the commands, separated by a space; `_` stands for a space."""
    listed = tuple(name.replace("_", " ") for name in names.split())
    either = "|".join(re.escape(name).replace(r"\ ", r"\s{1,4}") for name in listed)
    hints = tuple(name.split()[0] for name in listed)
    return SecretPlace(hints, re.compile(rf"\b(?:{either})(?:\.exe)?{_REST_OF_COMMAND}{option}{value}"))


COMMANDS: tuple[SecretPlace, ...] = (
    _command("mysql mysqldump mysqladmin mysqlimport mariadb mariadb-dump", "-p", r"(?P<secret>[^\s\"'-][^\s\"']*)"),
    _command("mysql mysqldump mysqladmin mysqlimport mariadb mariadb-dump", "-p[\"']", r"(?P<secret>[^\s\"']+)"),
    SecretPlace(
        ("curl", "wget", "http", "xh", "ab "),
        re.compile(
            rf"\b(?:curl|wget|http|https|xh|ab){_REST_OF_COMMAND}"
            r"(?:-u|--user|-a|--auth|-U|--proxy-user)[ =]?[\"']?[^\s:\"']{0,200}:(?P<secret>[^\s\"']+)"
        ),
    ),
    _command(
        "sshpass docker_login podman_login az_login helm_registry_login oc_login buildah_login skopeo_login", r"-p\s?"
    ),
    _command("smbmap crackmapexec nxc netexec evil-winrm mongo mongosh mongodump mongorestore psexec hydra", r"-p\s"),
    _command("sqlcmd bcp isql ipmitool mosquitto_pub mosquitto_sub unzip zip zipcloak", r"-P\s?"),
    SecretPlace(("mosquitto_",), re.compile(rf"\bmosquitto_(?:pub|sub|rr){_REST_OF_COMMAND}-P\s{_WORD}")),
    _command("7z 7za 7zr 7zz rar unrar", "-(?:p|hp)"),
    _command("plink pscp psftp", r"-pw\s"),
    _command("ldapsearch ldapmodify ldapadd ldapdelete ldapwhoami ldappasswd ldapcompare", r"-[wsa]\s?"),
    _command("smbclient rpcclient smbget smbcacls smbtree winexe", r"(?:-U|--user)[ =]?[\"']?[^\s%\"']{1,200}%"),
    _command("net", r"-U[ =]?[\"']?[^\s%\"']{1,200}%"),
    _command(
        "snmpwalk snmpget snmpset snmpbulkwalk snmpbulkget snmpgetnext snmptable snmptrap snmpstatus", r"-[cAX]\s?"
    ),
    _command("openssl", r"-(?:k|K)\s"),
    _command("openssl_passwd mkpasswd", r"(?:-(?!salt)[\w-]{1,20}\s){0,4}", r"(?!-)[\"']?(?P<secret>[^\s\"'|;&<>]+)"),
    _command(
        "openssl pkcs12 keytool jarsigner",
        r"-(?:pass(?:in|out)?|storepass|keypass|deststorepass|srcstorepass)\s(?!pass:|env:|file:|stdin)",
    ),
    SecretPlace(("pass:",), re.compile(r"-(?:pass(?:in|out)?|passwd)\s{1,4}[\"']?pass:(?P<secret>[^\s\"']+)")),
    SecretPlace(
        ("htpasswd",), re.compile(r"\bhtpasswd\s{1,4}-\w{0,8}b\w{0,8}\s{1,4}\S{1,200}\s{1,4}\S{1,200}\s{1,4}" + _WORD)
    ),
    _command("redis-cli", r"-a\s"),
    SecretPlace(
        ("rabbitmqctl",),
        re.compile(
            r"\brabbitmqctl\s{1,4}(?:add_user|change_password|authenticate_user)\s{1,4}\S{1,200}\s{1,4}" + _WORD
        ),
    ),
    SecretPlace(("wpa_passphrase",), re.compile(r"\bwpa_passphrase\s{1,4}\S{1,200}\s{1,4}" + _WORD)),
    SecretPlace(("nmcli",), re.compile(rf"\bnmcli{_REST_OF_COMMAND}(?:password|[\w-]{{0,20}}\.psk)\s{{1,4}}{_WORD}")),
    SecretPlace(
        ("net user",),
        re.compile(r"\bnet\s{1,4}user\s{1,4}\S{1,200}\s{1,4}(?!/)(?P<secret>[^\s\"'|;&<>]+)", re.IGNORECASE),
    ),
    SecretPlace(
        ("net use",),
        re.compile(
            r"\bnet\s{1,4}use\s[^\n|;&]{0,200}?\\\\\S{1,200}\s{1,4}(?![/*])(?P<secret>[^\s\"'|;&<>]+)(?=\s+/user:)",
            re.IGNORECASE,
        ),
    ),
    SecretPlace(
        ("/pass", "/p:", "/rp"),
        re.compile(r"(?<=\s)/(?:pass(?:word)?|p|rp)[: ](?P<secret>[^\s\"'|;&<>/]{4,})(?=\s|$)", re.IGNORECASE),
    ),
    _command("security", r"-w\s"),
    _command("useradd usermod", r"(?:-p|--password)\s"),
    _command("svn ansible-vault gpg", r"--passphrase[ =]"),
    SecretPlace(
        ("securestring",),
        re.compile(
            r"\bConvertTo-SecureString\s[^\n|;]{0,40}?(?:-String\s{1,4})?[\"'](?P<secret>[^\"'\n]+)", re.IGNORECASE
        ),
    ),
    SecretPlace(
        ("securestring",),
        re.compile(
            r"\bConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?(?P<secret>(?![-$(\"'])[^\s\"'|;&<>]+)", re.IGNORECASE
        ),
    ),
    SecretPlace(
        ("networkcredential", "pscredential"),
        re.compile(
            r"Credential\(\s{0,4}[\"'][^\"'\n]{0,200}[\"']\s{0,4},\s{0,4}[\"'](?P<secret>[^\"'\n]+)", re.IGNORECASE
        ),
    ),
    SecretPlace(
        ("set ",),
        re.compile(
            r"\bset\s{1,4}(?:-{1,2}[\w-]{1,12}\s{1,4}){0,4}[\w.]{0,60}(?:secret|token|passw(?:or)?d|key|pwd)[\w.]{0,40}\s{1,4}"
            r"[\"']?(?P<secret>[^\s\"'=]{6,})",
            re.IGNORECASE,
        ),
    ),
    SecretPlace(
        ("_auth",), re.compile(r":_(?:authToken|auth|password)(?:\s{1,4}|\s{0,4}=\s{0,4})[\"']?(?P<secret>[^\s\"']+)")
    ),
    SecretPlace(("from-literal",), re.compile(r"--from-literal[= ][\"']?[\w.-]{1,100}=(?P<secret>[^\s\"']+)")),
    SecretPlace(("secret set",), re.compile(r"\bsecret\s{1,4}set\s[^\n|;&]{0,200}?(?:-b|--body)[ =]" + _WORD)),
    SecretPlace(
        ("secrets set", "config:set"),
        re.compile(r"\b(?:secrets\s{1,4}set|config:set)\s[^\n|;&]{0,200}?\b[A-Z][A-Z0-9_]{1,60}=" + _WORD),
    ),
    SecretPlace(("vault kv put",), re.compile(r"\bvault\s{1,4}kv\s{1,4}put\s[^\n|;&]{0,200}?\s[\w.-]{1,60}=" + _WORD)),
    SecretPlace(
        ("vault login",), re.compile(r"\bvault\s{1,4}login\s{1,4}(?!-)(?:token=)?(?P<secret>[^\s\"'=|;&<>]+)(?=\s|$)")
    ),
    SecretPlace(
        ("sqlplus", "exp ", "imp ", "expdp", "impdp", "sqlldr"),
        re.compile(
            r"\b(?:sqlplus|expdp?|impdp?|sqlldr|rman)\s[^\n|;&]{0,60}?\b[A-Za-z]\w{0,60}/(?P<secret>[^\s\"'/@|;&<>]+)@"
        ),
    ),
    SecretPlace(
        ("machine",),
        re.compile(r"\bmachine\s{1,4}\S{1,200}\s{1,4}login\s{1,4}\S{1,200}\s{1,4}password\s{1,4}(?P<secret>\S+)"),
    ),
    SecretPlace(
        ("identified",),
        re.compile(
            r"\bIDENTIFIED\s{1,4}(?:WITH\s{1,4}\S{1,100}\s{1,4})?BY\s{1,4}(?:PASSWORD\s{1,4})?[\"'](?P<secret>[^\"'\n]+)",
            re.IGNORECASE,
        ),
    ),
    SecretPlace(
        ("identified",),
        re.compile(
            r"\b(?:user|role)\s{1,4}\S{1,100}\s{1,4}identified\s{1,4}by\s{1,4}(?P<secret>(?![\"'<])[^\s\"';]+)",
            re.IGNORECASE,
        ),
    ),
    SecretPlace(("password",), re.compile(r"\bPASSWORD\s{1,4}[\"'](?P<secret>[^\"'\n]+)", re.IGNORECASE)),
    SecretPlace(("password",), re.compile(r"\bPASSWORD\s?\(\s?[\"'](?P<secret>[^\"'\n]+)[\"']\s?\)")),
    SecretPlace(
        ("password",), re.compile(r"\b(?:set|with|use)_?password\(\s?[\"'](?P<secret>[^\"'\n]+)[\"']", re.IGNORECASE)
    ),
    SecretPlace(
        ("snmp-server", "community"),
        re.compile(
            r"\b(?:snmp-server\s{1,4}community|rocommunity6?|rwcommunity6?|com2sec\s{1,4}\S{1,60}\s{1,4}\S{1,60})\s{1,4}"
            + _WORD
        ),
    ),
    SecretPlace(
        ("enable secret", "password 7", "secret 5"),
        re.compile(r"\b(?:enable\s{1,4}secret|password|secret)\s{1,4}(?:\d\s{1,4})(?P<secret>[^\s\"']{4,})"),
    ),
    _command("ncftp cqlsh couchbase-cli beeline hydra vsql nzsql", r"-p\s"),
    _command("ssh-keygen", r"-(?:N|P)\s"),
    _command("openssl", r"-hmac\s"),
    _command("pdftk", r"(?:user_pw|owner_pw|input_pw)\s"),
    _command("qpdf", r"--encrypt\s"),
    _command("lftp", r"-u\s[^\s,]{1,100},"),
    SecretPlace(
        ("htpasswd",), re.compile(r"\bhtpasswd\s{1,4}-(?=\w{0,8}n)\w{0,8}b\w{0,8}\s{1,4}\S{1,200}\s{1,4}" + _WORD)
    ),
    SecretPlace(
        ("impacket", "exec.py", "secretsdump", "getst.py"),
        re.compile(
            r"\b(?:impacket-\w{1,40}|(?:\w{1,20}exec|secretsdump|get\w{1,20}|lookupsid|mssqlclient)\.py)\s[^\n|;&]{0,200}?"
            r"(?<=[\s/])[^\s:/@]{1,100}:(?P<secret>[^\s@]{1,200})(?=@)",
            re.IGNORECASE,
        ),
    ),
    SecretPlace(("rclone",), re.compile(r"\brclone\s[^\n|;&]{0,300}?\spass\s" + _WORD)),
    SecretPlace(
        ("mc alias", "mc config"),
        re.compile(r"\bmc\s{1,4}(?:alias|config\s{1,4}host)\s{1,4}\w{1,10}\s{1,4}(?:\S{1,200}\s{1,4}){3}" + _WORD),
    ),
    SecretPlace(
        ("setx",),
        re.compile(r"\bsetx\s{1,4}\w{0,60}(?:secret|token|passw(?:or)?d|key|pwd)\w{0,40}\s{1,4}" + _WORD, re.I),
    ),
    SecretPlace(
        ("auth", "login", "_bind", "_connect"),
        re.compile(
            r"(?:basic_?auth|digest_?auth|login|ldap_bind|mysqli_connect|auth\s?=\s?)\([^()\n]{0,200}?[\"'],\s?"
            r"[\"'](?P<secret>[^\"'\n]+)[\"']",
            re.IGNORECASE,
        ),
    ),
    SecretPlace((".auth(",), re.compile(r"\.auth\(\s?[\"'](?P<secret>[^\"'\n]+)[\"']\s?\)")),
    SecretPlace(
        ("type=",), re.compile(r"type=[\"']?password[\"']?\s[^<>\n]{0,200}?value=[\"'](?P<secret>[^\"'\n]+)", re.I)
    ),
    SecretPlace(
        ("requirepass", "masterauth", "pre-shared-key", "isakmp key", "wep key", " key s:"),
        re.compile(
            r"\b(?:requirepass|masterauth|pre-shared-key|isakmp\s{1,4}key|wep\s{1,4}key|key\s{1,4}s:)\s{0,4}(?:\d\s{1,4})?"
            + _WORD,
            re.IGNORECASE,
        ),
    ),
    SecretPlace(
        ("secret", "psk", "passphrase"),
        re.compile(r"\b(?:secret|psk|passphrase)\s[\"'](?P<secret>[^\"'\s]+)[\"']", re.IGNORECASE),
    ),
    SecretPlace(
        ("passw", "passphrase", "pre-shared"),
        re.compile(
            r"\b(?:password|passwd|passphrase|passwort)[ \t](?P<secret>(?=[^\s\"']{0,100}\d)(?=[^\s\"']{0,100}[a-z])"
            r"(?![\w.-]{0,100}[(\[:=/])[^\s\"'`,;:()]{6,})(?=\s|$)",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
)
"""Commands and statements whose arguments are secrets without a name beside them."""

_READS_PASSWORD = (
    r"(?:sudo\s[^\n|;&]{0,80}?-\w{0,8}S|passwd\s[^\n|;&]{0,40}--stdin|chpasswd"
    r"|[^\n|;&]{0,200}?--(?:password|passphrase|token|pass)(?:-stdin|-fd)|gh\s{1,4}auth\s{1,4}login|cryptsetup\b|kinit\b|su\s|[^\n|;&]{0,200}?-pass(?:in)?\s{1,4}stdin|vncpasswd\s{1,4}-f)"
)
_ECHO = r"\b(?:echo|printf)\s{1,4}(?:-\w{1,4}\s{1,4}|[\"']%s(?:\\n)?[\"']\s{1,4}){0,2}"
PIPED: tuple[SecretPlace, ...] = (
    SecretPlace(("|",), re.compile(rf"{_ECHO}\"(?P<secret>[^\"\n]{{1,200}})\"\s{{0,4}}\|\s{{0,4}}{_READS_PASSWORD}")),
    SecretPlace(("|",), re.compile(rf"{_ECHO}'(?P<secret>[^'\n]{{1,200}})'\s{{0,4}}\|\s{{0,4}}{_READS_PASSWORD}")),
    SecretPlace(("|",), re.compile(rf"{_ECHO}(?P<secret>[^\s\"'|;&<>]{{1,200}})\s{{0,4}}\|\s{{0,4}}{_READS_PASSWORD}")),
    SecretPlace(("<<<",), re.compile(rf"\b{_READS_PASSWORD}[^\n|;&]{{0,80}}?<<<\s{{0,4}}[\"']?(?P<secret>[^\s\"']+)")),
)
"""Secrets that a shell hands to a command on its standard input."""

PROMPT = SecretPlace(
    ("pass", "pin", "token", "secret"),
    re.compile(
        r"^(?P<prompt>[^\n:=]{0,60}?\b(?:password|passphrase|passcode|passwd|pin|token|secret)(?:\s[^\n:]{0,80})?:)"
        r"[ \t]{0,8}\r?\n"
        r"[ \t]{0,8}(?P<secret>(?![-#*\[{<\"'])[^\s:=(){}]{4,}|[^\s]{4,}[!@$%^&*+?][^\s]{0,80})[ \t]{0,8}(?=\r?\n|\Z)",
        re.IGNORECASE | re.MULTILINE,
    ),
)
"""A prompt alone on its line, and the answer on the next one."""

_HEADER_VALUE = (
    r"(?P<secret>(?=[^\s\"'\\]{0,60}[\d=+/._-]|[^\s\"'\\]{16})[^\s\"'\\,()]{6,}"
    r"(?:,?\s{0,4}\w{1,40}=[^\s\"'\\]{1,400}){0,12})"
)
HEADERS: tuple[SecretPlace, ...] = (
    SecretPlace(
        ("authorization",),
        re.compile(
            r"(?P<name>\b(?:proxy-)?authorization\b\\?[\"']?\s{0,4}[:=]\s{0,4}(?:\\?[\"'])?)(?P<scheme>[A-Za-z][\w-]{0,40}\s{1,4})?"
            + _HEADER_VALUE,
            re.IGNORECASE,
        ),
    ),
    SecretPlace(
        ("cookie",),
        re.compile(
            r"(?P<name>\b(?:set-)?cookie\b\\?[\"']?\s{0,4}:\s{0,4}\\?[\"']?)(?P<secret>[\w.$-]{1,100}=[^\n\"']+)",
            re.IGNORECASE,
        ),
    ),
    SecretPlace(
        ("bearer", "basic", "token", "apikey"),
        re.compile(
            r"(?P<scheme>\b(?:bearer|basic|token|apikey)\s{1,4})"
            r"(?P<secret>(?=[A-Za-z0-9._~+/-]{0,200}[\d=])[A-Za-z0-9._~+/-]{12,}={0,2})",
            re.IGNORECASE,
        ),
    ),
)
"""Headers and cookies of HTTP."""

WEBHOOK_PLACE = SecretPlace(
    ("https://",),
    re.compile(
        r"https://(?:hooks\.slack\.com/(?:services|workflows|triggers)/|(?:\w{1,40}\.)?discord(?:app)?\.com/api/webhooks/"
        r"|[\w.-]{1,100}\.webhook\.office\.com/webhookb2/|chat\.googleapis\.com/v1/spaces/)(?P<secret>[^\s\"'<>]+)"
    ),
)
"""Addresses of webhooks: anybody who knows one may post."""

_SCHEME = r"(?<![A-Za-z0-9])[a-z][a-z0-9+.-]{1,20}://"
URLS: tuple[SecretPlace, ...] = (
    SecretPlace(
        ("://",),
        re.compile(
            rf"(?P<before>{_SCHEME}[^\s/?#:@\[\"'<>]{{0,200}}:)(?P<secret>[^\s/?#\"'<>]{{1,400}})(?=@[^\s@])",
            re.IGNORECASE,
        ),
    ),
    SecretPlace(
        ("://",),
        re.compile(
            rf"(?P<before>{_SCHEME}[^\s/?#:@\[\"'<>]{{0,200}}:)(?P<secret>(?!\d{{1,5}}[/?#])[^\s\"'<>@]{{1,400}})"
            r"(?=@[A-Za-z0-9.-]{1,200}(?:[:/?]|\s|[\"'<>]|$))",
            re.IGNORECASE,
        ),
    ),
    SecretPlace(
        ("jdbc:",),
        re.compile(
            r"(?P<before>\bjdbc:[\w:]{1,60}:[^\s/@:\"']{1,100}/)(?P<secret>[^\s@/\"']{1,200})(?=@)", re.IGNORECASE
        ),
    ),
)
"""Passwords in addresses. A password with a slash is one where no port can stand."""

URL_PARTS: tuple[SecretPlace, ...] = (
    SecretPlace(
        ("://",),
        re.compile(
            rf"(?P<before>{_SCHEME})(?P<secret>(?=[^\s/@]{{0,200}}\d)[A-Za-z0-9_.~%-]{{20,400}})(?=@)", re.IGNORECASE
        ),
    ),
    SecretPlace(
        ("=",),
        re.compile(
            r"(?P<before>[?&;](?:[\w-]{0,40}(?:token|secret|password|passwd|pwd|api_?key|apikey|signature|credential)|sig|auth"
            r"|code|key|pass)=)(?P<secret>[^&\s#\"'<>]{6,})",
            re.IGNORECASE,
        ),
    ),
)

XML_ELEMENT = SecretPlace(
    ("</",),
    re.compile(
        r"<(?P<name>[\w.:-]{0,40}(?:password|passwd|passphrase|secret|token|api-?key)[\w.-]{0,40})(?:\s[^<>]{0,200})?>"
        r"(?P<secret>[^<>]{1,4096})(?=</)",
        re.IGNORECASE,
    ),
)

_OPTION_NAME = (
    r"(?!no-)(?:[a-z0-9]{1,30}-){0,6}(?:pass(?:word|wd|phrase)?|pwd|secret|token|api-?key|access-key|auth|private-key"
    r"|secret-key|client-secret|pat|psk)[ \t]{1,4}"
)
_NO_PROSE = r"(?!(?:is|was|are|must|may|can|will|should|has|or|and|to|for|in|if|not|option|flag|argument)\b)"
OPTIONS: tuple[SecretPlace, ...] = (
    SecretPlace(
        ("--",),
        re.compile(rf"(?<!\S)--{_OPTION_NAME}[\"']?(?P<secret>(?![-=:|&<>(]){_NO_PROSE}[^\s\"']+)", re.IGNORECASE),
    ),
    SecretPlace(
        ("-",),
        re.compile(
            rf"(?<!\S)-[ ]?{_OPTION_NAME}(?:(?=[^\s\"']{{0,60}}\d)|[\"'])(?P<secret>(?![-=:|&<>(\"'])[^\s\"']+)",
            re.IGNORECASE,
        ),
    ),
)
"""`--password x`: with a space, for with an equals sign it is an assignment."""
