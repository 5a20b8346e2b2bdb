"""Mine source files into records: definitions with documentation and name, remarks with their code, Markdown sections.

A definition's documentation is the block of comments that ends right above it (lines of attributes, annotations and
type signatures may stand between), or its docstring in Python. A remark is a comment inside a function, paired with the
lines under it. A Markdown section pairs a heading's prose with the code that it shows or names. The registries hold no
history, so that commit subjects and the functions they changed, which would be another kind of pair, are not mined.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node, QueryCursor

from training import docs
from training.archives import SourceFile
from training.languages import Grammar, grammar_for, parser_and_query
from training.records import Record

_LONGEST_CODE = 4000
_SHORTEST_CODE = 40
_LONGEST_DOC = 1500
_CLASS_LINES = 60
_REMARK_LINES = 15
_BETWEEN = re.compile(
    r"^\s*(?:@|#\[|\[[A-Z]|template\s*<|export\b|\)\]|[a-z_']\w*\s*::|pub\b|public\b|static\b|inline\b|\w+\s*$)"
)
_NAME = re.compile(r"[A-Za-z_~$][\w$']*")
_KEYWORDS = "if for while switch return catch foreach do end function def fn func const static"
_NOT_NAMES = frozenset(_KEYWORDS.split())


@dataclass(frozen=True, slots=True)
class _Definition:
    name: str
    is_class: bool
    first: int
    last: int


class _Page:
    """One parsed file: its lines, those that are comments only, and its definitions from top to bottom."""

    def __init__(self, text: str, grammar: Grammar) -> None:
        source = text.encode()
        parser, query = parser_and_query(grammar)
        captures = QueryCursor(query).captures(parser.parse(source).root_node)
        self.lines = source.decode("utf-8").split("\n")
        self.comments: dict[int, int] = {}
        """The row in which each row's comment or docstring begins, for rows that are nothing else."""
        self.docstrings: set[int] = set()
        for node in captures.get("comment", []):
            self._add_comment(node)
        if grammar.name == "python":
            for node in captures.get("def", []) + captures.get("class", []):
                self._add_docstring(node)
        found = [_definition(node, False) for node in captures.get("def", [])]
        found += [_definition(node, True) for node in captures.get("class", [])]
        self.definitions = sorted(found, key=lambda one: (one.first, -one.last))
        self.documented_inside = grammar.name == "python"

    def _add_comment(self, node: Node) -> None:
        first, last = node.start_point.row, node.end_point.row
        if node.end_point.column == 0 and last > first:
            last -= 1
        if not self.lines[first][: node.start_point.column].strip():
            for row in range(first, last + 1):
                self.comments[row] = first

    def _add_docstring(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        statement = body.named_children[0] if body and body.named_children else None
        if statement and statement.type == "expression_statement" and statement.named_children[0].type == "string":
            rows = range(statement.start_point.row, statement.end_point.row + 1)
            self.comments.update(dict.fromkeys(rows, statement.start_point.row))
            self.docstrings.add(statement.start_point.row)

    def doc_of(self, definition: _Definition) -> str:
        """Return the cleaned documentation above a definition, or inside it in Python."""
        if self.documented_inside:
            head = range(definition.first + 1, min(definition.last, definition.first + 25))
            start = next((row for row in head if row in self.docstrings), None)
            return "" if start is None else self._comment_block(start, 1)
        row = definition.first - 1
        for _ in range(4):
            if row in self.comments or row < 0 or not self._may_stand_between(row):
                break
            row -= 1
        return self._comment_block(row, -1) if row in self.comments else ""

    def _may_stand_between(self, row: int) -> bool:
        line = self.lines[row].rstrip()
        return _BETWEEN.match(line) is not None and not line.endswith(("{", ";", "}"))

    def _comment_block(self, row: int, step: int) -> str:
        rows: list[int] = []
        first = self.comments[row]
        while row in self.comments and (step < 0 or self.comments[row] == first):
            rows.append(row)
            row += step
        return docs.clean(textwrap.dedent("\n".join(self.lines[row] for row in sorted(rows))))

    def code(self, first: int, last: int) -> str:
        """Return the lines from first to last (inclusive) without those that are comments only."""
        lines = (self.lines[row] for row in range(first, min(last + 1, len(self.lines))) if row not in self.comments)
        return textwrap.dedent("\n".join(lines))[:_LONGEST_CODE]

    def remarks(self) -> Iterator[tuple[str, str]]:
        """Yield comments inside of functions with the lines they stand over."""
        heads = {one.first for one in self.definitions}
        row = 0
        while row < len(self.lines):
            start = row
            while row in self.comments and row - start < 8:
                row += 1
            over_code = start < row < len(self.lines) and row not in heads and not _BETWEEN.match(self.lines[row])
            if over_code and start not in self.docstrings:
                last = self._paragraph_end(row)
                if last - row >= 1:
                    yield docs.clean("\n".join(self.lines[start:row])), self.code(row, last)
            row += 1

    def _paragraph_end(self, row: int) -> int:
        indent = _indent(self.lines[row])
        last = row
        while last + 1 < min(len(self.lines), row + _REMARK_LINES):
            line = self.lines[last + 1]
            if not line.strip() or last + 1 in self.comments or _indent(line) < indent:
                break
            last += 1
        return last


def mine_file(package: str, source: SourceFile) -> Iterator[Record]:
    """Yield the records of one source file; nothing for a suffix that no grammar knows."""
    grammar = grammar_for(source.path)
    if grammar is None:
        return
    page = _Page(source.text, grammar)
    yield from _definitions(page, package, grammar.name, source.path)
    for remark, code in page.remarks():
        if docs.is_useful(remark, words=5) and len(code) >= _SHORTEST_CODE and len(remark) < 500:
            yield Record(package, grammar.name, source.path, "comment", "", "", remark, code)


def _definitions(page: _Page, package: str, language: str, path: str) -> Iterator[Record]:
    enclosing: list[_Definition] = []
    done: set[tuple[int, str]] = set()
    for one in _with_equations_joined(page.definitions):
        while enclosing and enclosing[-1].last < one.first:
            enclosing.pop()
        container = ".".join(outer.name for outer in enclosing if outer.is_class and outer.name)
        if _is_worth_a_record(one, enclosing):
            last = min(one.last, one.first + _CLASS_LINES) if one.is_class else one.last
            doc, code = page.doc_of(one), page.code(one.first, last)
            doc = doc if docs.is_useful(doc) else ""
            if (doc or one.name) and len(code) >= _SHORTEST_CODE and (one.first, one.name) not in done:
                done.add((one.first, one.name))
                yield Record(package, language, path, "definition", one.name, container, doc[:_LONGEST_DOC], code)
        enclosing.append(one)


def _is_worth_a_record(one: _Definition, enclosing: list[_Definition]) -> bool:
    """Leave out tests within the source, and functions of a line or two inside of other functions."""
    tests = any(outer.name.lower() in ("test", "tests") for outer in (*enclosing, one))
    return not tests and not (enclosing and not enclosing[-1].is_class and one.last - one.first < 3)


def _with_equations_joined(definitions: list[_Definition]) -> Iterator[_Definition]:
    """Join neighbouring definitions of the same name (a Haskell function's equations, Elixir's clauses)."""
    pending: _Definition | None = None
    for one in definitions:
        if pending and not one.is_class and one.name == pending.name and 0 <= one.first - pending.last <= 2:
            pending = _Definition(one.name, False, pending.first, one.last)
            continue
        if pending:
            yield pending
        pending = one
    if pending:
        yield pending


def _definition(node: Node, is_class: bool) -> _Definition:
    return _Definition(_name_of(node), is_class, node.start_point.row, node.end_point.row)


def _name_of(node: Node) -> str:
    for field in ("name", "declarator", "left", "key", "type"):
        child = node.child_by_field_name(field)
        if child is not None:
            return _last_identifier(child)
    names = [
        child
        for child in node.named_children
        if child.type in ("arguments", "variable_list", "identifier", "simple_identifier", "type_identifier")
    ]
    return _last_identifier(names[-1 if node.type == "call" else 0]) if names else ""


def _last_identifier(node: Node) -> str:
    text = (node.text or b"").decode("utf-8", "replace")
    head = re.split(r"[({<=]|\bwhen\b|\bdo\b", text.lstrip("(*&"))[0] or text
    names = [name for name in _NAME.findall(head) if name not in _NOT_NAMES]
    return names[-1] if names else ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


_MARKDOWN_HEADING = re.compile(r"^#{1,4}\s+(.+?)\s*#*$", re.MULTILINE)
_MARKDOWN_FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_BACKQUOTED_SYMBOL = re.compile(r"`([A-Za-z_][\w.:]*(?:\(\))?)`")
_MARKDOWN_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*`>|]|<[^>]+>")


def mine_markdown(package: str, source: SourceFile) -> Iterator[Record]:
    """Yield a record for each section with prose and either a fenced block or three symbols named in backquotes."""
    pieces = _MARKDOWN_HEADING.split(_hide_fenced_headings(source.text))
    for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
        blocks = [block.strip() for block in _MARKDOWN_FENCE.findall(body)]
        prose = _MARKDOWN_FENCE.sub("", body)
        named = list(dict.fromkeys(_BACKQUOTED_SYMBOL.findall(prose)))
        plain = _MARKDOWN_MARKUP.sub(lambda match: match.group(1) or " ", prose).strip()
        code = "\n".join(blocks) if blocks else "\n".join(named) if len(named) >= 3 else ""
        if len(code) >= 40 and docs.is_useful(plain, words=5):
            doc = f"{_MARKDOWN_MARKUP.sub(' ', title).strip()}. {plain}"[:1500]
            yield Record(package, "markdown", source.path, "section", "", "", doc, code[:_LONGEST_CODE])


def _hide_fenced_headings(text: str) -> str:
    """Indent `#` inside of a fence, so that a shell comment is not read as a heading."""
    return _MARKDOWN_FENCE.sub(lambda match: re.sub(r"^#", " #", match.group(0), flags=re.MULTILINE), text)
