import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Policy } from '@crate/api';
import { NAMED_DEMO, type PackedPolicy } from '@crate/policy-engine';
import type { TypedClient } from '@crate/resource-client';
import { InMemoryLogger, InMemoryMetrics } from '@crate/telemetry';
import { policyApi } from '../testing/policies.js';
import { PackLibrary } from './pack-library.js';
import { PackSource } from './pack-source.js';

class ScriptedSource extends PackSource {
  rules: readonly PackedPolicy[] | Error = [];

  constructor(readonly name: string) {
    super();
  }

  override async read(): Promise<readonly PackedPolicy[]> {
    if (this.rules instanceof Error) throw this.rules;
    return this.rules;
  }
}

function packed(name: string, spec: Partial<Policy['spec']> = {}): PackedPolicy {
  return { pack: 'test', version: '1.0.0', name, spec: { ...NAMED_DEMO, ...spec }, examples: { pass: [], fail: [] } };
}

describe('PackLibrary', () => {
  let client: TypedClient<Policy>;
  let logger: InMemoryLogger;
  let metrics: InMemoryMetrics;
  let told: (readonly string[])[];
  let [shipped, own, other]: ScriptedSource[] = [];

  beforeEach(() => {
    ({ client } = policyApi());
    logger = new InMemoryLogger();
    told = [];
    metrics = new InMemoryMetrics();
    [shipped, own, other] = ['shipped', 'own', 'other'].map((name) => new ScriptedSource(name));
    shipped!.rules = [packed('s-1')];
    own!.rules = [packed('o-1'), packed('o-2')];
  });

  /** What a start, and each later look, does. */
  async function look(...further: ScriptedSource[]): Promise<PackLibrary> {
    const library = new PackLibrary({
      onChange: (names) => Promise.resolve(void told.push(names)),
      policies: client,
      shipped: shipped!,
      further,
      logger,
      metrics,
      refreshMs: 3_600_000,
    });
    await library.start();
    await library.stop();
    return library;
  }

  const names = async (): Promise<string[]> => (await client.list()).map(({ metadata }) => metadata.name);

  it('publishes the packs of every source', async () => {
    await look(own!, other!);
    expect(await names()).toEqual(['o-1', 'o-2', 's-1']);
  });

  it('keeps the rules of a source that cannot be read now, says so, and goes on with the others', async () => {
    await look(own!);
    own!.rules = new Error('away');
    shipped!.rules = [packed('s-2')];
    await look(own!);
    expect(await names()).toEqual(['o-1', 'o-2', 's-2']);
    expect(logger.at('error')).toMatchObject([{ fields: { source: 'own' } }]);
    expect(await metrics.text()).toContain('crate_policy_pack_source_readable{source="own"} 0');
  });

  it('gives no name away to another source while its own cannot be read', async () => {
    other!.rules = [packed('p-1')];
    await look(own!, other!);
    own!.rules = new Error('away');
    other!.rules = [packed('p-1'), packed('o-1', { level: 'may' })];
    const library = await look(own!, other!);
    expect((await client.find('o-1'))?.spec.level).toBe('must');
    expect(await names()).toEqual(['o-1', 'o-2', 'p-1', 's-1']);
    expect(library.troubleOf((await client.find('p-1'))!)).toMatch(/There is a policy "o-1" already/);
  });

  it('tells of each rule of such a source why it is as it was, and nothing of others', async () => {
    await look(own!);
    expect(told).toEqual([]);
    own!.rules = new Error('away');
    const library = await look(own!);
    expect(told).toEqual([['o-1', 'o-2']]);
    const troubles = (await client.list()).map((policy) => [policy.metadata.name, library.troubleOf(policy)]);
    expect(Object.fromEntries(troubles)).toEqual({
      'o-1': expect.stringContaining('own: '),
      'o-2': expect.stringContaining('own: '),
      's-1': undefined,
    });
  });

  it('does not start while the rules of a source were never there: a verdict without them is none', async () => {
    own!.rules = new Error('away');
    await expect(look(own!)).rejects.toMatchObject({ code: 'Unavailable', message: expect.stringContaining('own') });
  });

  it('takes rules away that left a source, and those of a source that is configured no more', async () => {
    await look(own!, other!);
    own!.rules = [packed('o-2')];
    await look(own!, other!);
    expect(await names()).toEqual(['o-2', 's-1']);
    await look(other!);
    expect(await names()).toEqual(['s-1']);
  });

  it.each<[string, () => readonly PackedPolicy[], RegExp]>([
    ['takes a name that ships', () => [packed('s-1'), packed('o-9')], /There is a policy "s-1" already/],
    ['takes a name of another source', () => [packed('p-1')], /There is a policy "p-1" already/],
    ['takes the name of a rule that somebody wrote', () => [packed('mine')], /There is a policy "mine" already/],
    ['has a mistake', () => [packed('o-9', { validations: [{ expression: '1 +' }] })], /o-9: spec\.validations\[0\]/],
  ])('takes nothing of a source that %s', async (_, rules, why) => {
    await client.ensure({ metadata: { name: 'mine' }, spec: NAMED_DEMO }, 'somebody');
    other!.rules = [packed('p-1')];
    await look(other!, own!);
    const before = await names();
    own!.rules = rules();
    await look(other!, own!);
    expect(await names()).toEqual(before);
    expect(String((logger.at('error')[0]?.fields['error'] as Error).message)).toMatch(why);
  });

  it('has the metric that the alert that ships looks at', async () => {
    const root = new URL('../../../../', import.meta.url);
    const rules = await readFile(new URL('deploy/prometheus/alerts/policies.yaml', root), 'utf8');
    expect(rules).toContain('(crate_policy_pack_source_readable)');
  });

  it('tells what a pack ships with a rule, and nothing of rules that came from none', async () => {
    const fail = [{ spec: { region: 'us-east-1' } }];
    shipped!.rules = [{ ...packed('s-1'), examples: { pass: [], fail } }];
    const library = await look(own!);
    expect(library.examplesOf((await client.find('s-1'))!)?.fail).toEqual(fail);
    expect(library.examplesOf((await client.find('o-1'))!)?.fail).toEqual([]);
    await client.ensure({ metadata: { name: 'by-hand' }, spec: NAMED_DEMO }, 'somebody');
    expect(library.examplesOf((await client.find('by-hand'))!)).toBeUndefined();
  });
});
