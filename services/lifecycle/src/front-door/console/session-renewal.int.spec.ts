import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database, migrate } from '@crate/database';
import { unauthenticated, unavailable } from '@crate/errors';
import { AesGcmSecretBox, KeyRing } from '@crate/secrets';
import { InMemoryLogger } from '@crate/telemetry';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { LIFECYCLE_MIGRATIONS } from '../../migrations.js';
import type { ConsoleSession } from './console-session.js';
import { Handovers } from './handovers.repository.js';
import type { IssuedTokens, IssuerClient } from './issuer-client.js';
import { SealedText } from './sealed-text.js';
import { SessionRenewal } from './session-renewal.js';

const HOUR = 3_600_000;

let postgres: PostgresServer;
let database: Database;
let now: number;
let asked: string[];
let refresh: (refreshToken: string) => Promise<IssuedTokens>;
beforeAll(async () => {
  postgres = await startPostgres();
  const { url } = await postgres.createDatabase();
  await migrate({ url, schema: 'lifecycle', directories: [LIFECYCLE_MIGRATIONS] });
  database = new Database({ url, schema: 'lifecycle' });
});
afterAll(async () => {
  await database.close();
  await postgres.stop();
});
beforeEach(async () => {
  await database.execute('DELETE FROM console_handovers');
  now = Date.now();
  asked = [];
  refresh = (refreshToken) =>
    Promise.resolve({ idToken: `after-${refreshToken}`, expiresAt: now + HOUR, refreshToken: `${refreshToken}+` });
});

function aSession(): ConsoleSession {
  const renewal = { issuer: 'corporate', refreshToken: 'r', dueAt: now };
  return { method: 'oidc', token: 'old', tokenExpiresAt: now + 60_000, endsAt: now + 12 * HOUR, renewal };
}

const key = { keyId: 'k', key: Buffer.alloc(32, 7) };

/** One of several front doors; all have the same keys. */
function aReplica(): SessionRenewal {
  const issuer = {
    refresh: async (refreshToken: string) => {
      asked.push(refreshToken);
      return refresh(refreshToken);
    },
  } as unknown as IssuerClient;
  return new SessionRenewal({
    issuers: new Map([['corporate', issuer]]),
    handovers: new Handovers(database),
    sealed: new SealedText(new AesGcmSecretBox(new KeyRing([key]))),
    logger: new InMemoryLogger(),
    now: () => now,
  });
}

describe('renewing a session', () => {
  it('is not done before it is due', async () => {
    const session = aSession();
    now -= 1;
    expect(await aReplica().current(session)).toBe(session);
    expect(asked).toEqual([]);
  });

  it('asks the issuer once, however many ask at however many replicas', async () => {
    const session = aSession();
    const replicas = [aReplica(), aReplica(), aReplica()];
    const all = await Promise.all(replicas.flatMap((replica) => [1, 2, 3].map(() => replica.current(session))));
    expect(asked).toEqual(['r']);
    expect(new Set(all.map(({ token }) => token))).toEqual(new Set(['after-r']));
    expect(all[8]).toMatchObject({
      endsAt: session.endsAt,
      renewal: { refreshToken: 'r+', dueAt: now + HOUR - 60_000 },
    });
    // Requests that were under way with the old cookie.
    expect(await aReplica().current(session)).toEqual(all[0]);
    expect(asked).toEqual(['r']);
  });

  it('goes on when the issuer gives the same refresh token again', async () => {
    refresh = () => Promise.resolve({ idToken: `at ${now}`, expiresAt: now + 60_000, refreshToken: 'r' });
    const replica = aReplica();
    const first = await replica.current(aSession());
    now += 50_000;
    const second = await replica.current(first);
    expect([first.token, second.token]).toEqual([`at ${now - 50_000}`, `at ${now}`]);
  });

  it('uses the last of a token while the issuer is away, and does not ask all the time', async () => {
    refresh = () => Promise.reject(unavailable('down'));
    const session = aSession();
    const replica = aReplica();
    expect(await replica.current(session)).toBe(session);
    expect(await replica.current(session)).toBe(session);
    expect(asked).toHaveLength(1);
    now += 61_000;
    await expect(replica.current(session)).rejects.toMatchObject({ code: 'Unavailable' });
    expect(asked).toHaveLength(2);
  });

  it('is over when the issuer refuses', async () => {
    refresh = () => Promise.reject(unauthenticated('invalid_grant'));
    const session = aSession();
    now += 61_000;
    await expect(aReplica().current(session)).rejects.toMatchObject({ code: 'Unauthenticated' });
  });

  it('is taken over from a replica that died over it', async () => {
    const session = aSession();
    await new Handovers(database).claim(`${session.renewal?.dueAt} r`, 300);
    expect((await aReplica().current(session)).token).toBe('after-r');
  });

  it('leaves nothing readable behind', async () => {
    await aReplica().current(aSession());
    const rows = await database.rows('SELECT * FROM console_handovers');
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain('after-r');
  });
});
