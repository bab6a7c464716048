import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { issueIndex, type IssueOptions } from './issue-index.js';

const PAIR = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const key = PAIR.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const publicKey = createPublicKey(PAIR.privateKey);
const NOW = new Date('2026-11-25T12:00:00Z');
const DIGEST = `sha256:${'4f'.repeat(32)}`;

let place: string;
let file: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'crate-index-'));
  file = join(place, 'releases.json');
});
afterEach(() => rmSync(place, { recursive: true }));

function issue(options: Partial<IssueOptions> = {}): string {
  return issueIndex(file, { key, version: '1.2.0', ...options }, NOW);
}

function given(name: string, content: unknown): string {
  const path = join(place, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

function pushed(component: string, name = `r.example/crate-${component}:1.2.0`): object {
  return { 'image.name': name, 'containerimage.digest': DIGEST };
}
const PUSHED = Object.fromEntries(
  ['lifecycle', 'cloud-mgmt', 'cluster-mgmt', 'policy-mgmt'].map((component) => [component, pushed(component)]),
);

describe('an issue of the index of releases', () => {
  it('offers the version, and is signed', () => {
    const said = issue({ 'upgrade-from': '1.1.0', security: true, summary: 'Closes a hole' });
    expect(said).toBe(`${file} and ${file}.sig: 1.2.0, serial 1, believed until 2027-03-05T12:00:00.000Z`);
    const text = readFileSync(file);
    const signature = Buffer.from(readFileSync(`${file}.sig`, 'utf8'), 'base64');
    expect(verify('sha256', text, publicKey, signature)).toBe(true);
    expect(JSON.parse(text.toString())).toEqual({
      kind: 'ReleaseIndex',
      serial: 1,
      expiresAt: '2027-03-05T12:00:00.000Z',
      releases: [
        {
          version: '1.2.0',
          channel: 'stable',
          releasedAt: NOW.toISOString(),
          upgradeFrom: '1.1.0',
          isSecurity: true,
          summary: 'Closes a hole',
        },
      ],
    });
    expect(readdirSync(place).sort()).toEqual(['releases.json', 'releases.json.sig']);
  });

  it('has the digests of images that were pushed, by component', () => {
    const others = {
      init: pushed('init'),
      'policy-mgmt': pushed('policy-mgmt', 'a/b:1,r.example/crate-policy-mgmt:1.2.0'),
    };
    issue({ images: given('images.json', { ...PUSHED, ...others, 'buildx.build.warnings': [] }) });
    const images = Object.fromEntries(Object.keys(PUSHED).map((component) => [component, DIGEST]));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ releases: [{ images }] });
  });

  it.each([
    { what: 'one that was not pushed', given: undefined, says: 'no digest' },
    { what: 'one without a digest', given: { 'image.name': 'r.example/crate-lifecycle:1.2.0' }, says: 'no digest' },
    {
      what: 'another version',
      given: pushed('lifecycle', 'r.example/crate-lifecycle:1.1.0'),
      says: 'r.example/crate-lifecycle:1.1.0',
    },
    { what: 'another image', given: pushed('cloud-mgmt'), says: 'r.example/crate-cloud-mgmt:1.2.0' },
  ])('refuses images with $what in the place of a component', ({ given: lifecycle, says }) => {
    const images = given('images.json', { ...PUSHED, lifecycle });
    expect(() => issue({ images })).toThrow(`crate-lifecycle:1.2.0: ${says} in what "docker buildx bake`);
    expect(readdirSync(place)).toEqual(['images.json']);
  });

  it('puts the newest first, and may be issued again as it is', () => {
    issue();
    issue({ version: '1.3.0-rc.1', channel: 'candidate' });
    const before = JSON.parse(readFileSync(file, 'utf8')) as { releases: { version: string }[] };
    expect(before.releases.map(({ version }) => version)).toEqual(['1.3.0-rc.1', '1.2.0']);
    expect(issue({ renew: true })).toContain('2 releases, serial 3');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ serial: 3, releases: before.releases });
  });

  it.each([
    { what: 'a version that is there', options: {}, says: '1.2.0 is in the index already' },
    {
      what: 'a wish for another channel',
      options: { version: '2.0.0', channel: 'beta' },
      says: 'releases.0.channel: ',
    },
    {
      what: 'what is no version',
      options: { version: '2.0.0', 'upgrade-from': 'v1' },
      says: 'releases.0.upgradeFrom: ',
    },
    { what: 'a version with leading zeros', options: { version: '02.0.0' }, says: 'releases.0.version: ' },
    { what: 'a candidate with leading zeros', options: { version: '2.0.0-01' }, says: 'releases.0.version: ' },
    { what: 'a candidate with an empty part', options: { version: '2.0.0-a..b' }, says: 'releases.0.version: ' },
    {
      what: 'a way back to no version',
      options: { version: '2.0.0', 'downgrade-to': '1.02.0' },
      says: 'releases.0.downgradeTo: ',
    },
    { what: 'notes that are not https', options: { version: '2.0.0', notes: 'http://a' }, says: 'releases.0.notes: ' },
    { what: 'notes that are nowhere', options: { version: '2.0.0', notes: 'https://' }, says: 'releases.0.notes: ' },
    { what: 'a long story', options: { version: '2.0.0', summary: 'x'.repeat(501) }, says: 'releases.0.summary: ' },
  ])('refuses $what, and leaves the index as it was', ({ options, says }) => {
    issue();
    const before = readFileSync(file, 'utf8');
    expect(() => issue(options)).toThrow(says);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('refuses to renew what was changed so that nobody would read it', () => {
    issue();
    const changed = readFileSync(file, 'utf8').replace('"1.2.0"', '"1.2"');
    writeFileSync(file, changed);
    expect(() => issue({ renew: true })).toThrow('releases.0.version: must be a semantic version such as 1.4.2');
    expect(readFileSync(file, 'utf8')).toBe(changed);
  });

  it('refuses what is no digest, an index that is none, and to renew what is not there', () => {
    const images = { ...PUSHED, lifecycle: { ...pushed('lifecycle'), 'containerimage.digest': 'x' } };
    expect(() => issue({ images: given('images.json', images) })).toThrow(
      'releases.0.images.lifecycle: must be a digest',
    );
    expect(() => issue({ renew: true })).toThrow('is not there');
    writeFileSync(file, '{"kind":"List"}');
    expect(() => issue()).toThrow('is no index of releases');
    expect(() => issueIndex(undefined, { key, version: '1.2.0' })).toThrow('Which index?');
  });
});
