import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AUDIT_MIGRATIONS, AuditKeeper, PostgresAuditLog, verifyChain, type ChainReport } from '@crate/audit';
import { ensureKeyPair, FileKeyStore } from '@crate/auth';
import { Database, migrate } from '@crate/database';
import { resourceStoreMigrations } from '@crate/resource-store';
import { createKeyFile, listKeyFiles } from '@crate/secrets';
import { InMemoryLogger, InMemoryMetrics } from '@crate/telemetry';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { WORK_QUEUE_MIGRATIONS } from '@crate/work-queue';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pivotCommand } from '../commands/pivot.command.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { SERVICE_ORDER } from '../up/service-order.js';
import { PivotSide } from './pivot-side.js';
import { pivotOrActAgain } from './pivot-or-act-again.js';
import type { PivotOptions } from './pivot.js';

const ADDRESS = 'https://crate.example.com';

// Each step locks and compares all tables of both: quick, but not on a machine that does much else.
jest.setTimeout(180_000);

let server: PostgresServer;
let root: string;
let urls: Readonly<Record<'old' | 'new', string>>;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => server.stop());
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'crate-pivot-'));
  urls = { old: await make('old'), new: await make('new') };
});
afterEach(async () => rm(root, { recursive: true, force: true }));

/** A data directory whose database stands beside it; nothing runs on it. */
async function make(name: string): Promise<string> {
  const { url } = await server.createDatabase();
  for (const service of SERVICE_ORDER) {
    const schema = service.replaceAll('-', '_');
    await migrate({ url, schema, directories: [resourceStoreMigrations, WORK_QUEUE_MIGRATIONS, AUDIT_MIGRATIONS] });
    await mkdir(join(root, name, 'services', service, 'encryption'), { recursive: true });
    await createKeyFile(join(root, name, 'services', service, 'encryption'));
  }
  await mkdir(join(root, name, 'services', 'postgres'), { recursive: true });
  await writeFile(join(root, name, 'services', 'postgres', 'database-url'), url, { mode: 0o600 });
  return url;
}

async function run(...args: readonly string[]): Promise<Written> {
  return outputOf(pivotCommand(), ['--from', join(root, 'old'), '--to', join(root, 'new'), ...args]);
}

async function advance(url: string): Promise<void> {
  await write(url, 'UPDATE resource_head SET revision = revision + 7');
}

async function write(url: string, statement: string): Promise<void> {
  const database = new Database({ url, schema: 'lifecycle', maxConnections: 1 });
  try {
    await database.execute(statement);
  } finally {
    await database.close();
  }
}

/** What the service of an installation says of its audit log, by the keys that it has. */
async function verified(name: 'old' | 'new'): Promise<Pick<ChainReport, 'checkpoints' | 'unproven' | 'problems'>> {
  const database = new Database({ url: urls[name], schema: 'lifecycle', maxConnections: 1 });
  const keys = new FileKeyStore({ privateDir: '', trustDir: join(root, name, 'trust') }, 'lifecycle');
  try {
    return await verifyChain({ log: new PostgresAuditLog(database, 'lifecycle'), keys, limit: 100 });
  } finally {
    await database.close();
  }
}

/** One call on record, and a checkpoint of it that the old installation signs. */
async function signedRecord(): Promise<void> {
  const database = new Database({ url: urls.old, schema: 'lifecycle', maxConnections: 1 });
  const directories = { privateDir: join(root, 'old', 'private'), trustDir: join(root, 'old', 'trust') };
  await ensureKeyPair(directories, 'lifecycle');
  const log = new PostgresAuditLog(database, 'lifecycle');
  const time = '2026-01-01T00:00:00.000Z';
  const type = { group: '', resource: 'projects', project: '' };
  await log.append([
    {
      time,
      service: 'lifecycle',
      user: 'ada',
      groups: [],
      traceId: '',
      verb: 'create',
      ...type,
      decision: 'allowed',
      code: 201,
      reason: '',
    },
  ]);
  const keys = new FileKeyStore(directories, 'lifecycle');
  const telling = { logger: new InMemoryLogger(), metrics: new InMemoryMetrics() };
  await new AuditKeeper({ service: 'lifecycle', log, keys, ...telling, everyMs: 60_000, retentionMs: 0 }).look();
  await database.close();
}

describe('crate pivot', () => {
  it('brings the public keys by which the new installation verifies what the old one has signed', async () => {
    await signedRecord();
    expect(await verified('old')).toMatchObject({ checkpoints: 1, unproven: 0, problems: [] });
    await run();
    expect(await verified('new')).toMatchObject({ checkpoints: 1, unproven: 0, problems: [] });

    const database = new Database({ url: urls.new, schema: 'lifecycle', maxConnections: 1 });
    await database.execute('ALTER TABLE audit_checkpoints DISABLE TRIGGER USER');
    await database.execute(`UPDATE audit_checkpoints SET time = '2026-01-02T00:00:00.000Z'`);
    await database.close();
    const message = 'The checkpoint at row 1 has a wrong signature';
    expect((await verified('new')).problems).toEqual([{ seq: 1, message }]);
  });

  it('moves, says each step, and says so when it was over before', async () => {
    await advance(urls.old);
    const { stdout } = await run('--address', ADDRESS);
    expect(stdout).toContain('lifecycle is the same in both: 0 objects, revision 7');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('The old installation has ended');
    await expect(advance(urls.old)).rejects.toMatchObject({ message: `This installation has moved to ${ADDRESS}` });
    await advance(urls.new);
    expect(await listKeyFiles(join(root, 'new', 'services', 'lifecycle', 'encryption'))).toHaveLength(2);

    expect((await run()).stdout).toBe('It has moved already; nothing was changed\n');
    const rows = JSON.parse((await run('--status', '-o', 'json')).stdout) as unknown;
    expect(rows).toMatchObject([
      { installation: 'the old installation', state: 'moved', step: 'retired', address: ADDRESS },
      { installation: 'the new installation', state: 'serving', step: 'retired' },
    ]);
    await expect(run('--rollback')).rejects.toMatchObject({ details: { reason: 'HasMoved' } });
  });

  it('takes back what stands still, and moves by URL as well', async () => {
    const database = new Database({ url: urls.old, schema: 'lifecycle', maxConnections: 1 });
    await database.execute(
      `INSERT INTO work_items (reconciler, namespace, name, due_at, epoch, lease_until)
       VALUES ('cluster', 'team-a', 'demo', 'infinity', 1, now() + interval '1 hour')`,
    );
    await expect(run('--drain-timeout', '1ms')).rejects.toMatchObject({
      code: 'Timeout',
      message: expect.stringContaining('cluster of team-a/demo'),
    });
    expect((await run('--status')).stdout).toMatch(/old installation +draining[^]*new installation +receiving/);
    expect((await run('--rollback')).stdout).toBe('Taken back: both are what they were before\n');
    expect((await run('--rollback')).stdout).toBe('There is no move to take back\n');

    await database.execute('UPDATE work_items SET lease_until = NULL, due_at = now()');
    await database.close();
    const keysOf = async (name: string): Promise<string> => {
      for (const service of SERVICE_ORDER) {
        await mkdir(join(root, `keys-${name}`, service), { recursive: true });
        await createKeyFile(join(root, `keys-${name}`, service));
      }
      return join(root, `keys-${name}`);
    };
    const places = ['--from', urls.old, '--to', urls.new];
    await expect(outputOf(pivotCommand(), places)).rejects.toMatchObject({
      code: 'BadRequest',
      message: expect.stringContaining('--from-keys'),
    });
    const keys = ['--from-keys', await keysOf('old'), '--to-keys', await keysOf('new')];
    expect((await outputOf(pivotCommand(), [...places, ...keys])).stdout).toContain('The new installation acts');
  });

  it('ends a move whose old installation is gone, but begins none without it', async () => {
    const gone = ['--from', join(root, 'gone')];
    await expect(run(...gone)).rejects.toMatchObject({ code: 'Unavailable' });
    await run();
    expect((await run(...gone)).stdout).toContain('the move is over');
  });
});

describe('a move that nobody is there to take back', () => {
  const RUN = 'Terraform run killed';
  let said: string[];
  beforeEach(async () => {
    said = [];
    for (const url of Object.values(urls)) await write(url, 'CREATE TABLE terraform_runs (id text, state text)');
    await write(urls.old, `INSERT INTO terraform_runs VALUES ('killed', 'running')`);
  });

  /** `patience`: how long to wait for work to end, each time. `settle`: what services do once they may. */
  async function moveWith(patience: number[], settle: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    let settled: Promise<void> | undefined;
    const options: PivotOptions = {
      ...{ from: PivotSide.of('the old installation', join(root, 'old')) },
      ...{ to: PivotSide.of('the new installation', join(root, 'new')) },
      get drainTimeoutMs() {
        return patience.shift() ?? 1;
      },
      say: (line) => {
        said.push(line);
        const isWaitedFor = said.some((each) => each.endsWith('acts again')) && line.endsWith(RUN);
        if (isWaitedFor) settled ??= settle();
      },
    };
    await pivotOrActAgain(options);
    await settled;
  }

  it('lets the old installation settle a run of a killed process, and begins anew', async () => {
    await moveWith([1, 60_000, 60_000], () => write(urls.old, `UPDATE terraform_runs SET state = 'interrupted'`));
    expect(said.filter((line) => line.includes('acts again'))).toHaveLength(1);
    expect(said.at(-1)).toBe('The old installation has ended');
  });

  it.each([
    { reason: 'a run goes on', settle: '', patience: [1, 1] },
    { reason: 'another one was begun', settle: `UPDATE terraform_runs SET id = 'next'`, patience: [1, 60_000, 1] },
    { reason: 'a pass goes on', settle: 'DELETE FROM terraform_runs', lease: true, patience: [1, 60_000, 1] },
  ])('leaves an old installation that acts where $reason', async ({ settle, lease, patience }) => {
    const held = `INSERT INTO work_items (reconciler, namespace, name, due_at, epoch, lease_until)
      VALUES ('cluster', 'team-a', 'demo', 'infinity', 1, now() + interval '1 hour')`;
    if (lease) await write(urls.old, held);
    const moved = moveWith(patience, () => (settle === '' ? Promise.resolve() : write(urls.old, settle)));
    await expect(moved).rejects.toMatchObject({
      code: 'Timeout',
      details: { reason: 'StillAtWork', remedy: expect.stringContaining('the old installation acts again') },
    });
    expect((await run('--status')).stdout).toMatch(/old installation +serving[^]*new installation +serving/);
  });
});
