#!/bin/sh
# modes.sh [BUILD]: one-way times of messages inside one cluster of 2 ranks, as a table: the vendor's own, through the
# bridge, and in GridMPI's mode ([Okazaki]) by polling (three sizes of short messages) and by threads.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
build=${1:-$root/build/release}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
source=$root/bridge/bench/pingpong.c
windows=20

as_root=
[ "$(id -u)" = 0 ] && as_root=--allow-run-as-root
"$build/bridge/bin/osteon-mpicc" -O2 "$source" -o "$folder/bridged"
for vendor in ompi4 mpich4; do
  case $vendor in
    ompi4) compiler=mpicc.openmpi run="mpirun.openmpi $as_root -n 2" ;;
    mpich4) compiler=mpicc.mpich run="mpiexec.mpich -n 2" ;;
  esac
  command -v $compiler >/dev/null || { echo "$compiler is not installed" && continue; }
  $compiler -O2 "$source" -o "$folder/native"
  $run "$folder/native" $windows >"$folder/0"
  OSTEON_MPI=$vendor $run "$folder/bridged" $windows >"$folder/1"
  column=2
  for mode in polling:128 polling:4064 polling:8388608 threads:4064; do
    OSTEON_BRIDGE_MODE=bytes OSTEON_BRIDGE_PROGRESS=${mode%:*} OSTEON_BRIDGE_SHORT=${mode#*:} \
      "$root/bridge/tests/joined.sh" "$build/bridge/tests/bridge_serve" $vendor:2 "$folder/bridged" $windows >"$folder/$column"
    column=$((column + 1))
  done
  echo "| $vendor: bytes | its own | bridge | polling, 128 B | polling, 4064 B | polling, 8 MiB | threads, 4064 B |"
  echo '|---|---|---|---|---|---|---|'
  paste -d ' ' "$folder/0" "$folder/1" "$folder/2" "$folder/3" "$folder/4" "$folder/5" |
    awk '{ printf "| %s |", $1; for (i = 2; i <= NF; i += 2) printf " %.2f |", $i; print "" }'
done
