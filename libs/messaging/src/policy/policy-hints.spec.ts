import { POLICY_WAIVER, type KubeObject } from '@crate/api';
import type { ListOptions } from '@crate/resource-client';
import { describe, expect, it } from '@jest/globals';
import { policyHints } from './policy-hints.js';

function object(namespace: string, name: string, status?: string, reason = ''): KubeObject {
  const conditions = status === undefined ? [] : [{ type: 'PolicyCompliant', status, reason }];
  return { apiVersion: 'v1', kind: 'Thing', metadata: { namespace, name }, status: { conditions } } as never;
}

const THINGS = [
  object('team-a', 'denied', 'False', 'PolicyDenied'),
  object('team-a', 'fine', 'True', 'Compliant'),
  object('team-a', 'waived', 'True', 'Waived'),
  object('team-a', 'new'),
  object('team-b', 'denied', 'False', 'PolicyDenied'),
];

function hints() {
  const asked: ListOptions[] = [];
  const list = async (options: ListOptions = {}) => {
    asked.push(options);
    const { namespace } = options;
    return Promise.resolve(
      THINGS.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace),
    );
  };
  return { asked, ...policyHints({ list }) };
}

describe('policyHints', () => {
  it('concern, in the Project of a waiver, what is denied and what a waiver lets through, and nothing else', async () => {
    const { kinds, keysOf, asked } = hints();
    expect(kinds).toEqual([POLICY_WAIVER]);
    expect(await keysOf(['team-a'])).toEqual([
      { namespace: 'team-a', name: 'denied' },
      { namespace: 'team-a', name: 'waived' },
    ]);
    expect(asked).toEqual([{ namespace: 'team-a' }]);
  });

  it('of a rule concern all Projects, and those are looked at once', async () => {
    const { keysOf, asked } = hints();
    expect((await keysOf(['team-a', ''])).map(({ namespace }) => namespace)).toEqual(['team-a', 'team-a', 'team-b']);
    expect(asked).toEqual([{}]);
  });
});
