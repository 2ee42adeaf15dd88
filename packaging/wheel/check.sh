#!/bin/sh
# Install dist/osteon-*.whl on a Debian with only Python, and use it as a new user would.
# usage: check.sh [bookworm | trixie]: with Python 3.11, which osteon is built with, or 3.13
# Requires root and debootstrap for the Debian in build/wheel/bare-SUITE; otherwise a Python environment with an empty PATH is
# used.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(dirname -- "$(dirname -- "$here")")
work="$root/build/wheel"
suite=${1:-bookworm}
bare="$work/bare-$suite"
say() { printf 'check wheel: %s\n' "$*" >&2; }

wheel=$(ls "$root"/dist/osteon-*.whl)
size=$(wc -c <"$wheel")
say "$(basename "$wheel"), $size bytes"

# A processor from before x86-64-v2 gets a sentence, where qemu can play one (Debian: qemu-user).
if command -v qemu-x86_64 >/dev/null; then
  rm -rf "$work/unpacked"
  python3 -m zipfile -e "$wheel" "$work/unpacked"
  chmod +x "$work/unpacked/osteon/program/bin/osteon"
  code=0
  said=$(qemu-x86_64 -cpu core2duo "$work/unpacked/osteon/program/bin/osteon" --version 2>&1) || code=$?
  case "$code $said" in
    "5 osteon: this processor is older than x86-64-v2"*) ;;
    *) say "on an older processor it says '$said', exit code $code"; exit 1 ;;
  esac
fi

if [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null && unshare --mount true 2>/dev/null; then
  if [ ! -f "$bare/complete" ]; then
    say "making a bare Debian in $bare"
    rm -rf "$bare"
    debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates "$suite" "$bare" \
      "$(apt-get indextargets --format '$(REPO_URI)' | grep -v security | head -n 1)" >&2
    touch "$bare/complete"
  fi
  rm -rf "$bare/check"
  mkdir -p "$bare/check/dist"
  cp "$wheel" "$bare/check/dist/"
  cp "$here/use_it.sh" "$here/use_it.py" "$root/README.md" "$bare/check/"
  # How this machine reaches the network and the package index.
  for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt "${PIP_CERT:-}"; do
    if [ -f "$file" ]; then mkdir -p "$bare$(dirname "$file")" && cp -L "$file" "$bare$file"; fi
  done
  # The mounts end with their namespace.
  # shellcheck disable=SC2016
  BARE="$bare" unshare --mount --pid --fork sh -ec '
    mount -t proc proc "$BARE/proc"
    mount -t sysfs sysfs "$BARE/sys"
    mount -t tmpfs tmpfs "$BARE/dev"
    mkdir "$BARE/dev/shm"
    for name in null zero random urandom; do touch "$BARE/dev/$name"; mount --bind "/dev/$name" "$BARE/dev/$name"; done
    exec chroot "$BARE" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 PIP_CERT="${PIP_CERT:-}" OSTEON_CHECK_MPIS="${OSTEON_CHECK_MPIS:-}" sh /check/use_it.sh /check'
else
  say "no root, debootstrap or namespaces: in a Python environment without the PATH of this system"
  rm -rf "$work/check"
  mkdir -p "$work/check/dist"
  cp "$wheel" "$work/check/dist/"
  cp "$here/use_it.sh" "$here/use_it.py" "$root/README.md" "$work/check/"
  env -i HOME="$work/check" PATH=/usr/bin:/bin LANG=C.UTF-8 sh "$work/check/use_it.sh" "$work/check"
fi
[ "$size" -le 12000000 ] || { say "it works, but has more than 12 MB: $size bytes"; exit 1; }
say "the wheel holds"
