#!/usr/bin/env bash
# A real S3 server for the tests: the object gateway of Ceph over one store in memory, on the loopback address alone.
#
#   scripts/s3-server.sh up FOLDER [GATEWAY_PORT] [MONITOR_PORT]   starts it; prints the endpoint on the last line
#   scripts/s3-server.sh down FOLDER                               ends it and removes the folder
#
# Debian and Ubuntu: apt-get install --no-install-recommends ceph-mon ceph-osd radosgw
# Key: testkey, secret: testsecret, region: us-east-1, path style. Nothing in it outlives it.
set -euo pipefail

die() { echo "s3-server: $*" >&2; exit 1; }

stop_daemons() {
  local file pid
  for file in "$1"/run/*.pid; do
    [ -e "$file" ] || continue
    pid=$(<"$file")
    # A process id may have passed to somebody else since: only a daemon that was told of this folder is ended.
    if grep -qaF "$1/ceph.conf" "/proc/$pid/cmdline" 2>/dev/null; then kill -9 "$pid" 2>/dev/null || true; fi
  done
}

wait_for() {
  local tries=$1; shift
  while ! "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || die "gave up waiting for: $*"
    sleep 0.1
  done
}

[ $# -ge 2 ] || die 'usage: s3-server.sh up|down FOLDER [GATEWAY_PORT] [MONITOR_PORT]'
action=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd -P)

if [ "$action" = down ]; then
  stop_daemons "$folder"
  rm -rf "$folder"
  exit 0
fi
[ "$action" = up ] || die "no such action: $action"

for program in ceph ceph-authtool ceph-mon ceph-osd monmaptool radosgw radosgw-admin; do
  command -v "$program" >/dev/null || die "$program is missing: install ceph-mon, ceph-osd and radosgw"
done
[ -z "$(ls -A "$folder")" ] || die "$folder is not empty"

gateway=127.0.0.1:${3:-7480}
monitor=127.0.0.1:${4:-3300}
cluster=$(cat /proc/sys/kernel/random/uuid)
store=$(cat /proc/sys/kernel/random/uuid)
config=$folder/ceph.conf
keys=$folder/keyring
mkdir "$folder"/{log,mon,osd,rgw,run}
trap 'stop_daemons "$folder"' ERR

cat >"$config" <<CONFIG
[global]
fsid = $cluster
mon_host = [v2:$monitor]
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
ms_bind_ipv6 = false
keyring = $keys
mon_data = $folder/mon
osd_data = $folder/osd
rgw_data = $folder/rgw
crash_dir = $folder/log
log_file = $folder/log/\$name.log
mon_cluster_log_file = $folder/log/cluster.log
pid_file = $folder/run/\$name.pid
admin_socket = $folder/run/\$name.asok
auth_cluster_required = cephx
auth_service_required = cephx
auth_client_required = cephx
auth_allow_insecure_global_id_reclaim = false
# One store without copies, its objects in memory.
osd_objectstore = memstore
memstore_device_bytes = 1073741824
osd_crush_chooseleaf_type = 0
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
mon_data_avail_crit = 1
# A lone monitor need not wait for others to agree.
paxos_propose_interval = 0.05
paxos_min_wait = 0.01
rgw_frontends = beast endpoint=$gateway
CONFIG
export CEPH_CONF=$config

ceph-authtool --create-keyring "$keys" --gen-key -n mon. --cap mon 'allow *'
for entry in 'client.admin:allow *:allow *' 'osd.0:allow profile osd:allow *' 'client.rgw.test:allow rw:allow rwx'; do
  IFS=: read -r name mon osd <<<"$entry"
  ceph-authtool "$keys" --gen-key -n "$name" --cap mon "$mon" --cap mgr "$mon" --cap osd "$osd"
done

monmaptool --create --fsid "$cluster" --addv test "[v2:$monitor]" "$folder/monmap"
ceph-mon -c "$config" -i test --mkfs --monmap "$folder/monmap" --keyring "$keys"
cp "$keys" "$folder/mon/keyring"
ceph-mon -c "$config" -i test

ceph -c "$config" --connect-timeout 20 osd new "$store" 0
ceph-osd -c "$config" -i 0 --mkfs --osd-uuid "$store"
ceph-osd -c "$config" -i 0
store_is_up() { ceph -c "$config" osd stat | grep -q ' 1 up'; }
wait_for 200 store_is_up

radosgw -c "$config" -n client.rgw.test
gateway_listens() { (exec 3<>"/dev/tcp/${gateway%:*}/${gateway#*:}"); }
wait_for 600 gateway_listens
timeout 60 radosgw-admin -c "$config" user create --uid=test --display-name=test \
  --access-key=testkey --secret-key=testsecret >/dev/null
echo "http://$gateway"
