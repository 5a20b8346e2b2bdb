"""Lay out the repository of the tutorial: a small courier service in Python and TypeScript, with a week of history.

    python3 courier.py FOLDER        needs git, and nothing else

The commits are some hours and days old, by the clock of the machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

DAY = 86_400

README = """\
# Courier

Delivers parcels between shops: a client for the carrier's HTTP interface, an outbox for parcels that wait, and a page
that shows where a parcel is.

## Failed requests

The carrier is down for some minutes a day. Requests that fail are tried again with growing pauses, see
`courier/retry.py`. What still fails goes back to the outbox.
"""

CLIENT_FIRST = '''\
"""The carrier's HTTP interface."""

from __future__ import annotations

import urllib.request


class CarrierClient:
    """Sends requests to the carrier."""

    def __init__(self, base_url: str, token: str) -> None:
        self.base_url = base_url
        self.token = token

    def send(self, path: str, body: bytes) -> bytes:
        """Send one request, and return the body of the response."""
        request = urllib.request.Request(self.base_url + path, data=body, method="POST")
        request.add_header("Authorization", f"Bearer {self.token}")
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.read()

    def book(self, parcel: bytes) -> bytes:
        """Book the delivery of a parcel."""
        return self.send("/deliveries", parcel)
'''

CLIENT = CLIENT_FIRST.replace(
    "import urllib.request\n", "import urllib.request\n\nfrom courier.retry import call_with_retries\n"
).replace(
    "        with urllib.request.urlopen(request, timeout=10) as response:\n            return response.read()\n",
    "        return call_with_retries(lambda: self._open(request))\n\n"
    "    def _open(self, request: urllib.request.Request) -> bytes:\n"
    "        with urllib.request.urlopen(request, timeout=10) as response:\n            return response.read()\n",
)

RETRY_FIRST = '''\
"""Try a call again when it failed for a reason that passes."""

from __future__ import annotations

import time
from collections.abc import Callable
from urllib.error import HTTPError, URLError

FIRST_PAUSE_S = 0.5


def is_temporary(error: Exception) -> bool:
    """Return whether the same request may succeed later: no connection, or the carrier's own fault."""
    if isinstance(error, HTTPError):
        return error.code == 429 or error.code >= 500
    return isinstance(error, (URLError, TimeoutError))


def backoff_pause(attempt: int) -> float:
    """Return the seconds to wait before an attempt: each pause is twice the one before it."""
    return FIRST_PAUSE_S * 2**attempt


def call_with_retries(call: Callable[[], bytes]) -> bytes:
    """Return what the call returns; repeat it while it fails for a temporary reason."""
    attempt = 0
    while True:
        try:
            return call()
        except Exception as error:
            if not is_temporary(error):
                raise
        time.sleep(backoff_pause(attempt))
        attempt += 1
'''

RETRY = RETRY_FIRST.replace("FIRST_PAUSE_S = 0.5\n", "FIRST_PAUSE_S = 0.5\nMAX_ATTEMPTS = 5\n").replace(
    "            if not is_temporary(error):\n",
    "            if attempt + 1 == MAX_ATTEMPTS or not is_temporary(error):\n",
)

OUTBOX = '''\
"""Parcels that wait for the carrier."""

from __future__ import annotations

import sqlite3


class Outbox:
    """A queue of parcels in a file of SQLite, so that a restart loses none."""

    def __init__(self, path: str) -> None:
        self.database = sqlite3.connect(path)
        self.database.execute("CREATE TABLE IF NOT EXISTS parcels (id INTEGER PRIMARY KEY, body BLOB)")

    def put(self, parcel: bytes) -> None:
        """Add a parcel at the end."""
        with self.database:
            self.database.execute("INSERT INTO parcels (body) VALUES (?)", (parcel,))

    def take(self) -> bytes | None:
        """Remove and return the parcel that has waited longest; None when there is none."""
        with self.database:
            row = self.database.execute("SELECT id, body FROM parcels ORDER BY id LIMIT 1").fetchone()
            if row is None:
                return None
            self.database.execute("DELETE FROM parcels WHERE id = ?", (row[0],))
            return row[1]
'''

DELIVERY = '''\
"""The loop that hands parcels to the carrier."""

from __future__ import annotations

from courier.client import CarrierClient
from courier.outbox import Outbox


def deliver_next(client: CarrierClient, outbox: Outbox) -> bool:
    """Book the next parcel; put it back when the carrier does not take it. Return whether one was booked."""
    parcel = outbox.take()
    if parcel is None:
        return False
    try:
        client.book(parcel)
    except Exception:
        outbox.put(parcel)
        return False
    return True
'''

WEBHOOK = '''\
"""Messages of the carrier about the state of a parcel."""

from __future__ import annotations

import hashlib
import hmac


def verify_signature(secret: bytes, body: bytes, signature: str) -> bool:
    """Return whether the carrier has signed this message; compared in constant time."""
    expected = hmac.new(secret, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, signature)
'''

STATUS = """\
/** Asks where a parcel is, and asks again while the answer is not final. */
export async function watchParcel(id: string, show: (state: string) => void): Promise<void> {
  for (;;) {
    const response = await fetch(`/parcels/${id}`);
    const { state } = await response.json();
    show(state);
    if (state === "delivered" || state === "lost") return;
    await new Promise((done) => setTimeout(done, 5000));
  }
}
"""

TEST = """\
from courier.retry import backoff_pause


def test_each_pause_is_twice_the_one_before() -> None:
    assert [backoff_pause(attempt) for attempt in range(3)] == [0.5, 1.0, 2.0]
"""

COMMITS: tuple[tuple[float, str, Mapping[str, str]], ...] = (
    (6.9, "Add a client for the carrier", {"README.md": README, "courier/client.py": CLIENT_FIRST}),
    (5.9, "Keep parcels in an outbox", {"courier/outbox.py": OUTBOX, "courier/delivery.py": DELIVERY}),
    (
        4.9,
        "Retry failed requests with growing pauses\n\nThe carrier is down for some minutes a day.",
        {"courier/retry.py": RETRY_FIRST, "courier/client.py": CLIENT, "tests/test_retry.py": TEST},
    ),
    (3.9, "Verify the carrier's signatures", {"courier/webhook.py": WEBHOOK}),
    (2.9, "Give up after five attempts\n\nA parcel blocked the loop for a night.", {"courier/retry.py": RETRY}),
    (1.9, "Show where a parcel is", {"web/src/status.ts": STATUS}),
)
"""Days ago, message, and files as they are from then on."""


def make_repository(folder: Path) -> Path:
    """Write the repository into a new folder, and return it."""
    folder.mkdir(parents=True)
    now = int(time.time())
    _git(folder, now, "init", "-q", "-b", "main")
    for days, message, files in COMMITS:
        for path, text in files.items():
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8", newline="\n")
        _git(folder, now, "add", "-A")
        _git(folder, now - int(days * DAY), "commit", "-q", "-m", message)
    return folder


def _git(folder: Path, at: int, *arguments: str) -> None:
    names = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _PERSON.items()}
    dates = {"GIT_AUTHOR_DATE": f"{at} +0000", "GIT_COMMITTER_DATE": f"{at} +0000"}
    subprocess.run(["git", *arguments], cwd=folder, check=True, env={**os.environ, **names, **dates})


_PERSON = {"NAME": "Ada", "EMAIL": "ada@courier.example"}

if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    print(f"a repository with {len(COMMITS)} commits is in {make_repository(Path(sys.argv[1]))}")
