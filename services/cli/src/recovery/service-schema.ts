import { Database } from '@crate/database';

/** What a service keeps in the database at `url`; `part` is `events` for what stands beside its objects. */
export function openSchema(url: string, service: string, part?: 'events'): Database {
  const name = service.replaceAll('-', '_');
  const schema = part === undefined ? name : `${name}_${part}`;
  return new Database({ url, schema, applicationName: 'crate-recovery', maxConnections: 1 });
}
