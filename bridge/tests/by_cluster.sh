#!/bin/sh
# by_cluster.sh PROGRAM: run PROGRAM.0 in the first cluster, PROGRAM.1 in the second.
exec "$1.$OSTEON_WIRE_CLUSTER"
