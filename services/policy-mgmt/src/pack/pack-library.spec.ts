import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Policy } from '@crate/api';
import { NAMED_DEMO, type PackedPolicy } from '@crate/policy-engine';
import type { TypedClient } from '@crate/resource-client';
import { InMemoryLogger, InMemoryMetrics } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { policyApi } from '../testing/policies.js';
import { InMemoryPublicationTurns } from '@crate/service-host';
import { PackLibrary } from './pack-library.js';
import { PackSource } from './pack-source.js';

const LOOK_MS = 20;

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

class CountingSource extends ScriptedSource {
  reads = 0;
  answered = Promise.resolve();

  override async read(): Promise<readonly PackedPolicy[]> {
    this.reads += 1;
    await this.answered;
    return super.read();
  }

  async reachedReads(count: number): Promise<void> {
    await eventually(() => this.reads >= count);
  }
}

function packed(name: string, spec: Partial<Policy['spec']> = {}): PackedPolicy {
  return { pack: 'test', version: '1.0.0', name, spec: { ...NAMED_DEMO, ...spec }, examples: { pass: [], fail: [] } };
}

describe('PackLibrary', () => {
  let client: TypedClient<Policy>;
  let nowMs: number;
  let turns: InMemoryPublicationTurns;
  let logger: InMemoryLogger;
  let metrics: InMemoryMetrics;
  let told: (readonly string[])[];
  let [shipped, own, other]: ScriptedSource[] = [];

  beforeEach(() => {
    ({ client } = policyApi());
    nowMs = 0;
    turns = new InMemoryPublicationTurns(() => nowMs);
    logger = new InMemoryLogger();
    told = [];
    metrics = new InMemoryMetrics();
    [shipped, own, other] = ['shipped', 'own', 'other'].map((name) => new ScriptedSource(name));
    shipped!.rules = [packed('s-1')];
    own!.rules = [packed('o-1'), packed('o-2')];
  });

  function libraryOf(further: readonly ScriptedSource[], ships = shipped!, refreshMs = 3_600_000): PackLibrary {
    return new PackLibrary({
      onChange: (names) => Promise.resolve(void told.push(names)),
      ...{ policies: client, turns, shipped: ships, further, logger, metrics, refreshMs },
    });
  }

  /** What a start, and each later look, does. */
  async function look(...further: ScriptedSource[]): Promise<PackLibrary> {
    const library = libraryOf(further);
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

  it('names the file that it may not read: somebody configured where it is', async () => {
    await look(own!);
    const refused = { code: 'EACCES', syscall: 'open' };
    own!.rules = Object.assign(new Error("EACCES: permission denied, open '/packs/x.yaml'"), refused);
    const library = await look(own!);
    expect(library.troubleOf((await client.find('o-1'))!)).toContain("permission denied, open '/packs/x.yaml'");
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

  describe('while replicas of two releases run', () => {
    const started: PackLibrary[] = [];
    afterEach(async () => {
      for (const library of started.splice(0)) await library.stop();
    });

    interface Replica {
      readonly looks: () => Promise<void>;
      readonly stop: () => Promise<void>;
    }

    /** A replica that looks again all the time; its source counts the looks. */
    async function replica(rules: readonly PackedPolicy[], ...further: ScriptedSource[]): Promise<Replica> {
      const ships = new CountingSource('shipped');
      ships.rules = rules;
      const library = libraryOf(further, ships, LOOK_MS);
      await library.start();
      started.push(library);
      // The third from now begins after the second, which began after this, has ended.
      return { looks: () => ships.reachedReads(ships.reads + 3), stop: () => library.stop() };
    }

    const levels = async (): Promise<Record<string, string>> =>
      Object.fromEntries((await client.list()).map(({ metadata, spec }) => [metadata.name, spec.level]));

    it('leaves what ships to the one that started last', async () => {
      const before = await replica([packed('s-1', { level: 'may' }), packed('s-gone')]);
      const after = await replica([packed('s-1'), packed('s-new')]);
      // What the one sets back cannot hide what the other did.
      await after.stop();
      await before.looks();
      expect(await levels()).toEqual({ 's-1': 'must', 's-new': 'must' });
    });

    it('goes back with a release that is rolled back', async () => {
      await replica([packed('s-1', { level: 'may' })]);
      const newer = await replica([packed('s-1')]);
      const back = await replica([packed('s-1', { level: 'may' })]);
      await back.stop();
      await newer.looks();
      expect(await levels()).toEqual({ 's-1': 'may' });
    });

    it('goes back when those of the release that started last are gone for two looks', async () => {
      const before = await replica([packed('s-1', { level: 'may' })]);
      const after = await replica([packed('s-1'), packed('s-new')]);
      await after.stop();
      nowMs += 2 * LOOK_MS;
      await before.looks();
      expect(await levels()).toEqual({ 's-1': 'must', 's-new': 'must' });
      nowMs += 1;
      await before.looks();
      expect(await levels()).toEqual({ 's-1': 'may' });
    });

    it('goes by nothing that a rule from elsewhere says', async () => {
      const label = 'policy.crate.dev/pack-publication';
      const labels = { 'policy.crate.dev/pack-source': 'shipped', 'policy.crate.dev/pack': 'test', [label]: '999.abc' };
      const only = await replica([packed('s-1')]);
      await client.ensure({ metadata: { name: 's-1', labels }, spec: { ...NAMED_DEMO, level: 'may' } }, 'somebody');
      await only.looks();
      expect(await levels()).toEqual({ 's-1': 'must' });
    });

    it('leaves what ships to one that started while it read a registry', async () => {
      const registry = new CountingSource('registry');
      const before = await replica([packed('s-1', { level: 'may' })], registry);
      let answer = (): void => undefined;
      registry.answered = new Promise((resolve) => (answer = resolve));
      await registry.reachedReads(registry.reads + 1);
      const after = await replica([packed('s-1')]);
      await after.stop();
      answer();
      await before.stop();
      expect(await levels()).toEqual({ 's-1': 'must' });
    });

    it('gives no name of theirs to another source', async () => {
      const before = await replica([], own!);
      const after = await replica([packed('s-new')], own!);
      await after.stop();
      own!.rules = [packed('s-new', { level: 'may' })];
      await before.looks();
      expect(await levels()).toEqual({ 'o-1': 'must', 'o-2': 'must', 's-new': 'must' });
    });

    it('still sets back what somebody changed or removed', async () => {
      const only = await replica([packed('s-1'), packed('s-2')]);
      await client.ensure({ metadata: { name: 's-1' }, spec: { ...NAMED_DEMO, level: 'may' } }, 'somebody');
      await client.remove('s-2');
      await only.looks();
      expect(await levels()).toEqual({ 's-1': 'must', 's-2': 'must' });
    });
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
