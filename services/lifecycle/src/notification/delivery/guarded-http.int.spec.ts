import type { LookupAddress } from 'node:dns';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestAuthority, type CertificateFiles } from '@crate/testing';
import { Receiver } from '../testing/receiver.js';
import { AddressGuard } from './address-guard.js';
import { ADDRESS_REFUSED, GuardedHttp, type GuardedHttpOptions, type HttpAnswer } from './guarded-http.js';

const LOOPBACK: LookupAddress = { address: '127.0.0.1', family: 4 };
const REFUSED = { code: 'Forbidden', details: { reason: ADDRESS_REFUSED } };

let directory: string;
let authority: TestAuthority;
let certificate: CertificateFiles;
let receiver: Receiver;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-guarded-http-'));
  authority = await TestAuthority.create(directory);
  certificate = await authority.issue('receiver');
});
afterAll(async () => rm(directory, { recursive: true, force: true }));
beforeEach(async () => {
  receiver = await Receiver.start(certificate);
});
afterEach(async () => receiver.stop());

function post(
  url: string,
  options: Partial<GuardedHttpOptions> & { readonly networks?: string[] } = {},
): Promise<HttpAnswer> {
  const { networks = ['127.0.0.0/8'], ...rest } = options;
  const guard = new AddressGuard(networks);
  const http = new GuardedHttp({ guard, timeoutMs: 60_000, ca: authority.certificate, ...rest });
  return http.post({ url, headers: { 'x-test': 'yes' }, body: '{"a":"ä"}' }, new AbortController().signal);
}

describe('a request to a URL that somebody stated', () => {
  it('arrives, over TLS that is verified', async () => {
    receiver.answers = [{ status: 201, text: 'taken', headers: { 'retry-after': '7' } }];
    expect(await post(`${receiver.url}/a?b=c`)).toEqual({ status: 201, text: 'taken', retryAfter: '7' });
    expect(receiver.received).toMatchObject([{ path: '/a?b=c', headers: { 'x-test': 'yes' }, body: '{"a":"ä"}' }]);
  });

  it('does not go to a server that nobody vouches for', async () => {
    const strange = await TestAuthority.create(await mkdtemp(join(directory, 'strange-')));
    await expect(post(receiver.url, { ca: strange.certificate })).rejects.toMatchObject({
      code: expect.stringMatching(/CERT|SIGNATURE|ISSUER/),
    });
    expect(receiver.received).toEqual([]);
  });

  it.each([
    { what: 'an address', host: '127.0.0.1' },
    { what: 'an address in another notation', host: '2130706433' },
    { what: 'an address of IPv6', host: '[::ffff:127.0.0.1]' },
    { what: 'a name', host: 'localhost' },
  ])('does not go to this machine by $what, unless that is allowed', async ({ host }) => {
    await expect(post(`https://${host}:${receiver.port}/`, { networks: [] })).rejects.toMatchObject(REFUSED);
    expect(receiver.received).toEqual([]);
  });

  it('goes to the very address that was checked, whatever the name means a moment later', async () => {
    const asked: string[] = [];
    const meanings: LookupAddress[] = [{ address: '203.0.113.9', family: 4 }, LOOPBACK];
    const resolve = (name: string): Promise<LookupAddress[]> => {
      asked.push(name);
      return Promise.resolve([meanings.shift() ?? LOOPBACK]);
    };
    const url = `https://rebound.example.org:${receiver.port}/`;
    // The first meaning is refused, and there is no second look that would find this machine.
    await expect(post(url, { networks: [], resolve })).rejects.toMatchObject(REFUSED);
    await expect(post(url, { networks: [], resolve })).rejects.toMatchObject(REFUSED);
    expect(asked).toEqual(['rebound.example.org', 'rebound.example.org']);
    expect(receiver.received).toEqual([]);
  });

  it('takes of several addresses those that are allowed', async () => {
    const resolve = (): Promise<LookupAddress[]> => Promise.resolve([{ address: '10.0.0.1', family: 4 }, LOOPBACK]);
    expect(await post(`https://localhost:${receiver.port}/`, { resolve })).toMatchObject({ status: 200 });
  });

  it('does without TLS only where the configuration names the network', async () => {
    const plain = await Receiver.start();
    expect(await post(plain.url)).toMatchObject({ status: 200 });
    const resolve = (): Promise<LookupAddress[]> => Promise.resolve([{ address: '8.8.8.8', family: 4 }]);
    await expect(post('http://public.example.org/', { resolve })).rejects.toMatchObject({
      ...REFUSED,
      message: expect.stringContaining('https://'),
    });
    await plain.stop();
  });

  it('follows nobody elsewhere', async () => {
    receiver.answers = [{ status: 307, headers: { location: `${receiver.url}/inside` } }];
    expect(await post(`${receiver.url}/`)).toMatchObject({ status: 307, location: `${receiver.url}/inside` });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/']);
  });

  it('ends when nobody answers, and reads no more than the beginning of an answer', async () => {
    receiver.answers = ['hang'];
    await expect(post(receiver.url, { timeoutMs: 200 })).rejects.toMatchObject({ name: 'AbortError' });
    receiver.answers = [{ status: 200, text: 'x'.repeat(1_000_000) }];
    expect((await post(receiver.url)).text.length).toBeLessThan(3_000);
  });
});
