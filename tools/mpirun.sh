#!/bin/sh
# mpirun.sh RANKS PROGRAM [ARGS...]: start an MPI program on this machine, also as root and on fewer cores than ranks.
# Waiting ranks yield their core: otherwise a test with more ranks than cores would measure time slices.
set -eu
ranks=$1
shift
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
exec "${OSTEON_MPIRUN:-mpirun}" --oversubscribe --bind-to none -np "$ranks" "$@"
