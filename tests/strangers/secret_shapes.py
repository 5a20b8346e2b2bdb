"""Shapes of secrets that commands, files and outputs hold, and harmless texts that look like them.

Each secret is made by a fixed seed, and no text of this file is one: a scanner of secrets finds nothing here.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from scry.core.memory import masking
from tests.planted_secrets import Planted

_LOWER, _UPPER, _DIGITS, _HEX = string.ascii_lowercase, string.ascii_uppercase, string.digits, "0123456789abcdef"
_ALNUM = _LOWER + _UPPER + _DIGITS

_random = random.Random(20)


def _some(alphabet: str, count: int) -> str:
    """Return random characters, among them a digit and a letter where the alphabet has both."""
    made = [_random.choice(alphabet) for _ in range(count)]
    for place, kind in ((count // 3, _DIGITS), (count // 2, _LOWER)):
        if set(kind) <= set(alphabet):
            made[place] = _random.choice(kind)
    return "".join(made)


def _word() -> str:
    """Return a password as people choose them."""
    return _some(_LOWER, 6) + _some(_DIGITS, 3)


def _letters() -> str:
    return _some(_LOWER, 9).translate(str.maketrans(_DIGITS, "abcdefghij"))


_hex64, _hex32, _hex40 = partial(_some, _HEX, 64), partial(_some, _HEX, 32), partial(_some, _HEX, 40)
_key = partial(_some, _ALNUM, 32)


def _with_slash() -> str:
    return f"{_some(_LOWER, 3)}/{_some(_LOWER, 2)}{_some(_DIGITS, 2)}"


def _full_width(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) for c in text)


_PLACES: tuple[tuple[str, Callable[[], str]], ...] = (
    # addresses
    ("jdbc:oracle:thin:scott/{}@//db.internal:1521/orcl", _word),
    ("jdbc:oracle:thin:app/{}@db:1521:xe", _word),
    ("jdbc:postgresql://db/shop?user=ada&password={}", _word),
    ("jdbc:sqlserver://db;databaseName=x;user=sa;password={};", _word),
    ("jdbc:mysql://root:{}@localhost/x", _word),
    ("postgres://a:{}@db/x", _with_slash),
    ("postgresql://ada:{}@10.0.0.2:5432/shop", _with_slash),
    ("amqps://svc:{}@mq.internal/vhost", _with_slash),
    ("redis://default:{}@cache:6379", _with_slash),
    ("ftp://ada:{}@files.example.invalid/a", _word),
    ("smb://ada:{}@nas/share", _word),
    ("sqlplus scott/{}@orcl", _word),
    ("expdp system/{}@db full=y", _word),
    ("//registry.example.invalid/:_authToken={}", _key),
    ("npm config set //registry.example.invalid/:_authToken {}", _key),
    # settings
    ("SECRET_KEY_BASE={}", _hex64),
    ("secret_key_base: {}", _hex64),
    ("RAILS_MASTER_KEY={}", _hex32),
    ("JWT_SECRET_CURRENT={}", _key),
    ("ENCRYPTION_KEY_BASE64={}", _key),
    ("api_key_prod = {}", _key),
    ("DB_PASSWORD_OLD={}", _word),
    ("password_2={}", _word),
    ('psk="{}"', _word),
    ("psk={}", _hex64),
    ("wpa_psk: {}", _word),
    ("  wifi-security.psk={}", _word),
    ('password: str = "{}"', _word),
    ('let password: String = "{}";', _word),
    ("const apiToken: string = '{}'", _key),
    ('char password[] = "{}";', _word),
    ('char password[32] = "{}";', _word),
    ("('password', '{}')", _word),
    ('"password", "{}"', _word),
    ("password ||= '{}'", _word),
    ('if password == "{}":', _word),
    ("if (token !== '{}') throw", _key),
    ('string password = @"{}";', _word),
    ('ds.setPassword("{}")', _word),
    ('builder.withPassword("{}")', _word),
    ("CREATE USER ada WITH PASSWORD '{}'", _word),
    ("ALTER USER 'ada'@'%' IDENTIFIED BY '{}'", _word),
    ("ALTER USER scott IDENTIFIED BY {};", _word),
    ("SET PASSWORD FOR 'ada' = PASSWORD('{}');", _word),
    ("ansible_become_pass: {}", _word),
    ("ansible_ssh_pass={}", _word),
    ('<add key="x" connectionString="Server=a;Pwd={};" />', _word),
    ("Server=db;Uid=ada;Pwd={};", _word),
    ('<property name="p"><password>{}</password></property>', _word),
    ("otp: {}", partial(_some, _DIGITS, 6)),
    ("snmp-server community {} RO", _word),
    ("rocommunity {} 10.0.0.0/8", _word),
    ("enable secret 5 {}", _key),
    # commands
    ("echo {} | sudo -S apt update", _word),
    ("echo '{}' | sudo -kS ls", _word),
    ('echo "{}" | sudo --stdin -S ls', _word),
    ("printf '%s\\n' \"{}\" | sudo -S true", _word),
    ("echo {} | docker login -u ada --password-stdin", _word),
    ("echo ada:{} | chpasswd", _word),
    ("echo {} | passwd --stdin ada", _word),
    ("echo {} | gpg --batch --passphrase-fd 0 -d x.gpg", _word),
    ("echo {} | cryptsetup luksOpen /dev/sdb1 x", _word),
    ("sudo -S ls <<< '{}'", _word),
    ("gh auth login --with-token <<< {}", _key),
    ("openssl enc -aes-256-cbc -in a -out b -k {}", _word),
    ("openssl enc -aes-128-cbc -K {} -iv 0", _hex32),
    ("openssl enc -aes-256-cbc -pass pass:{} -in a", _word),
    ("openssl passwd -6 {}", _word),
    ("openssl pkcs12 -in a.p12 -passin pass:{}", _word),
    ("zip -P {} out.zip a.txt", _word),
    ("unzip -P {} out.zip", _word),
    ("zip -r -P{} out.zip src", _word),
    ("7z x -p{} a.7z", _word),
    ("7z a -mhe=on -p{} a.7z src", _word),
    ("rar a -hp{} a.rar src", _word),
    ("ldapsearch -x -D cn=admin -w {} -b dc=x", _word),
    ("ldapmodify -D cn=admin -w '{}' -f a.ldif", _word),
    ("ldappasswd -s {} uid=ada", _word),
    ("smbclient -U ada%{} //nas/share", _word),
    ("smbclient //nas/share -U 'WORK\\ada%{}'", _word),
    ("rpcclient -U ada%{} nas", _word),
    ("mount -t cifs //nas/s /mnt -o username=ada,password={}", _word),
    ("snmpwalk -v2c -c {} 10.0.0.1", _letters),
    ("snmpget -v 3 -u ada -A {} -X zzz 10.0.0.1", _word),
    ("set -x API_TOKEN {}", _key),
    ("set -gx AWS_SECRET_KEY {}", _key),
    ("set -Ux GITHUB_TOKEN '{}'", _key),
    ("set --export DB_PASSWORD {}", _word),
    ('ConvertTo-SecureString "{}" -AsPlainText -Force', _word),
    ("ConvertTo-SecureString -String '{}' -AsPlainText -Force", _word),
    ("ConvertTo-SecureString {} -AsPlainText -Force", _word),
    ("$c = New-Object PSCredential('ada', '{}')", _word),
    ('New-Object Net.NetworkCredential("ada", "{}")', _word),
    ("net user ada {} /add", _word),
    ("net use z: \\\\nas\\share {} /user:ada", _word),
    ("xfreerdp /u:ada /p:{} /v:host", _word),
    ("cmdkey /add:host /user:ada /pass:{}", _word),
    ("plink -ssh ada@host -pw {} ls", _word),
    ("sqlcmd -S db -U sa -P {} -Q x", _word),
    ("bcp x out y -U sa -P {}", _word),
    ("mongosh -u ada -p {} admin", _word),
    ("mongodump --host db -u ada -p '{}'", _word),
    ("mosquitto_pub -u ada -P {} -t x", _word),
    ("ipmitool -H bmc -U admin -P {} power on", _word),
    ("crackmapexec smb 10.0.0.1 -u ada -p {}", _word),
    ("keytool -importcert -storepass {} -alias x", _word),
    ("jarsigner -storepass {} -keypass x a.jar y", _word),
    ("nmcli dev wifi connect home password {}", _word),
    ("wpa_passphrase home {}", _word),
    ("rabbitmqctl add_user ada {}", _word),
    ("useradd -m -p {} ada", _word),
    ("security add-generic-password -a ada -s x -w {}", _word),
    ("kubectl create secret generic x --from-literal=db={}", _word),
    ("gh secret set DEPLOY --body {}", _word),
    ("fly secrets set STRIPE={}", _word),
    ("heroku config:set MAIL={}", _word),
    ("vault kv put secret/app db={}", _word),
    ("vault login {}", _key),
    ("helm registry login -u ada -p {} r.example.invalid", _word),
    ("wget --user=ada --password={} https://example.invalid", _word),
    ("curl -u 'ada:{}' https://example.invalid", _word),
    ("mysql -uroot -p'{}' shop", _word),
    ('psql "host=db user=ada password={}"', _word),
    ("PGPASSWORD='{}' psql shop", _word),
    ("git clone https://ada:{}@git.example.invalid/a", _with_slash),
    # prompts
    ("Password:\n{}", _word),
    ("[sudo] password for ada:\n{}\n", _word),
    ("Enter passphrase for key '/home/ada/.ssh/id':\n{}\n", _word),
    ("Enter PIN for token:\n{}", partial(_some, _DIGITS, 6)),
    ("New password:\n{}\nRetype new password:\n", _letters),
    # diffs
    ('-password = "{}"', _word),
    ('+password = "{}"', _word),
    ('-  password: "{}"', _word),
    ("+DB_PASSWORD={}", _word),
    ("- password '{}'", _word),
    ('-password "{}"', _word),
    # spellings
    ("pass\u200bword={}", _word),
    ('pass\u00adword: "{}"', _word),
    (_full_width("password=") + "{}", _word),
    ("\U0001d429\U0001d41a\U0001d42c\U0001d42c\U0001d430\U0001d428\U0001d42b\U0001d41d={}", _word),
)


def _tokens() -> Iterator[str]:
    url = _ALNUM + "-_"
    payload = "ey" + "J1IjoiYWRhIiwiYSI6Im" + _some(_ALNUM, 20)
    yield f"AA{'AA'}{_some(_ALNUM, 7)}:APA{'91b'}{_some(url, 133)}x"
    yield from (f"{kind}.{payload}.{_some(_ALNUM, 22)}" for kind in ("sk", "pk", "tk"))
    yield f"sha256{'~'}{_some(_ALNUM, 43)}"
    yield f"dt0c01{'.'}{_some(_UPPER + _DIGITS, 24)}.{_some(_UPPER + _DIGITS, 64)}"
    yield f"sgp{'_'}{_hex40()}"
    yield f"CLOJARS{'_'}{_some(_LOWER + _DIGITS, 60)}"
    yield f"duffel_live{'_'}{_some(_ALNUM, 43)}"
    yield f"xsmtp{'sib'}-{_hex64()}-{_some(_ALNUM, 16)}"
    yield f"rzp_live{'_'}{_some(_ALNUM, 14)}"
    yield f"nvapi{'-'}{_some(_ALNUM, 64)}"
    yield f"access-production{'-'}{_some(_HEX, 8)}-{_some(_HEX, 4)}-{_some(_HEX, 4)}-{_some(_HEX, 4)}-{_some(_HEX, 12)}"
    yield f"re{'_'}{_some(_ALNUM, 8)}_{_some(_ALNUM, 24)}"
    yield f"p8e{'-'}{_key()}"


def _card(start: str, length: int) -> str:
    body = start + _some(_DIGITS, length - 1 - len(start))
    digits = [int(c) for c in body]
    doubled = [sum(divmod(2 * d, 10)) if place % 2 == 0 else d for place, d in enumerate(reversed(digits))]
    return body + str(-sum(doubled) % 10)


def _numbers() -> Iterator[Planted]:
    for start, length in (("4", 16), ("51", 16), ("2221", 16), ("6011", 16), ("35", 16)):
        card = _card(start, length)
        yield Planted(f"paid with {card} today", card)
        for sign in " -":
            grouped = sign.join(card[at : at + 4] for at in range(0, 16, 4))
            yield Planted(f"card: {grouped}", grouped)
    amex = _card("37", 15)
    yield Planted(f"amex {amex[:4]} {amex[4:10]} {amex[10:]}", amex[4:10])


def _phrases() -> Iterator[Planted]:
    known = Path(masking.__file__).with_name("recovery_words.txt").read_text(encoding="ascii").split()
    words, many = _random.sample(known, 12), _random.sample(known, 24)
    for some, between in ((words, " "), (words, "\n"), (many, " "), (many, ", ")):
        yield Planted(f"seed: {between.join(some)}", between.join(some[2:5]))
    numbered = " ".join(f"{number}. {word}" for number, word in enumerate(words, 1))
    yield Planted(numbered, f"3. {words[2]}")


def secret_shapes() -> list[Planted]:
    """Return all of them."""
    values = [value() for _, value in _PLACES]
    placed = [Planted(text.replace("{}", value), value) for (text, _), value in zip(_PLACES, values, strict=True)]
    wide = _full_width("hunter") + _full_width("4217")
    spelled = [Planted(f"password={wide}", wide), Planted(f"token=ab\u200b{'12cd34'}ef", "12cd34")]
    return [
        *placed,
        *(Planted(f"found {token} here", token) for token in _tokens()),
        *_numbers(),
        *_phrases(),
        *spelled,
    ]


HARMLESS: tuple[str, ...] = (
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "index 83db48f..bf269f4 100644",
    "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "uuid: 123e4567-e89b-12d3-a456-426614174000",
    "request_id=0f8fad5b-d9cd-469f-a165-70873028950e",
    "trace 4bf92f3577b34da6a3ce929d0e0e4736 span 00f067aa0ba902b7",
    "background: #ff00aa; color: #0f0f0f80;",
    '<img src="data:image/png;base64,iVBORw0KGgo=">',
    "version 1.2.3-rc.4+build.567",
    "numpy==2.1.3 tantivy>=0.26.2,<0.28",
    "v20.11.1 node-v20.11.1-linux-x64.tar.xz",
    "password = None",
    "password = ''",
    "password = getpass()",
    "password = getpass.getpass('Password: ')",
    "password = input('Password: ')",
    "password: Optional[str] = None",
    "password: str | None = None",
    "self.password = password",
    "this.password = password;",
    "const { password } = req.body",
    "password=$DB_PASSWORD",
    "password: ${{ secrets.DB_PASSWORD }}",
    "password: {{ vault_password }}",
    'password = os.environ["PASSWORD"]',
    "password = settings.database.password",
    "PASSWORD=<your password>",
    "password: changeme",
    "password: ********",
    "password: your_password_here",
    "token = request.headers.get('token')",
    "token = next(tokens)",
    "token: string;",
    "tokens = text.split()",
    "secret: process.env.SECRET,",
    "secretName: app-tls",
    "secretKeyRef:\n  name: db\n  key: host",
    "private key must be kept in a vault",
    "the key is in the drawer",
    "api_key = config.get('api_key')",
    "apiKey: process.env.API_KEY",
    "key = lambda item: item.name",
    "primary_key = True",
    "foreign_key: user_id",
    "keyboard=us, keymap=de",
    "monkey = 'banana'",
    "turkey: 12345678",
    "compass: north, bypass: false",
    "passed: 12 failed: 0 skipped: 3",
    "pass: 120 tests",
    "author: Ada Lovelace",
    "authority = example.invalid",
    'authors = ["Ada"]',
    "auth: required",
    "auth = HTTPBasicAuth(user, password)",
    "authorization is checked first",
    "Authorization: none",
    "def authenticate(user, password):",
    "Password:\n  type: string",
    "Password:\n\nThe password of the user.",
    "password:\n  description: of the user\n",
    "| password | the user's password |",
    "Passwords must have at least 12 characters.",
    "Wrong password for ada",
    "echo hello | sudo tee /etc/motd",
    "echo done | tee log.txt",
    'echo "$PASSWORD" | sudo -S ls',
    "openssl genrsa -out key.pem 2048",
    "openssl req -new -key server.key -out server.csr",
    "openssl x509 -in a.pem -noout -text",
    "zip -r out.zip src",
    "unzip -l out.zip",
    "7z x archive.7z -oout",
    "ldapsearch -x -b dc=example -W",
    "smbclient -L //nas -U ada",
    "snmpwalk -v3 -u ada 10.0.0.1 sysDescr",
    "set -euo pipefail",
    "set -x",
    "set -gx PATH /usr/local/bin $PATH",
    "set autoindent",
    "curl -u ada https://example.invalid",
    "docker run -p 127.0.0.1:5432:5432 postgres",
    "mysql -u root -p",
    "ssh -p 2222 ada@host",
    "tar -xzf a.tgz -C /tmp",
    "git push https://git.example.invalid/ada/shop.git",
    "https://localhost:8080/@scope/package",
    "http://example.invalid:8080/a/b@v2.0.0",
    "https://registry.npmjs.org:443/@types/node",
    "git@git.example.invalid:ada/shop.git",
    "mailto:ada@example.invalid",
    "postgres://localhost:5432/shop",
    "redis://cache:6379/0",
    "jdbc:postgresql://localhost:5432/shop",
    "https://example.invalid/?page=2&order=name",
    "https://example.invalid/search?q=password",
    "order 4000123412341235 shipped",
    "timestamp 1700000000000",
    "isbn 978-3-16-148410-0",
    "phone +49 30 1234 5678 90",
    "1234 5678 9012 3456",
    "0000 0000 0000 0000",
    "id: 4242424242",
    "row 4 5 6 7 8 9",
    "3.14159265358979",
    "2026-11-22T17:41:11.123456Z",
    "10.0.0.1:8080 -> 192.168.1.254:443",
    "00:1a:2b:3c:4d:5e",
    "the quick brown fox jumps over the lazy dog while many other animals watch quietly nearby",
    "make check runs static gates and fast tests under two minutes so run often please",
    "class AuthenticationTokenFilterConfigurationFactory:",
    "org.springframework.security.authentication.UsernamePasswordAuthenticationToken",
    "test_password_is_masked_when_the_token_is_on_the_next_line",
    "SecretsManagerClientBuilderConfigurationProvider",
    "aGVsbG8=",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "----------------------------------------------------------------",
    "-password is no longer an option",
    "--token-file path/to/file",
    "--password-file /run/secrets/db",
    "--max-tokens 4096",
    "--no-password",
    "-pass the salt",
    "key: value",
    "SELECT password FROM users WHERE id = 1",
    "ALTER TABLE users ADD COLUMN password TEXT NOT NULL",
    "git commit -m 'Hash the password before it is stored'",
    "日本語のパスワードは必要です。",
    "密码：必填",
    "ｆｕｌｌ ｗｉｄｔｈ ｔｅｘｔ",
    "the family \U0001f468\u200d\U0001f469\u200d\U0001f467 and a heart \u2764\ufe0f",
)
"""Texts that no mask may touch."""
