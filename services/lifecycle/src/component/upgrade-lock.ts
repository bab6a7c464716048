import type { SqlRunner } from '@crate/database';
import { invariant } from '@crate/errors';

/** Lets one component at a time be upgraded, over all replicas of this service, and longer than any of them lives. */
export abstract class UpgradeLock {
  /** Whether the component has it now; true again for the one that has it. */
  abstract acquire(component: string): Promise<boolean>;
  /** Idempotent; what another one has stays. */
  abstract release(component: string): Promise<void>;
  /** The time, by one clock for all replicas: one counts on from where another one began. */
  abstract now(): Promise<Date>;
}

const ACQUIRE = `INSERT INTO component_upgrade AS held (component) VALUES ($1)
  ON CONFLICT (singleton) DO UPDATE SET component = held.component RETURNING component`;

const RELEASE = 'DELETE FROM component_upgrade WHERE component = $1';

/** A row in the table `component_upgrade`. */
export class PostgresUpgradeLock extends UpgradeLock {
  constructor(private readonly database: SqlRunner) {
    super();
  }

  override async acquire(component: string): Promise<boolean> {
    const row = await this.database.firstRow<{ component: string }>(ACQUIRE, [component]);
    return row?.component === component;
  }

  override async release(component: string): Promise<void> {
    await this.database.execute(RELEASE, [component]);
  }

  override async now(): Promise<Date> {
    const row = await this.database.firstRow<{ now: Date }>('SELECT clock_timestamp() AS now', []);
    if (!row) throw invariant('The database tells no time');
    return row.now;
  }
}

/** For tests; as good as the other one within a process. */
export class InMemoryUpgradeLock extends UpgradeLock {
  holder: string | undefined;

  constructor(private readonly time = new Date()) {
    super();
  }

  override acquire(component: string): Promise<boolean> {
    this.holder ??= component;
    return Promise.resolve(this.holder === component);
  }

  override release(component: string): Promise<void> {
    if (this.holder === component) this.holder = undefined;
    return Promise.resolve();
  }

  override now(): Promise<Date> {
    return Promise.resolve(this.time);
  }
}
