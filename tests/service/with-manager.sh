#!/usr/bin/env bash
# A `systemd --user` of its own, in private mount and control group namespaces: runs the given script inside, with
# systemctl --user at hand, then takes the manager down. Needs root.
#
#     with-manager.sh HOME SCRIPT [ARGUMENT…]
#
# HOME is the manager's home folder; its log is HOME/manager.log.
set -euo pipefail
export SD_HOME=$1
shift
hierarchy=/sys/fs/cgroup/unified
[ -d $hierarchy ] || hierarchy=/sys/fs/cgroup
group=$hierarchy/soulmem-test.$$
mkdir "$group"
echo $$ >"$group/cgroup.procs"
status=0
unshare --mount --cgroup --pid --fork --kill-child --mount-proc bash -c '
set -euo pipefail
mount --make-rprivate /
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system /run/user/0
chmod 700 /run/user/0
mount -t cgroup2 cgroup2 /sys/fs/cgroup
export XDG_RUNTIME_DIR=/run/user/0 HOME=$SD_HOME
export XDG_CONFIG_HOME=$HOME/.config XDG_STATE_HOME=$HOME/.local/state XDG_DATA_HOME=$HOME/.local/share
/lib/systemd/systemd --user --log-target=console --log-level=notice >"$HOME/manager.log" 2>&1 &
manager=$!
for _ in $(seq 100); do [ -S /run/user/0/systemd/private ] && break; sleep 0.1; done
status=0
bash "$@" || status=$?
kill -RTMIN+24 $manager 2>/dev/null || true
for _ in $(seq 100); do kill -0 $manager 2>/dev/null || break; sleep 0.1; done
exit $status
' _ "$@" || status=$?
echo $$ >"$hierarchy/cgroup.procs"
for _ in $(seq 50); do
  find "$group" -depth -type d -exec rmdir {} \; 2>/dev/null || true
  [ -d "$group" ] || break
  sleep 0.1
done
exit $status
