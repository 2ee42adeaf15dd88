#!/bin/sh
# over.sh VENDOR RANKS PROGRAM ARGS...: run a program that was compiled against the bridge over one vendor's MPI.
# VENDOR is ompi4 or mpich4; or ADAPTER=PREFIX, with the adapter ompi4, ompi5 or mpich, for the MPI installed there; or
# only the prefix of an MPI whose library has the standard ABI.
set -eu
vendor=$1 ranks=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
adapter=${vendor%%=*} prefix=${vendor#*=}
as_root=
[ "$(id -u)" = 0 ] && as_root=--allow-run-as-root
# Settings of Intel MPI: its location, and all ranks on this machine.
[ -e "$prefix/bin/impi_info" ] && export I_MPI_ROOT="$prefix" I_MPI_FABRICS=shm
export OMPI_MCA_mpi_yield_when_idle=1
case $vendor in
  ompi4) OSTEON_MPI=ompi4 mpirun.openmpi $as_root --oversubscribe -q -n "$ranks" "$@" ;;
  mpich4) OSTEON_MPI=mpich4 mpiexec.mpich -n "$ranks" "$@" ;;
  ompi?=*)
    OSTEON_MPI=$adapter:$prefix/lib/libmpi.so.40 "$prefix/bin/mpirun" $as_root --oversubscribe -n "$ranks" "$@"
    ;;
  mpich=*) OSTEON_MPI=mpich:$prefix/lib/libmpi.so.12 "$prefix/bin/mpiexec" -n "$ranks" "$@" ;;
  *) OSTEON_MPI=$vendor/lib/libmpi_abi.so.1 "$vendor/bin/mpiexec" -n "$ranks" "$@" ;;
esac
