#!/usr/bin/env bash
# Run by the PostgreSQL image when its volume is new: a role and a database for each service, closed to the others.
set -euo pipefail
for service in identity catalog commerce metering notifications; do
  psql --set=ON_ERROR_STOP=1 --set=name="$service" --set=password="$SERVICES_PASSWORD" \
    --username "$POSTGRES_USER" --dbname postgres <<'SQL'
create role :"name" login password :'password';
create database :"name" owner :"name";
revoke connect, temporary on database :"name" from public;
SQL
done
