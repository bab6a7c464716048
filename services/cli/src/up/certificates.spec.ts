import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAuthority, issueCertificate } from '@crate/sandbox';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import { ensureServerCertificate, type ServerCertificate } from './certificates.js';
import type { DataDir } from './data-dir.js';

const DAY_MS = 86_400_000;
let dir: DataDir;
beforeEach(async () => {
  dir = await temporaryDataDir();
});
afterEach(async () => removeDataDir(dir));

async function read({ certificateFile, ca }: ServerCertificate): Promise<{ server: X509Certificate; ca: string }> {
  return { server: new X509Certificate(await readFile(certificateFile)), ca };
}

const caFile = (extension: string): string => join(dir.certificates(), `ca.${extension}`);

describe('ensureServerCertificate', () => {
  it('is good for loopback, vouched for by its authority, and its key is private', async () => {
    const made = await ensureServerCertificate(dir);
    const { server, ca } = await read(made);

    expect(server.verify(new X509Certificate(ca).publicKey)).toBe(true);
    expect([server.checkHost('localhost'), server.checkIP('127.0.0.1')]).toEqual(['localhost', '127.0.0.1']);
    expect(server.checkHost('example.org')).toBeUndefined();
    for (const file of [made.keyFile, caFile('key')]) expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('stays as it is from one start to the next', async () => {
    const first = await read(await ensureServerCertificate(dir));
    const second = await read(await ensureServerCertificate(dir));
    expect([second.ca, second.server.fingerprint256]).toEqual([first.ca, first.server.fingerprint256]);
  });

  it('is renewed in time, together with an authority that ends, too', async () => {
    const first = await read(await ensureServerCertificate(dir));
    const end = Date.parse(first.server.validTo);

    const early = await read(await ensureServerCertificate(dir, new Date(end - 31 * DAY_MS)));
    expect(early.server.fingerprint256).toBe(first.server.fingerprint256);
    const late = await read(await ensureServerCertificate(dir, new Date(end - 29 * DAY_MS)));
    expect(late.server.fingerprint256).not.toBe(first.server.fingerprint256);
    expect(late.server.verify(new X509Certificate(late.ca).publicKey)).toBe(true);
  });

  it('is made anew where it lasts longer than browsers of Apple take', async () => {
    const made = await ensureServerCertificate(dir);
    const authority = { certificate: made.ca, key: await readFile(caFile('key'), 'utf8') };
    const old = await issueCertificate(authority, { commonName: 'crate-api', names: ['localhost', '127.0.0.1'] });
    await writeFile(made.certificateFile, old.certificate);
    await writeFile(made.keyFile, old.key);
    const { server } = await read(await ensureServerCertificate(dir));
    expect(Date.parse(server.validTo) - Date.parse(server.validFrom)).toBeLessThan(825 * DAY_MS);
    expect(server.verify(new X509Certificate(made.ca).publicKey)).toBe(true);
  });

  it.each([
    {
      reason: 'the authority became another one of the same name',
      spoil: async () => {
        const { certificate, key } = await createAuthority('Crate local CA');
        await writeFile(caFile('crt'), certificate);
        await writeFile(caFile('key'), key);
      },
    },
    { reason: "the authority's key is gone", spoil: () => rm(caFile('key')) },
    {
      reason: 'the key belongs to another certificate',
      spoil: async () => writeFile(join(dir.certificates(), 'server.key'), (await createAuthority('x')).key),
    },
    {
      reason: 'the certificate is cut off',
      spoil: () => writeFile(join(dir.certificates(), 'server.crt'), '-----BEGIN CERT'),
    },
  ])('is issued anew when $reason', async ({ spoil }) => {
    const first = await read(await ensureServerCertificate(dir));
    await spoil();
    const second = await read(await ensureServerCertificate(dir));

    expect(second.server.fingerprint256).not.toBe(first.server.fingerprint256);
    expect(second.server.verify(new X509Certificate(second.ca).publicKey)).toBe(true);
  });
});
