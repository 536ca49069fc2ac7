#!/bin/sh
# Makes the passwords of docker-compose.yml: adds to .env those that are not there yet, and prints none. Once made they stay,
# because databases keep theirs. Another file: sh deploy/compose-secrets.sh FILE
set -eu

file=${1:-"$(dirname "$0")/../.env"}
umask 077
touch "$file"
# What is added begins on a line of its own.
[ -z "$(tail -c 1 "$file")" ] || echo >>"$file"

for name in \
  POSTGRES_PASSWORD DATABASE_PASSWORD TEMPORAL_DATABASE_PASSWORD COMPOSE_ENCRYPTION_SECRET REGULATOR_PASSWORD \
  KEYCLOAK_ADMIN_PASSWORD DEMO_CLIENT_SECRET NO_PERMISSION_SECRET OTHER_COMPANY_SECRET OPERATOR_PASSWORD UPLOADER_PASSWORD GRAFANA_ADMIN_PASSWORD; do
  if grep -q "^$name=." "$file"; then continue; fi
  # 24 bytes, in letters and digits that mean nothing in a URL, in SQL or to a shell.
  secret=$(od -An -v -N24 -tx1 /dev/urandom | tr -d ' \n')
  printf '%s=%s\n' "$name" "$secret" >>"$file"
  echo "$name has been made."
done
