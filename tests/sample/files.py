"""The files of the sample project: one shop, in the sizes that tests need."""

from __future__ import annotations

from collections.abc import Mapping

SMALL_SHOP: Mapping[str, str] = {
    "shop/cart.py": "def add_to_cart(item):\n    return item\n",
    "shop/checkout.py": "from shop.cart import add_to_cart\n\n\nclass Checkout:\n    def pay(self):\n        pass\n",
    "README.md": "# Shop\n\nSells things.\n\n## Returns\n\nSend it back.\n",
}
"""Three files, for tests of the indexer."""

SHOP: Mapping[str, str] = {
    "shop/cart.py": (
        '"""Carts."""\n\n\nclass Cart:\n    """What a customer is about to buy."""\n\n'
        "    def add_item(self, name: str, price: int) -> None:\n"
        '        """Puts an item into the cart."""\n        self.items.append((name, price))\n\n'
        "    def compute_total(self) -> int:\n"
        '        """Sums all prices."""\n        return sum(price for _, price in self.items)\n'
    ),
    "shop/mail.py": (
        'def send_receipt(address: str) -> None:\n    """Mails the receipt to the customer."""\n    print(address)\n'
    ),
    "shop/größe.py": "def größe_prüfen() -> str:\n    return '😀'\n",
    "README.md": "# Shop\n\n## Receipts\n\nEvery order is answered with a receipt by mail.\n",
}
"""Python, Markdown and a name beyond ASCII, for tests of the surfaces."""

SEARCHED_SHOP: Mapping[str, str] = {
    "README.md": "# Shop\n\nSells things by mail.\n\n## Returns\n\nSend it back within a month.\n",
    "shop/fusion.py": '''"""Reciprocal rank fusion."""

K = 60


def fuse(rankings):
    """Fuses rankings by reciprocal rank (RRF)."""
    scores = {}
    for ranking in rankings:
        for rank, doc in enumerate(ranking, 1):
            scores[doc] = scores.get(doc, 0) + 1 / (K + rank)
    return scores
''',
    "shop/retrieval.py": '''"""Hot decoy: everything imports it, and it talks of retrieval."""

from shop.fusion import fuse


class Retriever:
    """Retrieves documents; calls fusion somewhere."""

    def search(self, query):
        return fuse([[query]])

    def search(self, query, limit):  # noqa: F811
        return self.search(query)[:limit]

    class Page:
        def next(self):
            raise StopIteration("retry later")
''',
    "shop/cart.py": "from shop.retrieval import Retriever\n\n\ndef add_to_cart(item):\n    return item\n",
    "shop/pay.ts": (
        "export interface Invoice {\n  total: number;\n}\n\n"
        "export function payInvoice(i: Invoice) { return i.total; }\n"
    ),
    "shop/retry.go": (
        "package shop\n\n// RetryPolicy says how often to try again.\ntype RetryPolicy struct{ Max int }\n\n"
        "func (p RetryPolicy) Next() int { return p.Max }\n"
    ),
    "shop/notes.txt": "The till is closed on Sundays.\n検索エンジンの設定\n",
    "tests/test_fusion.py": "from shop.fusion import fuse\n\n\ndef test_fuse():\n    assert fuse([]) == {}\n",
    "vendor/fusion.py": "def fuse(rankings):\n    return rankings\n",
    ".gitignore": "*.log\nbuild/\n",
    "debug.log": "fuse fuse fuse\n",
}
"""Several languages, decoys, a test, vendored and ignored files, for tests of ranking."""
