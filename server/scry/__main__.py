"""`python -m scry`."""

from __future__ import annotations

import sys

from scry.main import main

if __name__ == "__main__":
    sys.exit(main())
