import { describe, expect, it } from '@jest/globals';
import { aCluster } from '../testing/a-cluster.js';
import { documentOf } from '../../../components/yaml-editor/document-of.js';
import { changesMetadata, replacementOf, yamlOf } from './cluster-yaml.js';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

describe('a cluster as YAML', () => {
  it('has what people edit, and nothing that the server keeps', () => {
    const document = documentOf(yamlOf(aCluster()));
    expect(Object.keys(document)).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
    expect(document['metadata']).toEqual({ name: 'demo', namespace: 'team-a' });
  });

  it('is the same whatever order its fields came in', () => {
    const cluster = aCluster();
    const turned = { ...cluster, spec: turnedAround(cluster.spec) as typeof cluster.spec };
    expect(JSON.stringify(turned.spec)).not.toBe(JSON.stringify(cluster.spec));
    expect(yamlOf(turned)).toBe(yamlOf(cluster));
    expect(yamlOf(cluster)).toMatch(/nodePools:\n {4}- name: workers\n/);
  });

  it('is written back at the version that it was read at', () => {
    const cluster = aCluster();
    const text = yamlOf(cluster).replace('replicas: 2', 'replicas: 4');
    expect(replacementOf(text, cluster)).toMatchObject({
      metadata: { name: 'demo', resourceVersion: '24', uid: 'uid-demo' },
      spec: { nodePools: [{ name: 'workers', replicas: 4 }] },
    });
  });

  it('hides what kubectl applied last, and does not lose it', () => {
    const cluster = aCluster({}, { metadata: { annotations: { [LAST_APPLIED]: '{}', owner: 'ada' } } });
    expect(yamlOf(cluster)).not.toContain(LAST_APPLIED);
    expect(replacementOf(yamlOf(cluster), cluster)['metadata']).toMatchObject({
      annotations: { [LAST_APPLIED]: '{}', owner: 'ada' },
    });
  });

  it('leaves finalizers and owners of others, unless the text states them', () => {
    const held = {
      finalizers: ['backup.example.com/keep'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'Fleet', name: 'all', uid: 'uid-all' }],
    };
    const cluster = aCluster({}, { metadata: held });
    expect(yamlOf(cluster)).not.toContain('backup.example.com');
    expect(replacementOf(yamlOf(cluster), cluster)['metadata']).toMatchObject(held);
    const stated = yamlOf(cluster).replace('metadata:\n', 'metadata:\n  finalizers: []\n');
    expect(replacementOf(stated, cluster)['metadata']).toMatchObject({ ...held, finalizers: [] });
  });

  it.each([
    { name: 'a change of the spec', change: ['replicas: 2', 'replicas: 4'], want: false },
    {
      name: 'another order',
      change: ['name: demo\n  namespace: team-a', 'namespace: team-a\n  name: demo'],
      want: false,
    },
    { name: 'a label', change: ['metadata:\n', 'metadata:\n  labels:\n    tier: gold\n'], want: true },
    { name: 'another name', change: ['name: demo', 'name: other'], want: true },
    { name: 'no metadata', change: [/metadata:\n(?: .*\n)+/, ''], want: true },
    { name: 'what refers to nothing', change: ['name: demo', 'name: *demo'], want: false },
    { name: 'a text that is no YAML', change: ['metadata:', 'metadata: ['], want: false },
  ] as const)('changes metadata by $name: $want', ({ change: [before, after], want }) => {
    const cluster = aCluster();
    expect(changesMetadata(yamlOf(cluster), cluster)).toBe(false);
    expect(changesMetadata(yamlOf(cluster).replace(before, after), cluster)).toBe(want);
  });
});

/** The same with the fields of all objects from the last to the first. */
function turnedAround(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnedAround);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, turnedAround(member)] as const);
  return Object.fromEntries(entries.toReversed());
}
