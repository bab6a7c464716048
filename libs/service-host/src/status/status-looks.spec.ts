import { describe, expect, it } from '@jest/globals';
import { unavailable } from '@crate/errors';
import { statusLooks, type StatusLooks } from './status-looks.js';

type Looks = { [P in keyof StatusLooks]: () => Promise<StatusLooks[P]> };

const never = (): Promise<never> => new Promise(() => undefined);

/** All answer at once with nothing, but for these. */
function looks(changes: Partial<Looks>): Looks {
  const none = (): Promise<never[]> => Promise.resolve([]);
  return {
    ...{ replicas: none, leases: none, runs: none, certificates: none, recovery: () => Promise.resolve(undefined) },
    queue: () => Promise.resolve({ queues: [], leases: [], omittedLeases: 0 }),
    database: () => Promise.reject(unavailable('The database is away')),
    ...changes,
  };
}

describe('statusLooks', () => {
  it('finds what it can and names the rest, with the words of errors that people may see', async () => {
    const odd = (): Promise<never> => Promise.reject(new Error('connect 10.0.0.7:5432 as crate'));
    const found = await statusLooks(looks({ runs: odd, leases: never }), 20)();
    expect(found.replicas).toEqual([]);
    expect([...found.missing].sort((a, b) => (a.part < b.part ? -1 : 1))).toEqual([
      { part: 'database', message: 'The database is away' },
      { part: 'leases', message: 'No answer within 20 ms' },
      { part: 'runs', message: 'It failed' },
    ]);
  });

  it('asks a source that hangs once, however often it is wanted, and again when it has answered', async () => {
    let asked = 0;
    let answer: (rows: never[]) => void = () => undefined;
    const slow = (): Promise<never[]> => {
      asked += 1;
      return new Promise((resolve) => (answer = resolve));
    };
    const look = statusLooks(looks({ runs: slow }), 5);
    for (let turn = 0; turn < 3; turn += 1) expect((await look()).runs).toBeUndefined();
    expect(asked).toBe(1);
    const next = look();
    answer([]);
    expect((await next).runs).toEqual([]);
    const last = look();
    expect(asked).toBe(2);
    answer([]);
    await last;
  });
});
