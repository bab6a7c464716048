import { badRequest, unavailable } from '@crate/errors';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Batcher } from './batcher.js';

let batches: string[][];
let refuse: (items: readonly string[]) => Error | undefined;
let gate: Promise<void>;
beforeEach(() => {
  batches = [];
  refuse = () => undefined;
  gate = Promise.resolve();
});

async function shout(items: readonly string[]): Promise<readonly string[]> {
  batches.push([...items]);
  await gate;
  const error = refuse(items);
  if (error) throw error;
  return items.map((item) => item.toUpperCase());
}

const nextTurn = () => new Promise((next) => setImmediate(next));

describe('Batcher', () => {
  it('does together what one turn of the event loop asks for, and answers each in its place', async () => {
    const batcher = new Batcher({ run: shout });
    const later = Promise.resolve().then(() => batcher.ask('c'));
    expect(await Promise.all([batcher.ask('a'), batcher.ask('b'), later])).toEqual(['A', 'B', 'C']);
    expect(batches).toEqual([['a', 'b', 'c']]);
  });

  it('has one batch under way, and gathers what is asked for meanwhile', async () => {
    let open = (): void => undefined;
    gate = new Promise((resolve) => (open = resolve));
    const batcher = new Batcher({ run: shout });
    const first = batcher.ask('a');
    await nextTurn();
    const others = ['b', 'c'].map((item) => batcher.ask(item));
    await nextTurn();
    expect(batches).toEqual([['a']]);
    open();
    expect(await Promise.all([first, ...others])).toEqual(['A', 'B', 'C']);
    expect(batches).toEqual([['a'], ['b', 'c']]);
  });

  it('bounds a batch by the number of its items and by what they weigh', async () => {
    const weight = { of: (item: string) => item.length, most: 4 };
    const batcher = new Batcher({ run: shout, largest: 3, weight });
    await Promise.all(['aa', 'bb', 'heaviest', 'c', 'd', 'e', 'f'].map((item) => batcher.ask(item)));
    expect(batches).toEqual([['aa', 'bb'], ['heaviest'], ['c', 'd', 'e'], ['f']]);
  });

  it('lets no later batch wait for an answer that is a promise', async () => {
    let answer = (_: string): void => undefined;
    const slow = new Promise<string>((resolve) => (answer = resolve));
    const batcher = new Batcher<string, string>({
      run: (items) => Promise.resolve(items.map((item) => (item === 'slow' ? slow : item))),
    });
    const first = batcher.ask('slow');
    await nextTurn();
    expect(await batcher.ask('quick')).toBe('quick');
    answer('at last');
    expect(await first).toBe('at last');
  });

  it('does not let an item that is refused fail its neighbours', async () => {
    refuse = (items) => (items.includes('bad') ? badRequest('bad') : undefined);
    const batcher = new Batcher({ run: shout });
    const results = await Promise.allSettled(['a', 'bad', 'b'].map((item) => batcher.ask(item)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(batches).toEqual([['a', 'bad', 'b'], ['a'], ['bad'], ['b']]);
  });

  it('tries nothing again of which nobody knows whether it was done, and goes on afterwards', async () => {
    refuse = () => unavailable('away');
    const batcher = new Batcher({ run: shout });
    const results = await Promise.allSettled(['a', 'b'].map((item) => batcher.ask(item)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(batches).toEqual([['a', 'b']]);
    refuse = () => undefined;
    expect(await batcher.ask('a')).toBe('A');
  });
});
