#!/usr/bin/env bash
# package.sh PYTHON: dist/scry.vsix, with the sidecar's wheel in it. PYTHON must have the package `build`.
set -euo pipefail
python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=../..
largest=$((15 * 1000 * 1000))
export npm_config_loglevel=error

rm -rf server dist
mkdir -p server dist
"$python" -m build --wheel --outdir server "$root" >dist/wheel.log 2>&1 || { cat dist/wheel.log >&2; exit 1; }
cp "$root/LICENSE" .
for picture in "$root"/docs/images/vscode-*.png; do # the walkthrough's
  [ ! -e "$picture" ] || cp "$picture" "media/${picture##*/vscode-}"
done
node scripts/build.mjs
node_modules/.bin/vsce package --no-dependencies --allow-missing-repository --out dist/scry.vsix >dist/vsce.log 2>&1 ||
  { cat dist/vsce.log >&2; exit 1; }
size=$(wc -c <dist/scry.vsix)
[ "$size" -le "$largest" ] || { echo "package.sh: dist/scry.vsix has $size bytes, more than $largest" >&2; exit 1; }
echo "editor/vscode/dist/scry.vsix: $((size / 1000)) kB"
