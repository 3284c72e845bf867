#!/usr/bin/env bash
# Writes `.env` with secrets of its own for `docker compose up`; an existing one is left alone.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ -e .env ]; then
  echo ".env is there already"
  exit 0
fi
secret() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
umask 077
cat > .env <<ENV
POSTGRES_PASSWORD=$(secret)
SERVICES_PASSWORD=$(secret)
INTERNAL_SECRET=$(secret)
TOKEN_SECRET=$(secret)
SEALING_SECRET=$(secret)
ENV
echo "wrote .env"
