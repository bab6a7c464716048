import { Database, type Transaction } from '@crate/database';
import { tellOfRefusal } from './refused-database.js';

type Row = Record<string, unknown>;

/** A database that a person named. */
export interface Where {
  /** Of the database. */
  readonly url: string;
  /** What messages call it. */
  readonly called: string;
}

/** What a service keeps in a database that a person named; `part` is `events` for what stands beside its objects. */
export function openSchema({ url, called }: Where, service: string, part?: 'events'): Database {
  const schema = part === undefined ? schemaOf(service) : `${schemaOf(service)}_${part}`;
  return new NamedDatabase({ url, schema, applicationName: 'crate-recovery', maxConnections: 1 }, called);
}

/** The schema of a service's objects. */
export function schemaOf(service: string): string {
  return service.replaceAll('-', '_');
}

/** The database of the platform. */
export function platformAt(url: string): Where {
  return { url, called: "The platform's database" };
}

/** Says which one it is that refuses, and what to do about that. */
class NamedDatabase extends Database {
  constructor(
    options: ConstructorParameters<typeof Database>[0],
    private readonly called: string,
  ) {
    super(options);
  }

  override async rowsOnce<R extends Row>(text: string, values?: readonly unknown[]): Promise<readonly R[]> {
    return super.rowsOnce<R>(text, values).catch((error: unknown) => tellOfRefusal(error, this.called));
  }

  override async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return super.transaction(work).catch((error: unknown) => tellOfRefusal(error, this.called));
  }
}
