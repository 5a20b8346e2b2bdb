"""The acceptance queries, each as a mode and its params: the same on every way in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Case:
    """A question. timed: its scores depend on the moment, and so are compared rounded."""

    name: str
    mode: str
    params: dict[str, Any] = field(default_factory=dict[str, Any])
    timed: bool = False


def _find(name: str, query: str, **params: Any) -> Case:  # noqa: ANN401 (JSON of any shape)
    return Case(f"find-{name}", "find", {"query": query, **params})


CASES = (
    _find("general", "what should I know about the retrieval module?"),  # F12
    _find("quiet-file", "where is reciprocal rank fusion implemented?"),  # F13
    _find("identifier", "RetryPolicy"),  # F8
    _find("member", "Retriever.search"),
    _find("duplicate-names", "search query limit"),  # F2
    _find("filters", "fuse lang:python -path:vendor"),  # F8
    _find("type-filter", "shop type:doc"),
    _find("quotes", '"closed on Sundays"'),
    _find("temporal", "what changed in the cart lately", intent="temporal"),  # F7
    _find("rationale", "why is the till closed on Sundays"),
    _find("commits", "Open the shop", types=["commit"]),
    _find("limit", "fuse", limit=3),  # F9
    _find("project-alone", "how are raw scores fused", source="project"),  # F9
    _find("own-notes-alone", "how are raw scores fused", source="persona"),
    _find("domain", "how are raw scores fused", domains=["Ranking"]),
    _find("source-in-words", "how are raw scores fused -source:persona -domain:style"),
    _find("least-score", "fuse rankings", min_score=0.2),
    _find("cjk", "検索"),  # F8a
    _find("hyphen", "multi-agent"),
    _find("apostrophe", "don't"),
    _find("number", "20.04"),
    _find("operator", "AND OR NOT"),
    _find("quote-alone", '"'),
    _find("star", "*"),
    _find("emoji", "🛒 total"),
    _find("dash", "--limit"),
    _find("nothing", "zyxwvutsrq"),  # F11
    _find("unknown-name", "RetryPolciy"),  # F15
    _find("unknown-type", "fuse type:nope"),
    _find("unknown-language", "fuse lang:klingon"),
    _find("unknown-everywhere", "zyxwvutsrq letter", all_projects=True),
    _find("full", "add to cart", full=True, limit=2),  # D2
    _find("reason", "what calls fuse", reason=True),  # N3
    _find("named-projects", "invoice letter", projects=["shop", "post"]),  # P1
    _find("one-other-project", "letter", projects=["post"]),
    _find("all-projects", "fuse a letter", all_projects=True),
    _find("linked-projects", "deliver", linked_projects=True),
    _find("used", "which totals of invoices are paid"),  # U1
    _find("used-all-projects", "which totals of invoices are paid", all_projects=True),
    _find("unknown-project", "letter", projects=["post", "pots"]),
    Case("orient", "orient", {"path": "."}),  # O1
    Case("orient-folder", "orient", {"path": "shop/"}),
    Case("orient-file", "orient", {"path": "./shop/fusion.py"}),
    Case("orient-projects", "orient", {"path": ".", "all_projects": True}),
    Case("orient-other", "orient", {"path": "post:./post"}),
    Case("recent", "recent", {"days": 3000}, timed=True),  # R1
    Case("recent-query", "recent", {"query": "fusion"}, timed=True),
    Case("recent-own-notes", "recent", {"query": "fusion", "source": "persona", "domains": ["ranking"]}, timed=True),
    Case("recent-projects", "recent", {"days": 3000, "projects": ["shop", "post"]}, timed=True),
    Case("neighbors", "neighbors", {"file": "shop/fusion.py"}),  # N1
    Case("neighbors-dependency", "neighbors", {"file": "shop/fusion.py", "by": "dependency"}),
    Case("neighbors-other", "neighbors", {"file": "post:./post/letter.py"}),
    Case("why", "why", {"doc_id": "./shop/fusion.py::fuse", "query": "where is fusion"}, timed=True),  # W1
    Case("why-not-returned", "why", {"doc_id": "./shop/pay.ts::payInvoice", "query": "fusion"}, timed=True),  # W2
    Case(
        "why-used", "why", {"doc_id": "./shop/pay.ts::payInvoice", "query": "which invoice totals are paid"}, timed=True
    ),
    Case("why-ignored", "why", {"doc_id": "debug.log", "query": "fuse"}),
    Case("why-missing", "why", {"doc_id": "./nowhere.py", "query": "fuse"}),
    Case("why-other", "why", {"doc_id": "post:./post/letter.py::deliver", "query": "letters"}, timed=True),
    Case("status", "status"),
    Case("status-languages", "status", {"languages": True}),
)

REFUSED = (
    _find("empty", "   "),
    _find("no-relation", "calls calls calls", reason=True),
    _find("all-unknown", "letter", projects=["pots"]),
    _find("all-and-some", "letter", projects=["post"], all_projects=True),
    _find("domain-of-code", "what calls fuse", reason=True, domains=["style"]),
    Case("orient-outside", "orient", {"path": "../.."}),
    Case("neighbors-unknown", "neighbors", {"file": "nowhere.py"}),
    Case("detail-unknown", "detail", {"query_id": "q_20200101_000000_aaaaaaaa", "rank": 1}),
    Case("detail-malformed", "detail", {"query_id": "nonsense", "rank": 1}),
)
