import { describe, expect, it } from '@jest/globals';
import { planDigest } from './plan-digest.js';
import type { ResourceChange } from './planned-changes.js';

function aChange(changes: Partial<ResourceChange> = {}): ResourceChange {
  return {
    address: 'aws_instance.demo-workers-0',
    type: 'aws_instance',
    name: 'demo-workers-0',
    action: 'create',
    changes: [
      { path: 'tags', after: { owner: 'uid-1', Name: 'demo-workers-0' } },
      { path: 'id', isUnknown: true },
    ],
    ...changes,
  };
}

describe('planDigest', () => {
  const first = planDigest([aChange(), aChange({ address: 'aws_vpc.vpc' })]);

  it('does not depend on the order of resources, attributes and keys', () => {
    const changes = [
      { path: 'id', isUnknown: true as const },
      { path: 'tags', after: { Name: 'demo-workers-0', owner: 'uid-1' } },
    ];
    expect(planDigest([aChange({ address: 'aws_vpc.vpc' }), aChange({ changes })])).toBe(first);
  });

  it('leaves out what is only known after the apply', () => {
    const [given, guessed] = [undefined, 'i-1'].map((after) =>
      planDigest([aChange({ changes: [{ path: 'id', isUnknown: true, ...(after ? { after } : {}) }] })]),
    );
    expect(given).toBe(guessed);
  });

  it('tells another value, another action and another resource', () => {
    const others = [
      [aChange({ changes: [{ path: 'instance_type', after: 'm5.large' }] })],
      [aChange({ action: 'replace' })],
      [aChange({ address: 'aws_instance.demo-workers-1' })],
      [],
    ].map((resources) => planDigest(resources));
    expect(new Set([...others, planDigest([aChange()])]).size).toBe(5);
  });

  it('tells of what goes away only which one it is', () => {
    const destroyed = (id: string, state: string): string =>
      planDigest([
        aChange({
          action: 'destroy',
          changes: [
            { path: 'id', before: id },
            { path: 'instance_state', before: state },
          ],
        }),
      ]);
    expect(destroyed('i-1', 'running')).toBe(destroyed('i-1', 'stopped'));
    expect(destroyed('i-1', 'running')).not.toBe(destroyed('i-2', 'running'));
  });

  it('is the same for an owner that has no uid yet and for one that has', () => {
    const owned = (owner: string): readonly ResourceChange[] => [
      aChange({ changes: [{ path: 'tags', after: { owner } }] }),
    ];
    expect(planDigest(owned('made-up'), [['made-up', '{uid}']])).toBe(planDigest(owned('uid-9'), [['uid-9', '{uid}']]));
  });
});
