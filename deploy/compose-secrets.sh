#!/bin/sh
# Generates the passwords of docker-compose.yml. Adds missing ones to .env and prints none. Existing ones do not change,
# because the databases store them. Another file: sh deploy/compose-secrets.sh FILE
#
#   COMPOSE_PASSWORD           the administrators of PostgreSQL, Keycloak and Grafana, and the owner of the tables
#   COMPOSE_SERVICE_PASSWORD   gateways and workers in PostgreSQL: the role package_import_service
#   COMPOSE_TEMPORAL_PASSWORD  Temporal in PostgreSQL
#   COMPOSE_ENCRYPTION_SECRET  the ENCRYPTION_SECRET, if that is not set
#   TRIAL_PASSWORD             people and clients of trials: .env.example
#
# A password of your own has at least 16 letters and digits. PostgreSQL reads the passwords of its users only for a new
# volume: a later change must be made in the database, too.
set -eu

file=${1:-"$(dirname "$0")/../.env"}
umask 077
touch "$file"
# The file may be older than this script, and readable by others.
chmod 600 "$file"
# A new variable begins on its own line.
[ -z "$(tail -c 1 "$file")" ] || echo >>"$file"

for name in $(sed -n 's/^#   \([A-Z_]*\) .*/\1/p' "$0"); do
  if grep -q "^$name=." "$file"; then continue; fi
  # 24 bytes as letters and digits, which have no special meaning in a URL, in SQL or in a shell.
  secret=$(od -An -v -N24 -tx1 /dev/urandom | tr -d ' \n')
  printf '%s=%s\n' "$name" "$secret" >>"$file"
  echo "Generated $name."
done
