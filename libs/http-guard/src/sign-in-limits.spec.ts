import { beforeEach, describe, expect, it } from '@jest/globals';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { unauthenticated, unavailable } from '@crate/errors';
import type { Authenticate } from '@crate/resource-server';
import { InMemoryMetrics } from '@crate/telemetry';
import { SignInLimits } from './sign-in-limits.js';

let now: number;
let tried: string[];
let limits: SignInLimits;
let authenticate: Authenticate;
beforeEach(() => {
  now = 0;
  tried = [];
  limits = new SignInLimits({
    addressOf: (request) => (request as unknown as { address: string }).address,
    metrics: new InMemoryMetrics(),
    failuresPerSecond: 1,
    failureBurst: 5,
    now: () => now,
  });
  authenticate = limits.around(async ({ headers }) => {
    tried.push(headers.authorization ?? '');
    if (headers.authorization === 'down') throw unavailable('The issuer does not answer');
    if (!headers.authorization?.startsWith('good')) throw unauthenticated();
    return Promise.resolve({ user: 'ada', groups: [] });
  });
});

async function signIn(authorization: string | undefined, address = '192.0.2.7'): Promise<string> {
  const request = { headers: authorization === undefined ? {} : { authorization }, address };
  return authenticate(request as unknown as IncomingMessage, {} as ServerResponse).then(
    () => 'in',
    (error: { code: string }) => error.code,
  );
}

async function guess(count: number, address?: string): Promise<void> {
  for (let n = 0; n < count; n += 1) await signIn(`guess-${tried.length}`, address);
}

describe('SignInLimits', () => {
  it('makes an address wait that tries one token after another', async () => {
    await guess(5);
    expect(await signIn('guess-x')).toBe('TooManyRequests');
    expect(tried).toHaveLength(5);
    now = 1000;
    expect(await signIn('guess-y')).toBe('Unauthenticated');
    expect(await signIn('guess-z')).toBe('TooManyRequests');
  });

  it('counts attempts at once as well', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => signIn(`guess-${n}`)));
    expect(answers.filter((answer) => answer === 'Unauthenticated')).toHaveLength(5);
  });

  it('lets those go on who share the address and signed in before', async () => {
    expect(await signIn('good-1')).toBe('in');
    await guess(5);
    expect(await signIn('good-1')).toBe('in');
    expect(await signIn('good-2')).toBe('TooManyRequests');
    expect(await signIn('good-2', '192.0.2.8')).toBe('in');
  });

  it('locks nobody out over a client that keeps on with an expired token, or without one', async () => {
    for (let n = 0; n < 200; n += 1) await signIn('expired');
    for (let n = 0; n < 200; n += 1) await signIn(undefined);
    expect(await signIn('expired')).toBe('TooManyRequests');
    expect(tried.length).toBeLessThan(110);
    expect(await signIn('good-1')).toBe('in');
  });

  it('holds nothing against anybody when the issuer is away, or for tokens that are good', async () => {
    for (let n = 0; n < 20; n += 1) expect(await signIn('down')).toBe('Unavailable');
    for (let n = 0; n < 20; n += 1) expect(await signIn(`good-${n}`)).toBe('in');
  });

  it('takes an IPv6 network for one address', async () => {
    for (let n = 1; n <= 5; n += 1) await guess(1, `2001:db8:0:1::${n}`);
    expect(await signIn('guess-x', '2001:db8:0:1:a:b:c:d')).toBe('TooManyRequests');
    expect(await signIn('guess-x', '2001:db8:0:2::1')).toBe('Unauthenticated');
  });
});
