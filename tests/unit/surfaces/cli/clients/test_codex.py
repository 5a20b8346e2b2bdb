from __future__ import annotations

import pytest

from scry.surfaces.cli.clients import CODEX, ServerCommand, UnwritableConfig

SERVER = ServerCommand("/opt/a b/scry", ("mcp",))
TABLE = '[mcp_servers.scry]\ncommand = "/opt/a b/scry"\nargs = ["mcp"]\n'


def test_a_new_table_goes_to_the_end() -> None:
    assert CODEX.write("", SERVER) == TABLE
    assert CODEX.write('model = "o" # mine\n', SERVER) == f'model = "o" # mine\n\n{TABLE}'
    assert CODEX.write("[tools]\nweb = true", SERVER) == f"[tools]\nweb = true\n\n{TABLE}"


def test_old_table_is_replaced_and_the_rest_kept() -> None:
    rest = 'startup_timeout_sec = 5 # mine\n\n[mcp_servers.other]\ncommand = "y"\n'
    after = CODEX.write(f'# top\n[mcp_servers.scry] # old\ncommand = "x"\nargs = []\n{rest}', SERVER)
    assert after == f"# top\n{TABLE.replace(']', '] # old', 1)}{rest}"
    assert CODEX.write(after, SERVER) == after


def test_inline_tables_and_lists_over_several_lines_are_replaced() -> None:
    inline = CODEX.write('mcp_servers = {scry = {command = "x", args = []}}', SERVER)
    assert inline == 'mcp_servers = {scry = {command = "/opt/a b/scry", args = ["mcp"]}}'
    listed = CODEX.write('[mcp_servers.scry]\ncommand = "x"\nargs = [\n  "a", # one\n]\n', SERVER)
    assert listed == TABLE


@pytest.mark.parametrize("text", ["a = ", "[x", "mcp_servers = {}", "mcp_servers = 3", "[[mcp_servers]]\nx = 1\n"])
def test_unsafe_or_broken_config_is_refused(text: str) -> None:
    with pytest.raises(UnwritableConfig):
        CODEX.write(text, SERVER)
