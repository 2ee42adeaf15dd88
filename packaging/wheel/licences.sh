#!/bin/sh
# The licences of all third-party content of the wheel, in WORK/licences. usage: licences.sh WORK PYTHON
set -eu

target="$1/licences"
rm -rf "$target"
mkdir -p "$target"
cp "$1"/libraries/installed/LICENSE.* "$target/"
cp "$("$2" -c 'import importlib.metadata as m; print(m.distribution("nanobind").locate_file(next(f for f in m.files("nanobind") if f.name == "LICENSE")))')" \
  "$target/LICENSE.nanobind"
# As stated by Debian, including those of compiled headers.
for package in libfmt-dev zlib1g-dev libisal-dev libzstd-dev libxxhash-dev libeigen3-dev nlohmann-json3-dev libtomlplusplus-dev \
  libcli11-dev libgomp1; do
  name=$(echo "$package" | sed 's/-dev$//')
  cp "/usr/share/doc/$package/copyright" "$target/LICENSE.$name"
done
# The text to which the licence of GCC's libgomp (with its exception for programs) refers.
for text in GPL-3; do cp "/usr/share/common-licenses/$text" "$target/LICENSE.$text"; done
