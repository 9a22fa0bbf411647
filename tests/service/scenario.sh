#!/usr/bin/env bash
# The life of a node as a service of its user, inside a manager of its own (with-manager.sh). Ends with 0 and the last
# line "held" where everything held; else says what did not.
#
#     scenario.sh SOURCE_TREE          with SOULMEM_RELEASE, the assembled release
set -euo pipefail
source_tree=$1
data="$XDG_DATA_HOME/soulmem"
unit=soulmem-node

fail() {
  echo "FAILED: $*"
  systemctl --user status $unit --no-pager 2>&1 | tail -20 || true
  tail -20 "$HOME/manager.log"
  exit 1
}
property() { systemctl --user show $unit --property "$1" --value; }
until_it_is() { # what it is that is waited for, then the command that says so; two minutes are nobody's pace
  local what=$1
  shift
  for _ in $(seq 1200); do "$@" && return; sleep 0.1; done
  fail "in vain: $what"
}
daemons() { pgrep -f -- "serve --hosted --data-dir $data" || true; }
one_daemon() { [ "$(daemons | wc -l)" = 1 ]; }
no_daemon() { [ -z "$(daemons)" ]; }
active() { [ "$(property ActiveState)" = active ]; }
again() { active && [ "$(property NRestarts)" -gt "$1" ] && [ "$(property MainPID)" != "$2" ]; }
answers() { "$HOME/.local/lib/soulmem/bin/soulmem_node" rpc 'IO.puts(map_size(SoulMem.health!()) > 0)' 2>/dev/null | grep -q true; }
step() { echo "· $*"; }

# A port of its own, and a watchdog that a test can wait for.
mkdir -p "$XDG_CONFIG_HOME/soulmem" "$XDG_CONFIG_HOME/systemd/user/$unit.service.d"
printf 'SOULMEM_DATA_DIR=%s\nSOULMEM_DIST_PORT=9237\n' "$data" >"$XDG_CONFIG_HOME/soulmem/node.env"
printf '[Service]\nWatchdogSec=4\n' >"$XDG_CONFIG_HOME/systemd/user/$unit.service.d/quick.conf"
export SOULMEM_DIST_PORT=9237

step "install starts it, and it is active only once the daemon answers"
"$source_tree/dev" install --user || fail "install"
active || fail "not active after install"
one_daemon || fail "active, with $(daemons | wc -l) daemons"
answers || fail "active, but it does not answer"
cookie="$XDG_CONFIG_HOME/soulmem/.erlang.cookie"
[ "$(stat -c %a "$cookie")" = 600 ] || fail "the cookie's mode"
if pgrep -fa beam.smp | grep -q -- "$(cat "$cookie")"; then fail "the cookie is on a command line"; fi

step "the unit file is without a fault"
systemd-analyze --user verify --recursive-errors=yes "$XDG_CONFIG_HOME/systemd/user/$unit.service" || fail "verify"
for enforced in NoNewPrivileges MemoryDenyWriteExecute LockPersonality RestrictRealtime RestrictSUIDSGID; do
  [ "$(property $enforced)" = yes ] || fail "$enforced"
done
[ "$(grep NoNewPrivs "/proc/$(property MainPID)/status" | cut -f2)" = 1 ] || fail "NoNewPrivs of the process"
[ "$(grep '^Seccomp:' "/proc/$(property MainPID)/status" | cut -f2)" = 2 ] || fail "Seccomp of the process"

"$HOME/.local/lib/soulmem/bin/soulmem_node" rpc 'SoulMem.create_soul!("mei"); SoulMem.push!("mei", "before")' >/dev/null

step "the doctor sees what is well and what is not"
doctor() { "$HOME/.local/lib/soulmem/bin/soulmem_node" doctor; }
doctor >"$HOME/doctor" || fail "the doctor finds something bad: $(cat "$HOME/doctor")"
grep -q "^ok .*is running" "$HOME/doctor" || fail "the doctor does not see the node: $(cat "$HOME/doctor")"
chmod 644 "$cookie"
if doctor >"$HOME/doctor"; then fail "the doctor takes a cookie that all can read"; fi
grep -q "^BAD  cookie .*chmod 600" "$HOME/doctor" || fail "the doctor on the cookie: $(cat "$HOME/doctor")"
chmod 600 "$cookie"

step "a virtual machine that stands still is restarted by the watchdog"
before=$(property NRestarts) main=$(property MainPID)
kill -STOP "$main"
until_it_is "a restart by the watchdog" again "$before" "$main"
until_it_is "one daemon" one_daemon

step "a daemon that stands still is too: the sign of life is for a daemon that answers"
before=$(property NRestarts) main=$(property MainPID)
kill -STOP "$(daemons)"
until_it_is "a restart for the daemon" again "$before" "$main"
until_it_is "one daemon" one_daemon

step "SIGKILL of the virtual machine: again, with one daemon"
before=$(property NRestarts) main=$(property MainPID)
kill -KILL "$main"
until_it_is "a restart" again "$before" "$main"
until_it_is "one daemon" one_daemon
answers || fail "it does not answer after SIGKILL"

step "SIGKILL of the daemon alone: the node stays"
before=$(property NRestarts) daemon=$(daemons)
kill -KILL "$daemon"
another_daemon() { one_daemon && [ "$(daemons)" != "$daemon" ]; }
until_it_is "another daemon" another_daemon
[ "$(property NRestarts)" = "$before" ] || fail "the node was restarted"

step "an orderly stop is one, within its time, and leaves nothing behind"
systemctl --user stop $unit
[ "$(property Result)" = success ] || fail "the result of the stop is $(property Result)"
no_daemon || fail "a daemon was left behind"

step "uninstall leaves memories, settings and cookie"
systemctl --user start $unit
"$source_tree/dev" uninstall || fail "uninstall"
no_daemon || fail "a daemon was left behind by uninstall"
[ ! -e "$HOME/.local/lib/soulmem" ] || fail "the program was left"
[ -s "$cookie" ] && [ -s "$XDG_CONFIG_HOME/soulmem/node.env" ] || fail "settings are gone"

step "and another install has them again"
"$source_tree/dev" install --user || fail "the second install"
"$HOME/.local/lib/soulmem/bin/soulmem_node" rpc 'IO.puts(hd(SoulMem.list_messages!("mei")["messages"])["text"])' | grep -q before ||
  fail "the memory is gone"
systemctl --user stop $unit
echo held
