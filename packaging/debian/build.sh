#!/bin/sh
# Build the Debian package from the last commit, below build/debian, and let lintian look at it. usage: packaging/debian/build.sh
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
version=$(sed -n 's/^osteon (\([0-9.]*\)-.*/\1/p' "$root/packaging/debian/changelog")
work="$root/build/debian"
rm -rf "$work"
mkdir -p "$work"
git -C "$root" archive --prefix="osteon-$version/" HEAD | gzip -n >"$work/osteon_$version.orig.tar.gz"
tar -xf "$work/osteon_$version.orig.tar.gz" -C "$work"
cp -r "$root/packaging/debian" "$work/osteon-$version/debian"
rm "$work/osteon-$version/debian/build.sh"
cd "$work/osteon-$version"
dpkg-buildpackage --unsigned-source --unsigned-changes
lintian --fail-on error,warning ../osteon_*.changes
