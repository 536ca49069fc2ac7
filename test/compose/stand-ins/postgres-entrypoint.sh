#!/bin/sh
# What our Compose file relies on of the original: an empty volume becomes a cluster whose superuser has POSTGRES_PASSWORD, and the
# files of /docker-entrypoint-initdb.d are run before the server listens on TCP.
set -eu

if [ "$(id -u)" = 0 ]; then
  install --directory --owner=postgres --mode=700 "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups sh "$0" "$@"
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  (umask 077 && printf '%s\n' "${POSTGRES_PASSWORD:?}" >/tmp/password)
  initdb --pgdata="$PGDATA" --username=postgres --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  printf '%s\n' "listen_addresses = '*'" "unix_socket_directories = '/var/run/postgresql'" >>"$PGDATA/postgresql.conf"
  pg_ctl --pgdata="$PGDATA" --options="-c listen_addresses=''" --wait start
  for file in /docker-entrypoint-initdb.d/*.sql; do
    psql --set=ON_ERROR_STOP=1 --host=/var/run/postgresql --username=postgres --file="$file"
  done
  pg_ctl --pgdata="$PGDATA" --mode=fast --wait stop
fi
exec "$@"
