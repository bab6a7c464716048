import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  POLICY,
  POLICY_IMPACT_REVIEW,
  POLICY_REPORT,
  type PolicyImpactReview,
  type PolicyReport,
  type PolicyReviewRequest,
  type PolicyReviewResponse,
} from '@crate/api';
import { NatsResourceApi, type NatsServiceCaller } from '@crate/messaging';
import { GOOD_CLUSTER, NAMED_DEMO } from '@crate/policy-engine';
import { asSubresourceFile, TypedClient } from '@crate/resource-client';
import type { ServiceHost } from '@crate/service-host';
import { eventually } from '@crate/testing';
import { CLUSTER_POLICY_REPORT } from './report/cluster-policy-report.js';
import { ServiceBench } from './testing/service-bench.js';

const SETTLE_MS = 60_000;
const SECRET = 'correct-horse-battery-staple';

describe('reports of policy-mgmt', () => {
  let bench: ServiceBench;
  let replicas: ServiceHost[];
  let lifecycle: NatsServiceCaller;
  let reports: TypedClient<PolicyReport>;

  beforeAll(async () => {
    bench = await ServiceBench.start();
    replicas = await Promise.all([bench.replica(), bench.replica()]);
    lifecycle = await bench.callerOf('lifecycle');
    reports = new TypedClient(new NatsResourceApi(lifecycle, 'policy-mgmt'), POLICY_REPORT, bench.context);
  });

  afterAll(async () => {
    for (const replica of replicas) await replica.stop();
    await bench.stop();
  });

  async function review(name: string, calls = lifecycle): Promise<PolicyReviewResponse> {
    const metadata = { namespace: 'team-a', name, annotations: { note: SECRET } };
    const document = { ...GOOD_CLUSTER, metadata };
    const subject = { namespace: 'team-a', name };
    const request: PolicyReviewRequest = { stage: 'ClusterSpec', document, subject, remember: true };
    return calls.call('policy-mgmt', 'review', request, bench.context);
  }

  const outcomesOf = async (name: string, policy: string): Promise<string[]> => {
    const report = await reports.find(name, 'team-a');
    return (report?.results ?? []).filter((each) => each.policy === policy).map(({ result }) => result ?? '');
  };

  it(
    'follow what is asked about, and rules as they change, also while nobody asks',
    async () => {
      await review('other');
      await eventually(async () => (await reports.find('other', 'team-a')) !== undefined, { timeoutMs: SETTLE_MS });
      expect(await outcomesOf('other', 'named-demo')).toEqual([]);
      expect(await outcomesOf('other', 'cluster-region-allowed')).toEqual(['pass']);

      const policies = bench.policies(lifecycle);
      await policies.ensure({ metadata: { name: 'named-demo' }, spec: NAMED_DEMO }, 'test');
      const isBroken = async (): Promise<boolean> => (await outcomesOf('other', 'named-demo'))[0] === 'fail';
      await eventually(isBroken, { timeoutMs: SETTLE_MS });
      const ofProject = async (): Promise<boolean> => (await outcomesOf('project.team-a', 'named-demo'))[0] === 'fail';
      await eventually(ofProject, { timeoutMs: SETTLE_MS });

      await policies.remove('named-demo');
      const isGone = async (): Promise<boolean> => (await outcomesOf('other', 'named-demo')).length === 0;
      await eventually(isGone, { timeoutMs: SETTLE_MS });
    },
    5 * SETTLE_MS,
  );

  it('are not about what was denied, and so is not there', async () => {
    const spec = { ...(GOOD_CLUSTER['spec'] as object), region: 'me-south-1' };
    const ask = async (name: string, document: object): Promise<PolicyReviewResponse> => {
      const subject = { namespace: 'team-a', name };
      const request = { stage: 'ClusterSpec', operation: 'CREATE', document, subject, remember: true };
      return lifecycle.call('policy-mgmt', 'review', request, bench.context);
    };
    const metadata = { namespace: 'team-a', name: 'denied' };
    expect(await ask('denied', { ...GOOD_CLUSTER, metadata, spec })).toMatchObject({ allowed: false });
    const made = { namespace: 'team-a', name: 'made' };
    expect(await ask('made', { ...GOOD_CLUSTER, metadata: made })).toMatchObject({ allowed: true });
    await eventually(async () => (await reports.find('made', 'team-a')) !== undefined, { timeoutMs: SETTLE_MS });
    expect(await reports.find('denied', 'team-a')).toBeUndefined();
    await lifecycle.call('policy-mgmt', 'forget', { namespace: 'team-a', cluster: 'made' }, bench.context);
  });

  it('keep what they stand on unreadable in the database', async () => {
    const { database } = (replicas[0] as ServiceHost).foundation;
    const rows = await database.rows<{ whole: string }>('SELECT d::text AS whole FROM policy_documents AS d');
    expect(rows.length).toBeGreaterThan(0);
    for (const { whole } of rows) {
      expect(whole).not.toContain(SECRET);
      expect(whole).not.toContain(Buffer.from(SECRET).toString('hex'));
    }
  });

  it('tell whoever tries out a rule what it would lead to', async () => {
    await review('other');
    const api = new NatsResourceApi(lifecycle, 'policy-mgmt');
    const impactOf = async (): Promise<PolicyImpactReview> => {
      const { kind, group, version } = POLICY_IMPACT_REVIEW;
      const spec = { policy: NAMED_DEMO };
      const question = { apiVersion: `${group}/${version}`, kind, metadata: { name: 'question' }, spec };
      return (await api.create(POLICY_IMPACT_REVIEW, question, {}, bench.context)).object as PolicyImpactReview;
    };
    await eventually(async () => (await impactOf()).status?.clusters === 1, { timeoutMs: SETTLE_MS });

    const metadata = { name: 'tried' };
    const draft = { apiVersion: 'policy.crate.dev/v1alpha1', kind: 'Policy', metadata, spec: NAMED_DEMO };
    const { warnings } = await api.create(POLICY, draft, { dryRun: true }, bench.context);
    expect(warnings).toEqual([
      'would newly deny 1 cluster in 1 project: team-a/other (metadata.name: The name is other)',
    ]);
    expect(await bench.policies(lifecycle).find('tried')).toBeUndefined();
  });

  it(
    'go when somebody says that the cluster is gone',
    async () => {
      await review('passing-by');
      const isThere = async (): Promise<boolean> => (await reports.find('passing-by', 'team-a')) !== undefined;
      await eventually(isThere, { timeoutMs: SETTLE_MS });
      const cloudMgmt = await bench.callerOf('cloud-mgmt');
      const owner = { namespace: 'team-a', cluster: 'passing-by' };
      expect(await cloudMgmt.call('policy-mgmt', 'forget', owner, bench.context)).toEqual({ clusters: 1 });
      await eventually(async () => !(await isThere()), { timeoutMs: SETTLE_MS });
      const misspelt = cloudMgmt.call('policy-mgmt', 'forget', { ...owner, clusters: 'x' }, bench.context);
      await expect(misspelt).rejects.toMatchObject({ code: 'BadRequest' });
    },
    3 * SETTLE_MS,
  );

  it('are exported in every format, and tell compliance and history', async () => {
    await review('other');
    await eventually(async () => (await reports.find('other', 'team-a')) !== undefined, { timeoutMs: SETTLE_MS });
    const api = new NatsResourceApi(lifecycle, 'policy-mgmt');
    const { group, version, plural } = POLICY_REPORT;
    const read = (subresource: string, query?: Record<string, string>, name = 'other'): Promise<unknown> =>
      api.readSubresource({ group, version, plural, namespace: 'team-a', name }, subresource, bench.context, query);
    const beginnings = { csv: 'project,', json: '{"clusters":1', sarif: '{', html: '<!doctype html>', pdf: '%PDF-' };
    for (const [format, beginning] of Object.entries(beginnings)) {
      const file = asSubresourceFile(await read('export', { format }));
      expect(file?.fileName).toBe(`policy-report-other.${format}`);
      expect(
        Buffer.from(file?.bytes ?? [])
          .toString('latin1')
          .startsWith(beginning),
      ).toBe(true);
    }
    await expect(read('export', { format: 'doc' })).rejects.toMatchObject({ code: 'BadRequest' });
    expect(await read('compliance')).toMatchObject({ kind: 'PolicyCompliance', scope: { cluster: 'other' } });
    // A second point comes where a day begins meanwhile.
    const { points } = (await read('history')) as { readonly points: readonly object[] };
    expect(points.at(-1)).toMatchObject({ rules: { pass: expect.any(Number) } });
    const ofProject = async (): Promise<boolean> => (await reports.find('project.team-a', 'team-a')) !== undefined;
    await eventually(ofProject, { timeoutMs: SETTLE_MS });
    expect(asSubresourceFile(await read('export', { format: 'pdf' }, 'project.team-a'))?.mediaType).toBe(
      'application/pdf',
    );
  });

  it('have the kind of the working group beside them that is about no namespace, and empty: viewers wait for both', async () => {
    const api = new NatsResourceApi(lifecycle, 'policy-mgmt');
    const { items, metadata } = await api.list(CLUSTER_POLICY_REPORT, {}, bench.context);
    expect(items).toEqual([]);
    // client-go watches on from no list whose revision is "0".
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(0);
  });

  it('are written by nobody else', async () => {
    const draft = { metadata: { name: 'mine', namespace: 'team-a' }, results: [] };
    const cloudMgmt = new NatsResourceApi(await bench.callerOf('cloud-mgmt'), 'policy-mgmt');
    await expect(new TypedClient(cloudMgmt, POLICY_REPORT, bench.context).create(draft)).rejects.toMatchObject({
      code: 'Forbidden',
    });
  });
});
