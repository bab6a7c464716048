import { dirname } from 'node:path';
import { postgresBinaries } from '@crate/local-servers';
import type { ComposeService } from './compose-file.js';
import { pathOf } from './assembled.js';
import type { Mount } from './sealed-process.js';

/** What runs in place of an image that is somebody else's, and cannot be fetched here: this machine's own program, started as the image starts it. */
export interface StandIn {
  readonly mounts: readonly Mount[];
  /** What the image would run for this command. */
  readonly commandOf: (service: ComposeService) => readonly string[];
  /** Port that answers when it is ready. */
  readonly port: number;
}

/** What docker-entrypoint.sh of https://github.com/docker-library/postgres does, as far as docker-compose.yml uses it. */
const POSTGRES = `
set -e
test "$1" = postgres; shift
if ! test -s "$PGDATA/PG_VERSION"; then
  /mnt/postgres/bin/initdb --pgdata="$PGDATA" --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" $POSTGRES_INITDB_ARGS
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  echo "CREATE DATABASE $POSTGRES_DB" | /mnt/postgres/bin/postgres --single -D "$PGDATA" postgres
fi
exec /mnt/postgres/bin/postgres -D "$PGDATA" -c listen_addresses='*' "$@"
`;

/** By the name of the service in docker-compose.yml. */
export async function standIns(): Promise<ReadonlyMap<string, StandIn>> {
  const natsServer = await pathOf('nats-server');
  const { postgres } = await postgresBinaries();
  const native = { source: dirname(dirname(postgres)), target: '/mnt/postgres', isReadOnly: true };
  // Folders of this machine that mounts are made in.
  const hosts = ['/var/lib', '/mnt', '/tmp'].map((target) => ({ source: 'tmpfs', target, options: 'mode=1777' }));
  return new Map<string, StandIn>([
    [
      'postgres',
      {
        mounts: [...hosts, native],
        commandOf: ({ command = [] }) => ['/bin/sh', '-c', POSTGRES, 'postgres', ...command],
        port: 5432,
      },
    ],
    ['nats', { mounts: hosts, commandOf: ({ command = [] }) => [natsServer, ...command], port: 4222 }],
  ]);
}
