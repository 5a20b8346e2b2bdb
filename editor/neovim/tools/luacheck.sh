#!/usr/bin/env bash
# luacheck.sh PREFIX FILE…: luacheck as Debian has it, run by the Neovim of that prefix (install-neovim.sh … lua-check).
set -euo pipefail
prefix=$1
shift
lua=$prefix/root/usr/share/lua/5.1
export LUA_PATH="$lua/?.lua;$lua/?/init.lua"
export LUA_CPATH="$(echo "$prefix"/root/usr/lib/*/lua/5.1)/?.so"
exec "$prefix/bin/nvim" --clean --headless -l "$prefix/root/usr/bin/luacheck" --config editor/neovim/.luacheckrc "$@"
