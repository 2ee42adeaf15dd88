#!/bin/sh
# figures.sh [BUILD [RANKS]]: figures 10 to 13 of [Okazaki] as tables, on this machine (kernels.c):
#   10  bandwidth of all-to-all by the vendor's own MPI, the bridge, and GridMPI's mode (bytes) by polling and by threads
#   11  kernels of NPB by mode, as many ranks as RANKS (default 2)
#   12  the same oversubscribed, twice as many ranks
#   13  mixed clusters against pure ones: half of the ranks in Open MPI, half in MPICH, joined by the bridge
# Speeds of 11 to 13 are relative: the vendor's own MPI with RANKS ranks is 1. The exit code is 1 if answers differ.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
build=${1:-$root/build/release}
ranks=${2:-2}
seconds=${OSTEON_FIGURES_SECONDS:-1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
source=$root/bridge/bench/kernels.c
as_root=
[ "$(id -u)" = 0 ] && as_root=--allow-run-as-root
export OMPI_MCA_mpi_yield_when_idle=1
for needed in mpicc.openmpi mpicc.mpich; do
  command -v $needed >/dev/null || { echo "figures.sh: $needed is not installed" >&2; exit 5; }
done
"$build/bridge/bin/osteon-mpicc" -O2 "$source" -o "$folder/bridged" -lm
mpicc.openmpi -O2 "$source" -o "$folder/ompi4" -lm
mpicc.mpich -O2 "$source" -o "$folder/mpich4" -lm

# Variables of shell functions are global, so these have unique names.
# run_own VENDOR RANKS WORDS..., run_bridge VENDOR RANKS WORDS..., run_joined MODE CLUSTERS WORDS...
# shellcheck disable=SC2086  # a launcher of several words
run_own() {
  vendor=$1 count=$2
  shift 2
  case $vendor in
    ompi4) mpirun.openmpi $as_root --oversubscribe -n "$count" "$folder/ompi4" "$@" ;;
    mpich4) mpiexec.mpich -n "$count" "$folder/mpich4" "$@" ;;
  esac
}
# shellcheck disable=SC2086
run_bridge() {
  vendor=$1 count=$2
  shift 2
  case $vendor in
    ompi4) OSTEON_MPI=ompi4 mpirun.openmpi $as_root --oversubscribe -n "$count" "$folder/bridged" "$@" ;;
    mpich4) OSTEON_MPI=mpich4 mpiexec.mpich -n "$count" "$folder/bridged" "$@" ;;
  esac
}
run_joined() {
  mode=$1 clusters=$2
  shift 2
  case $mode in
    direct) "$root/bridge/tests/joined.sh" "$build/bridge/tests/bridge_serve" "$clusters" "$folder/bridged" "$@" ;;
    *)
      OSTEON_BRIDGE_MODE=bytes OSTEON_BRIDGE_PROGRESS=$mode \
        "$root/bridge/tests/joined.sh" "$build/bridge/tests/bridge_serve" "$clusters" "$folder/bridged" "$@"
      ;;
  esac
}
# by_mode VENDOR RANKS WORDS...: a file for each mode
by_mode() {
  vendor=$1 of_mode=$2
  shift 2
  run_own "$vendor" "$of_mode" "$@" >"$folder/own"
  run_bridge "$vendor" "$of_mode" "$@" >"$folder/bridge"
  run_joined polling "$vendor:$of_mode" "$@" >"$folder/polling"
  run_joined threads "$vendor:$of_mode" "$@" >"$folder/threads"
}
# Answers of the same kernel and number of ranks must be equal, for every transport.
same_answers() {
  for file in "$@"; do
    awk '{ print $1, $3 }' "$file" | diff - "$folder/answers" >"$folder/diff" && continue
    echo "figures.sh: answers of $(basename "$file") differ (<) from those of the vendor's own MPI (>)" >&2
    cat "$folder/diff" >&2
    exit 1
  done
}
# relative FILE...: a row for each kernel, seconds of `base` over those of the files
relative() {
  paste -d ' ' "$folder/base" "$@" |
    awk '{ printf "| %s |", $1; for (i = 5; i <= NF; i += 3) printf " %.2f |", $2 / $i; print "" }'
}

for vendor in ompi4 mpich4; do
  echo "Figure 10. All-to-all of $ranks ranks, $vendor: MB/s, all ranks together"
  by_mode $vendor "$ranks" alltoall
  echo '| bytes to each | own | bridge | polling | threads |'
  echo '|---|---|---|---|---|'
  paste -d ' ' "$folder/own" "$folder/bridge" "$folder/polling" "$folder/threads" |
    awk '{ printf "| %s |", $1; for (i = 2; i <= NF; i += 2) printf " %.0f |", $i; print "" }'
  echo
done
for vendor in ompi4 mpich4; do
  run_own $vendor "$ranks" npb "$seconds" >"$folder/base"
  for times in 1 2; do
    n=$((ranks * times))
    echo "Figure $((10 + times)). Kernels of NPB, $vendor, $n ranks: speed, own with $ranks ranks = 1"
    by_mode $vendor $n npb "$seconds"
    awk '{ print $1, $3 }' "$folder/own" >"$folder/answers"
    same_answers "$folder/bridge" "$folder/polling" "$folder/threads"
    echo '| kernel | own | bridge | polling | threads |'
    echo '|---|---|---|---|---|'
    relative "$folder/own" "$folder/bridge" "$folder/polling" "$folder/threads"
    echo
  done
done
n=$((ranks * 2))
echo "Figure 13. Mixed and pure clusters of $n ranks, joined by the bridge: speed, Open MPI's own with $ranks ranks = 1"
run_own ompi4 "$ranks" npb "$seconds" >"$folder/base"
run_own ompi4 $n npb "$seconds" >"$folder/own"
awk '{ print $1, $3 }' "$folder/own" >"$folder/answers"
run_joined direct "ompi4:$n" npb "$seconds" >"$folder/one"
run_joined direct "ompi4:$ranks ompi4:$ranks" npb "$seconds" >"$folder/pure"
run_joined direct "ompi4:$ranks mpich4:$ranks" npb "$seconds" >"$folder/mixed"
run_joined polling "ompi4:$ranks mpich4:$ranks" npb "$seconds" >"$folder/polling"
same_answers "$folder/one" "$folder/pure" "$folder/mixed" "$folder/polling"
echo '| kernel | own, one cluster | bridge, one cluster | Open MPI + Open MPI | Open MPI + MPICH | the same, polling |'
echo '|---|---|---|---|---|---|'
relative "$folder/own" "$folder/one" "$folder/pure" "$folder/mixed" "$folder/polling"
