import { describe, expect, it } from '@jest/globals';
import { keptToken, type IssuedToken } from './token-source.js';

describe('keptToken', () => {
  it('asks for another one once it has ended, and not before', async () => {
    let now = 0;
    const source = keptToken({ token: 't1', expiresAt: 1_000 }, given({ token: 't2' }), () => now);
    expect(await source()).toBe('t1');
    now = 1_000;
    expect(await source()).toBe('t2');
  });

  it('asks once for all that were refused at the same time', async () => {
    const source = keptToken({ token: 't1' }, given({ token: 't2' }, { token: 't3' }));
    expect(await Promise.all([source('t1'), source('t1')])).toEqual(['t2', 't2']);
    expect(await source('t1')).toBe('t2');
  });

  it('asks again after it could not be had', async () => {
    const answers = [Promise.reject(new Error('no answer')), Promise.resolve({ token: 't2' })];
    const source = keptToken({ token: 't1' }, async () => answers.shift() as Promise<IssuedToken>);
    await expect(source('t1')).rejects.toThrow('no answer');
    expect(await source('t1')).toBe('t2');
  });
});

/** Gives these, one after the other. */
function given(...tokens: IssuedToken[]): () => Promise<IssuedToken> {
  return async () => tokens.shift() as IssuedToken;
}
