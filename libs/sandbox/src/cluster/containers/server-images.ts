import type { LocalImagesInput } from './image-catalog.js';

/** Programs of this machine that the images of servers stand for; those that are not here are left out. */
export interface ServerPrograms {
  readonly natsServer?: string;
  readonly postgres?: { readonly initdb: string; readonly postgres: string };
}

/** Of the process: every address of the pod, which becomes that of the pod alone. */
const LISTEN = { SANDBOX_LISTEN: '0.0.0.0' };

/**
 * As the entry point of the official image: `--jetstream` and `nats-server --jetstream` are the same. What is stored goes where the container
 * has a volume at `/data`, and else with the pod.
 */
const NATS = `
[ "\${1-}" != nats-server ] || shift
[ "$NATS_DATA" != /data ] || NATS_DATA=$PWD/data
exec "$NATS_PROGRAM" --addr "$SANDBOX_LISTEN" --store_dir "$NATS_DATA" "$@"
`;

/**
 * As the entry point of the official image: a database at the first start, with a password that is asked for by everybody who connects. It is made
 * beside its place and moved there whole, so that a start that was cut off is made again. It is stopped as the image says (STOPSIGNAL), without waiting for clients to go.
 */
const POSTGRES = `
set -eu
umask 077
[ "\${1-}" != postgres ] || shift
[ "$PGDATA" != /var/lib/postgresql/data ] || PGDATA=$PWD/data
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  [ -z "\${POSTGRES_PASSWORD_FILE-}" ] || POSTGRES_PASSWORD=$(cat "$POSTGRES_PASSWORD_FILE")
  : "\${POSTGRES_PASSWORD:?must be set, or POSTGRES_PASSWORD_FILE}"
  draft=$PGDATA.new
  user=\${POSTGRES_USER:-postgres}
  rm -rf "$draft"
  mkdir -p "$draft"
  printf '%s\\n' "$POSTGRES_PASSWORD" >"$PWD/password"
  "$INITDB_PROGRAM" -D "$draft" -U "$user" --pwfile="$PWD/password" -A scram-sha-256 --encoding=UTF8 --no-locale
  rm "$PWD/password"
  echo 'host all all all scram-sha-256' >>"$draft/pg_hba.conf"
  database=\${POSTGRES_DB:-$user}
  [ "$database" = postgres ] || printf 'CREATE DATABASE "%s"\\n' "$database" | "$POSTGRES_PROGRAM" --single -D "$draft" postgres >/dev/null
  mv -T "$draft" "$PGDATA"
fi
unset POSTGRES_PASSWORD
"$POSTGRES_PROGRAM" -D "$PGDATA" -c "listen_addresses=$SANDBOX_LISTEN" -c unix_socket_directories= "$@" &
server=$!
trap 'kill -INT $server' TERM
while :; do
  status=0
  wait $server || status=$?
  kill -0 $server 2>/dev/null || exit $status
done
`;

/** The images `nats` and `postgres`, official ones, as programs of this machine, for `writeLocalImages`. */
export function serverImages({ natsServer, postgres }: ServerPrograms): LocalImagesInput {
  return {
    ...(natsServer === undefined
      ? {}
      : {
          nats: {
            command: ['/bin/sh', '-c', NATS, 'nats'],
            environment: { ...LISTEN, NATS_PROGRAM: natsServer },
            defaults: { NATS_DATA: '/data' },
          },
        }),
    ...(postgres
      ? {
          postgres: {
            command: ['/bin/sh', '-c', POSTGRES, 'postgres'],
            environment: { ...LISTEN, INITDB_PROGRAM: postgres.initdb, POSTGRES_PROGRAM: postgres.postgres },
            defaults: { PGDATA: '/var/lib/postgresql/data' },
            isRootless: true,
          },
        }
      : {}),
  };
}
