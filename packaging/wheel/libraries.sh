#!/bin/sh
# Libraries for the wheel, static and as small as osteon needs them: HDF5 and netCDF without curl, XML, remote access and tools; hwloc
# without udev and devices; OpenSSL with SHA-256 and what TLS 1.3 between clusters takes. OpenSSL is the latest of Debian, for its corrections.
# usage: libraries.sh FOLDER; FOLDER/installed then has include and lib. Nothing is done where they are already there.
set -eu

folder=$1
jobs=${OSTEON_JOBS:-$(nproc)}
hdf5=1.10.8+repack1
netcdf=4.9.0
hwloc=2.9.0
# -march as everything that is not a kernel (packaging/wheel/README.md).
flags='-O2 -fPIC -march=x86-64-v2 -ffunction-sections -fdata-sections -fvisibility=hidden -w'
files_stamp="$folder/installed/stamp-$hdf5-$netcdf"
hwloc_stamp="$folder/installed/stamp-$hwloc"
openssl_stamp="$folder/installed/stamp-openssl"
if [ -f "$files_stamp" ] && [ -f "$hwloc_stamp" ] && [ -f "$openssl_stamp" ]; then exit 0; fi

mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
cd "$folder"
# A list of sources of our own, from where the system has its packages: the system's may have no sources, and is left as it is.
mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -v security | head -n 1)
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm main" >sources.list
apt_get() {
  apt-get -qq -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$folder/lists" -o Dir::Cache="$folder/cache" "$@"
}
if [ ! -f "netcdf_$netcdf.orig.tar.gz" ] || [ ! -f "hdf5_$hdf5.orig.tar.gz" ] || [ ! -f "hwloc_$hwloc.orig.tar.bz2" ]; then
  apt_get update
  apt_get source --download-only "hdf5=$hdf5-1" "netcdf=1:$netcdf-3" "hwloc=$hwloc-1"
fi
if [ ! -f "$openssl_stamp" ]; then
  apt_get update
  rm -rf openssl-*
  apt_get source openssl # with Debian's patches
fi

# unpack NAME VERSION: its sources in NAME, and an empty build-NAME
unpack() {
  rm -rf "$1" "build-$1"
  mkdir "$1" "build-$1"
  tar -xf "$1_$2".orig.tar.* -C "$1" --strip-components=1
}

if [ ! -f "$files_stamp" ]; then
  unpack hdf5 "$hdf5"
  unpack netcdf "$netcdf"
  (
    cd build-hdf5
    ../hdf5/configure --quiet --prefix="$folder/installed" --disable-shared --enable-static --with-pic --enable-build-mode=production \
      --disable-tools --disable-tests --disable-fortran --disable-cxx --disable-parallel --without-szlib CFLAGS="$flags"
    make -s -j"$jobs" -C src install
    make -s -j"$jobs" -C hl/src install
  )
  (
    cd build-netcdf
    ../netcdf/configure --quiet --prefix="$folder/installed" --disable-shared --enable-static --with-pic --disable-dap \
      --disable-byterange --disable-libxml2 --disable-nczarr --disable-nczarr-zip --disable-plugins --disable-testsets \
      --disable-utilities --disable-examples --disable-hdf4 --disable-pnetcdf \
      CFLAGS="$flags" CPPFLAGS="-I$folder/installed/include" LDFLAGS="-L$folder/installed/lib" LIBS='-lhdf5_hl -lhdf5 -lz -ldl -lm'
    make -s -j"$jobs" -C include install
    make -s -j"$jobs" -C libdispatch
    make -s -j"$jobs" install
  )
  cp hdf5/COPYING "$folder/installed/LICENSE.hdf5"
  cp netcdf/COPYRIGHT "$folder/installed/LICENSE.netcdf"
  touch "$files_stamp"
fi

if [ ! -f "$hwloc_stamp" ]; then
  unpack hwloc "$hwloc"
  (
    cd build-hwloc
    ../hwloc/configure --quiet --prefix="$folder/installed" --disable-shared --enable-static --with-pic --disable-cairo --disable-libxml2 \
      --disable-libudev --disable-io --disable-plugins --disable-doxygen --disable-readme CFLAGS="$flags"
    make -s -j"$jobs" -C include install
    make -s -j"$jobs" -C hwloc install
  )
  cp hwloc/COPYING "$folder/installed/LICENSE.hwloc"
  touch "$hwloc_stamp"
fi

if [ ! -f "$openssl_stamp" ]; then
  (
    cd openssl-*/
    without='async aria autoload-config bf blake2 camellia capieng cast chacha cmac cmp cms comp ct des dgram dh dsa dso dtls
      ec2m engine filenames fips gost idea legacy makedepend md4 mdc2 module multiblock nextprotoneg ocb ocsp padlockeng poly1305 rc2 rc4
      rfc3779 rmd160 scrypt sctp seed shared siphash siv sm2 sm3 sm4 sock srp srtp ssl-trace ssl3 tests tls1 tls1_1 tls1_2 ts ui-console
      uplink whirlpool'
    # Options that this version has not are left out, as Debian's may become newer.
    options=$(for name in $without; do if grep -q "^ *\"$name\"" Configure; then echo "no-$name"; fi; done)
    # shellcheck disable=SC2086 # options and flags are words
    ./Configure linux-x86_64 $options --prefix="$folder/installed" --libdir=lib --openssldir=/etc/ssl $flags -Os >configure.log
    make -s -j"$jobs" build_libs >make.log 2>&1 || { tail -n 30 make.log >&2; exit 1; }
    make -s install_dev >>make.log 2>&1
    cp LICENSE.txt "$folder/installed/LICENSE.openssl"
  )
  touch "$openssl_stamp"
fi
rm -rf openssl-*/ hdf5 build-hdf5 netcdf build-netcdf hwloc build-hwloc
