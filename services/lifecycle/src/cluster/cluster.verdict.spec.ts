import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Cluster } from '@crate/api';
import { toStatus, unavailable } from '@crate/errors';
import type { WriteResult } from '@crate/resource-client';
import { ADA, AdmissionBench, aViolation, refusalOf } from '../testing/admission-bench.js';
import { APPROVED_PLAN_ANNOTATION, markText } from '../plan/approved-plan.js';
import { clusterAdmission } from './cluster.admission.js';
import { clusterReview } from './cluster.policy.js';

const ALLOWED = { allowed: true, violations: [] };

let bench: AdmissionBench;
beforeEach(async () => {
  bench = await AdmissionBench.start();
});

describe('a new cluster', () => {
  it('is judged as what it is: who asks for it, its labels, its engine and the cloud it goes to', async () => {
    await bench.create();
    const [request] = bench.policies.requests;
    expect(request).toMatchObject({
      operation: 'CREATE',
      document: { metadata: { name: 'demo', namespace: 'team-a', labels: { stage: 'prod' } } },
      subject: { labels: { stage: 'prod' }, engine: 'rke', provider: 'sandbox-aws' },
      userInfo: { username: 'ada', groups: ['team-a'] },
    });
    expect(request).not.toHaveProperty('oldDocument');
    expect(request).not.toHaveProperty('dryRun');
    // What was asked for may be refused by others yet: passes see to reports.
    expect(request).not.toHaveProperty('remember');
  });

  it('is denied by a rule of level must, naming rule, level, field and remedy (403)', async () => {
    bench.policies.answer = {
      allowed: false,
      violations: [aViolation('must', 'allowed-regions'), aViolation('should', 'other')],
    };
    const error = await refusalOf(bench.create());
    const status = toStatus(error);

    expect([status.code, error.details.reason]).toEqual([403, 'PolicyDenied']);
    for (const text of ['allowed-regions', 'must', 'spec.region', 'Region is not allowed', 'Choose eu-central-1']) {
      expect(status.message).toContain(text);
    }
    expect(status.details?.causes).toEqual([
      expect.objectContaining({ field: 'spec.region', message: expect.stringContaining('allowed-regions') }),
    ]);
    expect(await bench.exists()).toBe(false);
  });

  it('is stored with warnings where rules of other levels are broken', async () => {
    bench.policies.answer = {
      allowed: true,
      violations: [aViolation('should', 'encryption'), aViolation('may', 'zones')],
    };
    const { warnings } = await bench.create();
    expect(warnings).toEqual([
      'spec.region: Region is not allowed (policy encryption, level should, severity medium): Choose eu-central-1',
      'spec.region: Region is not allowed (policy zones, level may, severity medium): Choose eu-central-1',
    ]);
    expect(await bench.exists()).toBe(true);
  });

  it('is not stored without a verdict (503), with when to try again', async () => {
    bench.policies.answer = unavailable('policy-mgmt is away');
    expect(toStatus(await refusalOf(bench.create()))).toMatchObject({
      code: 503,
      message: 'The cluster cannot be judged by policies, so nothing is done: policy-mgmt is away',
      details: { retryAfterSeconds: 2, causes: [{ reason: 'PolicyUnavailable' }] },
    });
    expect(await bench.exists()).toBe(false);
  });

  it('is stored with a warning without a verdict, where that is set so', async () => {
    bench.policies.answer = unavailable('policy-mgmt is away');
    bench.whenUnavailable.ClusterSpec = 'allow';
    const { warnings } = await bench.create();
    expect(warnings).toEqual([expect.stringContaining('Policies were not checked')]);
    expect(await bench.exists()).toBe(true);
  });

  it('is judged in a dry run, too, and not stored', async () => {
    const dryRun = bench.create({ accountRef: { name: 'nobody' } }, { dryRun: true });
    expect((await refusalOf(dryRun)).code).toBe('InvalidSpec');
    await bench.create({}, { dryRun: true });
    expect(bench.policies.requests.at(-1)?.dryRun).toBe(true);
    expect(await bench.exists()).toBe(false);
  });
});

describe('a cluster that exists', () => {
  beforeEach(async () => {
    await bench.create();
    bench.policies.requests.length = 0;
    // Whoever asks for a verdict from now on is refused, and so is noticed.
    bench.policies.answer = { allowed: false, violations: [aViolation('must', 'everything')] };
  });

  it('is judged anew when its spec changes', async () => {
    const error = await refusalOf(bench.merge({ spec: { nodePools: [{ name: 'workers', replicas: 3 }] } }));
    expect(error.details.reason).toBe('PolicyDenied');
    bench.policies.answer = ALLOWED;
    const { object } = await bench.merge({ spec: { nodePools: [{ name: 'workers', replicas: 3 }] } });
    expect((object as Cluster).spec.nodePools[0]?.replicas).toBe(3);
  });

  it('is judged with what it was', async () => {
    bench.policies.answer = ALLOWED;
    await bench.merge({ spec: { nodePools: [{ name: 'workers', replicas: 3 }] } });
    expect(bench.policies.requests).toMatchObject([
      {
        operation: 'UPDATE',
        document: { spec: { nodePools: [{ replicas: 3 }] } },
        oldDocument: { kind: 'Cluster', spec: { nodePools: [{ replicas: 2 }] } },
        userInfo: { username: 'ada' },
      },
    ]);
  });

  it('may become what rules allow, and nothing else, while it breaks one', async () => {
    const isMended = (spec: Cluster['spec']): boolean => spec.nodePools[0]?.replicas === 3;
    bench.policies.answer = ({ document: judged }) => ({
      allowed: isMended((judged as Cluster).spec),
      violations: [aViolation('must', 'three-workers')],
    });
    const error = await refusalOf(bench.merge({ spec: { kubernetes: { version: 'v1.30.8' } } }));
    expect(error.details.reason).toBe('PolicyDenied');
    await bench.merge({ spec: { nodePools: [{ name: 'workers', replicas: 3 }] } });
  });

  it('is judged anew when its labels change, by which rules match', async () => {
    const relabel = (): Promise<WriteResult> => bench.merge({ metadata: { labels: { stage: 'test' } } });
    expect((await refusalOf(relabel())).details.reason).toBe('PolicyDenied');
    bench.policies.answer = { allowed: true, violations: [aViolation('should', 'naming')] };
    const { warnings } = await relabel();
    expect(warnings).toEqual([expect.stringContaining('policy naming')]);
    expect(bench.policies.requests.at(-1)).toMatchObject({
      document: { metadata: { labels: { stage: 'test' } } },
      oldDocument: { metadata: { labels: { stage: 'prod' } } },
    });
  });

  it('is not judged again for its status, its annotations or its finalizers', async () => {
    const found = (await bench.find()) as Cluster;
    await bench.clusters.saveStatus(found, { version: 'v1.31.4' });
    await bench.merge({ metadata: { annotations: { note: 'x' }, finalizers: ['lifecycle.crate.dev/clusters'] } });
    await bench.merge({ spec: { region: 'us-east-1' } });

    expect(bench.policies.requests).toEqual([]);
    expect((await bench.find())?.status?.version).toBe('v1.31.4');
  });

  it('is not judged again when its fields come in another order, as a database and a person may have them', async () => {
    const found = (await bench.find()) as Cluster;
    const spec = Object.fromEntries(Object.entries(found.spec).reverse()) as Cluster['spec'];
    const object = { ...found, spec };

    await clusterAdmission(bench.ports)({ operation: 'UPDATE', object, oldObject: found, context: ADA, dryRun: false });

    expect(bench.policies.requests).toEqual([]);
  });

  it('is judged as it stands, as on passes, when the spec of a plan is taken back', async () => {
    bench.policies.answer = ALLOWED;
    const object = (await bench.find()) as Cluster;
    const annotations = {
      [APPROVED_PLAN_ANNOTATION]: markText({ name: 'p', uid: 'u', digest: 'd', generation: 1 }),
    };
    const spec = { ...object.spec, kubernetes: { ...object.spec.kubernetes, version: 'v1.32.4' } };
    const oldObject = { ...object, spec, metadata: { ...object.metadata, annotations } } as Cluster;
    const context = { caller: { user: 'system:lifecycle', groups: [], service: 'lifecycle' }, traceId: 't' };
    await clusterAdmission(bench.ports)({ operation: 'UPDATE', object, oldObject, context, dryRun: false });
    expect(bench.policies.requests).toEqual([clusterReview(object, { provider: 'sandbox-aws' })]);
  });

  describe('that is to be deleted', () => {
    const finalizers = ['lifecycle.crate.dev/clusters'];

    it('stays when a rule forbids it (403), which is named', async () => {
      bench.policies.answer = { allowed: false, violations: [aViolation('must', 'no-deletion')] };
      const error = await refusalOf(bench.remove());
      expect([toStatus(error).code, error.details.reason]).toEqual([403, 'PolicyDenied']);
      expect(error.message).toMatch(/^The deletion of Cluster "demo" is denied by policy: .*policy no-deletion/);
      expect(await bench.exists()).toBe(true);
    });

    it('is judged by whoever asks for the deletion, as what it is', async () => {
      bench.policies.answer = ALLOWED;
      await bench.remove(true);
      expect(bench.policies.requests).toMatchObject([
        {
          operation: 'DELETE',
          document: { kind: 'Cluster' },
          oldDocument: { kind: 'Cluster' },
          subject: { provider: 'sandbox-aws', engine: 'rke' },
          userInfo: { username: 'ada' },
          dryRun: true,
        },
      ]);
      expect(await bench.exists()).toBe(true);
    });

    it('does not wait for its account to be known', async () => {
      bench.policies.answer = ALLOWED;
      const ports = {
        ...bench.ports,
        providers: { of: () => Promise.reject(unavailable('cloud-mgmt is away')) },
      };
      const object = (await bench.find()) as Cluster;
      await clusterAdmission(ports)({ operation: 'DELETE', object, context: ADA, dryRun: false });
      expect(bench.policies.requests[0]?.subject).not.toHaveProperty('provider');
    });

    it('stays without a verdict (503), or goes where that is set so', async () => {
      bench.policies.answer = unavailable('policy-mgmt is away');
      expect(toStatus(await refusalOf(bench.remove())).code).toBe(503);
      expect(await bench.exists()).toBe(true);
      bench.whenUnavailable.ClusterSpec = 'allow';
      await bench.remove();
      expect(await bench.exists()).toBe(false);
    });

    it('is judged once: what is under way is in nobody’s hands', async () => {
      bench.policies.answer = ALLOWED;
      await bench.merge({ metadata: { finalizers } });
      await bench.remove();
      bench.policies.answer = { allowed: false, violations: [aViolation('must', 'everything')] };
      await bench.remove();
      await bench.merge({ metadata: { labels: { stage: 'test' } } });
      await bench.merge({ spec: { deletionProtection: false, nodePools: [{ name: 'workers', replicas: 1 }] } });
      expect(bench.policies.requests).toHaveLength(1);
    });
  });
});
