import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPublicKeys } from '@crate/auth';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NAMED_DEMO } from '@crate/policy-engine';
import { signingKeys, TestRegistry } from '../testing/registry.js';
import { ArtifactSource, PACK_MEDIA_TYPE, type ArtifactTrust } from './artifact-source.js';
import { parseArtifactReference } from './oci/artifact-reference.js';

const REPOSITORY = 'policies/bank';
const { publicKey, privateKey } = signingKeys();

function pack(name: string): string {
  return JSON.stringify({
    pack: 'bank',
    version: '1.0.0',
    description: 'Ours',
    policies: [{ name, spec: NAMED_DEMO }],
  });
}

describe('ArtifactSource', () => {
  let registry: TestRegistry;
  let directory: string;

  beforeEach(async () => {
    registry = await TestRegistry.start();
    directory = await mkdtemp(join(tmpdir(), 'crate-artifact-'));
  });

  afterEach(async () => {
    await registry.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const push = (files: Record<string, string> = { 'bank.yaml': pack('bank-a') }, type = PACK_MEDIA_TYPE): string =>
    registry.push(REPOSITORY, '1.0', files, type);

  function source(version = ':1.0', trust: Partial<ArtifactTrust> = {}): ArtifactSource {
    return new ArtifactSource(`${registry.host}/${REPOSITORY}${version}`, { keys: [publicKey], ...trust });
  }

  it('has the rules of every file, by tag and by digest', async () => {
    const digest = push({ 'a.yaml': pack('bank-a'), 'b.yaml': pack('bank-b') });
    registry.sign(REPOSITORY, digest, privateKey);
    for (const version of [':1.0', `@${digest}`, `:other@${digest}`]) {
      expect((await source(version).read()).map(({ name }) => name)).toEqual(['bank-a', 'bank-b']);
    }
  });

  it('takes the signature of any key that is trusted', async () => {
    registry.sign(REPOSITORY, push(), privateKey);
    expect(await source(':1.0', { keys: [signingKeys().publicKey, publicKey] }).read()).toHaveLength(1);
  });

  it.each<[string, (digest: string) => void, RegExp]>([
    ['no signature', () => undefined, /it has no signature under the tag sha256-[0-9a-f]{64}\.sig$/],
    [
      'a signature of somebody else',
      (digest) => registry.sign(REPOSITORY, digest, signingKeys().privateKey),
      /trusted key/,
    ],
    [
      'a signature of something else',
      (digest) => registry.sign(REPOSITORY, digest, privateKey, `sha256:${'0'.repeat(64)}`),
      /trusted key/,
    ],
  ])('trusts nothing with %s', async (_, signs, why) => {
    signs(push());
    await expect(source().read()).rejects.toMatchObject({ code: 'InvalidSpec', message: expect.stringMatching(why) });
  });

  it('notices what was altered in the registry after it was signed', async () => {
    const digest = push();
    registry.sign(REPOSITORY, digest, privateKey);
    const [path, stored] = [...registry.contents].find(([, { bytes }]) => bytes.includes('bank-a'))!;
    registry.contents.set(path, { ...stored, bytes: Buffer.from(stored.bytes.toString().replace('bank-a', 'bank-z')) });
    await expect(source().read()).rejects.toThrow(/what the registry gives is not sha256:/);

    registry.contents.set(`/v2/${REPOSITORY}/manifests/${digest}`, { type: '', bytes: Buffer.from('{"layers":[]}') });
    await expect(source(`@${digest}`).read()).rejects.toThrow(/what the registry gives is not sha256:/);
  });

  it.each<[string, () => string, RegExp]>([
    ['nothing that is a pack', () => push({ 'a.txt': 'x' }, 'text/plain'), /0 files/],
    ['a pack that is malformed', () => push({ 'a.yaml': '{pack: x}' }), /a\.yaml/],
  ])('refuses %s', async (_, pushes, why) => {
    registry.sign(REPOSITORY, pushes(), privateKey);
    await expect(source().read()).rejects.toThrow(why);
  });

  it('signs in with the credentials of the file', async () => {
    registry.login = { user: 'robot', password: 'pass:word' };
    registry.sign(REPOSITORY, push(), privateKey);
    await expect(source().read()).rejects.toMatchObject({ code: 'Unavailable' });

    const credentialsFile = join(directory, 'config.json');
    const auth = Buffer.from('robot:pass:word').toString('base64');
    await writeFile(credentialsFile, JSON.stringify({ auths: { [registry.host]: { auth } } }));
    expect(await source(':1.0', { credentialsFile }).read()).toHaveLength(1);
  });

  it('says that a registry is away, or has no such artifact', async () => {
    await expect(source(':2.0').read()).rejects.toThrow(/is not there/);
    registry.isDown = true;
    await expect(source().read()).rejects.toMatchObject({ code: 'Unavailable' });
    await expect(new ArtifactSource('127.0.0.1:1/a/b:1', { keys: [publicKey] }).read()).rejects.toThrow(
      /does not answer/,
    );
  });

  it('is not made without anybody to trust', () => {
    expect(() => source(':1.0', { keys: [] })).toThrow(/needs a public key/);
  });

  it('reads keys in PEM, and names the file that holds none', async () => {
    const file = join(directory, 'cosign.pub');
    await writeFile(file, publicKey.export({ type: 'spki', format: 'pem' }));
    expect(await readPublicKeys([file])).toHaveLength(1);
    await writeFile(file, 'x');
    await expect(readPublicKeys([file])).rejects.toThrow(file);
  });
});

describe('parseArtifactReference', () => {
  it.each([
    ['registry.example.com/a/b:1.2', { registry: 'registry.example.com', repository: 'a/b', version: '1.2' }],
    ['oci://r:5000/a:x', { registry: 'r:5000', repository: 'a', version: 'x' }],
    [`r/a:1@sha256:${'a'.repeat(64)}`, { registry: 'r', repository: 'a', version: `sha256:${'a'.repeat(64)}` }],
  ])('reads %s', (text, want) => {
    expect(parseArtifactReference(text)).toEqual(want);
  });

  it.each(['a', 'r/a', 'r/A:1', 'https://r/a:1', 'r/a@sha256:12', 'r/../a:1'])('refuses %s', (text) => {
    expect(() => parseArtifactReference(text)).toThrow(/names no artifact/);
  });
});
