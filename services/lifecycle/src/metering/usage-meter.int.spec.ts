import { Database, migrate } from '@crate/database';
import { PlatformError, unavailable } from '@crate/errors';
import { InMemoryLogger } from '@crate/telemetry';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LIFECYCLE_MIGRATIONS } from '../migrations.js';
import { Marketplace, type Entitlement, type Usage } from './marketplace.js';
import { PostgresUsageLedger } from './usage-ledger.js';
import { UsageMeter, type UsageMeterOptions } from './usage-meter.js';

/** Answers as it is told to, and remembers what it was told. */
class FakeMarketplace extends Marketplace {
  readonly told: Usage[] = [];
  failure: PlatformError | undefined;
  bought: readonly Entitlement[] = [];
  registered = 0;

  override async meter(usage: Usage): Promise<string> {
    this.told.push(usage);
    if (this.failure) throw this.failure;
    return `record-${this.told.length}`;
  }

  override async register(): Promise<void> {
    if (this.failure) throw this.failure;
    this.registered += 1;
  }

  override async entitlements(): Promise<readonly Entitlement[]> {
    return this.bought;
  }
}

const AWAY = unavailable('AWS Marketplace does not answer');
const UNWANTED = new PlatformError('Forbidden', 'AWS Marketplace answered DuplicateRequestException');

let postgres: PostgresServer;
let database: Database;
let marketplace: FakeMarketplace;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => postgres.stop());
beforeEach(async () => {
  const { url } = await postgres.createDatabase();
  await migrate({ url, schema: 'lifecycle', directories: [LIFECYCLE_MIGRATIONS] });
  database = new Database({ url, schema: 'lifecycle' });
  marketplace = new FakeMarketplace();
});
afterEach(async () => database.close());

function aMeter(changes: Partial<UsageMeterOptions> = {}): UsageMeter {
  return new UsageMeter({
    marketplace,
    ledger: new PostgresUsageLedger(database),
    call: 'MeterUsage',
    dimension: 'clusters',
    entitlements: false,
    sender: 'one',
    clusters: () => 3,
    everyMs: 60_000,
    logger: new InMemoryLogger(),
    ...changes,
  });
}

/** An hour that has ended. */
async function ended(hoursAgo: number, quantity: number, sender: string | null = null): Promise<void> {
  await database.execute(
    `INSERT INTO marketplace_usage (dimension, hour, quantity, sender)
     VALUES ('clusters', date_trunc('hour', now()) - make_interval(hours => $1), $2, $3)`,
    [hoursAgo, quantity, sender],
  );
}

async function outcomes(): Promise<readonly unknown[]> {
  const rows = await database.rows<{ quantity: number; outcome: string | null }>(
    'SELECT quantity, outcome FROM marketplace_usage ORDER BY hour',
  );
  return rows.map(({ quantity, outcome }) => `${quantity} ${outcome ?? 'open'}`);
}

describe('UsageMeter', () => {
  it('keeps the greatest count of an hour that lasts, and tells nobody of it', async () => {
    let clusters = 4;
    const meter = aMeter({ clusters: () => clusters });
    await meter.round();
    clusters = 2;
    await meter.round();
    expect((await outcomes()).at(-1)).toBe('4 open');
    // At the turn of an hour there are two rows, of which the first has ended.
    expect(marketplace.told.length).toBeLessThan((await outcomes()).length);
  });

  it('tells hours that have ended once, the oldest first', async () => {
    await ended(1, 5);
    await ended(2, 6);
    const meter = aMeter();
    await meter.round();
    await meter.round();
    expect(marketplace.told.slice(0, 2).map(({ quantity }) => quantity)).toEqual([6, 5]);
    expect((await outcomes()).slice(0, 2)).toEqual(['6 Sent', '5 Sent']);
    expect(meter.status()).toMatchObject({ reason: 'Reported' });
  });

  it('tells an hour once, however many replicas there are', async () => {
    for (const hour of [1, 2, 3, 4]) await ended(hour, 10 + hour);
    const replicas = Array.from({ length: 6 }, (_each, index) => aMeter({ sender: `replica-${index}` }));
    await Promise.all(replicas.map((each) => each.round()));
    await Promise.all(replicas.map((each) => each.round()));
    const past = marketplace.told.filter(({ quantity }) => quantity > 10).map(({ quantity }) => quantity);
    expect(past.sort()).toEqual([11, 12, 13, 14]);
  });

  it('tries again what may pass, by itself alone, and says so meanwhile', async () => {
    await ended(1, 5);
    marketplace.failure = AWAY;
    const meter = aMeter();
    await meter.round();
    expect(meter.status()).toMatchObject({ reason: 'NotReported', openHours: 1 });

    marketplace.failure = undefined;
    // It may have been told already: AWS would count it twice from another.
    await aMeter({ sender: 'another' }).round();
    expect((await outcomes())[0]).toBe('5 open');
    await meter.round();
    expect((await outcomes())[0]).toBe('5 Sent');
    expect(meter.status()).toMatchObject({ reason: 'Reported', openHours: 0 });
  });

  it('does not go on about what AWS does not want', async () => {
    await ended(1, 5);
    marketplace.failure = UNWANTED;
    const meter = aMeter();
    await meter.round();
    expect((await outcomes())[0]).toBe('5 Refused');
    expect(meter.status()?.message).toContain('DuplicateRequestException');
    const before = marketplace.told.length;
    marketplace.failure = undefined;
    await meter.round();
    expect(marketplace.told.slice(before).map(({ quantity }) => quantity)).not.toContain(5);
    expect(meter.status()).toMatchObject({ reason: 'HoursMissed' });
  });

  it('gives up what is too old', async () => {
    await ended(9, 5);
    await ended(8, 6, 'somebody who is gone');
    await aMeter().round();
    expect((await outcomes()).slice(0, 2)).toEqual(['5 Lost', '6 Lost']);
    expect(marketplace.told.map(({ quantity }) => quantity)).not.toContain(5);
  });

  it('fails for nobody when the database or AWS is away', async () => {
    await database.execute('DROP TABLE marketplace_usage');
    const meter = aMeter();
    await expect(meter.round()).resolves.toBeUndefined();
    expect(meter.status()).toMatchObject({ reason: 'NotReported' });
    meter.start();
    await expect(meter.stop()).resolves.toBeUndefined();
  });

  it('registers once, and again only when that failed', async () => {
    marketplace.failure = AWAY;
    const meter = aMeter({ call: 'RegisterUsage' });
    await meter.round();
    marketplace.failure = undefined;
    await meter.round();
    await meter.round();
    expect(marketplace.registered).toBe(1);
    expect(meter.status()).toMatchObject({ reason: 'Reported' });
  });

  it('compares with what was bought', async () => {
    marketplace.bought = [{ dimension: 'clusters', quantity: 2, expiresAt: undefined }];
    const meter = aMeter({ entitlements: true });
    await meter.round();
    expect(meter.status()).toMatchObject({ reason: 'NotEntitled', message: expect.stringContaining('3 clusters') });
  });
});
