import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ChangeNotice } from '@crate/resource-store';
import { SharedLooks } from './shared-looks.js';

/** A look that tests answer. */
interface Look {
  readonly from: string;
  readonly answer: (changes: readonly ChangeNotice[]) => void;
  readonly fail: (error: Error) => void;
}

const notice = (revision: string): ChangeNotice =>
  ({ type: 'ADDED', revision, key: { group: '', kind: 'Rule', name: 'a' } }) as ChangeNotice;

describe('SharedLooks', () => {
  let looks: Look[];
  let shared: SharedLooks;

  beforeEach(() => {
    looks = [];
    shared = new SharedLooks({
      changesSince: (from) =>
        new Promise((resolve, reject) => {
          looks.push({ from, answer: resolve, fail: reject });
        }),
    });
  });

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('does not give what was looked for before it was asked for', async () => {
    const early = shared.changesSince('1', 10);
    const late = shared.changesSince('1', 10);
    looks[0]?.answer([]);
    expect(await early).toEqual([]);
    await turn();
    expect(looks).toHaveLength(2);
    looks[1]?.answer([notice('2')]);
    expect(await late).toEqual([notice('2')]);
  });

  it('looks once for all who ask meanwhile, from where the first of them is', async () => {
    const early = shared.changesSince('5', 10);
    const late = ['5', '3', '4'].map((from) => shared.changesSince(from, 10));
    looks[0]?.answer([]);
    await early;
    await turn();
    expect(looks.map(({ from }) => from)).toEqual(['5', '3']);
    looks[1]?.answer([notice('6')]);
    expect(await Promise.all(late)).toEqual(Array(3).fill([notice('6')]));
  });

  it('looks at once when nobody does', async () => {
    for (const [index, from] of ['1', '2'].entries()) {
      const changes = shared.changesSince(from, 10);
      expect(looks).toHaveLength(index + 1);
      looks[index]?.answer([]);
      await changes;
      await turn();
    }
  });

  it('goes on after a look that failed, which only those hear of who shared it', async () => {
    const early = shared.changesSince('1', 10);
    const late = shared.changesSince('1', 10);
    looks[0]?.fail(new Error('Gone'));
    await expect(early).rejects.toThrow('Gone');
    await turn();
    looks[1]?.answer([]);
    expect(await late).toEqual([]);
  });

  it('shares nothing with who asks for another number of changes', async () => {
    void shared.changesSince('1', 10);
    void shared.changesSince('1', 10);
    void shared.changesSince('1', 20);
    await turn();
    expect(looks).toHaveLength(2);
  });
});
