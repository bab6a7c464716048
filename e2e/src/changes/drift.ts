import { beforeAll, describe, expect, it } from '@jest/globals';
import { apiVersionOf, CLUSTER, findCondition, type Cluster, type DriftReport } from '@crate/api';
import { eventually, type CratePlatform } from '@crate/testing';
import type { CrateUser } from '../crate-user.js';
import { ACCOUNT, documentOf, workers } from './documents.js';

const PATIENCE = { timeoutMs: 240_000 };

let platform: CratePlatform;
let user: CrateUser;
async function find(): Promise<Cluster> {
  const ref = { apiVersion: apiVersionOf(CLUSTER), kind: 'Cluster', namespace: 'team-a', name: 'demo' };
  return (await user.api.find(ref)) as Cluster;
}

async function until(type: string, want: object): Promise<Cluster> {
  return eventually(async () => {
    const cluster = await find();
    expect(findCondition(cluster.status?.conditions, type)).toMatchObject(want);
    return cluster;
  }, PATIENCE);
}

const driftOf = async (action: string): Promise<string> => platform.crate('drift', action, 'demo', '-n', 'team-a');
const check = async (): Promise<DriftReport> =>
  JSON.parse(await platform.crate('drift', 'check', 'demo', '-n', 'team-a', '-o', 'json')) as DriftReport;

/** What is seen, said and done when the cloud is no longer as Terraform left it. */
export function drift(of: () => CrateUser): void {
  describe('a cluster whose cloud resources somebody changes', () => {
    beforeAll(async () => {
      user = of();
      platform = user.platform;
      await user.apply(documentOf('demo', { ...workers(3), drift: { policy: 'hold' } }));
    });

    it('says what differs, and has it put back when a person says so', async () => {
      await until('Ready', { status: 'True' });
      expect(await check()).toMatchObject({ policy: 'hold', failures: 0 });
      const vpc = (await platform.inventory()).find(({ type }) => type === 'aws_vpc')!;
      const change = ['enable_dns_support=false', '--account', ACCOUNT];
      await platform.crate('sandbox', 'change', 'aws_vpc', vpc.id, ...change);
      expect(await driftOf('show')).toContain('is as it was applied');

      const report = await check();
      expect(report.drift?.resources).toMatchObject([{ id: vpc.id, attributes: [{ path: 'enable_dns_support' }] }]);
      const held = await until('InSync', { status: 'False', reason: 'OnHold' });
      expect(held.status?.drift).toEqual(report.drift);
      expect(findCondition(held.status?.conditions, 'Ready')).toMatchObject({ status: 'True' });

      expect(await driftOf('correct')).toContain('aws_vpc.vpc (enable_dns_support)');
      expect((await until('InSync', { status: 'True' })).status?.drift).toBeUndefined();
      expect(await check()).not.toHaveProperty('drift');
      await eventually(async () => {
        const { items } = await user.api.list('v1', 'Event', { namespace: 'team-a' });
        const isAboutTheCluster = (event: Record<string, unknown>): boolean =>
          (event['involvedObject'] as { kind?: string }).kind === 'Cluster';
        const told = items.filter(isAboutTheCluster).map((event) => String(event['reason']));
        expect(told).toEqual(expect.arrayContaining(['Drifted', 'OnHold', 'DriftCorrected', 'HoldReleased']));
        expect(told.filter((reason) => reason === 'Drifted')).toHaveLength(1);
      }, PATIENCE);
    });

    it('refuses a decision about a drift that there is not', async () => {
      const annotations = { 'lifecycle.crate.dev/resolve-drift': 'keep-0123456789ab' };
      const metadata = { name: 'demo', namespace: 'team-a', annotations };
      const { apiVersion, spec } = (await find()) as Cluster & { spec: Record<string, unknown> };
      await expect(user.apply({ apiVersion, kind: 'Cluster', metadata, spec })).rejects.toThrow(/nothing differs/);
    });
  });
}
