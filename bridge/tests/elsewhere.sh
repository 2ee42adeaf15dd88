#!/bin/sh
# elsewhere.sh SERVE PROGRAMS: the bridge over MPIs outside of this system, each alone and joined with the first of
# this system. OSTEON_MPI_ELSEWHERE lists them as ADAPTER=PREFIX, see over.sh: "ompi4=/opt/openmpi5 mpich=/opt/intel/mpi".
set -eu
serve=$1 programs=$2
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
if [ -z "${OSTEON_MPI_ELSEWHERE-}" ]; then
  echo 'skipped: OSTEON_MPI_ELSEWHERE names no other MPI (ADAPTER=PREFIX, separated by blanks)'
  exit 77
fi
for vendor in $OSTEON_MPI_ELSEWHERE; do
  for program in point_to_point collectives objects; do "$here/over.sh" "$vendor" 2 "$programs/$program"; done
  for program in point_to_point collectives spanning; do
    "$here/joined.sh" "$serve" "ompi4:2 $vendor:2" "$programs/$program"
  done
done
echo "over $OSTEON_MPI_ELSEWHERE: ok"
