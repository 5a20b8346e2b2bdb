#!/usr/bin/env bash
# package.sh PYTHON [TARGET…]: dist/scry.vsix, the universal build, with the sidecar's wheel in it; or, for each TARGET
# (linux-x64, linux-arm64, darwin-arm64, win32-x64), dist/scry-TARGET.vsix, which has the wheels of all dependencies too.
# PYTHON must have the package `build`, and reach a registry for a TARGET. From the environment, for the marketplaces:
#   SCRY_PUBLISHER   the publisher, `scry` otherwise
#   SCRY_REPOSITORY  https address of the public repository: homepage, issues, and the pictures of the README
#   SCRY_PYTHONS     the versions of Python that the wheels are for
set -euo pipefail
python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=../..
export npm_config_loglevel=error
# The same commit gives the same bytes: vsce and hatchling give all files this time.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} TZ=UTC
pythons=${SCRY_PYTHONS:-3.11 3.12 3.13}
stage=dist/stage

platform_tags() {
  case $1 in
    linux-x64) echo manylinux_2_28_x86_64 manylinux_2_27_x86_64 manylinux_2_26_x86_64 manylinux_2_17_x86_64 manylinux2014_x86_64 manylinux_2_12_x86_64 manylinux2010_x86_64 manylinux_2_5_x86_64 manylinux1_x86_64 ;;
    linux-arm64) echo manylinux_2_28_aarch64 manylinux_2_27_aarch64 manylinux_2_26_aarch64 manylinux_2_17_aarch64 manylinux2014_aarch64 ;;
    darwin-arm64) echo macosx_13_0_arm64 ;; # pip adds the earlier ones, and universal2
    win32-x64) echo win_amd64 ;;
    *) echo "package.sh: no such target: $1" >&2; exit 1 ;;
  esac
}

build_wheel() {
  rm -rf server
  mkdir -p server dist
  "$python" -m build --wheel --outdir server "$root" >dist/wheel.log 2>&1 || { cat dist/wheel.log >&2; exit 1; }
}

fetch_wheels() { # of one target, for each version of Python; those for all versions are one file
  local tags tag version folder=$stage/server/wheels
  tags=$(platform_tags "$1")
  mkdir -p "$folder"
  for version in $pythons; do
    "$python" -m pip download -qq --disable-pip-version-check --only-binary :all: --dest "$folder" \
      --implementation cp --python-version "$version" $(for tag in $tags; do echo --platform "$tag"; done) server/*.whl pip
  done
  rm "$folder"/scry_sidecar-*.whl
  printf '"%s"\n' $pythons | paste -sd, | sed 's/.*/[&]/' >"$folder/pythons.json"
}

stage_files() { # all that is shipped, and nothing else
  rm -rf "$stage"
  mkdir -p "$stage/dist" "$stage/server"
  cp -r l10n package.nls*.json "$stage"
  cp dist/extension.js dist/languageclient.js "$stage/dist"
  cp server/*.whl "$stage/server"
  cp "$root/LICENSE" "$root/CHANGELOG.md" THIRD-PARTY-LICENSES.txt "$stage"
  cp -r media "$stage/media"
  node scripts/manifest.mjs "$stage"
}

package() { # OUT [TARGET]
  (cd "$stage" && ../../node_modules/.bin/vsce package --no-dependencies --no-rewrite-relative-links \
    --allow-missing-repository ${2:+--target "$2"} --out "../../$1") >dist/vsce.log 2>&1 || { cat dist/vsce.log >&2; exit 1; }
}

build_wheel
for picture in $(grep -o 'media/[a-z-]*-[a-z]*\.png' package.json); do # the walkthrough's
  cp "$root/docs/images/vscode-${picture#media/}" "$picture"
done
node scripts/build.mjs
node scripts/licences.mjs dist/licences.json THIRD-PARTY-LICENSES.txt
for target in "${@:-}"; do
  out=dist/scry${target:+-$target}.vsix
  largest=15 # megabytes
  [ -z "$target" ] || largest=150
  stage_files
  [ -z "$target" ] || fetch_wheels "$target"
  package "$out" "$target"
  size=$(wc -c <"$out")
  [ "$size" -le $((largest * 1000000)) ] || { echo "package.sh: $out has $size bytes: over $largest MB" >&2; exit 1; }
  echo "editor/vscode/$out: $((size / 1000)) kB"
done
rm -rf "$stage"
