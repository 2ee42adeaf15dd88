#!/bin/sh
# joined.sh SERVE "VENDOR:RANKS VENDOR:RANKS ..." PROGRAM ARGS...: run a program as one job over several clusters, all on
# this machine: a start-up server, and for each cluster the launcher of its own MPI.
set -eu
serve=$1 clusters=$2
shift 2
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
OSTEON_WIRE_KEY=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
export OSTEON_WIRE_KEY
export OSTEON_BRIDGE_YIELD=1 # more processes than cores
# shellcheck disable=SC2046  # one size a cluster
"$serve" $(printf '%s\n' $clusters | sed 's/.*://') >"$folder/port" &
server=$!
until [ -s "$folder/port" ]; do sleep 0.05; done
OSTEON_WIRE_SERVER=127.0.0.1:$(cat "$folder/port")
OSTEON_WIRE_ADDRESS=127.0.0.1
export OSTEON_WIRE_SERVER OSTEON_WIRE_ADDRESS
index=0 started=
for cluster in $clusters; do
  OSTEON_WIRE_CLUSTER=$index "$here/over.sh" "${cluster%:*}" "${cluster##*:}" "$@" &
  started="$started $!"
  index=$((index + 1))
done
status=0
for one in $started; do wait "$one" || status=$?; done
wait "$server" || status=$?
exit $status
