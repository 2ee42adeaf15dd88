#!/bin/bash
# A Slurm cluster of N hosts in namespaces of one machine: `slurm_cluster.sh N READY [CONFIGURATION]`. slurm_cluster.py starts this script
# as process 1 of new user, mount, network, UTS and process namespaces. The script appends one byte to the descriptor READY
# when all hosts are idle. All daemons and jobs end with process 1. All files of the cluster are in a tmpfs of the mount
# namespace, so nothing remains, also after SIGKILL.
set -eu
hosts=$1 ready=$2 configuration=${3-}
base=/run/slurm
user=1000
# Slurm as uid 0 of a user namespace fails in setgroups: each daemon and each command has an inner user namespace.
as_user="unshare -U --map-user=$user --map-group=$user --"
export SLURM_CONF=$base/slurm.conf LC_ALL=C
mount -t tmpfs -o mode=755 slurm /run
mkdir -p $base && mkdir -m 755 $base/{munge,log,state,spool,tmp,home}
printf 'root:x:0:0::/:/bin/sh\nslurm:x:%s:%s::%s:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' $user $user $base/home >$base/passwd
printf 'root:x:0:\nslurm:x:%s:\nnogroup:x:65534:\n' $user >$base/group
head -c 128 /dev/urandom >$base/munge/key
chmod 400 $base/munge/key
hostname head
ip link set lo up
ip link add br0 type bridge
ip addr add 10.77.0.254/24 dev br0
ip link set br0 up
{
  echo 127.0.0.1 localhost
  echo 10.77.0.254 head
  for i in $(seq "$hosts"); do echo "10.77.0.$i n$i"; done
} >$base/hosts
for file in hosts passwd group; do mount --bind $base/$file /etc/$file; done
{
  cat <<CONF
ClusterName=test
SlurmctldHost=head(10.77.0.254)
SlurmUser=slurm
SlurmdUser=slurm
AuthType=auth/munge
# A job that is queued again waits until its credential has expired.
AuthInfo=socket=$base/munge/socket,cred_expire=5
CredType=cred/munge
SlurmctldPidFile=$base/log/ctld.pid
SlurmdPidFile=$base/log/%n.pid
SlurmctldLogFile=$base/log/ctld.log
SlurmdLogFile=$base/log/%n.log
StateSaveLocation=$base/state
SlurmdSpoolDir=$base/spool/%n
# PMIx has a folder of each job here: hosts need separate folders.
TmpFS=$base/tmp/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=500
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
JobRequeue=1
ReturnToService=2
SlurmdTimeout=5
KillWait=3
MinJobAge=300
SchedulerParameters=sched_min_interval=0,sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
$configuration
CONF
  for i in $(seq "$hosts"); do echo "NodeName=n$i NodeAddr=10.77.0.$i CPUs=2 RealMemory=4000"; done
  echo "PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
} >$SLURM_CONF
# In the user namespace, / belongs to nobody: munged requires --force.
$as_user munged --force --key-file=$base/munge/key --socket=$base/munge/socket --pid-file=$base/munge/pid \
  --log-file=$base/munge/log --seed-file=$base/munge/seed
$as_user slurmctld
for i in $(seq "$hosts"); do
  mkdir -p $base/spool/n$i $base/tmp/n$i
  unshare --net --uts --mount bash -c "
    hostname n$i; mount -t tmpfs shm /dev/shm; echo \$\$ >$base/log/n$i.here
    until ip addr add 10.77.0.$i/24 dev eth0 2>/dev/null; do sleep 0.01; done
    ip link set lo up; ip link set eth0 up; exec $as_user slurmd -D -N n$i" >>$base/log/n$i.out 2>&1 &
  until [ -s $base/log/n$i.here ]; do sleep 0.01; done
  ip link add "v$i" type veth peer name eth0 netns "$(cat $base/log/n$i.here)"
  ip link set "v$i" master br0 up
done
turns=0
until [ "$(timeout 2 sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" = "$hosts" ]; do
  sleep 0.05
  turns=$((turns + 1))
  [ $turns -lt 600 ] || {
    tail -n 20 $base/log/*.log $base/log/*.out >&2
    exit 1
  }
done
printf . >&"$ready"
# Process 1 reaps the processes of ended jobs.
while :; do sleep 3600 & wait; done
