#!/usr/bin/env bash
# Runs a command with TURNPIKE_TEST_POSTGRES pointing at a throw-away PostgreSQL server, and passes on its exit code.
# Where no server can be had, it says why and runs the command without the variable.
set -uo pipefail

if [ $# -eq 0 ]; then
  echo "usage: scripts/with-postgres.sh <command…>" >&2
  exit 64
fi

# The server refuses to run as root, so root borrows the account that the package made, or `nobody`.
as_server() {
  if [ "$(id -u)" -ne 0 ]; then "$@"; else runuser -u "$server_user" -- "$@"; fi
}

find_bin() {
  local folder
  for folder in $(ls -d /usr/lib/postgresql/*/bin /opt/homebrew/opt/postgresql*/bin 2>/dev/null | sort -rV); do
    [ -x "$folder/initdb" ] && [ -x "$folder/postgres" ] && { echo "$folder"; return 0; }
  done
  command -v initdb >/dev/null && command -v postgres >/dev/null && dirname "$(command -v initdb)"
}

install_server() {
  command -v apt-get >/dev/null || return 1
  [ "$(id -u)" -eq 0 ] || return 1
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql; } >/dev/null 2>&1
}

stop_server() {
  [ -f "$folder/data/postmaster.pid" ] && as_server "$bin/pg_ctl" -D "$folder/data" -m immediate -w stop >/dev/null 2>&1
  rm -rf "$folder"
}

# A port is only known to be free once the server has it, so a few are tried.
start_server() {
  local attempt
  printf '%s' "$password" >"$folder/password"
  chmod 600 "$folder/password"
  : >"$folder/log"
  [ "$(id -u)" -eq 0 ] && chown -R "$server_user" "$folder"
  as_server "$bin/initdb" -D "$folder/data" -U turnpike --pwfile="$folder/password" -A scram-sha-256 -E UTF8 \
    --no-locale --no-sync >"$folder/log" 2>&1 || return 1
  for attempt in 1 2 3 4 5; do
    port=$((20000 + (RANDOM % 20000)))
    as_server "$bin/pg_ctl" -D "$folder/data" -l "$folder/log" -w -t 30 \
      -o "-p $port -c unix_socket_directories= -c listen_addresses=127.0.0.1 -c fsync=off" start >/dev/null 2>&1 && return 0
  done
  return 1
}

without_server() {
  echo "postgres: $1; running without it" >&2
  unset TURNPIKE_TEST_POSTGRES
  shift
  exec "$@"
}

bin=$(find_bin) || { install_server; bin=$(find_bin); } || without_server "no server is installed and none could be installed" "$@"
server_user=postgres
id "$server_user" >/dev/null 2>&1 || server_user=nobody
password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
folder=$(cd / && mktemp -d "${TMPDIR:-/tmp}/turnpike-postgres-XXXXXX")
port=0
trap stop_server EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if ! start_server; then
  tail -5 "$folder/log" >&2 2>/dev/null
  stop_server
  trap - EXIT
  without_server "the server did not start" "$@"
fi

TURNPIKE_TEST_POSTGRES="postgres://turnpike:$password@127.0.0.1:$port/postgres" "$@"
exit $?
