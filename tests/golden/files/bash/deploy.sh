#!/usr/bin/env bash
# shellcheck shell=bash
# Deploys the site.

set -euo pipefail

source "${ROOT}/lib/log.bash"
. ./helpers.sh
source "$(dirname "$0")/colors.sh"

export DEPLOY_TARGET="production"
readonly MAX_RETRIES=3
declare -A hosts=([eu]=one [us]=two)
verbose=false

alias ll='ls -l'

# Says what to do.
# Usage: usage NAME
function usage() {
  cat <<EOF
usage() { this is text, no function; }
EOF
}

log::info() { printf '%s\n' "$*" >&2; }

# Copies the files.
copy-files() {
  local from="$1" to="${2:-/srv}"
  if [[ -d "$from" ]]; then
    rsync -a "$from" "$to" | log::info
  fi

  retry() {
    "$@" || return 1
  }
  retry rsync "$from"
}

function größe {
  local datei
  for datei in "$@"; do
    wc -c < "$datei"
  done
}

if [ "$verbose" = true ]; then
  debug() { log::info "debug: $1"; }
else
  debug() { :; }
fi

_cleanup() (
  rm -rf "$tmp"
)
trap _cleanup EXIT

case "${1:-}" in
  -h | --help)
    usage
    exit 0
    ;;
  *)
    copy-files "$1"
    ;;
esac

count=0
while ((count < MAX_RETRIES)); do
  debug "$count"
  count=$((count + 1))
done
