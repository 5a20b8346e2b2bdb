"""Situations of real repositories in which the wrong place came first, each laid out in small (F13, F14)."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scry_protocol.messages import Explanation, ResultItem, Structural, WhyParams
from tests.sample.files import SHOP
from tests.sample.indexed import IndexedProject, doc_ids, recomputed_score

RUST = """//! Removes escape sequences.

/// Strips the ansi color codes of a text.
pub fn strip_codes(text: &str) -> String {
    text.split('\\x1b').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_ansi_color_codes_of_text() {
        assert_eq!(strip_codes("ansi color codes stripped"), "ansi color codes stripped");
    }
}
"""

EXTRACT = """//! Reads the body of a request.

/// Decodes the chunked body of a request up to a limit.
pub async fn decode_body(request: Request, limit: usize) -> Result<Bytes, Rejection> {
    let body = request.into_body();
    collect(body, limit).await
}

#[tokio::test]
async fn chunked_body_of_a_request_decodes_up_to_a_limit() {
    let request = request_with_chunked_body("decodes the chunked body of a request up to a limit");
    assert_eq!(decode_body(request, 3).await.unwrap(), "abc");
}
"""

ROMAN = '''"""Converts numbers."""


def to_roman(number):
    """Return a number as a Roman numeral."""
    return "".join(letters * (number // value) for value, letters in VALUES)


if __name__ == "__main__":
    # a number converted to a Roman numeral
    for number in (1, 4, 9, 1990):
        print("Roman numeral of the number", number, to_roman(number))
'''

ZIG = """/// Doubles a number.
pub fn double(number: u32) u32 {
    return number * 2;
}

test "double doubles a number" {
    try expect(double(2) == 4);
}
"""

SESSION = '''"""Sessions in cookies."""


class SecureCookieSession(dict):
    """The session of a request, kept in a cookie."""

    modified = False


class SessionInterface:
    """Opens and saves the session; the cookie has a name, a domain, a path and flags."""

    def get_cookie_name(self, app):
        """Return the name of the session cookie."""
        return app.config["SESSION_COOKIE_NAME"]

    def get_cookie_domain(self, app):
        """Return the domain of the session cookie."""
        return app.config["SESSION_COOKIE_DOMAIN"]

    def get_cookie_path(self, app):
        """Return the path of the session cookie."""
        return app.config["SESSION_COOKIE_PATH"]

    def should_set_cookie(self, app, session):
        """Return whether the session cookie is set again."""
        return session.modified


class SecureCookieSessionInterface(SessionInterface):
    """Keeps the session in a signed cookie."""

    salt = "cookie-session"

    def get_signing_serializer(self, app):
        """Return what signs the session cookie with the secret key of the application."""
        if not app.secret_key:
            return None
        keys = [app.secret_key]
        if app.config["SECRET_KEY_FALLBACKS"]:
            keys.extend(app.config["SECRET_KEY_FALLBACKS"])
        return URLSafeTimedSerializer(keys, salt=self.salt, signer_kwargs={"key_derivation": "hmac"})

    def open_session(self, app, request):
        """Read the session of a request."""
        return SecureCookieSession(request.cookies)
'''

ROUTER = """package mux

// node of the routing tree.
type node struct {
	prefix string
}

func (n *node) isLeaf() bool {
	return n.prefix != ""
}

func (n *node) IsMatch(path string) bool {
	return n.prefix == path
}

// findRoute walks the tree of nodes to the route of a path. It resolves
// wildcards and parameters on its way, and returns the handler of the route.
func (n *node) findRoute(path string) *node {
	for path != "" {
		if n.prefix == path {
			return n
		}
		path = path[1:]
	}
	return nil
}
"""

INTENT = '''"""Reads a query."""


class Query:
    """A query."""

    intent: str
    text: str


class Request:
    """A request."""

    intent: str


class Logged:
    """A logged query."""

    intent: str


def detect_intent(words):
    """Return the intent of a query, detected from its words."""
    for intent, pattern in PATTERNS:
        if pattern.search(words):
            return intent
    return "general"
'''

STORE = '''"""Opens the index of a project."""


class Reader:
    """Reads documents."""

    index: str


class Writer:
    """Writes documents."""

    index: str


class Session:
    """A client's session."""

    index: str

    @property
    def index_name(self):
        """The index."""
        return self.index


def index(folder):
    """Index a folder."""
    return Writer(folder)


def read_or_rebuild(path):
    """Read the index; one that is corrupt is set aside, told, and made anew."""
    try:
        return open_checked(path)
    except Damaged as damage:
        set_aside(path)
        tell(damage)
        return index(path.parent)
'''


READER = """package json;

/** Reads JSON from a stream of characters. */
public class JsonReader {
  /** True to accept JSON that the standard does not allow. */
  private boolean lenient = false;

  /**
   * Configures this reader to be lenient in what it accepts: comments, single quotes, unquoted names, and
   * separators in place of commas.
   */
  public final void setLenient(boolean lenient) {
    this.lenient = lenient;
  }

  /** Returns true if this reader is lenient in what it accepts. */
  public final boolean isLenient() {
    return lenient;
  }

  int doPeek() throws IOException {
    int peekStack = stack[stackSize - 1];
    if (peekStack == JsonScope.NONEMPTY_ARRAY) {
      switch (nextNonWhitespace(true)) {
        case ']':
          return peeked = PEEKED_END_ARRAY;
        case ';':
          checkLenient(); // fall-through
        case ',':
          break;
        default:
          throw syntaxError("Unterminated array");
      }
    } else if (peekStack == JsonScope.EMPTY_DOCUMENT) {
      if (lenient) {
        consumeNonExecutePrefix();
      }
      stack[stackSize - 1] = JsonScope.NONEMPTY_DOCUMENT;
    } else if (peekStack == JsonScope.NONEMPTY_DOCUMENT) {
      if (nextNonWhitespace(false) == -1) {
        return peeked = PEEKED_EOF;
      }
      checkLenient();
      pos--;
    }
    return peeked = PEEKED_NONE;
  }

  private void checkLenient() throws IOException {
    if (!lenient) {
      throw syntaxError("Use JsonReader.setLenient(true) to accept malformed JSON");
    }
  }
}
"""


@pytest.fixture(scope="module")
def situations(tmp_path_factory: pytest.TempPathFactory) -> IndexedProject:
    """Return a project of small copies of these situations."""
    sample = IndexedProject(tmp_path_factory.mktemp("work") / "situations").init_repository()
    cells = [{"cell_type": "code", "source": f"plot(sales, year={year})\n"} for year in (2019, 2020, 2020)]
    sample.write(
        {
            "ansi/src/lib.rs": RUST,
            "math/double.zig": ZIG,
            "web/body.rs": EXTRACT,
            "math/roman.py": ROMAN,
            "web/sessions.py": SESSION,
            "mux/tree.go": ROUTER,
            "query/read.py": INTENT,
            "store/open.py": STORE,
            "json/JsonReader.java": READER,
            "sales.ipynb": json.dumps({"cells": cells}),
        }
    )
    sample.commit()
    sample.update_index()
    return sample


@pytest.mark.acceptance("F5", "F14")
@pytest.mark.parametrize(
    ("query", "code", "test"),
    [
        ("where are ansi color codes of a text stripped", "::strip_codes", "::tests.strips_ansi_color_codes_of_text"),
        ("what doubles a number", "::double", "::double doubles a number"),
        (
            "chunked body of a request up to a limit",
            "::decode_body",
            "::chunked_body_of_a_request_decodes_up_to_a_limit",
        ),
        ("Roman numeral of a number", "::to_roman", "math/roman.py#L9-L12"),
    ],
)
def test_tests_beside_code_are_known_as_tests(situations: IndexedProject, query: str, code: str, test: str) -> None:
    results = situations.find(query, limit=50).results
    by_name = {result.doc_id[result.doc_id.find("::") :]: result for result in results if "::" in result.doc_id}
    by_name |= {result.doc_id.removeprefix("./"): result for result in results if "::" not in result.doc_id}
    assert by_name[code].rank < by_name[test].rank
    reasons = {adjustment.name: adjustment.reason for adjustment in by_name[test].adjustments}
    assert reasons["test_path"] == "the document is test, which the question does not ask for"
    assert "test_path" not in [adjustment.name for adjustment in by_name[code].adjustments]
    for name in (code, test):
        structural = by_name[name].annotations.structural
        assert isinstance(structural, Structural)
        assert ("test" in structural.flags) == (name == test)


@pytest.mark.acceptance("F5")
def test_question_for_tests_does_not_lower_tests_beside_code(situations: IndexedProject) -> None:
    results = situations.find("unit tests of ansi color codes stripped", limit=50).results
    (found,) = (result for result in results if result.doc_id.endswith("strips_ansi_color_codes_of_text"))
    assert "test_path" not in [adjustment.name for adjustment in found.adjustments]


@pytest.mark.acceptance("F14")
@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("where is the route of a path found", "./mux/tree.go::node.findRoute"),
        ("how is the query intent detected", "./query/read.py::detect_intent"),
        ("what happens when the index is corrupt", "./store/open.py::read_or_rebuild"),
    ],
)
def test_function_that_answers_comes_before_its_neighbours(situations: IndexedProject, query: str, place: str) -> None:
    assert doc_ids(situations.find(query))[0] == place


@pytest.mark.acceptance("F14")
def test_method_that_answers_comes_before_all_but_its_class(situations: IndexedProject) -> None:
    of_file = [each for each in doc_ids(situations.find("where is the session cookie signed")) if "sessions" in each]
    signing = "./web/sessions.py::SecureCookieSessionInterface"
    assert of_file[:2] == [signing, f"{signing}.get_signing_serializer"]


@pytest.mark.acceptance("F14")
def test_short_method_that_handles_a_mode_is_in_reach_from_the_first_result(situations: IndexedProject) -> None:
    """In gson itself it is the fifth place of the file that comes first (docs/quality.md, Misses)."""
    answer = situations.find("where is lenient mode handled", limit=1)
    (first,) = answer.results
    assert first.doc_id.startswith("./json/JsonReader.java::JsonReader")
    assert "./json/JsonReader.java::JsonReader.checkLenient" in {first.doc_id, *(each.doc_id for each in first.further)}


@pytest.mark.acceptance("J2")
def test_cells_on_one_line_have_ids_of_their_own(situations: IndexedProject) -> None:
    found = [each for each in doc_ids(situations.find("plot sales", limit=50)) if "ipynb" in each]
    assert len(found) == len(set(found)) == 3


def ask_why(project: IndexedProject, params: WhyParams) -> Explanation:
    """Return the explanation by the real engine."""
    with closing(project.engine()) as engine:
        return engine.why(params)


@pytest.mark.acceptance("W1", "W2", "F5")
@given(data=st.data())
@settings(max_examples=25, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_why_agrees_with_the_answer_for_any_document(situations: IndexedProject, data: st.DataObject) -> None:
    query = data.draw(st.sampled_from(["session cookie", "how is the query intent detected", "node path", "number"]))
    answer = situations.find(query, limit=100)
    result = data.draw(st.sampled_from(answer.results))
    limited = situations.find(query, limit=3)
    assert doc_ids(limited) == doc_ids(answer)[:3]  # so that most are explained without being returned
    explained = ask_why(situations, WhyParams(result.doc_id, query))
    own = explained.result
    assert isinstance(own, ResultItem)
    assert (own.rank, own.adjustments, own.confidence) == (result.rank, result.adjustments, result.confidence)
    assert own.fused_score == result.fused_score == pytest.approx(recomputed_score(answer, result), rel=1e-12)
    factors = {adjustment.name: adjustment.factor for adjustment in result.adjustments}
    for without in explained.without:
        if factors.get(without.name, 1.0) < 1:  # what lowers a document can't hold it up
            assert without.rank is not None
            assert without.rank <= result.rank


POOL = {
    "src/unix/core.c": """int uv_os_getenv(const char* name, char* buffer, size_t* size) {
  /* look up a variable of the environment, with its size */
  return copy(getenv(name), buffer, size);
}
""",
    "src/win/util.c": """int uv_look_up_size(uv_thread_t* thread, size_t* size) {
  /* look up the size of the pool of a thread */
  return look_up(thread, size);
}
""",
    "src/pool.c": """static void init_once(void) {
  const char* value = getenv("UV_THREADPOOL_SIZE");
  start(value == NULL ? 4 : atoi(value));
}
""",
    "src/time/sleep.c": "/* look up how long a timer waits */\nint timer_sleep(int size) { return size; }\n",
    "src/net/sleep.c": "/* look up how long a socket waits */\nint socket_sleep(int size) { return size; }\n",
}
"""In libuv "unix,win: look up UV_THREADPOOL_SIZE with uv_os_getenv" found the file that reads that variable ninth."""


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> IndexedProject:
    sample = IndexedProject(tmp_path_factory.mktemp("work") / "pool").init_repository()
    sample.write(POOL)
    sample.commit()
    sample.update_index()
    return sample


@pytest.mark.acceptance("F5", "W1", "W2")
def test_files_that_hold_the_identifiers_of_a_question_are_raised_by_their_share(pool: IndexedProject) -> None:
    answer = pool.find("look up UV_THREADPOOL_SIZE with uv_os_getenv")
    factors = {each.doc_id: {own.name: own.factor for own in each.adjustments} for each in answer.results}
    holders = {"./src/pool.c::init_once", "./src/unix/core.c::uv_os_getenv"}
    assert {doc_id for doc_id, own in factors.items() if "identifiers" in own} == holders
    assert all(1 < factors[doc_id]["identifiers"] < 1.3 for doc_id in holders), "each holds one of two"
    assert {each.doc_id for each in answer.results[:2]} == holders
    for result in answer.results:
        explained = ask_why(pool, WhyParams(result.doc_id, answer.query))
        assert isinstance(explained.result, ResultItem)
        assert explained.result.adjustments == result.adjustments
        assert result.fused_score == pytest.approx(recomputed_score(answer, result), rel=1e-12)


@pytest.mark.acceptance("F5")
def test_identifier_that_occurs_nowhere_raises_nothing(pool: IndexedProject) -> None:
    answer = pool.find("look up UV_MISSING_NAME of a thread")
    assert answer.results
    assert all(own.name != "identifiers" for each in answer.results for own in each.adjustments)


@pytest.mark.acceptance("F5")
@pytest.mark.parametrize(("area", "first"), [("net", "./src/net/sleep.c"), ("time", "./src/time/sleep.c")])
def test_files_of_the_area_that_a_question_begins_with_come_first(pool: IndexedProject, area: str, first: str) -> None:
    answer = pool.find(f"{area}: look up how long it waits")
    assert answer.results[0].doc_id.startswith(first)
    assert any(own.name == "area" and "begins with" in own.reason for own in answer.results[0].adjustments)
    assert 0 < answer.results[0].fused_score <= 1


@pytest.mark.acceptance("F13")
def test_file_of_a_single_function_does_not_outrank_the_first_by_words_and_by_vectors(tmp_path: Path) -> None:
    """The vector of the file of `labelPrice` is nearly that of this function, which is second by both."""
    sample = IndexedProject(tmp_path / "prices").init_repository()
    wide = "const 価格 = '😀'; function labelPrice(price) {\n  return `${price} €`;\n}\n"
    sample.write({**SHOP, "shop/wide.js": wide})
    sample.commit()
    sample.update_index()
    first, second, *_ = sample.find("sum of all prices").results
    assert [each.doc_id.rpartition("::")[2] for each in (first, second)] == ["Cart.compute_total", "labelPrice"]


@pytest.mark.acceptance("F5", "F6")
def test_file_whose_functions_together_hold_the_words_of_a_question_comes_first(tmp_path: Path) -> None:
    project = IndexedProject(tmp_path / "shop")
    vouchers = "def refund(voucher):\n    return voucher.amount\n\n\ndef is_expired(voucher, checkout):\n    return 1\n"
    parcels = (
        "def refund(parcel):\n    return parcel.refund\n\n\ndef refund_again(parcel):\n    return refund(parcel)\n"
    )
    project.write({"vouchers.py": vouchers, "parcels.py": parcels})
    project.update_index()
    answer = project.find("refund a voucher that is expired at checkout")
    assert answer.results[0].doc_id.startswith("./vouchers.py::")
    shares = {
        each.doc_id: own.reason for each in answer.results for own in each.adjustments if own.name == "file_words"
    }
    assert "./parcels.py::refund" in shares
    assert not any(doc_id.startswith("./vouchers.py") for doc_id in shares), "its functions together hold all words"
