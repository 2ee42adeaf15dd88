#!/bin/sh
# fan.sh -n N PROGRAM ARGS...: a launcher for tests; ends all processes when one fails, as the launchers of MPIs do.
[ "$1" = -n ] || exit 2
size=$2
shift 2
rank=0
pids=
while [ $rank -lt "$size" ]; do
  PEER_RANK=$rank PEER_SIZE=$size "$@" &
  pids="$pids $!"
  rank=$((rank + 1))
done
trap 'kill $pids 2>/dev/null; exit 143' TERM INT
code=0
for pid in $pids; do
  wait "$pid" || { code=$?; kill $pids 2>/dev/null; }
done
exit $code
