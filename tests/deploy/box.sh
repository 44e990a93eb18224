# A Debian root of its own, booted with systemd in its own namespaces; sourced.
# Needs root and debootstrap. The base is made once, in build/debroot.
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BASE="$ROOT/build/debroot"
MIRROR=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

box_base() {
  [ -e "$BASE.ready" ] && return
  rm -rf "$BASE"
  debootstrap --variant=minbase bookworm "$BASE" "$MIRROR" >"$BASE.log" 2>&1 || { tail -5 "$BASE.log"; return 1; }
  # Packages stay here for the next box; nothing starts while they are installed.
  chroot "$BASE" apt-get install -y -qq --no-install-recommends systemd systemd-sysv dbus >>"$BASE.log" 2>&1 || return 1
  touch "$BASE.ready"
}

# box_make DIRECTORY: a copy of the base.
box_make() {
  rm -rf "$1"
  cp -a --reflink=auto "$BASE" "$1"
  echo box >"$1/etc/hostname"
}

# box_boot DIRECTORY: its systemd, in the background.
box_boot() {
  BOX=$1
  unshare --pid --fork --mount --uts --ipc --kill-child bash -c '
    R=$1
    mount --make-rprivate /
    mount --bind "$R" "$R"
    mount -t proc proc "$R/proc"
    mount --rbind /sys "$R/sys"
    mount -t tmpfs -o mode=755 tmpfs "$R/run"
    mount -t tmpfs -o mode=755 tmpfs "$R/dev"
    for d in null zero full random urandom tty; do touch "$R/dev/$d"; mount --bind "/dev/$d" "$R/dev/$d"; done
    mkdir -p "$R/dev/shm" "$R/dev/pts"
    mount -t tmpfs tmpfs "$R/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$R/dev/pts"
    ln -s pts/ptmx "$R/dev/ptmx"
    ln -s /proc/self/fd "$R/dev/fd"
    # Not chroot alone: the units make mount namespaces from the real root.
    mkdir -p "$R/mnt/host"
    cd "$R" && pivot_root . mnt/host && umount -l mnt/host
    exec chroot . env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --unit=multi-user.target
  ' _ "$BOX" >"$BOX.boot.log" 2>&1 &
  UNSHARE=$!
  for _ in $(seq 150); do
      INIT=$(pgrep -P "$UNSHARE" | head -1)
    [ -n "$INIT" ] && inside systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded' && return
    sleep 0.2
  done
  echo "the box did not boot"; cat "$BOX.boot.log"; return 1
}

# inside COMMAND...: in the booted box.
inside() { nsenter -t "$INIT" -p -m -u -i -r -w env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive HOME=/root LANG=C.UTF-8 "$@"; }

box_stop() { [ -n "${UNSHARE:-}" ] && { kill -9 "$INIT" "$UNSHARE" 2>/dev/null; wait "$UNSHARE" 2>/dev/null; } || true; }
