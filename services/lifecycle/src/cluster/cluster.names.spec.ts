import { describe, expect, it } from '@jest/globals';
import { EXISTING, type Cluster } from '@crate/api';
import { aCluster } from '../testing/a-cluster.js';
import { nameCauses } from './cluster.names.js';

function named(name: string): Cluster {
  const cluster = aCluster();
  return { ...cluster, metadata: { ...cluster.metadata, name } };
}

describe('the name of a new cluster', () => {
  it.each([
    { reason: 'load balancers are named after it', name: 'internal-tools', word: 'internal' },
    { reason: 'what follows begins with a hyphen', name: 'internal', word: 'internal' },
    { reason: 'security groups are named after it', name: 'sg-prod', word: 'sg' },
    { reason: 'what follows begins with a hyphen', name: 'sg', word: 'sg' },
  ])('may not be $name: $reason', ({ name, word }) => {
    const message = `Invalid value: "${name}": must not begin with "${word}", which AWS keeps for itself`;
    expect(nameCauses(named(name), undefined)).toEqual([
      { reason: 'FieldValueInvalid', field: 'metadata.name', message },
    ]);
  });

  it.each(['demo', 'internals', 'sgx', 'my-internal-sg'])('may be %s', (name) => {
    expect(nameCauses(named(name), undefined)).toEqual([]);
  });
});

describe('the name of a cluster that is there', () => {
  it('is not judged again', () => {
    expect(nameCauses(named('sg-prod'), named('sg-prod'))).toEqual([]);
  });

  it('is nobody’s business where Crate did not make it', () => {
    const { controlPlane: _none, ...spec } = named('sg').spec;
    const existing = { ...named('sg'), spec: { ...spec, kubernetes: { engine: EXISTING } } } as Cluster;
    expect(nameCauses(existing, undefined)).toEqual([]);
  });
});
