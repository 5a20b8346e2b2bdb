"""Errors that Scry raises on purpose, as one tree under ScryError.

ScryError                      anything that a person can act on; its text says what to do
├── BadRequest                 the question itself is wrong; `field` names what
│   └── UnknownProject         no registered or open project is called so
├── BadSettings                a settings file or variable can't be read
├── ProjectRefused             this folder is not indexed unless forced (home folder, file system root)
├── ProjectMissing             the folder does not exist or is no folder
├── RegistryUnavailable        the registry of projects can't be read or written
├── IndexUnavailable           the index can't be opened or written, or its process can't be started
│   ├── IndexMissing           there is none yet
│   └── IndexDamaged           data in it differ from those written; it has to be rebuilt
├── LogUnavailable             the log of events can't be read or written
├── MemoryUnavailable          what was done and decided can't be read or written
├── ModelUnavailable           the model that the settings name can't be read, or does not answer in time
├── PartMissing                a package that Scry needs is not there
├── Busy                       more is asked at once than can be answered; asking again later helps
├── TookTooLong                the answer took longer than an asker may have to wait
└── Cancelled                  the asker no longer wants the answer
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scry.core.notices import CommandNames, Notice


class ScryError(Exception):
    """Anything that a person can act on. Its message is a text, or a notice where it names a command."""

    def __init__(self, message: str | Notice = "") -> None:
        super().__init__(message)
        self._message = message

    def describe(self, commands: CommandNames) -> str:
        """Return the message for a client with these commands; `str` is for the command line."""
        return self._message if isinstance(self._message, str) else self._message.render(commands)


class BadRequest(ScryError):
    """The question is wrong; `field` names the parameter."""

    def __init__(self, field: str, message: str | Notice) -> None:
        super().__init__(message)
        self.field = field

    def __str__(self) -> str:
        return f"{self.field}: {self._message}"

    def describe(self, commands: CommandNames) -> str:
        """Return the message for a client with these commands, after the parameter's name."""
        return f"{self.field}: {super().describe(commands)}"


class UnknownProject(BadRequest):
    """No project that is registered, or open, is called so."""


class BadSettings(ScryError):
    """A settings file or an environment variable can't be read or has a wrong value."""


class ProjectRefused(ScryError):
    """The folder is a home folder or a file system's root: indexed only when forced."""


class ProjectMissing(ScryError):
    """The folder does not exist or is not a folder."""


class RegistryUnavailable(ScryError):
    """The registry of projects can't be opened, read or written."""


class IndexUnavailable(ScryError):
    """The index can't be opened, read or written, or its process can't be started."""


class IndexMissing(IndexUnavailable):
    """Nothing is indexed yet, or the index is just being created."""


class IndexDamaged(IndexUnavailable):
    """Data of the index differ from those written: the index has to be rebuilt."""


class LogUnavailable(ScryError):
    """The log of events can't be opened, read or written; the event was not kept."""


class MemoryUnavailable(ScryError):
    """Memory can't be opened, read or written; the observation was not kept."""

    def __init__(self, message: str | Notice = "", *, is_off: bool = False) -> None:
        """Take the message. is_off: whether a setting has switched memory off, so that asking again does not help."""
        super().__init__(message)
        self.is_off = is_off


class ModelUnavailable(ScryError):
    """The model that the settings name can't be read, or its process does not answer in time."""


class PartMissing(ScryError):
    """A package that Scry needs is not there; the text says how to install it."""


class Busy(ScryError):
    """More is asked at once than can be answered; asking again later helps."""


class TookTooLong(ScryError):
    """The answer took longer than an asker may have to wait."""


class Cancelled(ScryError):
    """The asker no longer wants the answer."""
