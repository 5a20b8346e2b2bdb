#!/usr/bin/env bash
# install-neovim.sh SUITE DEST [PACKAGE…]: Neovim and plugins as they are in a Debian suite, in a folder of their own.
#
# The suite need not be the machine's own: nothing outside DEST is changed, and no right of an administrator is needed.
# Packages come from the mirror that this machine's apt uses, checked by Debian's key. DEST/bin/nvim starts it; plugins
# lie in DEST/root/usr/share. Needs apt-get, dpkg-deb and patchelf; ends with 3 where one of them is missing.
set -euo pipefail

suite=$1 dest=$(realpath -m "$2")
shift 2

for program in apt-get dpkg-deb patchelf; do
  command -v "$program" >/dev/null || { echo "$program is missing" >&2; exit 3; }
done
key=/usr/share/keyrings/debian-archive-keyring.gpg
[[ -e $key ]] || { echo "$key is missing" >&2; exit 3; }
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | awk '/debian/ && !/security/ { print; exit }')
[[ -n $mirror ]] || { echo "apt knows no mirror of Debian" >&2; exit 3; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work"/{lists/partial,cache/archives/partial,etc/preferences.d}
touch "$work/status" "$work/extended"
echo "deb [signed-by=$key] $mirror $suite main" >"$work/etc/sources.list"

apt() { # apt-get with lists, cache and state of its own
  local place=(
    Dir::Etc="$work/etc" Dir::Etc::sourcelist="$work/etc/sources.list" Dir::Etc::sourceparts=/dev/null
    Dir::State::lists="$work/lists" Dir::State::status="$work/status" Dir::State::extended_states="$work/extended"
    Dir::Cache="$work/cache" APT::Sandbox::User="$(id -un)" Acquire::Languages=none Debug::NoLocking=1
    Acquire::Retries=3
  )
  apt-get -qq "${place[@]/#/-o}" "$@"
}

apt update
apt --no-install-recommends --download-only -y install neovim "$@" >/dev/null

rm -rf "$dest"
mkdir -p "$dest/root" "$dest/bin"
for package in "$work"/cache/archives/*.deb; do
  dpkg-deb -x "$package" "$dest/root"
done

# Its own loader and libraries, written into the program: the processes that it starts keep those of the machine, and it
# can still start itself by its own name.
program=$dest/root/usr/bin/nvim
loader=$(patchelf --print-interpreter "$program")
for own in "$dest/root$loader" "$dest/root/usr$loader" "$dest"/root/usr/lib/*-linux-gnu/"${loader##*/}"; do
  [[ -e $own ]] && break
done
[[ -e $own ]] || { echo "no ${loader##*/} in $dest" >&2; exit 1; }
libraries=$(printf '%s:' "$dest"/root/usr/lib/*-linux-gnu "$dest"/root/lib/*-linux-gnu)
patchelf --set-interpreter "$own" --force-rpath --set-rpath "${libraries%:}" "$program"
ln -s ../root/usr/bin/nvim "$dest/bin/nvim"
"$dest/bin/nvim" --version | head -1
