import type { AddOnInstallation, KubernetesCluster, PolicyViolation } from '@crate/api';
import { inventoryOf } from '@crate/kubernetes';
import { describe, expect, it } from '@jest/globals';
import { installationSpec, machineSpec, MANIFESTS } from '../testing/builders.js';
import { addOnDenied, judgedAddOn, manifestReviews } from './manifest-review.js';

const installation = {
  kind: 'AddOnInstallation',
  metadata: { name: 'demo-docs', namespace: 'team-a' },
  spec: installationSpec(),
} as AddOnInstallation;
const cluster = {
  metadata: { name: 'demo', namespace: 'team-a', labels: { stage: 'prod', 'lifecycle.crate.dev/provider': 'aws' } },
  spec: machineSpec(),
} as unknown as KubernetesCluster;

function violation(policy: string): PolicyViolation {
  const rule = { policy, level: 'must', severity: 'high', effect: 'deny', title: policy, references: [] } as const;
  return { ...rule, field: 'spec.replicas', message: 'Has one', remedy: 'Ask for two' };
}

const ALLOWED = { allowed: true, violations: [] };

describe('manifestReviews', () => {
  it('asks about every object: for which cluster it is, and whether it is new there', () => {
    const inventory = inventoryOf(MANIFESTS.slice(0, 1));
    const reviews = manifestReviews(installation, cluster, inventory);

    expect(reviews.map(({ document }) => document)).toEqual(MANIFESTS);
    expect(reviews.map(({ operation, subject }) => `${operation} ${subject.name}`)).toEqual([
      'UPDATE apps',
      'CREATE pages',
      'CREATE docs',
    ]);
    expect(reviews[0]).toMatchObject({
      stage: 'Manifest',
      subject: { namespace: 'team-a', cluster: 'demo', engine: 'rke', provider: 'aws', labels: { stage: 'prod' } },
      remember: true,
    });
  });

  it('asks for nothing to happen to what stands', () => {
    const reviews = manifestReviews(installation, cluster);
    expect(reviews.map(({ document }) => document)).toEqual(MANIFESTS);
    expect(reviews.filter((review) => 'operation' in review)).toEqual([]);
  });
});

describe('judgedAddOn', () => {
  it('is denied as soon as one object is, and says which', () => {
    const verdict = judgedAddOn(installation, [
      ALLOWED,
      { allowed: true, violations: [{ ...violation('advice'), effect: 'warn' }] },
      { allowed: false, violations: [violation('two-replicas')] },
    ]);
    expect(verdict).toMatchObject({
      allowed: false,
      violations: [
        { policy: 'advice', message: 'ConfigMap apps/pages: Has one' },
        { policy: 'two-replicas', message: 'Deployment apps/docs: Has one' },
      ],
    });
    expect(addOnDenied(installation, verdict.violations)).toMatchObject({
      code: 'Forbidden',
      retry: 'slow',
      message:
        'Add-on docs 1.0.0 is denied by policy: spec.replicas: Deployment apps/docs: Has one (policy two-replicas, level must, severity high): Ask for two',
      details: { kind: 'AddOnInstallation', name: 'demo-docs', reason: 'PolicyDenied', field: 'spec.replicas' },
    });
  });

  it('is allowed when all are, and unanswered when one is', () => {
    expect(judgedAddOn(installation, [ALLOWED, ALLOWED, ALLOWED])).toEqual(ALLOWED);
    const unanswered = { ...ALLOWED, unanswered: true } as const;
    expect(judgedAddOn(installation, [unanswered, unanswered, unanswered])).toEqual(unanswered);
  });
});
