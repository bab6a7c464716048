import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { COMPONENTS } from '@crate/api';
import { eventually } from '@crate/testing';
import { InMemoryLogger } from '@crate/telemetry';
import { upgradeOf } from './newest-release.js';
import { imageDigestOf, parseReleaseIndex, unreadWords, type Channel, type ReleaseIndex } from './release-index.js';
import { ReleaseSource, type ReleaseSourceOptions } from './release-source.js';
import { ReleaseWatch } from './release-watch.js';

const NOW = new Date('2026-11-22T12:00:00Z');
const KEYS = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const OTHERS = generateKeyPairSync('ed25519');

/** What `npm run release` runs. */
const RELEASE_COMMAND = join(import.meta.dirname, '../../../../release/dist/main.js');

let directory: string;
let location: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-releases-'));
  location = join(directory, 'index.json');
  await writeFile(join(directory, 'key.pem'), KEYS.publicKey.export({ type: 'spki', format: 'pem' }));
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

function release(version: string, rest: object = {}): object {
  return { version, channel: 'stable', releasedAt: '2026-11-01T00:00:00Z', ...rest };
}

function index(releases: readonly object[], rest: object = {}): string {
  return JSON.stringify({ kind: 'ReleaseIndex', serial: 3, expiresAt: '2026-12-01T00:00:00Z', releases, ...rest });
}

/** As `cosign sign-blob --key` signs. */
async function publish(text: string, key: KeyObject = KEYS.privateKey): Promise<void> {
  const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  await writeFile(location, text);
  await writeFile(`${location}.sig`, `${sign(algorithm, Buffer.from(text), key).toString('base64')}\n`);
}

function source(options: Partial<ReleaseSourceOptions> = {}): ReleaseSource {
  return new ReleaseSource({ location, publicKeyFiles: [join(directory, 'key.pem')], now: () => NOW, ...options });
}

describe('the newest release', () => {
  const of = (releases: readonly object[]): ReleaseIndex => parseReleaseIndex(index(releases));
  const go = (releases: readonly object[], version = '1.0.0', channel: Channel = 'stable'): unknown => {
    const upgrade = upgradeOf(of(releases), { version, channel });
    return upgrade && [upgrade.next.version, upgrade.newest.version, upgrade.isSecurity];
  };

  it.each([
    { what: 'is none for the newest', releases: [release('1.0.0'), release('0.9.0')], want: undefined },
    {
      what: 'is compared as versions are',
      releases: [release('1.9.0'), release('1.10.0')],
      want: ['1.10.0', '1.10.0', false],
    },
    {
      what: 'leaves candidates to who wants them',
      releases: [release('1.1.0', { channel: 'candidate' })],
      want: undefined,
    },
    {
      what: 'is reached in steps',
      releases: [release('1.2.0', { upgradeFrom: '1.1.0' }), release('1.1.0')],
      want: ['1.1.0', '1.2.0', false],
    },
    {
      what: 'closes what one that is passed over closes',
      releases: [release('1.0.1', { isSecurity: true }), release('1.1.0')],
      want: ['1.1.0', '1.1.0', true],
    },
  ])('$what', ({ releases, want }) => {
    expect(go(releases)).toEqual(want);
  });

  it('closes what one that is passed over closes, also where that cannot be read', () => {
    const unread = release('1.0.1', { isSecurity: true, channel: 'lts' });
    expect(go([unread, release('1.1.0')])).toEqual(['1.1.0', '1.1.0', true]);
    expect(go([unread, release('1.1.0')], '1.0.1')).toEqual(['1.1.0', '1.1.0', false]);
  });

  it('may be a candidate or a stable one in the channel of candidates', () => {
    const releases = [release('1.1.0-rc.1', { channel: 'candidate' }), release('1.1.0')];
    expect(go(releases, '1.0.0', 'candidate')).toEqual(['1.1.0', '1.1.0', false]);
    expect(go(releases.slice(0, 1), '1.0.0', 'candidate')).toEqual(['1.1.0-rc.1', '1.1.0-rc.1', false]);
  });
});

describe('the index of releases', () => {
  it('is read when a trusted key has signed it', async () => {
    await publish(index([release('1.1.0')]));
    expect((await source().read()).releases).toMatchObject([{ version: '1.1.0', isSecurity: false }]);
  });

  it.each<[string, () => Promise<void>, RegExp]>([
    ['signed by somebody else', () => publish(index([]), OTHERS.privateKey), /not signed by a trusted key/],
    [
      'changed after it was signed',
      async () => {
        await publish(index([]));
        await writeFile(location, index([release('9.9.9')]));
      },
      /not signed by a trusted key/,
    ],
    ['not signed', () => writeFile(location, index([])), /index.json.sig cannot be read/],
    ['expired', () => publish(index([], { expiresAt: '2026-11-01T00:00:00Z' })), /expired on 2026-11-01/],
    ['no JSON', () => publish('{'), /no JSON/],
    ['of no versions', () => publish(index([release('latest')])), /releases.0.version must be a semantic version/],
    [
      'of images that are told by no digest',
      () => publish(index([release('1.1.0', { images: { lifecycle: 'latest' } })])),
      /releases.0.images.lifecycle must be a digest such as sha256:/,
    ],
    ['too large', () => publish(index([], { pad: 'x'.repeat(1_100_000) })), /more than 1048576 bytes/],
    ['not there', () => Promise.resolve(), /index.json cannot be read/],
  ])('is not believed when it is %s', async (_, prepare, message) => {
    await prepare();
    await expect(source().read()).rejects.toThrow(message);
  });

  it('says the digests of images, and may say what only newer installations know', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const told = { images: { lifecycle: digest }, sizes: { lifecycle: 91_000_000 } };
    await publish(index([release('1.1.0', told), release('1.0.0')], { issuer: 'Crate' }));
    const read = await source().read();
    const of = (component: string, version: string): unknown => imageDigestOf(read, { component, version });
    expect(of('lifecycle', '1.1.0')).toBe(digest);
    expect([of('cloud-mgmt', '1.1.0'), of('lifecycle', '1.0.0'), of('lifecycle', '2.0.0')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    ['of a channel', { channel: 'lts' }, 'releases.1.channel '],
    ['with a digest', { images: { lifecycle: `sha512:${'a'.repeat(128)}` } }, 'releases.1.images.lifecycle '],
    ['of a numbering', { version: '2027.4' }, 'releases.1.version '],
  ])('is read but for a release %s that only newer installations know', async (_, told, place) => {
    await publish(index([release('1.1.0'), release('1.2.0', told), release('1.0.1', { isSecurity: true })]));
    const read = await source().read();
    expect(read.releases.map(({ version }) => version)).toEqual(['1.1.0', '1.0.1']);
    expect(unreadWords(read)).toContain(`1 of 3 releases cannot be read by this version: ${place}`);
  });

  it('is read as the command for releases issues it', async () => {
    const [key, images] = [join(directory, 'release.key'), join(directory, 'images.json')];
    const digest = `sha256:${'4f'.repeat(32)}`;
    await writeFile(key, KEYS.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const pushed = COMPONENTS.map((name) => [
      name,
      { 'image.name': `r/crate-${name}:9.1.0`, 'containerimage.digest': digest },
    ]);
    await writeFile(images, JSON.stringify(Object.fromEntries(pushed)));
    const options = ['--key', key, '--version', '9.1.0', '--upgrade-from', '9.0.0', '--images', images, '--security'];
    execFileSync(process.execPath, [RELEASE_COMMAND, 'index', location, ...options]);
    const issued = await source({ now: () => new Date() }).read();
    expect(upgradeOf(issued, { version: '9.0.0', channel: 'stable' })).toMatchObject({ isSecurity: true });
    expect(imageDigestOf(issued, { component: 'lifecycle', version: '9.1.0' })).toBe(digest);
  });

  it('is not taken back to an older one', async () => {
    const reader = source();
    await publish(index([release('1.1.0')], { serial: 4 }));
    await reader.read();
    await publish(index([], { serial: 3 }));
    await expect(reader.read()).rejects.toThrow(/older than the one before/);
  });

  it('says why it cannot be fetched', async () => {
    const reason = Object.assign(new Error('getaddrinfo ENOTFOUND releases.example'), { code: 'ENOTFOUND' });
    const failure = new TypeError('fetch failed', { cause: reason });
    const away = source({ location: 'https://releases.example/index.json', fetch: () => Promise.reject(failure) });
    await expect(away.read()).rejects.toMatchObject({
      message:
        'https://releases.example/index.json cannot be read: fetch failed: getaddrinfo ENOTFOUND releases.example',
      cause: failure,
    });
  });

  it('comes over HTTP, too', async () => {
    await publish(index([release('1.1.0')]));
    const server = await serving(directory);
    const { port } = server.address() as AddressInfo;
    const local: typeof fetch = (url, init) =>
      fetch((url as string).replace('https://releases.example', `http://127.0.0.1:${port}`), init);
    const there = source({ location: 'https://releases.example/index.json', fetch: local });
    expect((await there.read()).serial).toBe(3);
    const away = source({ location: 'https://releases.example/none.json', fetch: local });
    await expect(away.read()).rejects.toThrow(/none.json cannot be read: HTTP 404/);
    server.close();
  });
});

async function serving(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    readFile(join(folder, request.url ?? '')).then(
      (bytes) => response.end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe('what is told of upgrades', () => {
  const watching = (from: ReleaseSource | undefined, everyMs = 20): ReleaseWatch =>
    new ReleaseWatch({
      source: from,
      version: '1.0.0',
      channel: 'stable',
      everyMs,
      logger: new InMemoryLogger(),
      now: () => NOW,
    });

  it('is that nobody looks, where no index is named', () => {
    expect(watching(undefined).status()).toMatchObject({ available: null, reason: 'NoReleaseIndex' });
  });

  it('follows the index, and keeps what was read while it is away', async () => {
    await publish(index([release('1.1.0', { summary: 'Faster', notes: 'https://crate.example/1.1.0' })]));
    const watch = watching(source());
    watch.start();
    try {
      await eventually(() => Promise.resolve(expect(watch.status().reason).toBe('UpgradeAvailable')));
      expect(watch.status()).toMatchObject({
        available: { version: '1.1.0', newest: '1.1.0', isSecurity: false, summary: 'Faster' },
        message: 'Version 1.1.0 is there',
      });
      await publish(index([release('1.1.0'), release('1.0.1', { isSecurity: true })], { serial: 4 }));
      await eventually(() => Promise.resolve(expect(watch.status().reason).toBe('SecurityUpgradeAvailable')));
      await rm(location);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(watch.status().reason).toBe('SecurityUpgradeAvailable');
    } finally {
      await watch.stop();
    }
  });

  it('is with what of the index is of no use to this version', async () => {
    await publish(index([release('1.1.0'), release('1.2.0', { channel: 'lts' })]));
    const watch = watching(source());
    watch.start();
    await eventually(() => Promise.resolve(expect(watch.status().reason).toBe('UpgradeAvailable')));
    expect(watch.status().message).toMatch(
      /^Version 1\.1\.0 is there; 1 of 2 releases cannot be read by this version: /,
    );
    await watch.stop();
  });

  it.each([
    {
      what: 'is that something newer is there, but cannot be read',
      unread: release('1.2.0', { channel: 'lts' }),
      want: {
        reason: 'ReleaseUnreadable',
        message: expect.stringMatching(/^Nothing newer than 1\.0\.0 can be read; 1 of 2/),
      },
    },
    {
      what: 'is that what cannot be read closes a hole',
      unread: release('1.2.0', { images: { lifecycle: 'sha512:0' }, isSecurity: true }),
      want: {
        reason: 'SecurityReleaseUnreadable',
        message: expect.stringMatching(/can be read, and what cannot closes a security hole; 1 of 2/),
      },
    },
    {
      what: 'is so too where not even the version can be read',
      unread: release('2027.4'),
      want: { reason: 'ReleaseUnreadable' },
    },
    {
      what: 'is that nothing is newer, whatever cannot be read of candidates that nobody wants',
      unread: release('1.2.0-rc.1', { channel: 'candidate', images: { lifecycle: 'sha512:0' } }),
      want: { reason: 'UpToDate' },
    },
    {
      what: 'is that nothing is newer, whatever cannot be read of older ones',
      unread: release('0.9.0', { channel: 'lts', isSecurity: true }),
      want: { reason: 'UpToDate' },
    },
  ])('$what', async ({ unread, want }) => {
    await publish(index([release('1.0.0'), unread]));
    const watch = watching(source());
    watch.start();
    await eventually(() => Promise.resolve(expect(watch.status()).toMatchObject({ available: null, ...want })));
    await watch.stop();
  });

  it('is why nobody knows, while the index cannot be believed', async () => {
    await publish(index([]), OTHERS.privateKey);
    const watch = watching(source());
    watch.start();
    await eventually(() => Promise.resolve(expect(watch.status().message).toMatch(/not signed by a trusted key/)));
    expect(watch.status()).toMatchObject({ available: null, reason: 'IndexUnreadable' });
    await watch.stop();
  });
});
