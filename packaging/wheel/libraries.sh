#!/bin/sh
# HDF5 and netCDF for the wheel, static and as small as osteon needs them: no curl, XML, remote access, tools.
# usage: libraries.sh FOLDER; FOLDER/installed then has include and lib. Nothing is done where they are already there.
set -eu

folder=$1
jobs=${OSTEON_JOBS:-$(nproc)}
hdf5=1.10.8+repack1
netcdf=4.9.0
# -march as everything that is not a kernel (packaging/wheel/README.md).
flags='-O2 -fPIC -march=x86-64-v2 -ffunction-sections -fdata-sections -fvisibility=hidden -w'
stamp="$folder/installed/stamp-$hdf5-$netcdf"
[ ! -f "$stamp" ] || exit 0

mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
cd "$folder"
# A list of sources of our own, from where the system has its packages: the system's may have no sources, and is left as it is.
mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -v security | head -n 1)
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm main" >sources.list
apt_get() {
  apt-get -qq -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$folder/lists" -o Dir::Cache="$folder/cache" "$@"
}
if [ ! -f "netcdf_$netcdf.orig.tar.gz" ] || [ ! -f "hdf5_$hdf5.orig.tar.gz" ]; then
  apt_get update
  apt_get source --download-only "hdf5=$hdf5-1" "netcdf=1:$netcdf-3"
fi
rm -rf hdf5 netcdf build-hdf5 build-netcdf installed
mkdir hdf5 netcdf build-hdf5 build-netcdf
tar -xf "hdf5_$hdf5.orig.tar.gz" -C hdf5 --strip-components=1
tar -xf "netcdf_$netcdf.orig.tar.gz" -C netcdf --strip-components=1

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
rm -rf hdf5 build-hdf5 build-netcdf
touch "$stamp"
