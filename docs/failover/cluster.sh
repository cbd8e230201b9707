#!/usr/bin/env bash
# A PostgreSQL server and its synchronous standby under Patroni, with etcd, on this machine alone: to see how a failover goes
# before it is built on machines of their own. Needs Debian's patroni, etcd-server, python3-etcd and postgresql-15.
#
#   docs/failover/cluster.sh FOLDER [PORTS]     PORTS: six that are free, "15431 15432 15433 15434 15435 15436" if none are named
#
# It prints `ready` and the address for LASTRO_DATABASE_URL, then reads commands: `kill 1` ends Patroni and PostgreSQL of the
# first server as a power cut would, `start 1` brings it back, `list` shows who is what. At the end of its input it stops all.
set -euo pipefail
umask 077

here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?"Say in which folder: cluster.sh FOLDER [PORTS]"}
read -r -a ports <<<"${2:-15431 15432 15433 15434 15435 15436}"
etcd=${ports[0]} peer=${ports[1]}
postgres=("" "${ports[2]}" "${ports[3]}") rest=("" "${ports[4]}" "${ports[5]}")
programs=${PROGRAMS:-/usr/lib/postgresql/15/bin}
declare -A running=()

for program in etcd patroni patronictl "$programs/postgres"; do
  command -v "$program" >/dev/null || { echo "$program is missing: apt-get install patroni etcd-server python3-etcd postgresql-15"; exit 1; }
done
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
[ -f "$folder/passwords" ] || for name in superuser replication lastro; do
  echo "$name=$(head -c 18 /dev/urandom | base64 | tr '+/' '-_')"
done >"$folder/passwords"
# shellcheck disable=SC1091
. "$folder/passwords"

# PostgreSQL refuses to run as root.
if [ "$(id -u)" = 0 ]; then
  chown postgres: "$folder"
  account=(setpriv --reuid=postgres --regid=postgres --init-groups --)
else
  account=()
fi
cp "$here/patroni.yml" "$folder/patroni.yml"
chmod 644 "$folder/patroni.yml"

start() {
  local n=$1
  mkdir -p "$folder/$n"
  if [ "$(id -u)" = 0 ]; then chown postgres: "$folder/$n"; fi
  PATRONI_NAME="db$n" PATRONI_ETCD3_HOSTS="127.0.0.1:$etcd" \
    PATRONI_RESTAPI_LISTEN="127.0.0.1:${rest[$n]}" PATRONI_RESTAPI_CONNECT_ADDRESS="127.0.0.1:${rest[$n]}" \
    PATRONI_POSTGRESQL_LISTEN="127.0.0.1:${postgres[$n]}" PATRONI_POSTGRESQL_CONNECT_ADDRESS="127.0.0.1:${postgres[$n]}" \
    PATRONI_POSTGRESQL_DATA_DIR="$folder/$n/data" PATRONI_POSTGRESQL_PGPASS="$folder/$n/pgpass" \
    PATRONI_POSTGRESQL_BIN_DIR="$programs" \
    PATRONI_SUPERUSER_USERNAME=postgres PATRONI_SUPERUSER_PASSWORD="${superuser:?}" \
    PATRONI_REPLICATION_USERNAME=replicator PATRONI_REPLICATION_PASSWORD="${replication:?}" \
    "${account[@]}" patroni "$folder/patroni.yml" </dev/null >>"$folder/$n.log" 2>&1 &
  running[$n]=$!
}

# First who would start PostgreSQL again, then PostgreSQL itself; its own processes end when they see that.
kill_server() {
  local n=$1
  kill -9 "${running[$n]}" 2>/dev/null || true
  wait "${running[$n]}" 2>/dev/null || true
  if [ -f "$folder/$n/data/postmaster.pid" ]; then
    kill -9 "$(head -n 1 "$folder/$n/data/postmaster.pid")" 2>/dev/null || true
  fi
}

stop() {
  trap - EXIT
  for n in 1 2; do if [ -n "${running[$n]:-}" ]; then kill_server "$n"; fi; done
  kill -9 "${running[etcd]:-}" 2>/dev/null || true
}
trap stop EXIT
trap 'exit 130' INT TERM

asked() {
  PGPASSWORD=$superuser PGCONNECT_TIMEOUT=2 "$programs/psql" -qXAt -v ON_ERROR_STOP=1 -d \
    "host=127.0.0.1,127.0.0.1 port=${postgres[1]},${postgres[2]} user=postgres dbname=postgres target_session_attrs=read-write" \
    -c "$1" 2>>"$folder/asked.log"
}

"${account[@]}" etcd --name etcd --data-dir "$folder/etcd" --listen-client-urls "http://127.0.0.1:$etcd" \
  --advertise-client-urls "http://127.0.0.1:$etcd" --listen-peer-urls "http://127.0.0.1:$peer" \
  --initial-advertise-peer-urls "http://127.0.0.1:$peer" --initial-cluster "etcd=http://127.0.0.1:$peer" \
  </dev/null >>"$folder/etcd.log" 2>&1 &
running[etcd]=$!
# The first server makes the cluster, the second copies it.
start 1
until asked "SELECT 1" >/dev/null; do
  for n in 1 etcd; do kill -0 "${running[$n]}" || { tail -n 5 "$folder/$n.log"; exit 1; }; done
  sleep 0.2
done
start 2
# The login of lastro: no superuser, and it owns its database (docs/operations.md, "Database").
if [ -z "$(asked "SELECT 1 FROM pg_database WHERE datname = 'lastro'")" ]; then
  asked "CREATE ROLE lastro LOGIN CREATEROLE PASSWORD '${lastro:?}'"
  asked "CREATE DATABASE lastro OWNER lastro"
fi
until [ "$(asked "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")" = 1 ]; do sleep 0.2; done
echo "ready postgresql://lastro:$lastro@127.0.0.1:${postgres[1]},127.0.0.1:${postgres[2]}/lastro?target_session_attrs=read-write"

while read -r order n; do
  case "$order" in
    kill) kill_server "$n" ;;
    start) start "$n" ;;
    list) PATRONI_ETCD3_HOSTS="127.0.0.1:$etcd" patronictl -c "$folder/patroni.yml" list </dev/null ;;
    *) echo "kill 1, start 1 or list" ;;
  esac
  echo "done $order ${n:-}"
done
