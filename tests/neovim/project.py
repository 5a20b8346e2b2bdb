"""The repositories that the cases search."""

from __future__ import annotations

from tests.sample.files import SHOP

FILES = {
    **SHOP,
    "shop/wide.js": "const 価格 = '😀'; function labelMoney(money) {\n  return `${money} €`;\n}\n",
}
"""Small, with a line that begins with wide characters."""

OTHER_FILES = {
    "ferry.py": 'def departures(day: str) -> list[str]:\n    """The timetable of the ferry."""\n    return [day]\n',
    "harbour.py": (
        "from ferry import departures\n\n\n"
        'def boats_of(day: str) -> int:\n    """How many boats leave."""\n    return len(departures(day))\n'
    ),
    "pier.py": "BERTHS = 2\n" + "\n" * 80 + "def moor(ship: str) -> str:\n    rope = ship\n    return rope\n",
}
"""Another one: two files that belong together, for one calls the other, and a function far down in its file."""
