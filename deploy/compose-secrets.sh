#!/bin/sh
# Generates the two passwords of docker-compose.yml: adds to .env what is not there yet, and prints none. Once made they stay,
# because databases keep theirs. Another file: sh deploy/compose-secrets.sh FILE
set -eu

file=${1:-"$(dirname "$0")/../.env"}
umask 077
touch "$file"
# What is added begins on a line of its own.
[ -z "$(tail -c 1 "$file")" ] || echo >>"$file"

for name in COMPOSE_PASSWORD TRIAL_PASSWORD; do
  if grep -q "^$name=." "$file"; then continue; fi
  # 24 bytes, in letters and digits that mean nothing in a URL, in SQL or to a shell.
  secret=$(od -An -v -N24 -tx1 /dev/urandom | tr -d ' \n')
  printf '%s=%s\n' "$name" "$secret" >>"$file"
  echo "$name has been made."
done
