"""The team that a person has joined: the address of its server, and where the password comes from.

The address is kept among Scry's data of this person, without a password. A password lies in the system's keyring, if
the package keyring is there and has one, or in libpq's own files: ~/.pgpass, or a service of ~/.pg_service.conf. No
setting of a project names a server.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from scry.core.decoding import decode_json
from scry.core.errors import BadRequest, IndexUnavailable, PartMissing
from scry.core.files import replace_file_text
from scry.core.platform import create_private_file, data_home, make_private_folder

_FILE = "team.json"
_KEYRING_SERVICE = "scry team"


class Membership(Struct, frozen=True):
    """The joined team. address: a connection string of libpq without a password. has_keyring: as of `join`."""

    address: str
    has_keyring: bool = False

    def connection_string(self) -> str:
        """Return the address with its password where the keyring holds it. Raises IndexUnavailable."""
        if not self.has_keyring:
            return self.address
        from psycopg.conninfo import make_conninfo

        return make_conninfo(self.address, password=_read_password(self.address))


def membership_path() -> Path:
    """Return the file that holds the membership."""
    return data_home() / _FILE


def has_joined() -> bool:
    """Return whether a team is joined."""
    return membership_path().exists()


def read_membership() -> Membership | None:
    """Return the joined team; None for none. Raises IndexUnavailable where the file can't be read."""
    try:
        return decode_json(membership_path().read_bytes(), Membership)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        raise IndexUnavailable(f"{membership_path()} can't be read ({error}); join the team again") from error


def split_off_password(address: str) -> tuple[str, str]:
    """Return a connection string without its password, and the password. Raises BadRequest and PartMissing."""
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict, make_conninfo
    except ImportError as error:
        raise PartMissing("a team's index needs psycopg; install it with: pip install 'scry-sidecar[team]'") from error
    try:
        values = conninfo_to_dict(address)
    except ProgrammingError as error:
        raise BadRequest("url", f"is no address of a server: {error}".strip()) from error
    password = values.pop("password", None)
    return make_conninfo("", **values), str(password or "")


def save_membership(address: str) -> Membership:
    """Join the team at this address, and return the membership. A password in it goes to the system's keyring, and that
    of the team that was joined before leaves it.

    Raises BadRequest where there is no keyring for it, PartMissing, and IndexUnavailable where it can't be written.
    """
    plain, password = split_off_password(address)
    before = _membership_before()
    if password:
        _write_password(plain, password)
    membership = Membership(plain, bool(password))
    try:
        make_private_folder(data_home())
        create_private_file(membership_path())
        replace_file_text(membership_path(), msgspec.json.encode(membership).decode())
    except OSError as error:
        raise IndexUnavailable(f"{membership_path()} can't be written: {error}") from error
    if before is not None and before.has_keyring and not (password and before.address == plain):
        _delete_password(before.address)
    return membership


def _membership_before() -> Membership | None:
    try:
        return read_membership()
    except IndexUnavailable:  # joining again mends that
        return None


def forget_membership() -> Membership | None:
    """Leave the joined team, and return it; None for none."""
    membership = read_membership()
    if membership is not None and membership.has_keyring:
        _delete_password(membership.address)
    membership_path().unlink(missing_ok=True)
    return membership


_NO_KEYRING = (
    "holds a password, and there is no keyring of the system to keep it in; leave it out of the address and write it "
    "to ~/.pgpass (host:port:database:user:password), or install keyring"
)


def _write_password(address: str, password: str) -> None:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError as error:
        raise BadRequest("url", _NO_KEYRING) from error
    try:
        keyring.set_password(_KEYRING_SERVICE, address, password)
    except KeyringError as error:
        raise BadRequest("url", f"{_NO_KEYRING} ({error})") from error


def _read_password(address: str) -> str:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError as error:
        raise IndexUnavailable("the team's password lies in the keyring, and the package keyring is gone") from error
    try:
        return keyring.get_password(_KEYRING_SERVICE, address) or ""
    except KeyringError as error:
        raise IndexUnavailable(f"the keyring does not give the team's password: {error}") from error


def _delete_password(address: str) -> None:
    from contextlib import suppress

    with suppress(ImportError):
        import keyring
        from keyring.errors import KeyringError

        with suppress(KeyringError):
            keyring.delete_password(_KEYRING_SERVICE, address)
