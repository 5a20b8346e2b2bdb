"""The filters that the plugin completes are those that the sidecar knows."""

from __future__ import annotations

import json
import subprocess

import pytest

from scry.engine.search.query import CONTENT_TYPES, KNOWLEDGE_SOURCES
from scry.index.parse.languages import LANGUAGES
from tests.neovim.prefixes import NEWEST, ROOT

PRINT = "lua local f = require('scry.filters') io.write(vim.json.encode({ f.languages, f.types, f.sources }))"


@pytest.mark.slow
@pytest.mark.needs("neovim")
@pytest.mark.acceptance("C2")
def test_completed_filter_values_are_those_of_the_sidecar() -> None:
    command = [NEWEST.program, "--headless", "-u", "NONE", "-i", "NONE", "--cmd"]
    command += [f"set runtimepath+={ROOT / 'editor' / 'neovim'}", f"+{PRINT}", "+qa!"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    languages, types, sources = json.loads(printed)
    assert languages == sorted({language.name for language in LANGUAGES})
    assert set(types) == CONTENT_TYPES
    assert set(sources) == KNOWLEDGE_SOURCES
