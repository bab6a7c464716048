import { describe, expect, it } from '@jest/globals';
import { aCloudObject, anObject, aWorld, madeByCluster } from '../testing/a-world.js';
import { finds } from '../testing/finds.js';
import type { KubeObject } from '../world/kube-object.js';
import { judge } from './all.js';

const STATE = { owner: 'Infrastructure-1', lineage: 'one', substance: 'b', resources: [] };
const LEFT = aCloudObject({ id: 'i-9', tags: { 'crate.dev/infrastructure-uid': 'gone' } });

interface GivenUp {
  readonly abandoned: readonly string[];
  readonly forced?: object | undefined;
}

function aDeletionRecord(what: GivenUp): KubeObject {
  const { abandoned, forced } = { forced: { by: 'admin', reason: 'it is' }, ...what };
  const proof = { abandoned: abandoned.map((name) => ({ kind: 'aws_instance', name })) };
  return anObject('DeletionRecord', { spec: { infrastructure: { uid: 'gone' }, forced, proof } });
}

describe('what is in the cloud', () => {
  finds('no orphans', [
    {
      reason: 'a cloud object that the state does not know',
      planted: { cloud: [...aWorld().cloud, aCloudObject({ type: 'aws_vpc', id: 'vpc-9' })] },
      message: /vpc-9.*newest state/,
    },
    {
      reason: 'a cloud object whose record is gone',
      planted: {
        cloud: [...aWorld().cloud, aCloudObject({ id: 'i-9', tags: { 'crate.dev/infrastructure-uid': 'gone' } })],
      },
      message: /i-9.*no live Infrastructure/,
    },
    {
      reason: 'a cloud object that an older state knew, and the newest does not',
      planted: { states: [...aWorld().states, { ...STATE, version: 3, serial: 5 }] },
      message: /i-1/,
    },
    {
      reason: 'a cloud object that was left behind by force, and is not the one that was given up',
      planted: { cloud: [...aWorld().cloud, LEFT], deletionRecords: [aDeletionRecord({ abandoned: ['i-8'] })] },
      message: /i-9.*no live Infrastructure/,
    },
    {
      reason: 'a cloud object that a record names, though nobody gave it up',
      planted: {
        cloud: [...aWorld().cloud, LEFT],
        deletionRecords: [aDeletionRecord({ abandoned: ['i-9'], forced: undefined })],
      },
      message: /i-9.*no live Infrastructure/,
    },
    {
      reason: 'a load balancer of a cluster that is gone',
      planted: { cloud: [...aWorld().cloud, madeByCluster('aws_lb', 'gone-12345678')] },
      message: /aws_lb-1.*no live Infrastructure/,
    },
  ]);

  finds('no duplicates', [
    {
      reason: 'two objects for one address',
      planted: { cloud: [...aWorld().cloud, aCloudObject({ id: 'i-9' })] },
      message: /demo-bastion is there twice: i-1 and i-9/,
    },
  ]);

  finds('no ghosts', [
    {
      reason: 'a state that knows what is not there',
      planted: { cloud: aWorld().cloud.slice(0, 1) },
      message: /i-2/,
    },
  ]);

  finds('no orphaned secrets', [
    {
      reason: 'secrets whose owner is gone',
      planted: { secretOwners: ['Infrastructure-0'] },
      message: /Infrastructure-0/,
    },
  ]);

  it.each([
    { of: 'an Infrastructure', left: LEFT },
    { of: 'a cluster', left: madeByCluster('aws_lb', 'gone-12345678') },
  ])('takes what somebody gave up by name for no orphan, of $of', ({ left }) => {
    const cloud = [...aWorld().cloud, left];
    expect(judge(aWorld({ cloud, deletionRecords: [aDeletionRecord({ abandoned: [left.id] })] }))).toEqual([]);
  });
});
