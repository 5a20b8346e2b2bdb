"""Describe a file in one line: by its author's own words, else by what it defines.

In this order: of a document the words above its first heading, else the heading with the first sentence below it; the
comment or doc string at the top of the file, licences skipped; the doc comment of the symbol that has the file's name,
or of the only documented one of a few; the names of its outermost symbols; what the entry file of a package takes over
from other files.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from scry.core.path_kinds import DOCUMENT_LANGUAGES, is_entry_file
from scry.core.text import normalize_name, split_source_lines
from scry.core.types import Document
from scry.engine.search.results import COMMENT_MARKUP, COMMENT_TEXT, LICENSE_WORDS, SNIPPET_WIDTH, truncate
from scry.index.parse.doc_comments import doc_text

MAX_LISTED_SYMBOLS = 6

_MAX_DEFINITIONS_FOR_DOC = 3
"""Largest number of definitions of which the only doc comment may describe the whole file."""

_LINES_AT_THE_TOP = 80
_NOT_A_DEFINITION = frozenset({"text", "section"})
_VALUE_KINDS = frozenset({"constant", "variable", "field"})
_PAGE_EXTENSIONS = tuple(
    extension for language, extensions in DOCUMENT_LANGUAGES.items() if language != "text" for extension in extensions
)


def summarize_file(
    path: str,
    outermost: Sequence[Document],
    text: str,
    members_of: Callable[[Document], Sequence[Document]] = lambda _: (),
) -> str:
    """Return one line on a file.

    outermost: its documents that nothing encloses, in order. text: as indexed. members_of: returns what a document
    encloses directly.
    """
    kinds = {document.symbol.kind for document in outermost}
    if text.startswith((".S", "=head1")) or "\n.S" in text or "\n=head1" in text:
        from scry.index.parse.headings import read_manual_name  # its patterns take time to compile

        if summary := read_manual_name(split_source_lines(text)):
            return truncate(summary, SNIPPET_WIDTH)
    if "section" in kinds and kinds <= _NOT_A_DEFINITION:
        summary = _summarize_prose(outermost, text)
    else:
        top = _skip_front_matter(split_source_lines(text)[:_LINES_AT_THE_TOP])
        summary = first_sentence(_first_prose(top)) if path.endswith(_PAGE_EXTENSIONS) else top_comment(text)
    summary = summary or _main_symbol_doc(path, outermost) or _list_main_symbols(outermost, members_of)
    if not summary and is_entry_file(path, ()):
        summary = _list_offered_names(path, text)
    if not summary and (path.endswith(".txt") or posixpath.basename(path).isupper()):
        summary = first_sentence(_first_prose(split_source_lines(text)[:_LINES_AT_THE_TOP]))
    summary = summary or _first_line(text) or ("" if text.strip() else "empty")
    return truncate(" ".join(summary.split()), SNIPPET_WIDTH)


_IMPORTS = ("import ", "from ", "use ", "using ", "package ", "require", "include", "namespace ", "#")


def _first_line(text: str) -> str:
    """Return the first line with a word that is neither a comment nor an import."""
    if text.lstrip().startswith("<!--"):
        text = text.partition("-->")[2]
    for line in split_source_lines(text)[:_LINES_AT_THE_TOP]:
        plain = line.lstrip()
        is_code = not _LINE_COMMENT.match(line) and not plain.startswith((*_IMPORTS, "/*", "*", "<"))
        if is_code and any(map(str.isalpha, line)):
            return line
    return ""


_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'`(])")


def first_sentence(text: str) -> str:
    """Return a text up to the end of its first sentence, or of the second where the first is short."""
    sentences = _SENTENCE.split(" ".join(text.split()), 2)
    return " ".join(sentences[:2]) if len(sentences[0]) < SNIPPET_WIDTH // 4 else sentences[0]


# Documents ------------------------------------------------------------------------------------------------------------

_UNTELLING_HEADING = re.compile(
    r"(?:table of )?contents$|toc$|index$|.*\b(?:sponsor|donat|backer|for enterprise)", re.I
)
"""A heading of a table of contents, or of what makers ask of their users."""

_MIN_LEADING_WORDS = 5
"""Words above all headings that are fewer are a slogan, or what is left of a badge."""

_NOT_ABOUT_IT = re.compile(r"copyright|licen[cs]e|sponsor|donat|thanks to|t-shirts|!$", re.I)
"""Words above all headings that are about its rights or its makers, or an announcement."""


def _summarize_prose(outermost: Sequence[Document], text: str) -> str:
    """Return the first sentence above all headings; else the title of a document and the first sentence below it.

    The title is the first heading of the highest level: a lower one before it mostly introduces sponsors.
    """
    lines = split_source_lines(text)
    sections = [document for document in outermost if document.symbol.kind == "section"]
    for paragraph in _read_paragraphs(_skip_front_matter(lines[: sections[0].symbol.span.start.line])):
        if len(paragraph.split()) >= _MIN_LEADING_WORDS and not _NOT_ABOUT_IT.search(paragraph):
            return first_sentence(paragraph)
    candidates = [each for each in sections if not _UNTELLING_HEADING.match(each.symbol.name.strip())] or sections
    section = min(candidates, key=lambda document: _heading_level(lines, document))
    span = section.symbol.span
    prose = first_sentence(_first_prose(lines[section.symbol.name_span.end.line + 1 : span.end.line + 1]))
    written = "".join(lines[span.start.line : span.start.line + 1]).strip()  # a section's name holds images' words, too
    is_marked = _heading_level(lines, section) > 0
    title = _strip_markup(written.strip("#") if is_marked else section.symbol.name).strip()
    return f"{title} — {prose}" if prose and title else prose or title


def _skip_front_matter(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines without what stands between two lines of three dashes at the top."""
    if lines and lines[0].rstrip() == "---":
        return lines[next((at for at, line in enumerate(lines) if at and line.rstrip() == "---"), -1) + 1 :]
    return lines


def _heading_level(lines: Sequence[str], section: Document) -> int:
    """Return the level of a Markdown heading that is written with `#`; 0 for any other."""
    at = section.symbol.span.start.line
    is_markdown = section.language == "markdown" and at < len(lines)
    return len(lines[at]) - len(lines[at].lstrip("#")) if is_markdown else 0


_SKIPPED_BLOCKS = (("```", "```"), ("~~~", "~~~"), ("<!--", "-->"), ("<table", "</table>"))
"""Beginnings of lines, and what ends what they begin."""

_NO_PROSE = ("#", ":", "..", "|", "@", "=", "http")
"""Beginnings of lines of headings, directives, fields, tables, tags and addresses."""

_LIST_MARK = re.compile(r"(?:[-*+•]|\d{1,2}[.)])[ \t]+")
_GREETING = re.compile(r"(?:\S+ ){0,4}\S+!")
_NOTE = re.compile(r"\W*(?:note|warning|important|tip|caution)\b", re.I)


def _first_prose(lines: Iterable[str]) -> str:
    """Return the first paragraph that is no licence or greeting; one that ends with a colon goes on with the first item
    of its list.
    """
    paragraphs = (
        each for each in _read_paragraphs(lines) if not LICENSE_WORDS.search(each) and not _GREETING.fullmatch(each)
    )
    first = next(paragraphs, "")
    return f"{first} {next(paragraphs, '')}" if first.endswith(":") else first


def _read_paragraphs(lines: Iterable[str]) -> Iterator[str]:
    """Yield the paragraphs and the items of lists, without markup, as a line each.

    Left out are headings, directives, rulers, tables, blocks of code, comments, images, quoted notes, and what has
    fewer letters than other characters.
    """
    words: list[str] = []
    closing = ""
    for line in (*lines, ""):
        plain = line.strip()
        if closing:
            closing = "" if closing in plain else closing
            continue
        opening, end = next((each for each in _SKIPPED_BLOCKS if plain.startswith(each[0])), ("", ""))
        if opening and end not in plain[len(opening) :]:
            closing = end
        item = _LIST_MARK.match(plain)
        is_left_out = not plain or opening or plain.startswith(_NO_PROSE) or (plain[0] == "[" and "]: " in plain)
        if words and (is_left_out or item):
            paragraph = _strip_markup(" ".join(words)).strip()
            if sum(map(str.isalpha, paragraph)) > len(paragraph) / 2:
                yield paragraph
            words = []
        if is_left_out or set(plain) <= set("=-~^*_"):
            continue
        if plain.startswith(">"):
            plain = plain.lstrip("> ")
            if not words and _NOTE.match(plain):
                continue
        words.append(plain[item.end() :] if item else plain)


_LINK_TARGET = r"(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])"
_IMAGE = re.compile(rf"!\[[^\[\]]*\]{_LINK_TARGET}?")
_MARKUP = re.compile(
    r"(?::[\w.:-]{1,40}:)?(?<!`)(?P<ticks>`{1,3})(?P<code>[^`]+)(?P=ticks)(?P<link>_{0,2})"  # RST: :py:func:`f`
    rf"|!?\[(?P<text>[^\[\]]*)\]{_LINK_TARGET}|(?<!\w)\[(?P<reference>[^\[\]]*)\]|<[^<>]+>"
    r"|(?<!\w)(?P<bars>__?)(?P<emphasis>[^_]+)(?P=bars)(?!\w)"
    r"|(?<!\w)\*{1,3}(?=\S)|(?<=\S)\*{1,3}(?!\w)|`{1,3}"
)


def _strip_markup(line: str) -> str:
    """Return a line without its markup, code as it is, and without images, which are mostly badges."""
    return _MARKUP.sub(_plain_text, _IMAGE.sub("", line))


def _plain_text(markup: re.Match[str]) -> str:
    if code := markup["code"]:
        return code.partition(" <")[0] if markup["link"] else code
    if (emphasis := markup["emphasis"]) and markup["bars"] == "__" and emphasis.isidentifier() and emphasis.islower():
        return markup[0]  # `__init__` is a name
    return _strip_markup(markup["text"] or markup["reference"] or emphasis or "")


# Comments -------------------------------------------------------------------------------------------------------------

_SKIPPED_LINE = re.compile(
    r"\s*(#!(?!\[).*|<\?php.*|<\?xml.*|#\s*-\*-.*|#\s*(frozen_string_literal|coding|vim?):.*|['\"]use \w+['\"];?|"
    r"#\s*(pragma once|ifndef|define|if|endif)\b.*|declare\(.*|)$"
)
_LINE_COMMENT = re.compile(
    r"\s*(//|#(?!\[|!\[|include|define|if|pragma|endif|[ \t]+(?:include[ \t]*[<\"]|define[ \t]+[A-Z_]))|--(?!\[)|;|%)"
)
_BLOCK_COMMENTS = (
    (re.compile(r"\s*/\*"), "*/"),
    (re.compile(r"\s*\{-(?!#)"), "-}"),
    (re.compile(r"\s*--\[=*\["), "]"),
    (re.compile(r"\s*<!--"), "-->"),
    (re.compile(r'\s*[rRuUbB]{0,2}"""'), '"""'),
    (re.compile(r"\s*[rRuUbB]{0,2}'''"), "'''"),
    (re.compile(r"\s*=begin"), "=end"),
)
_ATTRIBUTES = (("#![", "([", ")]"), ("#[", "([", ")]"), ("{-#", "{", "}"))
"""Beginnings of attributes for the compiler, and the brackets that open and close in them: Rust's, Haskell's."""

_TOOL_DIRECTIVE = re.compile(
    r"^\W*(eslint|jshint|jslint|flake8|shellcheck|global |globals |prettier|@flow|@ts-|@jest|@vitest|tslint|istanbul|"
    r"pylint|mypy|ruff|noqa|type:|clang-|nolint|rubocop|stylua|luacheck|selene|generated by|code generated|"
    r"do not edit|-\*-|vim:|markup:|this (source )?file (is part|(is|was) (auto|generated))|import |file:|"
    r"swift-tools-version|todo\b|fixme\b|xxx\b|hack\b|(authors?|maintainer|stability|portability|module)\s*:)",
    re.I,
)
_FILE_TAG = re.compile(r"[@\\](?:file(?:overview)?|brief|module|overview|description|packageDocumentation)\b[ \t]*")
_RULER = re.compile(r"[\W_]*$")


def top_comment(text: str) -> str:
    """Return the first sentence of the comments and doc strings above all code; skip licences and tool directives."""
    lines = split_source_lines(text)[:_LINES_AT_THE_TOP]
    for at, line in enumerate(lines):  # Rust's comments on the file itself, which may stand below other comments
        if line.startswith(("//!", "/*!")) and (
            paragraph := _first_relevant_paragraph(lines[at : _block_end(lines, at)])
        ):
            return paragraph
    at = 0
    while at < len(lines):
        end = _block_end(lines, at)
        if end > at:
            paragraph = _first_relevant_paragraph(lines[at:end])
            if paragraph:
                return paragraph
            at = end
        elif (end := _attribute_end(lines, at)) > at:
            at = end
        elif _SKIPPED_LINE.match(lines[at]):
            at += 1
        else:
            return ""
    return ""


def _attribute_end(lines: Sequence[str], at: int) -> int:
    """Return the line after the attribute that begins at this line; the line itself when none does."""
    begun = (each for each in _ATTRIBUTES if lines[at].lstrip().startswith(each[0]))
    _, opening, closing = next(begun, ("", "", ""))
    depth = 0
    for end in range(at, len(lines) if opening else at):
        depth += sum(map(lines[end].count, opening)) - sum(map(lines[end].count, closing))
        if depth <= 0:
            return end + 1
    return at


def _block_end(lines: Sequence[str], at: int) -> int:
    """Return the line after the comment that begins at this line; the line itself when none does."""
    for opening, closing in _BLOCK_COMMENTS:
        match = opening.match(lines[at])
        if match:
            rest = [lines[at][match.end() :], *lines[at + 1 :]]
            return at + next((n for n, line in enumerate(rest, 1) if closing in line), len(rest))
    if _SKIPPED_LINE.match(lines[at]) or not _LINE_COMMENT.match(lines[at]):
        return at
    end = at
    while end < len(lines) and _LINE_COMMENT.match(lines[end]):
        end += 1
    return end


def _first_relevant_paragraph(comment: Sequence[str]) -> str:
    """Return the first sentence that is about the file: of no licence, tool directive, tag, heading or ruler.

    A licence reaches from its first paragraph to its last, whatever stands between.
    """
    plain = doc_text(["\n".join(comment).strip()])
    paragraphs = [
        " ".join(line.strip() for line in paragraph.splitlines() if not _RULER.match(line))
        for paragraph in re.split(r"\n\s*\n", plain)
    ]
    licences = [at for at, words in enumerate(paragraphs) if LICENSE_WORDS.search(words)]
    above, below = (paragraphs[: licences[0]], paragraphs[licences[-1] + 1 :]) if licences else ((), paragraphs)
    for paragraph in (*above, *below):
        words = _FILE_TAG.sub("", paragraph, count=1) if paragraph.startswith(("@", "\\")) else paragraph
        is_left_out = words.startswith(("@", "\\", "$", "# ", "## ", "= ", "== ", "!!!")) or " " not in words
        if not is_left_out and not _TOOL_DIRECTIVE.match(words):
            return first_sentence(COMMENT_MARKUP.sub(COMMENT_TEXT, words))
    return ""


# Symbols --------------------------------------------------------------------------------------------------------------

_NO_DOC_PROSE = (*_NO_PROSE, "```", "\\", "= ", "== ", "=== ")

_PRIVATE = re.compile(r"(static|private|fileprivate)\b")
"""Start of the signature of a private definition in C and its kin; elsewhere private names begin with `_`."""


def _is_private(document: Document) -> bool:
    symbol = document.symbol
    if document.language == "rust" and symbol.kind != "macro":
        return not symbol.signature.startswith("pub ")
    return symbol.name.startswith("_") or _PRIVATE.match(symbol.signature) is not None


def _main_symbol_doc(path: str, outermost: Sequence[Document]) -> str:
    """Return the doc comment of the symbol with the file's name, or of the only documented one of a few, which is not
    private.
    """
    stem = normalize_name(posixpath.basename(path).partition(".")[0])
    defined = [d for d in outermost if d.symbol.kind not in _NOT_A_DEFINITION]
    documented = [d for d in defined if d.symbol.doc]
    chosen = [d for d in documented if normalize_name(d.symbol.name) == stem][:1]
    if not chosen and len(documented) == 1 and len(defined) <= _MAX_DEFINITIONS_FOR_DOC:
        chosen = [d for d in documented if not _is_private(d)]
    for document in chosen:
        name = document.symbol.name
        for paragraph in document.symbol.doc.split("\n\n"):
            sentence = first_sentence(COMMENT_MARKUP.sub(COMMENT_TEXT, _first_paragraph(paragraph.splitlines())))
            if sentence and not LICENSE_WORDS.search(sentence) and normalize_name(sentence.strip(". ")) != stem:
                return sentence if sentence.startswith(f"{name} ") else f"{name}: {sentence}"  # Go's begin with it
    return ""


def _first_paragraph(lines: Iterable[str]) -> str:
    """Return the first lines of words of a doc comment, up to a line without any; skip headings, rulers and tags."""
    words: list[str] = []
    for line in lines:
        plain = line.strip()
        is_prose = sum(map(str.isalpha, plain)) > len(plain) / 2 and not plain.startswith(_NO_DOC_PROSE)
        if is_prose and not set(plain) <= set("=-~^"):
            words.append(plain)
        elif words:
            break
    return " ".join(words)


def enclosing_module(outermost: Sequence[Document]) -> Document | None:
    """Return the module that holds all definitions of a file, as in Ruby, unless it has a doc comment of its own."""
    defined = [document for document in outermost if document.symbol.kind not in _NOT_A_DEFINITION]
    only = defined[0] if len(defined) == 1 else None
    return only if only is not None and only.symbol.kind == "module" and not only.symbol.doc else None


def _list_main_symbols(outermost: Sequence[Document], members_of: Callable[[Document], Sequence[Document]]) -> str:
    """Return `defines A, B and 3 more`, for a single type `defines A with b, c and 3 more`; empty for a file that
    defines nothing but names such as `__all__`.

    Modules are named only where there is nothing else.
    """
    defined = _listed(outermost)
    defined = [d for d in defined if d.symbol.kind != "module"] or defined
    names = list(dict.fromkeys(d.symbol.name for d in defined))
    if len(names) == 1 and defined[0].symbol.kind in _TYPE_KINDS:
        members = [d.symbol.name for d in _listed(members_of(defined[0])) if not _is_private(d)]
        offered = [name for name in dict.fromkeys(members) if name not in (names[0], *_CONSTRUCTORS)]
        return _list_names(f"defines {names[0]} with", offered) or f"defines {names[0]}"
    return _list_names("defines", names)


_CONSTRUCTORS = ("initialize", "constructor", "init")
_TYPE_KINDS = frozenset({"class", "interface", "struct", "trait"})


def _listed(documents: Sequence[Document]) -> list[Document]:
    """Return the definitions that are named: values and macros last, private ones after public ones, and tests only
    where there is nothing else.
    """
    kinds = _NOT_A_DEFINITION | {"implementation"}
    listed = [
        d
        for d in documents
        if d.symbol.kind not in kinds
        and not d.symbol.name.startswith("impl ")
        and not (d.symbol.name.startswith("__") and d.symbol.name.endswith("__"))
    ]
    listed = [d for d in listed if not d.symbol.is_test] or listed
    return sorted(
        listed, key=lambda d: (d.symbol.kind in _VALUE_KINDS or d.symbol.signature[:1] == "#", _is_private(d))
    )


def _list_names(verb: str, names: Sequence[str]) -> str:
    more = len(names) - MAX_LISTED_SYMBOLS
    shown = ", ".join(names[:MAX_LISTED_SYMBOLS])
    return "" if not names else f"{verb} {shown} and {more} more" if more > 0 else f"{verb} {shown}"


# What a package offers ------------------------------------------------------------------------------------------------

_REEXPORTS = {
    "py": ("from ",),
    "rs": ("pub use ", "pub(crate) use ", "pub mod ", "pub(crate) mod ", "mod "),
    "js": ("export {", "export *", "export type {", "module.exports = require("),
}
"""Start of the statements by which a package's entry file offers what other files define, by kind of language."""


def _list_offered_names(path: str, text: str) -> str:
    """Return `offers A, B and 3 more`: what a package's entry file takes over from other files; empty for nothing."""
    extension = path.rpartition(".")[2]
    kind = "js" if extension[-2:] in ("js", "ts", "sx") else extension
    names: list[str] = []
    for statement in _read_statements(text, _REEXPORTS.get(kind, ()), "#" if kind == "py" else "//"):
        if kind == "py":
            source, _, imported = statement.partition(" import ")
            if source != "from __future__":
                names += (part.rpartition(" as ")[2].strip() for part in imported.strip("()\\ ").split(","))
        elif kind == "rs":
            parts = statement.translate(_BRACES_AS_COMMAS).rstrip(";").split(",")
            names += (part.rpartition(" as ")[2].rpartition("::")[2].rpartition(" ")[2] for part in parts)
        else:
            names += _exported_names(statement)
    names = [name for name in dict.fromkeys(names) if name.isidentifier() and not name.startswith("_")]
    return _list_names("offers", names)


_BRACES_AS_COMMAS = {ord("{"): ",", ord("}"): ","}


def _exported_names(statement: str) -> Iterator[str]:
    """Yield the names that a statement of JavaScript re-exports; for a whole module or its default, the file's name."""
    clause, _, source = statement.replace("require(", " from ").partition(" from ")
    words = source.strip("'\"`;) \t").split("/")
    words = words[:-1] if words[-1].startswith("index.") else words
    module = words[-1].partition(".")[0] if words else ""
    for part in clause.removeprefix("export type").translate(_BRACES_AS_COMMAS).split(","):
        name, _, renamed = part.strip().removeprefix("export").removeprefix("type ").strip().partition(" as ")
        own = renamed if renamed not in ("", "default") else name.removeprefix("type ")
        yield module if own in ("*", "default", "module.exports =") else own


def _read_statements(text: str, starts: tuple[str, ...], comment: str) -> Iterator[str]:
    """Yield each statement that begins a line with one of `starts`, its lines joined up to the last closing bracket."""
    parts: list[str] = []
    depth = 0
    for line in split_source_lines(text):
        plain = line.partition(comment)[0].strip()
        if parts or plain.startswith(starts):
            parts.append(plain)
            depth += sum(map(plain.count, "({")) - sum(map(plain.count, ")}"))
            if depth <= 0:
                yield " ".join(parts)
                parts, depth = [], 0
