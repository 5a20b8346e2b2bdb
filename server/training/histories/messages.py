"""Clean commit messages: keep subjects that say in English what a change does, without the marks of tools."""

from __future__ import annotations

import re

from training.docs import is_useful

_LONGEST_SUBJECT = 200
_LONGEST_BODY = 600
_FEWEST_WORDS = 3

_KIND = (
    r"fix(?:es|ed)?|feat(?:ure)?s?|bug(?:fix)?|hotfix|chore|refactor|perf|style|docs?|test(?:s|ing)?|ci|build|minor|wip|dx"
    r"|improve(?:ment)?|enh(?:ancement)?|revert|deps|security|types?|release|add(?:ed)?|change[ds]?|update[ds]?|removed?"
)
_PREFIX = re.compile(
    r"^(?:\[[^\]]{1,40}\]"
    r"|:\w{2,30}:"
    r"|[^\w\s\"'`(\[<@#./-]{1,4}(?=\s)"
    rf"|(?:{_KIND})\s?(?:\([^)]{{0,60}}\))?!?:"
    r"|\([\w.,/ -]{1,40}\):?"
    r"|(?:gh|issue|bug|pr|fix(?:es|ed)?)?\s?-?#\d+\s?[:.\u2013-]*"
    r"|(?-i:[A-Z][A-Z0-9]{1,9})-\d+\s?:?)\s*",
    re.IGNORECASE,
)
"""Marks before a subject: `[parser]`, `:bug:`, an emoji, `fix(parser)!:`, `(parser)`, `#12:`, `ABC-12`."""

_SCOPE = re.compile(r"^[\w.*/,{}+-]{1,40}(?:\([\w./ -]{1,30}\))?: +(?=\S)")
"""A name before a colon, as `net/http: reject empty names` or `parser: allow tabs`: the sentence after it is kept."""

_VERB = r"closes|closed|close|fixes|fixed|fix|resolves|resolved|refs?|see|re|related to|part of|issue|bug|ticket|pr|gh"
_NUMBER = r"(?:[\w./-]{0,60}#|GH-|!)\d+"
_REFERENCE = re.compile(
    rf"\s*(?:\((?:(?:{_VERB})?:?\s?{_NUMBER}[,;]?\s?){{1,8}}\)"
    r"|\[(?:ci skip|skip ci|ci|skip|no ?ci|#\d+)\]"
    rf"|\b(?:{_VERB}):?\s?\(?{_NUMBER}\)?"
    r"|(?<!\w)#\d+)",
    re.IGNORECASE,
)
_URL = re.compile(r"\(?https?://\S+")
_THINGS = (
    r"dependenc|deps\b|version|change ?log|readme|docs?\b|documentation|license|copyright|submodule|lock|translations?"
    r"|ci\b|tests?\b|github|gradle|snapshots?\b|authors|news\b"
)
_CHORES = (
    r"typos?|lint\w*|format\w*|style|whitespace|indentation|tests?|build|ci|warnings?|docs?|documentation|comments?"
    r"|changelog|readme|spelling\w*|rubocop|credo|clippy|phpstan|eslint|merge\w*|conflict\w*"
)
_VAGUE = (
    r"minor|small|more|some|various|misc\w*|tiny|little|further|initial|first|last|final|another|address\w*|apply|oops"
)
_WORK = r"changes?|fix(?:es)?|tweaks?|cleanups?|updates?|improvements?|refactor\w*|commits?|comments?|feedback|review"
_DULL = re.compile(
    r"^(?:merge[ds]?\b|revert(?:s|ed)?\b|bump\w*\b|release[ds]?\b|version\b|v?\d+\.\d+|wip\b|typos?\b|backport|translat"
    r"|prepare (?:for )?(?:the )?(?:next|release|v?\d)"
    rf"|(?:upgrade|update)[sd]? (?:the )?(?:{_THINGS}|\S+ (?:to|from) v?\d)"
    rf"|fix(?:e[ds])? (?:\w+ )?(?:{_CHORES})\W*$"
    r"|(?:fix|correct)(?:e[ds]|ed)? (?:\w+ ){0,2}(?:typos?|spelling|grammar)\b"
    r"|(?:code )?(?:clean ?up|reformat\w*|formatting|lint\w*|style|cosmetic\w*|refactor\w*|tidy\w*)\b(?:\s\w+){0,2}$"
    rf"|(?:{_VAGUE})\s(?:\w+\s){{0,2}}(?:{_WORK}|suggestions?)"
    r"|apply (?:suggestions|fixes|patch)|cherry.?pick|sync(?:hronize)? with|import(?:ed)? (?:from|\w+ version)"
    rf"|add (?:missing |some |more )?(?:{_THINGS}|comments?)\b"
    r"|rename[sd]? (?:file|folder|director)|delete[ds]? file|move[ds]? (?:to|from|file)|auto(?:matic|mated|-)|run \w+$"
    r"|use (?:the )?(?:latest|new) version|set version|git-?svn)",
    re.IGNORECASE,
)
_BOT = re.compile(
    r"\[bot\]|\bbot\b|dependabot|renovate|greenkeeper|travis|jenkins|github-actions|snyk|weblate|transifex|crowdin",
    re.IGNORECASE,
)
_TRAILER = re.compile(
    r"^\s*(?:[A-Za-z][A-Za-z-]{2,40}:\s.*(?:@|https?://|#\d|\bI[0-9a-f]{8})|git-svn-id:|\(?cherry picked from)",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^\s*(?:[-*+\u2022]|\d+[.)])\s+")
_PARAGRAPH_END = re.compile(r"\n[ \t\r]*\n")
_CODE_LIKE = re.compile(r"[{};=<>|\\]|\(\)")
_WORD = re.compile(r"[A-Za-z]{2,}")


def is_bot(author: str) -> bool:
    """Tell whether a commit's author is a program."""
    return _BOT.search(author) is not None


def clean_subject(subject: str) -> str:
    """Return a subject without prefixes, references and addresses; "" where it says nothing of what the code does."""
    text = " ".join(subject[:400].split())
    if _DULL.match(text):
        return ""
    for _ in range(4):
        shorter = _SCOPE.sub("", _PREFIX.sub("", text, count=1), count=1)
        if shorter == text:
            break
        text = shorter
    text = " ".join(_URL.sub("", _REFERENCE.sub("", text)).split()).strip(" .:;,-\u2013\u2026*")
    if _DULL.match(text) or len(text) > _LONGEST_SUBJECT or len(_WORD.findall(text)) < _FEWEST_WORDS:
        return ""
    letters = sum(character.isascii() and (character.isalpha() or character == " ") for character in text)
    return text if letters > 0.75 * len(text) and sum(map(str.isascii, text)) > 0.95 * len(text) else ""


def clean_body(body: str) -> str:
    """Return the first paragraph of a message's body that is prose, without trailers; "" for none."""
    for paragraph in _PARAGRAPH_END.split(body[:4000].strip()):
        lines = [line for line in paragraph.splitlines() if not _TRAILER.search(line)]
        text = " ".join(_ITEM.sub("", line).strip() for line in lines)
        text = " ".join(_URL.sub("", _REFERENCE.sub("", text)).split())[:_LONGEST_BODY]
        if is_useful(text, words=6) and len(_CODE_LIKE.findall(text)) < 0.03 * len(text):
            return text
    return ""
