import { describe, expect, it } from '@jest/globals';
import { CLUSTER, type Cluster } from './cluster.js';
import { isExisting, madeSpecOf } from './existing-cluster.js';

const MADE = { accountRef: { name: 'main' }, region: 'us-east-1', kubernetes: { version: 'v1.31.4' } };
const EXISTING = { kubernetes: { engine: 'existing' } };

function issues(spec: unknown): string[] {
  const { error } = CLUSTER.body.safeParse({ spec });
  return (error?.issues ?? []).map(({ code, path }) => `${code} ${path.join('.')}`);
}

function parsed(spec: unknown): Cluster {
  return CLUSTER.body.parse({ spec }) as Cluster;
}

describe('a cluster that was there before', () => {
  it('has none of what is made', () => {
    expect(Object.keys(parsed(EXISTING).spec).sort()).toEqual(['addOns', 'drift', 'kubernetes', 'nodePools', 'paused']);
    expect(isExisting(parsed(EXISTING))).toBe(true);
    expect(madeSpecOf(parsed(EXISTING))).toBeUndefined();
  });

  it('is read the same when it is read again', () => {
    const once = parsed(EXISTING);
    expect(CLUSTER.body.parse(once)).toEqual(once);
  });
});

describe('a cluster that is made', () => {
  it('has a network and a control plane that nobody stated, and what was stated of them', () => {
    const spec = madeSpecOf(parsed({ ...MADE, controlPlane: { replicas: 1 } }));
    expect(spec?.controlPlane).toEqual({ replicas: 1, machineType: 'm5.large', diskGiB: 50 });
    expect(spec?.network).toEqual({
      vpcCidr: '10.20.0.0/16',
      availabilityZones: 3,
      podCidr: '10.42.0.0/16',
      serviceCidr: '10.43.0.0/16',
    });
  });

  it.each([
    { name: 'account and region', spec: { kubernetes: MADE.kubernetes }, want: ['accountRef', 'region'] },
    { name: 'a version', spec: { ...MADE, kubernetes: {} }, want: ['kubernetes.version'] },
    { name: 'anything at all', spec: {}, want: ['kubernetes', 'accountRef', 'region'] },
    {
      name: 'a region, besides what is wrong',
      spec: { ...MADE, region: undefined, paused: 'no' },
      want: ['paused', 'region'],
    },
  ])('is missing $name, which is said at once', ({ spec, want }) => {
    expect(issues(spec)).toEqual(want.map((field) => `invalid_type spec.${field}`));
  });
});
