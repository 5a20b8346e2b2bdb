#!/usr/bin/env bash
# try.sh FOLDER: VS Code in the browser (code-server) with the extension, on FOLDER, until Ctrl+C. Prints its address.
# It listens on this machine alone, and keeps its profile in .test/try.
set -euo pipefail
folder=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
here=$PWD
port=${PORT:-8421}
profile=$here/.test/try
mkdir -p "$profile/User" "$profile/Machine"
touch "$profile/none.yaml"
export EXTENSIONS_GALLERY='{}'
places=(--user-data-dir "$profile" --extensions-dir "$profile/extensions" --config "$profile/none.yaml")
[ -e "$profile/User/settings.json" ] || cat >"$profile/User/settings.json" <<SETTINGS
{
  "telemetry.telemetryLevel": "off", "update.mode": "none", "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false, "extensions.ignoreRecommendations": true,
  "workbench.startupEditor": "none", "workbench.enableExperiments": false, "chat.disableAIFeatures": true,
  "workbench.secondarySideBar.defaultVisibility": "hidden"
}
SETTINGS
printf '{"scry.path": "%s"}\n' "$folder/.venv/bin/scry" >"$profile/Machine/settings.json"
"$here/.test/code-server/run" "${places[@]}" --install-extension "$here/dist/scry.vsix" --force >/dev/null

"$here/.test/code-server/run" "${places[@]}" --bind-addr "127.0.0.1:$port" --auth none --disable-telemetry \
  --disable-update-check --disable-getting-started-override --disable-workspace-trust --reconnection-grace-time 60 \
  >"$profile/log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null || true' EXIT
until curl -sf -o /dev/null "http://127.0.0.1:$port/healthz"; do
  kill -0 "$server" 2>/dev/null || { cat "$profile/log" >&2; exit 1; }
  sleep 0.2
done
cat <<WORDS

VS Code with Scry, on $folder:

    http://127.0.0.1:$port/?folder=$folder

Open it in a browser, press F1 and choose "Scry: Find". From another machine: ssh -L $port:127.0.0.1:$port …
Ctrl+C ends it.
WORDS
wait "$server"
