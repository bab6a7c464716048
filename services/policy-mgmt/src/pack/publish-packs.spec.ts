import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Policy } from '@crate/api';
import { NAMED_DEMO, readPacks, type PackedPolicy } from '@crate/policy-engine';
import type { TypedClient } from '@crate/resource-client';
import type { InMemoryResourceStore } from '@crate/resource-store';
import { policyApi } from '../testing/policies.js';
import { PACK_LABEL, publishPacks, SOURCE_LABEL, UNMANAGED_ANNOTATION } from './publish-packs.js';

function packed(name: string, spec: Partial<Policy['spec']> = {}): PackedPolicy {
  return { pack: 'test', version: '1.0.0', name, spec: { ...NAMED_DEMO, ...spec }, examples: { pass: [], fail: [] } };
}

const LABEL = 'a-source';

describe('publishPacks', () => {
  let store: InMemoryResourceStore;
  let client: TypedClient<Policy>;

  beforeEach(() => {
    ({ store, client } = policyApi());
  });

  const publish = async (policies: readonly PackedPolicy[]): Promise<void> =>
    publishPacks(client, [{ label: LABEL, policies }]);

  const names = async (): Promise<string[]> => (await client.list()).map(({ metadata }) => metadata.name);

  it('makes the rules, and writes nothing the second time', async () => {
    await publish([packed('a'), packed('b')]);
    const before = await store.currentRevision();
    await publish([packed('a'), packed('b')]);

    expect(await names()).toEqual(['a', 'b']);
    expect(await store.currentRevision()).toBe(before);
    expect((await client.find('a'))?.metadata.labels).toEqual({ [PACK_LABEL]: 'test', [SOURCE_LABEL]: LABEL });
  });

  it('corrects a rule that was changed, and one whose pack was', async () => {
    await publish([packed('a'), packed('b')]);
    await client.ensure({ metadata: { name: 'a' }, spec: { ...NAMED_DEMO, level: 'may' } }, 'somebody');

    await publish([packed('a'), packed('b', { description: 'Why' })]);

    expect((await client.find('a'))?.spec.level).toBe('must');
    expect((await client.find('b'))?.spec.description).toBe('Why');
  });

  it('takes back what a pack no longer states', async () => {
    await publish([packed('a', { description: 'Why' })]);
    await publish([packed('a')]);
    expect((await client.find('a'))?.spec.description).toBeUndefined();
  });

  it('rewrites a rule of a shape that is not read any more, whoever wrote its fields', async () => {
    const labels = { [PACK_LABEL]: 'test', [SOURCE_LABEL]: LABEL };
    const metadata = { name: 'a', uid: 'u', resourceVersion: '', generation: 1, creationTimestamp: '', labels };
    const spec = { stage: 'ClusterSpec', level: 'may', expression: 'true', match: { stages: ['x'], was: { n: 1 } } };
    await store.create({ apiVersion: 'policy.crate.dev/v1alpha1', kind: 'Policy', metadata, spec });

    await publish([packed('a')]);

    expect((await client.find('a'))?.spec).toEqual(NAMED_DEMO);
    const before = await store.currentRevision();
    await publish([packed('a')]);
    expect(await store.currentRevision()).toBe(before);
  });

  it('removes rules that left a pack, and no others', async () => {
    await client.ensure({ metadata: { name: 'own' }, spec: NAMED_DEMO }, 'somebody');
    await publish([packed('a'), packed('b')]);
    await publish([packed('b')]);
    expect(await names()).toEqual(['b', 'own']);
  });

  it('leaves a rule alone that its editors took over', async () => {
    await publish([packed('a'), packed('b')]);
    const metadata = { name: 'a', annotations: { [UNMANAGED_ANNOTATION]: 'true' } };
    await client.ensure({ metadata, spec: { ...NAMED_DEMO, level: 'may' } }, 'somebody');

    await publish([packed('b')]);
    await publish([packed('a'), packed('b')]);

    expect((await client.find('a'))?.spec.level).toBe('may');
  });

  it('throws what one rule is refused for once no other is being written', async () => {
    const broken = packed('broken', { validations: [{ expression: 'nothing.x', message: 'm' }] });
    const packs = Array.from({ length: 20 }, (_, index) => packed(`p-${index}`));
    await expect(publish([broken, ...packs])).rejects.toMatchObject({ code: 'InvalidSpec' });
    expect(await names()).toHaveLength(20);
  });

  it('may run twice at once', async () => {
    const packs = Array.from({ length: 20 }, (_, index) => packed(`p-${index}`));
    await Promise.all([publish(packs), publish(packs)]);
    expect(await names()).toHaveLength(20);
    expect((await client.list()).every(({ metadata }) => metadata.generation === 1)).toBe(true);
  });
});

describe('readPacks', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'crate-packs-'));
  });

  afterEach(async () => rm(directory, { recursive: true, force: true }));

  const rule = (name: string): string =>
    JSON.stringify({ name, spec: NAMED_DEMO, examples: { pass: [{ spec: {} }], fail: [{ spec: {} }] } });
  const pack = (rules: string): string => `{pack: test, version: 1.0.0, description: Test, policies: [${rules}]}`;

  it('fills in defaults and ignores other files', async () => {
    await writeFile(join(directory, 'a.yaml'), pack(rule('a')));
    await writeFile(join(directory, 'README.md'), 'x');
    expect(await readPacks(directory)).toMatchObject([
      { pack: 'test', version: '1.0.0', name: 'a', spec: { references: [] } },
    ]);
  });

  it.each([
    { name: 'no YAML', text: '{' },
    { name: 'a rule without spec', text: pack('{name: a}') },
    { name: 'a rule with an unknown field', text: pack(rule('a').replace('"level"', '"levl":1,"level"')) },
  ])('refuses $name, naming the file', async ({ text }) => {
    await writeFile(join(directory, 'a.yaml'), text);
    await expect(readPacks(directory)).rejects.toMatchObject({
      code: 'Invariant',
      message: expect.stringContaining('a.yaml'),
    });
  });

  it('refuses a name that stands in two packs', async () => {
    await writeFile(join(directory, 'a.yaml'), pack(rule('a')));
    await writeFile(join(directory, 'b.yaml'), pack(rule('a')));
    await expect(readPacks(directory)).rejects.toMatchObject({ code: 'Invariant' });
  });
});
