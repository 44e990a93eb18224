#!/usr/bin/env bash
# The .deb in a Debian root with systemd: install, run a job as an ordinary user,
# upgrade under a running queue, back up, restore, remove, purge. Says SKIP
# (exit 77) where it cannot be tried.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/box.sh"

step() { printf '== %s\n' "$*"; }
fail() { printf 'FAIL: %s\n' "$*"; inside journalctl --no-pager -n 60 -u 'kernelopt*' 2>/dev/null || true; exit 1; }
skip() { printf 'SKIP: %s\n' "$*"; exit 77; }
[ "$(id -u)" = 0 ] || skip "needs root"
command -v debootstrap >/dev/null || skip "needs debootstrap"
box_base || skip "no Debian mirror"

box="$ROOT/build/package-box"
trap 'box_stop; rm -rf "$box" "$box.boot.log" || true' EXIT
old=$("$ROOT/deploy/package.sh" 0.1.0 | tail -1)
new=$("$ROOT/deploy/package.sh" 0.1.1 | tail -1)
box_make "$box"
cp "$old" "$box/root/old.deb"
cp "$new" "$box/root/new.deb"
cp -r "$ROOT/client/examples/vector_add" "$box/srv/vector_add"
chmod -R a+rX "$box/srv"
box_boot "$box"

step "install $(basename "$old")"
inside apt-get update -qq -o Acquire::Retries=3 || skip "no Debian mirror"
inside apt-get install -y -qq --no-install-recommends /root/old.deb >"$box/install.log" 2>&1 || { tail -20 "$box/install.log"; fail "installing"; }
for unit in kernelopt-d.socket kernelopt-d.service kernelopt-worker@host.service kernelopt-metrics.service; do
  for _ in $(seq 100); do inside systemctl is-active -q "$unit" && break; sleep 0.2; done
  inside systemctl is-active -q "$unit" || fail "$unit is not active: $(inside systemctl status --no-pager "$unit" | head -20)"
done

step "a job of an ordinary user"
inside useradd -m alice
as_alice() { inside setpriv --reuid alice --regid alice --init-groups env HOME=/home/alice "$@"; }
submit() { as_alice koptctl submit /srv/vector_add/optimised.cpp --ref=/srv/vector_add/ref.py --baselines=none --N=4096 --num-trials=20 "$@"; }
for _ in $(seq 100); do as_alice koptctl device list --json | grep -q '"online":true' && break; sleep 0.2; done
as_alice koptctl doctor || fail "doctor"
job=$(submit -q)
# A busy machine may make it DISTURBED (15); the queue did its work then too.
as_alice koptctl wait "$job" --timeout=60 || [ $? = 15 ] || fail "the job: $(as_alice koptctl status "$job")"
[ "$(inside stat -c %a:%U /var/lib/kernelopt/worker.token)" = 600:kernelopt ] || fail "the token is readable"
as_alice cat /var/lib/kernelopt/worker.token 2>/dev/null && fail "alice can read the token"
as_alice koptctl device drain host --reason=x && fail "alice may drain" || [ $? = 5 ]

step "roles from groups"
inside usermod -aG kopt-operators alice
as_alice koptctl device drain host --reason="test of groups" >/dev/null || fail "an operator may not drain"
as_alice koptctl device resume host >/dev/null
as_alice koptctl quota set alice queued_jobs=3 && fail "an operator may set quotas" || [ $? = 5 ]

step "metrics, manual pages, completions"
inside python3 -c 'import urllib.request as u; t = u.urlopen("http://127.0.0.1:9464/metrics").read().decode(); assert "kernelopt_up 1" in t and "kernelopt_jobs_finished_total" in t, t' || fail "metrics"
for file in man1/koptctl.1 man1/koptctl-device-reserve.1 man8/kernelopt-d.8 man8/kernelopt-worker.8 man8/kernelopt-metrics.8; do
  inside test -s "/usr/share/man/$file" || fail "no $file"
done
inside bash -n /usr/share/bash-completion/completions/koptctl || fail "bash completion"

step "upgrade to $(basename "$new") with jobs waiting"
as_alice koptctl queue pause --reason=upgrade >/dev/null
waiting=$(submit -q)
echo '# mine' >>"$box/etc/kernelopt/kernelopt-d.toml"
inside apt-get install -y -qq --no-install-recommends /root/new.deb >"$box/upgrade.log" 2>&1 || { tail -20 "$box/upgrade.log"; fail "upgrading"; }
inside dpkg -s kernelopt | grep -q '^Version: 0.1.1' || fail "not upgraded"
grep -q '# mine' "$box/etc/kernelopt/kernelopt-d.toml" || fail "the upgrade took a changed setting"
as_alice koptctl status "$waiting" | grep -q QUEUED || fail "the waiting job is lost"
as_alice koptctl queue resume >/dev/null
as_alice koptctl wait "$waiting" --timeout=60 || [ $? = 15 ] || fail "the waiting job did not end"

step "backup and restore"
inside koptctl admin backup || fail "backup"
backup=$(inside sh -c 'ls /var/lib/kernelopt/backups/*.db')
inside systemctl stop kernelopt-d.service kernelopt-d.socket
inside sh -c 'printf garbage | dd of=/var/lib/kernelopt/kernelopt.db conv=notrunc 2>/dev/null'
inside setpriv --reuid kernelopt --regid kernelopt --clear-groups /usr/lib/kernelopt/kernelopt-d --state /var/lib/kernelopt --restore "$backup" || fail "restore"
inside systemctl start kernelopt-d.socket kernelopt-d.service || fail "starting after the restore"
for _ in $(seq 100); do as_alice koptctl status "$job" >/dev/null 2>&1 && break; sleep 0.2; done
as_alice koptctl result "$job" >/dev/null || fail "a result of before the backup is lost"

step "admin doctor"
for _ in $(seq 100); do as_alice koptctl device list --json | grep -q '"online":true' && break; sleep 0.2; done
inside koptctl admin doctor || fail "doctor finds something wrong"

step "remove, purge"
inside apt-get remove -y -qq kernelopt >/dev/null 2>&1 || fail "removing"
inside test -s /var/lib/kernelopt/kernelopt.db || fail "removal took the state"
for program in kernelopt-d kernelopt-worker kernelopt-metrics; do
  grep -lsx "$program" "$box"/proc/[0-9]*/comm >/dev/null 2>&1 && fail "$program still runs"
done
inside apt-get purge -y -qq kernelopt >/dev/null 2>&1 || fail "purging"
left=$(inside find / -xdev \( -iname '*kernelopt*' -o -iname '*kopt*' \) -not -path '/proc/*' -not -path '/sys/*' -not -path '/var/log/*' -not -path '/root/*' -not -path '/home/*' -not -path '/var/lib/systemd/*' 2>/dev/null || true)
[ -z "$left" ] || fail "left behind: $left"
inside getent passwd kernelopt && fail "the account is left"
echo "installed, ran, upgraded, restored and purged"
