import { describe, expect, it } from '@jest/globals';
import { CLUSTER, type ClusterSpec } from './cluster.js';
import { highestImpact, impactOfChange } from './cluster-impact.js';
import { isWithin, type Impact } from './impact.js';

function aSpec(changes: Record<string, unknown> = {}): ClusterSpec {
  const spec = {
    accountRef: { name: 'main' },
    region: 'us-east-1',
    kubernetes: { version: 'v1.31.4' },
    nodePools: [{ name: 'workers', replicas: 2 }],
    addOns: [{ name: 'docs' }],
    ...changes,
  };
  return (CLUSTER.body.parse({ spec }) as { spec: ClusterSpec }).spec;
}

interface Row {
  readonly name: string;
  readonly given: Record<string, unknown>;
  /** Names of add-ons that the cluster has. */
  readonly installed?: readonly string[];
  readonly want: readonly (readonly [field: string, impact: Impact])[];
}

describe('impactOfChange', () => {
  const rows: readonly Row[] = [
    { name: 'nothing for the same spec', given: {}, want: [] },
    {
      name: 'none for machines that are added',
      given: { nodePools: [{ name: 'workers', replicas: 4 }] },
      want: [['spec.nodePools[name=workers].replicas', 'none']],
    },
    {
      name: 'roll for machines that are taken away',
      given: { nodePools: [{ name: 'workers', replicas: 1 }] },
      want: [['spec.nodePools[name=workers].replicas', 'roll']],
    },
    {
      name: 'roll for a pool that goes, none for one that comes',
      given: { nodePools: [{ name: 'other' }] },
      want: [
        ['spec.nodePools[name=workers]', 'roll'],
        ['spec.nodePools[name=other]', 'none'],
      ],
    },
    {
      name: 'restart for an add-on that is configured otherwise, field by field',
      given: { addOns: [{ name: 'docs', version: '1.0.0', values: { replicas: 3 } }] },
      want: [
        ['spec.addOns[name=docs].values', 'restart'],
        ['spec.addOns[name=docs].version', 'restart'],
      ],
    },
    {
      name: 'none for an add-on that is named for the first time',
      given: { addOns: [{ name: 'docs' }, { name: 'volumes', enabled: true }] },
      want: [['spec.addOns[name=volumes]', 'none']],
    },
    {
      name: 'none for one that is named with no values',
      given: { addOns: [{ name: 'docs' }, { name: 'volumes', values: {} }] },
      want: [['spec.addOns[name=volumes]', 'none']],
    },
    {
      name: 'none for one that is turned off when it is named, where the cluster is known not to have it',
      given: { addOns: [{ name: 'docs' }, { name: 'volumes', enabled: false }] },
      installed: ['docs'],
      want: [['spec.addOns[name=volumes]', 'none']],
    },
    {
      name: 'replace for one that the cluster is known to have',
      given: { addOns: [{ name: 'docs' }, { name: 'volumes', enabled: false }] },
      installed: ['docs', 'volumes'],
      want: [['spec.addOns[name=volumes]', 'replace']],
    },
    {
      name: 'replace for one that is turned off when it is named: the cluster may have it by default',
      given: { addOns: [{ name: 'docs' }, { name: 'volumes', enabled: false, version: '1.0.0' }] },
      want: [['spec.addOns[name=volumes]', 'replace']],
    },
    {
      name: 'restart for one that is configured when it is named: the cluster may have it by default',
      given: { addOns: [{ name: 'docs' }, { name: 'volumes', values: { replicas: 3 } }] },
      want: [['spec.addOns[name=volumes]', 'restart']],
    },
    {
      name: 'none for parameters of a class, which by themselves do nothing',
      given: { parameters: { size: 2 } },
      want: [['spec.parameters', 'none']],
    },
    {
      name: 'restart for a larger control plane, whose members are told of each other',
      given: { controlPlane: { replicas: 5 } },
      want: [['spec.controlPlane.replicas', 'restart']],
    },
    {
      name: 'none for larger disks',
      given: { nodePools: [{ name: 'workers', replicas: 2, diskGiB: 100 }] },
      want: [['spec.nodePools[name=workers].diskGiB', 'none']],
    },
    {
      name: 'nothing for the same pools in another order',
      given: { nodePools: [{ name: 'workers', replicas: 2 }].toReversed() },
      want: [],
    },
    {
      name: 'roll for another version',
      given: { kubernetes: { version: 'v1.30.8' } },
      want: [['spec.kubernetes.version', 'roll']],
    },
    {
      name: 'replace for an add-on that goes: what it stored goes with it',
      given: { addOns: [] },
      want: [['spec.addOns[name=docs]', 'replace']],
    },
    {
      name: 'none for the ceiling itself',
      given: { maxImpact: 'restart', paused: true },
      want: [
        ['spec.maxImpact', 'none'],
        ['spec.paused', 'none'],
      ],
    },
    {
      name: 'none for a port of the load balancer that comes',
      given: { network: { loadBalancerPorts: [{ port: 443, nodePort: 30_443 }] } },
      want: [['spec.network.loadBalancerPorts', 'none']],
    },
    {
      name: 'none for the labels of a pool',
      given: { nodePools: [{ name: 'workers', replicas: 2, labels: { tier: 'web' } }] },
      want: [['spec.nodePools[name=workers].labels', 'none']],
    },
  ];

  it.each(rows)('$name', ({ given, installed, want }) => {
    const got = impactOfChange(aSpec(), aSpec(given), installed);
    expect(got.map(({ field, impact }) => [field, impact])).toEqual(want);
  });

  it('says replace of a port of the load balancer that goes, or leads elsewhere: what connects through it is cut off', () => {
    const [before, after] = [
      [
        { port: 80, nodePort: 30_080 },
        { port: 443, nodePort: 30_443 },
      ],
      [
        { port: 443, nodePort: 30_444 },
        { port: 8443, nodePort: 30_443 },
      ],
    ].map((loadBalancerPorts) => aSpec({ network: { loadBalancerPorts } }));
    const got = impactOfChange(before as ClusterSpec, after as ClusterSpec);
    expect(got.map(({ field, impact }) => [field, impact])).toEqual([
      ['spec.network.loadBalancerPorts[port=80]', 'replace'],
      ['spec.network.loadBalancerPorts[port=443].nodePort', 'replace'],
      ['spec.network.loadBalancerPorts[port=8443]', 'none'],
    ]);
  });

  it('says of a member of an open object what the object says', () => {
    const [before, after] = [2, 3].map((replicas) => aSpec({ addOns: [{ name: 'docs', values: { replicas } }] }));
    expect(impactOfChange(before as ClusterSpec, after as ClusterSpec)).toEqual([
      { field: 'spec.addOns[name=docs].values.replicas', impact: 'restart', before: 2, after: 3 },
    ]);
  });

  it('says the worst of a field that this release does not know', () => {
    const later = { ...aSpec(), hibernation: { from: '20:00' } } as ClusterSpec;
    expect(impactOfChange(aSpec(), later)).toEqual([
      { field: 'spec.hibernation', impact: 'replace', after: { from: '20:00' } },
    ]);
  });

  it('is stated for every field of the spec, so that none counts as the worst by oversight', () => {
    expect(unstated('spec', specSchema(), false)).toEqual([]);
  });
});

describe('the ceiling', () => {
  it('takes the highest of several impacts', () => {
    expect(highestImpact([])).toBe('none');
    expect(highestImpact(['none', 'roll', 'restart'])).toBe('roll');
  });

  it('fails closed for an impact that nobody knows', () => {
    expect(isWithin(undefined, 'replace')).toBe(false);
    expect(isWithin('roll', 'restart')).toBe(false);
    expect(isWithin('roll', 'roll')).toBe(true);
  });
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly 'x-crate-impact'?: string;
}

function specSchema(): Schema {
  const body = CLUSTER.body.toJSONSchema({ io: 'input', unrepresentable: 'any' }) as Schema;
  return body.properties?.['spec'] ?? {};
}

/** Elements of a list begin anew: what the list says holds for elements that come and go. */
function unstated(path: string, schema: Schema, isCovered: boolean): string[] {
  const covered = isCovered || schema['x-crate-impact'] !== undefined;
  const { properties, items } = schema;
  const fields = Object.entries(properties ?? {}).flatMap(([name, field]) =>
    unstated(`${path}.${name}`, field, covered),
  );
  const elements = items?.properties ? unstated(`${path}[]`, items, path.endsWith('taints')) : [];
  return [...fields, ...elements, ...(properties || covered ? [] : [path])];
}
