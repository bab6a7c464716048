import { beforeAll, describe, expect, it } from '@jest/globals';
import { findCondition, isConditionTrue, type Cluster, type Manifest, type PolicySpec } from '@crate/api';
import { isPlatformError, type PlatformError } from '@crate/errors';
import { HttpTargetCluster, type TargetCluster } from '@crate/kubernetes';
import { eventually, type CratePlatform } from '@crate/testing';
import type { ConformanceBench } from '../conformance/bench.js';
import { CrateUser, small } from '../crate-user.js';

const POLICY = { apiVersion: 'policy.crate.dev/v1alpha1', kind: 'Policy' } as const;
const WAIT = { timeoutMs: 60_000 };
const DEMO = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster' } as const;

let platform: CratePlatform;
let user: CrateUser;
async function rule(name: string, spec: Pick<PolicySpec, 'match' | 'validations'>): Promise<void> {
  const whole = { title: name, level: 'must', severity: 'high', remedy: 'Do otherwise', ...spec };
  await user.apply({ ...POLICY, metadata: { name }, spec: whole });
}

/** Labels and annotations, as somebody sets them who leaves the rest to others. */
async function mark(metadata: Partial<Manifest['metadata']>): Promise<void> {
  const document = { ...DEMO, metadata: { name: 'demo', namespace: 'team-a', ...metadata } };
  await user.api.applyObject(document, { fieldManager: 'marks', force: true });
}

async function scaleWorkers(replicas: number): Promise<void> {
  await user.applyDemo('demo', (spec) => {
    small(spec);
    spec['nodePools'] = [{ name: 'workers', replicas, machineType: 'm5.xlarge' }];
  });
}

async function refusalOf(write: Promise<unknown>): Promise<PlatformError> {
  const thrown: unknown = await write.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!isPlatformError(thrown)) throw new Error(`Not refused as it should be: ${String(thrown)}`);
  return thrown;
}

const compliance = ({ status }: Cluster): string => {
  const found = findCondition(status?.conditions, 'PolicyCompliant');
  return `${found?.status} ${found?.reason} ${found?.message}`;
};

async function inside<T>(look: (cluster: TargetCluster) => Promise<T>): Promise<T> {
  const target = new HttpTargetCluster(await platform.crate('kubeconfig', 'demo', '-n', 'team-a'));
  try {
    return await look(target);
  } finally {
    await target.close();
  }
}

/** Rules about documents, machines and manifests of one cluster. */
export function stages(bench: ConformanceBench): void {
  describe('rules at every stage', () => {
    beforeAll(async () => {
      platform = bench.platform;
      user = await CrateUser.of(platform);
    });

    it('let nothing of an add-on into a cluster whose labels they select, until they do not any more', async () => {
      await rule('no-deployments', {
        match: { stages: ['Manifest'], kinds: ['apps/Deployment'], labels: { matchLabels: { tier: 'locked' } } },
        validations: [{ expression: 'false', message: 'is not wanted', field: 'kind' }],
      });
      await user.applyQuickstart('demo', small);
      await mark({ labels: { tier: 'locked' } });
      const held = await user.until('demo', ({ status }) => status?.failure?.code === 'PolicyDenied');
      expect(held.status?.failure?.message).toMatch(
        /Deployment crate-addons\/docs: is not wanted \(policy no-deployments/,
      );
      expect(compliance(held)).toContain('AddOnInstallation "demo-docs": Broken rules: no-deployments');
      const pages = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'crate-addons', name: 'docs-pages' };
      expect(await inside((cluster) => cluster.find(pages))).toBeUndefined();

      await mark({ labels: { tier: 'open' } });
      await user.untilReady();
      expect(await inside((cluster) => cluster.find(pages))).toBeDefined();
    });

    it('tell a cluster that is up of a rule that comes later, and take only changes that mend it', async () => {
      await rule('three-workers', {
        match: { stages: ['ClusterSpec'], projects: ['team-a'] },
        validations: [
          {
            expression: 'object.spec.nodePools.all(pool, pool.replicas >= 3)',
            message: 'has too few workers',
            field: 'spec.nodePools',
          },
        ],
      });
      // Any change has it judged now; without one it is within half an hour.
      await mark({ labels: { tier: 'open' }, annotations: { 'example.org/note': 'look' } });
      const broken = await user.until('demo', (cluster) => compliance(cluster).startsWith('False'));
      expect(compliance(broken)).toContain(
        'PolicyDenied Broken rules: three-workers: spec.nodePools: has too few workers',
      );
      expect(isConditionTrue(broken.status?.conditions, 'Ready')).toBe(true);
      await eventually(async () => {
        const events = await user.api.list('v1', 'Event', { namespace: 'team-a' });
        expect(events.items.map(({ reason }) => reason)).toContain('PolicyViolated');
      }, WAIT);

      expect(await refusalOf(scaleWorkers(2))).toMatchObject({ code: 'Forbidden' });
      await scaleWorkers(3);
      expect(compliance(await user.untilReady())).toMatch(/^True Compliant/);
    });

    it('keep a cluster that somebody wants to delete, if one says so', async () => {
      await rule('no-deletion', {
        match: { stages: ['ClusterSpec'], operations: ['DELETE'], labels: { matchLabels: { tier: 'open' } } },
        validations: [
          { expression: 'request.userInfo.username == ""', message: 'is to stay', field: 'metadata.labels' },
        ],
      });
      const refused = await refusalOf(user.delete());
      expect(refused.code).toBe('Forbidden');
      expect(refused.message).toMatch(/The deletion of Cluster "demo" is denied by policy: .*policy no-deletion/);

      await user.api.remove({ ...POLICY, name: 'no-deletion' });
      await user.delete();
      await user.untilGone();
      expect(await platform.inventory()).toEqual([]);
    });
  });
}
