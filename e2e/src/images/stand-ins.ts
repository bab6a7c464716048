import { dirname } from 'node:path';
import { postgresBinaries } from '@crate/local-servers';
import { systemPostgres } from '../backup/own-postgres.js';
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
programs=$1; shift
test "$1" = postgres; shift
if ! test -s "$PGDATA/PG_VERSION"; then
  $programs/initdb --pgdata="$PGDATA" --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" $POSTGRES_INITDB_ARGS
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  echo "CREATE DATABASE $POSTGRES_DB" | $programs/postgres --single -D "$PGDATA" postgres
fi
exec $programs/postgres -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/tmp "$@"
`;

/** By the name of the service in docker-compose.yml. */
export async function standIns(): Promise<ReadonlyMap<string, StandIn>> {
  const natsServer = await pathOf('nats-server');
  // Folders of this machine that mounts are made in.
  const hosts = ['/var/lib', '/mnt', '/tmp'].map((target) => ({ source: 'tmpfs', target, options: 'mode=1777' }));
  const { programs, mounts } = await postgresPrograms();
  return new Map<string, StandIn>([
    [
      'postgres',
      {
        mounts: [...hosts, ...mounts],
        commandOf: ({ command = [] }) => ['/bin/sh', '-c', POSTGRES, 'postgres', programs, ...command],
        port: 5432,
      },
    ],
    ['nats', { mounts: hosts, commandOf: ({ command = [] }) => [natsServer, ...command], port: 4222 }],
  ]);
}

/** The system's, which has clients of the same version as the image has; else the one that `crate up` brings along, at a place all may read. */
async function postgresPrograms(): Promise<{ readonly programs: string; readonly mounts: readonly Mount[] }> {
  const programs = systemPostgres();
  if (programs !== undefined) return { programs, mounts: [] };
  const { postgres } = await postgresBinaries();
  const own = { source: dirname(dirname(postgres)), target: '/mnt/postgres', isReadOnly: true };
  return { programs: '/mnt/postgres/bin', mounts: [own] };
}
