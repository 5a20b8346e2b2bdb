#!/usr/bin/env bash
# get-chromium.sh DEST: a Chromium for the tests, as DEST/run. The system's own where there is one; else Debian's package
# with what it needs, unpacked into DEST (no root, nothing is installed). Needs apt-get and dpkg-deb for that.
set -euo pipefail
dest=$1
stamp=$dest/.complete
[ ! -e "$stamp" ] || exit 0
rm -rf "$dest"
mkdir -p "$dest"

for program in chromium chromium-browser google-chrome; do
  if found=$(command -v "$program"); then
    ln -s "$found" "$dest/run"
    touch "$stamp"
    exit 0
  fi
done

command -v apt-get >/dev/null || { echo "get-chromium.sh: no Chromium here, and no apt-get to fetch one" >&2; exit 1; }

# An apt of our own, so that neither root nor the system's lists are needed; what the system has installed is known to it.
state=$dest/apt
mkdir -p "$state"/lists/partial "$state"/cache/archives/partial
touch "$state/extended_states"
options=(
  -o "Dir::State::Lists=$state/lists" -o "Dir::Cache=$state/cache" -o "Dir::State::extended_states=$state/extended_states"
  -o "APT::Sandbox::User=$(id -un)" -o Acquire::Languages=none -o Debug::NoLocking=1
)
apt-get "${options[@]}" -qq update
apt-get "${options[@]}" -qq -y --no-install-recommends --download-only install chromium >/dev/null
for package in "$state"/cache/archives/*.deb; do
  dpkg-deb -x "$package" "$dest/root"
done
rm -rf "$state"

cat >"$dest/run" <<RUN
#!/bin/sh
export LD_LIBRARY_PATH="$dest/root/usr/lib/x86_64-linux-gnu:$dest/root/usr/lib/x86_64-linux-gnu/pulseaudio:$dest/root/lib/x86_64-linux-gnu"
exec "$dest/root/usr/lib/chromium/chromium" "\$@"
RUN
chmod +x "$dest/run"
"$dest/run" --version
touch "$stamp"
