#!/bin/sh
# over.sh VENDOR RANKS PROGRAM ARGS...: run a program that was compiled against the bridge over one vendor's MPI.
# VENDOR is ompi4 or mpich4, or the prefix of an MPI whose library speaks the standard ABI.
set -eu
vendor=$1 ranks=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
case $vendor in
  ompi4)
    as_root=
    [ "$(id -u)" = 0 ] && as_root=--allow-run-as-root
    OSTEON_MPI=ompi4 OMPI_MCA_mpi_yield_when_idle=1 mpirun.openmpi $as_root --oversubscribe -q -n "$ranks" "$@"
    ;;
  mpich4) OSTEON_MPI=mpich4 mpiexec.mpich -n "$ranks" "$@" ;;
  *) OSTEON_MPI=$vendor/lib/libmpi_abi.so.1 "$vendor/bin/mpiexec" -n "$ranks" "$@" ;;
esac
