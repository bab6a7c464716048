import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { readIssuers } from './read-issuers.js';

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-issuers-'));
  file = join(directory, 'issuers.yaml');
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

const corporate = { name: 'corporate', issuer: 'https://login.example.com', audiences: ['crate'] };
const partner = { name: 'partner', issuer: 'https://login.example.org', audiences: ['crate'] };

async function read(document: unknown): ReturnType<typeof readIssuers> {
  await writeFile(file, typeof document === 'string' ? document : stringify(document));
  return readIssuers(file);
}

describe('a file of issuers', () => {
  it('needs to say little', async () => {
    expect(await read({ issuers: [corporate] })).toMatchObject([
      {
        username: { claim: 'sub', prefix: '' },
        groups: { claim: 'groups', prefix: '' },
        algorithms: ['RS256', 'ES256'],
        clockSkewSeconds: 10,
      },
    ]);
  });

  it('may list several that cannot be taken for one another', async () => {
    const prefixes = { username: { prefix: 'partner:' }, groups: { prefix: 'partner:' } };
    expect(await read({ issuers: [corporate, { ...partner, ...prefixes }] })).toHaveLength(2);
  });

  it.each([
    { name: 'no list', given: {}, field: 'issuers' },
    { name: 'no TLS', given: { issuers: [{ ...corporate, issuer: 'http://x.example' }] }, field: 'issuers.0.issuer' },
    { name: 'no audience', given: { issuers: [{ ...corporate, audiences: [] }] }, field: 'issuers.0.audiences' },
    { name: 'HMAC', given: { issuers: [{ ...corporate, algorithms: ['HS256'] }] }, field: 'issuers.0.algorithms.0' },
    { name: 'alg none', given: { issuers: [{ ...corporate, algorithms: ['none'] }] }, field: 'issuers.0.algorithms.0' },
    { name: 'a misspelt field', given: { issuers: [{ ...corporate, audience: 'crate' }] }, field: 'issuers.0' },
    { name: 'one issuer twice', given: { issuers: [corporate, corporate] }, field: 'issuers.1.issuer' },
    { name: 'the same user names', given: { issuers: [corporate, partner] }, field: 'issuers.1.username.prefix' },
    { name: 'the same groups', given: { issuers: [corporate, partner] }, field: 'issuers.1.groups.prefix' },
  ])('is refused by field with $name', async ({ given, field }) => {
    await expect(read(given)).rejects.toMatchObject({
      code: 'InvalidSpec',
      details: { causes: expect.arrayContaining([expect.objectContaining({ field })]) },
    });
  });

  it.each([
    { name: 'no YAML', text: '{' },
    { name: 'a text', text: 'issuers' },
  ])('is refused with $name', async ({ text }) => {
    await expect(read(text)).rejects.toMatchObject({ code: 'InvalidSpec', message: expect.stringContaining(file) });
  });

  it('is refused when it is not there', async () => {
    await expect(readIssuers(file)).rejects.toMatchObject({ code: 'InvalidSpec' });
  });
});
