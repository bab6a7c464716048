import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { combinations } from './combinations.js';
import { modelOf, typeMistakes } from './kubernetes-types.js';
import { whyNoHelm } from './program.js';
import { StagedChart, type RenderedObject } from './staged-chart.js';

interface Model {
  validate(): void;
}
type Module = Readonly<Record<string, new (object: unknown) => Model>>;

/** What has no namespace: `inCluster.enabled` brings it. */
const OF_THE_CLUSTER = ['ClusterRole', 'ClusterRoleBinding'];
const reason = await whyNoHelm();
const suite = reason === undefined ? describe : describe.skip;

suite(`what the chart renders${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  let chart: StagedChart;
  const seen = new Map<string, RenderedObject>();

  beforeAll(async () => {
    chart = await StagedChart.make();
  });
  afterAll(() => chart.remove());

  it.each(combinations())('is what Kubernetes takes, with %s', async (_name, values) => {
    const objects = await chart.render(values);
    for (const object of objects) {
      const namespace = OF_THE_CLUSTER.includes(object.kind) ? undefined : 'crate-system';
      if (object.metadata.namespace !== namespace)
        throw new Error(`${object.kind} ${object.metadata.name} is in namespace ${object.metadata.namespace}`);
      const text = JSON.stringify(object);
      if (seen.has(text)) continue;
      seen.set(text, object);
      await validate(object);
    }
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('StatefulSet crate-lifecycle');
  });

  it('states nothing that Kubernetes does not know', async () => {
    expect(seen.size).toBeGreaterThan(100);
    expect(await typeMistakes([...seen.values()])).toEqual([]);
  });

  it('would be told about a member that is misspelt, or of the wrong type', async () => {
    const [set] = [...seen.values()].filter(({ kind }) => kind === 'StatefulSet');
    const misspelt = { ...set, spec: { ...(set?.['spec'] as object), minReadySecond: 5 } } as RenderedObject;
    const wrong = { ...set, spec: { ...(set?.['spec'] as object), minReadySeconds: 'five' } } as RenderedObject;

    expect(await typeMistakes([misspelt])).toEqual([expect.stringContaining('minReadySecond')]);
    await expect(validate(wrong)).rejects.toThrow(/minReadySeconds/);
  });

  it('passes the strict lint of Helm', async () => {
    const outcome = await chart.lint({ messaging: { url: 'tls://nats.example.com:4222' } });
    expect(outcome).toEqual(expect.objectContaining({ ok: true }));
  });
});

/** By the schemas that Kubernetes publishes: types, formats, and what is required. */
async function validate(object: RenderedObject): Promise<void> {
  const path = modelOf(object);
  if (path === undefined) return;
  const { [object.kind]: Kind } = (await import(path)) as Module;
  if (!Kind) throw new Error(`${path} has no ${object.kind}`);
  new Kind(object).validate();
}
