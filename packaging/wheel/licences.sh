#!/bin/sh
# The licences of everything that the wheel holds beside osteon, in WORK/licences. usage: licences.sh WORK
set -eu

target="$1/licences"
mkdir -p "$target"
cp "$1/libraries/installed/LICENSE.hdf5" "$1/libraries/installed/LICENSE.netcdf" "$target/"
# As Debian states them. Headers are compiled in, too.
for package in libfmt-dev libssl-dev zlib1g-dev libisal-dev libzstd-dev libhwloc-dev libxxhash-dev libeigen3-dev nlohmann-json3-dev \
  libtomlplusplus-dev libcli11-dev libgomp1; do
  name=$(echo "$package" | sed 's/-dev$//')
  cp "/usr/share/doc/$package/copyright" "$target/LICENSE.$name"
done
