"""The repository that the cases search."""

from __future__ import annotations

from tests.e2e.lsp_client import SHOP

FILES = {
    **SHOP,
    "shop/wide.py": (
        "def label_price(price: int) -> str:\n"
        '    """Shows a price with its currency sign."""\n'
        "    return f'価格 😀 {price}' if price else 'free'\n"
    ),
}
"""Small, with a line of wide characters."""
