#!/usr/bin/env bash
# try.sh PREFIX: this repository in the Neovim of that prefix, with Scry, telescope and nothing of the person's.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
export NVIM_APPNAME=scry-try
export PATH="$PWD/.venv/bin:$PATH"
exec "$1/bin/nvim" -u editor/neovim/tools/try.lua -i NONE "${@:2}" README.md
