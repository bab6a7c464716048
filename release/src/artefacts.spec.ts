import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { artefactProblems, makeArtefacts } from './artefacts.js';
import { FOREIGN_LOCK } from './foreign-lock.js';
import { git } from './history.js';

const keysOf = (): { key: string; publicKey: string } => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    publicKey: pair.publicKey.export({ type: 'spki', format: 'pem' }) as string,
  };
};
const { key, publicKey } = keysOf();
const place = mkdtempSync(join(tmpdir(), 'crate-artefacts-'));
const directory = join(place, 'checkout');
const out = join(place, 'out');
const also = join(place, 'crate-1.2.3.tgz');
function make(): string[] {
  rmSync(out, { recursive: true, force: true });
  return makeArtefacts({ directory, out, key, builder: 'https://builder.invalid/1', also: [also] });
}

beforeAll(() => {
  mkdirSync(directory);
  const product = { name: 'crate', version: '1.2.3', license: 'Apache-2.0' };
  writeFileSync(join(directory, 'package.json'), JSON.stringify(product));
  const lock = { ...product, lockfileVersion: 3, requires: true, packages: { '': product } };
  writeFileSync(join(directory, 'package-lock.json'), JSON.stringify(lock));
  writeFileSync(also, 'a chart');
  git(directory, 'init', '-q');
  git(directory, 'add', '.');
  const as = ['-c', 'user.name=Ada', '-c', 'user.email=ada@crate.invalid', '-c', 'commit.gpgsign=false'];
  git(directory, ...as, 'commit', '-q', '-m', 'feat: all of it');
});
afterAll(() => rmSync(place, { recursive: true }));
beforeEach(() => void make());

describe('release artefacts', () => {
  it('are the source, what is in it, what was added, digests, a signature and provenance', () => {
    expect(make()).toEqual([
      'crate-1.2.3.cdx.json',
      'crate-1.2.3.tar.gz',
      'crate-1.2.3.tgz',
      'SHA256SUMS',
      'SHA256SUMS.sig',
      'provenance.intoto.json',
    ]);
    expect(artefactProblems(out, publicKey)).toEqual([]);
    const listed = execFileSync('tar', ['-tzf', join(out, 'crate-1.2.3.tar.gz')], { encoding: 'utf8' });
    expect(listed.split('\n')).toContain('crate-1.2.3/package.json');
  });

  it('say from which commit they are', () => {
    const { payload } = JSON.parse(readFileSync(join(out, 'provenance.intoto.json'), 'utf8')) as { payload: string };
    const said = Buffer.from(payload, 'base64').toString('utf8');
    expect(said).toContain(git(directory, 'rev-parse', 'HEAD').trim());
    expect(JSON.parse(said)).toMatchObject({
      predicate: { runDetails: { builder: { id: 'https://builder.invalid/1' } } },
    });
  });

  it('are not made as long as something of others is pinned by nothing', () => {
    const lock = (digest: string | null): string =>
      JSON.stringify({
        images: { nats: { image: 'nats:2', digest } },
        programs: { rke: { version: '1', sha256: { amd64: digest } } },
      });
    const write = (digest: string | null): void => {
      mkdirSync(join(directory, 'deploy/images'), { recursive: true });
      writeFileSync(join(directory, FOREIGN_LOCK), lock(digest));
    };
    try {
      write(null);
      expect(make).toThrow(/images\.nats\.digest, programs\.rke\.sha256\.amd64.*npm run images:pin/);
      expect(existsSync(out)).toBe(false);
      write(`sha256:${'0'.repeat(64)}`);
      expect(make()).toContain('SHA256SUMS');
    } finally {
      rmSync(join(directory, 'deploy'), { recursive: true });
    }
  });

  it('are the same source when they are made again', () => {
    const source = readFileSync(join(out, 'crate-1.2.3.tar.gz'));
    make();
    expect(readFileSync(join(out, 'crate-1.2.3.tar.gz')).equals(source)).toBe(true);
  });

  it('are not made of what is not committed', () => {
    const path = join(directory, 'package.json');
    const committed = readFileSync(path, 'utf8');
    rmSync(out, { recursive: true });
    writeFileSync(path, committed.replace('1.2.3', '1.3.0'));
    const input = { directory, out, key, builder: 'https://builder.invalid/1' };
    expect(() => makeArtefacts(input)).toThrow('M package.json');
    expect(existsSync(out)).toBe(false);
    writeFileSync(path, committed);
    writeFileSync(join(directory, 'untracked.txt'), 'x');
    expect(makeArtefacts(input)).toContain('crate-1.2.3.tar.gz');
  });

  it('are not made where something lies, which would be signed along', () => {
    const before = readFileSync(join(out, 'SHA256SUMS'), 'utf8');
    expect(() => makeArtefacts({ directory, out, key, builder: 'https://builder.invalid/1' })).toThrow('is not empty');
    expect(readFileSync(join(out, 'SHA256SUMS'), 'utf8')).toBe(before);
  });

  it.each([
    { reason: 'a further file that is not there', wrong: { also: [join(place, 'misspelt.tgz')] }, want: 'ENOENT' },
    { reason: 'a key that does not sign', wrong: { key: publicKey }, want: /key|PEM|DECODER/i },
  ])('are not there in part after $reason, and can be made then', ({ wrong, want }) => {
    const before = readdirSync(place);
    rmSync(out, { recursive: true });
    const input = { directory, out, key, builder: 'https://builder.invalid/1' };
    expect(() => makeArtefacts({ ...input, ...wrong })).toThrow(want);
    expect(existsSync(out)).toBe(false);
    mkdirSync(out);
    expect(makeArtefacts(input)).toContain('SHA256SUMS');
    expect(artefactProblems(out, publicKey)).toEqual([]);
    expect(readdirSync(place)).toEqual(before);
  });

  it.each([
    { name: 'a changed file', file: 'crate-1.2.3.tgz', want: 'crate-1.2.3.tgz: is not what was signed' },
    { name: 'an added file', file: 'more.txt', want: 'more.txt: nobody signed it' },
    { name: 'changed digests', file: 'SHA256SUMS', want: 'SHA256SUMS: the signature is not of this key' },
  ])('are refused with $name', ({ file, want }) => {
    appendFileSync(join(out, file), 'x');
    expect(artefactProblems(out, publicKey)).toEqual([want]);
  });

  it('are refused with a file that is missing, of another key, or with provenance of something else', () => {
    expect(artefactProblems(out, keysOf().publicKey)).toEqual(['SHA256SUMS: the signature is not of this key']);
    const other = readFileSync(join(out, 'provenance.intoto.json'));
    writeFileSync(also, 'another chart');
    make();
    writeFileSync(join(out, 'provenance.intoto.json'), other);
    expect(artefactProblems(out, publicKey)).toEqual(['provenance.intoto.json: is of other artefacts']);
    make();
    rmSync(join(out, 'crate-1.2.3.tgz'));
    expect(artefactProblems(out, publicKey)).toEqual(['crate-1.2.3.tgz: is missing']);
    writeFileSync(also, 'a chart');
  });

  const openssl = spawnSync('openssl', ['version']).error === undefined ? it : it.skip;
  openssl('can be verified without Crate, by openssl (skipped where there is none)', () => {
    const [signature, pem] = [join(place, 'sums.sig'), join(place, 'key.pem')];
    writeFileSync(signature, Buffer.from(readFileSync(join(out, 'SHA256SUMS.sig'), 'utf8'), 'base64'));
    writeFileSync(pem, publicKey);
    const args = ['dgst', '-sha256', '-verify', pem, '-signature', signature, join(out, 'SHA256SUMS')];
    expect(execFileSync('openssl', args, { encoding: 'utf8' })).toContain('Verified OK');
  });
});
