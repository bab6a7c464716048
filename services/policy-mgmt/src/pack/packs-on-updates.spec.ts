import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import type { Policy, PolicyReviewRequest } from '@crate/api';
import { catalogued, readPacks, RuleReviewer } from '@crate/policy-engine';
import { InMemoryLogger } from '@crate/telemetry';

type Json = Readonly<Record<string, unknown>>;

const packs = await readPacks(fileURLToPath(new URL('../../packs', import.meta.url)));
const policies = packs.map(({ name, spec }) => catalogued({ metadata: { name }, spec } as Policy));
const reviewer = new RuleReviewer(new InMemoryLogger());

/** What is denied, and what is excused because it stood. */
function updated(from: Json, to: Json): Readonly<Record<'denied' | 'excused', readonly string[]>> {
  const subject = { namespace: 'team-a', name: 'demo', cluster: 'demo' };
  const documents = { document: to, oldDocument: from } as Pick<PolicyReviewRequest, 'document' | 'oldDocument'>;
  const { violations } = reviewer.review(
    { stage: 'Manifest', operation: 'UPDATE', ...documents, subject },
    { policies },
  );
  const denied = violations.filter(({ effect }) => effect === 'deny').map(({ message }) => message);
  const excused = violations.map(({ message }) => message).filter((message) => message.endsWith('(as it was before)'));
  return { denied, excused };
}

function binding(...subjects: readonly Json[]): Json {
  const group = 'rbac.authorization.k8s.io';
  const roleRef = { apiGroup: group, kind: 'ClusterRole', name: 'cluster-admin' };
  return { apiVersion: `${group}/v1`, kind: 'ClusterRoleBinding', metadata: { name: 'x' }, roleRef, subjects };
}

function account(namespace: string): Json {
  return { kind: 'ServiceAccount', name: 'default', namespace };
}

function ports(...list: readonly Json[]): Json {
  const pod = { spec: { containers: [{ name: 'app', image: 'app:1', ports: list }] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'x', namespace: 'shop' },
    spec: { template: pod },
  };
}

const port = { containerPort: 80, hostPort: 80 };

describe('what breaks the packs from before', () => {
  it.each([
    { name: 'an account of another namespace', from: binding(account('shop')), to: binding(account('evil')) },
    { name: 'a port more', from: ports(port), to: ports(port, { containerPort: 443, hostPort: 443 }) },
    { name: 'another port', from: ports(port), to: ports({ ...port, hostPort: 443 }) },
    { name: 'a wider address', from: ports({ ...port, hostIP: '127.0.0.1' }), to: ports(port) },
    { name: 'another protocol', from: ports(port), to: ports({ ...port, protocol: 'UDP' }) },
  ])('is not changed into $name', ({ from, to }) => {
    expect(updated(from, to).denied).toHaveLength(1);
  });

  it('can lose one of those who are administrators', () => {
    const [shop, more] = [account('shop'), account('more')];
    expect(updated(binding(shop, more), binding(more))).toEqual({
      denied: [],
      excused: ['cluster-admin is given to ServiceAccount more/default (as it was before)'],
    });
  });
});
