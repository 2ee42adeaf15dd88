#!/bin/sh
# joined.sh SERVE "VENDOR:RANKS VENDOR:RANKS ..." PROGRAM ARGS...: run a program as one job over several clusters, all on
# this machine: a start-up server, and for each cluster the launcher of its own MPI. With OSTEON_JOINED_NAMESPACES="A B",
# cluster 0 runs in network namespace A and all others in B, which wire/wan_box connects by a slow link.
set -eu
serve=$1 clusters=$2
shift 2
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
OSTEON_WIRE_KEY=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
export OSTEON_WIRE_KEY
host=127.0.0.1 other_host=127.0.0.1 first= other=
if [ -n "${OSTEON_JOINED_NAMESPACES-}" ]; then
  host=10.77.0.1 other_host=10.77.0.2
  first="ip netns exec ${OSTEON_JOINED_NAMESPACES% *}" other="ip netns exec ${OSTEON_JOINED_NAMESPACES#* }"
fi
export OSTEON_SERVE_HOST=$host
# shellcheck disable=SC2046,SC2086  # one size per cluster; a command of several words
$first "$serve" $(printf '%s\n' $clusters | sed 's/.*://') >"$folder/port" &
server=$!
until [ -s "$folder/port" ]; do sleep 0.05; done
OSTEON_WIRE_SERVER=$host:$(cat "$folder/port")
export OSTEON_WIRE_SERVER
index=0 started=
for cluster in $clusters; do
  # shellcheck disable=SC2086
  OSTEON_WIRE_ADDRESS=$host OSTEON_WIRE_CLUSTER=$index $first "$here/over.sh" "${cluster%:*}" "${cluster##*:}" "$@" &
  started="$started $!"
  index=$((index + 1)) first=$other host=$other_host
done
status=0
for one in $started; do wait "$one" || status=$?; done
wait "$server" || status=$?
exit $status
