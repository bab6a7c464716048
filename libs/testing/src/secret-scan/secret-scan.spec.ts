import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { excerptCanaries, pemCanaries, SecretScan } from './secret-scan.js';

const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfi"CYEXAMPLEKEY';

function scanOf(content: string | Buffer): SecretScan {
  const scan = new SecretScan([{ name: 'cloud key', value: SECRET }]);
  scan.scan('somewhere', content);
  return scan;
}

describe('SecretScan', () => {
  it.each([
    { encoding: 'raw', hide: (secret: string) => `password=${secret};` },
    { encoding: 'JSON', hide: (secret: string) => JSON.stringify({ a: secret }) },
    { encoding: 'JSON in JSON', hide: (secret: string) => JSON.stringify(JSON.stringify({ a: secret })) },
    { encoding: 'hex', hide: (secret: string) => `\\x${Buffer.from(`{"a":"${secret}"}`).toString('hex')}` },
    { encoding: 'HEX', hide: (secret: string) => Buffer.from(`a ${secret}`).toString('hex').toUpperCase() },
    { encoding: 'URL', hide: (secret: string) => `https://x/?q=${encodeURIComponent(secret)}` },
    { encoding: 'base64 at 0', hide: (secret: string) => Buffer.from(`${secret}`).toString('base64') },
    { encoding: 'base64 at 1', hide: (secret: string) => Buffer.from(`x${secret} and more`).toString('base64') },
    { encoding: 'base64 at 2', hide: (secret: string) => Buffer.from(`xy${secret}yz`).toString('base64') },
    { encoding: 'base64 at 0', hide: (secret: string) => Buffer.from(`abc${secret}y`).toString('base64') },
    { encoding: 'base64 url at 1', hide: (secret: string) => Buffer.from(`{"k":"v${secret}`).toString('base64url') },
    {
      encoding: 'hex of base64 at 0',
      hide: (secret: string) => Buffer.from(Buffer.from(secret).toString('base64')).toString('hex'),
    },
  ])('finds a secret as $encoding', ({ hide }) => {
    const [finding] = scanOf(`harmless ${hide(SECRET)} harmless`).findings;
    expect(finding).toMatchObject({ canary: 'cloud key', place: 'somewhere' });
    expect(JSON.stringify(finding)).not.toContain(SECRET);
  });

  it('finds nothing where there is nothing', () => {
    const scan = scanOf(JSON.stringify({ a: 'wJalrXUtnFEMI', sealed: Buffer.from('other').toString('base64') }));
    expect(scan.findings).toEqual([]);
    expect(scan.bytesScanned).toBeGreaterThan(0);
  });

  it('names each secret once for each place', () => {
    const scan = scanOf(`${SECRET} ${SECRET}`);
    scan.scan('elsewhere', SECRET);
    expect(scan.findings.map(({ place }) => place)).toEqual(['somewhere', 'elsewhere']);
  });

  it.each([{ canaries: [] }, { canaries: [{ name: 'short', value: 'abc' }] }])(
    'refuses to look for what would tell nothing: $canaries',
    ({ canaries }) => {
      expect(() => new SecretScan(canaries)).toThrow();
    },
  );

  it('finds a key by any of its lines, and a long text by a piece of it', () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const text = JSON.stringify(Array.from({ length: 100 }, (_, index) => ({ id: `resource-${index * 7}` })));
    const scan = new SecretScan([...pemCanaries('key', privateKey), ...excerptCanaries('state', text)]);
    scan.scan('log', JSON.stringify({ line: privateKey.split('\n')[3] }));
    scan.scan('dump', Buffer.from(text).toString('hex'));
    expect(new Set(scan.findings.map(({ place }) => place))).toEqual(new Set(['log', 'dump']));
  });
});

describe('files', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'crate-scan-'));
  });
  afterEach(async () => rm(directory, { recursive: true, force: true }));

  it('are scanned whole, also where a secret lies across two chunks', async () => {
    const chunk = 4 * 1024 * 1024;
    await writeFile(join(directory, 'a.log'), `${'x'.repeat(chunk - 10)}${SECRET}${'y'.repeat(100)}`);
    const scan = new SecretScan([{ name: 'cloud key', value: SECRET }]);
    await scan.scanDirectory(directory);
    expect(scan.findings).toHaveLength(1);
  });

  it('that go while others are read are left out', async () => {
    for (const name of ['a', 'b']) await writeFile(join(directory, name), SECRET);
    class WhileOthersWork extends SecretScan {
      override async scanFile(path: string): Promise<void> {
        await super.scanFile(path);
        for (const name of ['a', 'b']) await rm(join(directory, name), { force: true });
      }
    }
    const scan = new WhileOthersWork([{ name: 'cloud key', value: SECRET }]);
    await scan.scanDirectory(directory);
    expect(scan.findings).toHaveLength(1);
  });
});
