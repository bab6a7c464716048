import { describe, expect, it } from '@jest/globals';
import { fromPostgresError } from '@crate/database';
import { unavailable } from '@crate/errors';
import { serverState, untilWritable, type SeenServer, type ServerState } from './service-databases.js';

/** Answers in turn, the last one for ever. */
function looking(...states: readonly ServerState[]): () => Promise<SeenServer> {
  const left = [...states];
  return () => Promise.resolve({ state: (left.length > 1 ? left.shift() : left[0]) as ServerState });
}

describe('untilWritable', () => {
  const { signal } = new AbortController();

  it.each([
    { reason: 'a server that starts', states: ['down', 'up'] },
    { reason: 'one that is restored to a point in time', states: ['down', 'replaying', 'replaying', 'up'] },
  ] as const)('waits for $reason', async ({ states }) => {
    await expect(untilWritable(looking(...states), 'db.example:5432', signal)).resolves.toBeUndefined();
  });

  it.each([
    { reason: 'has paused at its target', states: ['down', 'paused'], message: /recovery_target_action/ },
    { reason: 'pauses after it has replayed', states: ['replaying', 'paused'], message: /pg_wal_replay_resume/ },
    { reason: 'gives up while it replays', states: ['replaying', 'down'], message: /see its log/ },
  ] as const)('does not start services on a server that $reason', async ({ states, message }) => {
    await expect(untilWritable(looking(...states), 'db.example:5432', signal)).rejects.toThrow(message);
  });

  it('says why a server does not answer', async () => {
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND db.example'), { code: 'ENOTFOUND' });
    const down = { state: 'down', error: unavailable('The database does not answer', cause) } as const;
    // Once it was looked at, nobody waits any longer.
    const stop = new AbortController();
    const look = (): Promise<SeenServer> => {
      stop.abort();
      return Promise.resolve(down);
    };
    await expect(untilWritable(look, 'db.example:5432', stop.signal)).rejects.toMatchObject({
      code: 'Unavailable',
      message: 'PostgreSQL at db.example:5432 does not answer: there is no such host',
    });
  });

  it('ends when it is told to', async () => {
    const ended = AbortSignal.abort(new Error('Stopping'));
    await expect(untilWritable(looking('replaying'), 'db.example:5432', ended)).rejects.toThrow();
  });
});

describe('serverState', () => {
  const refusing = (code: string, text: string): Parameters<typeof serverState>[0] => ({
    rowsOnce: () => Promise.reject(fromPostgresError(Object.assign(new Error(text), { code, severity: 'FATAL' }))),
  });

  it('takes a server that starts for one that is not there yet', async () => {
    const starting = refusing('57P03', 'the database system is starting up');
    await expect(serverState(starting)).resolves.toMatchObject({ state: 'down' });
  });

  it.each(['28P01', '28000', '3D000'])('does not wait for one that refuses its user: %s', async (code) => {
    await expect(serverState(refusing(code, 'no entry'))).rejects.toThrow('PostgreSQL refuses: no entry');
  });
});
