import { findCondition, type PolicyReviewRequest, type PolicyReviewResponse } from '@crate/api';
import { forbidden, unavailable } from '@crate/errors';
import { MOST_REVIEWS_AT_ONCE } from '@crate/messaging';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AddOnBench, STANDING_MS } from '../testing/add-on-bench.js';
import { installationSpec, MANIFESTS } from '../testing/builders.js';
import { aContext } from '../testing/local-clients.js';

const ALLOWED: PolicyReviewResponse = { allowed: true, violations: [] };
const AWAY = unavailable('policy-mgmt is away');
const PAGES = { apiVersion: 'v1', kind: 'ConfigMap', name: 'pages', namespace: 'apps' };

let bench: AddOnBench;
beforeEach(async () => {
  bench = new AddOnBench();
  await bench.createCluster(true, { stage: 'prod' });
});

/** Objects to one kind of object, as a rule does. */
function denying(kind: string): (request: PolicyReviewRequest) => PolicyReviewResponse {
  return ({ document }) => {
    if ((document as { kind?: unknown }).kind !== kind) return ALLOWED;
    const rule = { policy: 'no-such-thing', level: 'must', severity: 'high', effect: 'deny', title: 'No' } as const;
    const violation = { ...rule, field: 'kind', message: 'Is not wanted', remedy: 'Leave it out', references: [] };
    return { allowed: false, violations: [violation] };
  };
}

async function condition(): Promise<string> {
  const found = findCondition((await bench.read()).status?.conditions, 'PolicyCompliant');
  return `${found?.status} ${found?.reason}`;
}

describe('an add-on that is to be installed', () => {
  it('has every object judged before the first one enters the cluster, in one call', async () => {
    const entered: number[] = [];
    bench.policies.answer = () => {
      entered.push(bench.target.writes.length);
      return ALLOWED;
    };
    await bench.create();
    await bench.pass();

    expect(bench.policies.calls).toBe(1);
    expect(entered).toEqual([0, 0, 0]);
    expect(bench.policies.requests.map(({ document }) => document)).toEqual(MANIFESTS);
    expect(bench.policies.requests[2]).toMatchObject({
      stage: 'Manifest',
      operation: 'CREATE',
      subject: { namespace: 'team-a', name: 'docs', cluster: 'demo', engine: 'rke', labels: { stage: 'prod' } },
      remember: true,
    });
    expect(bench.target.writes).toHaveLength(3);
    expect(await condition()).toBe('True Compliant');
  });

  it('enters with none of its objects when one is denied, and says which, why and what to do', async () => {
    bench.policies.answer = denying('ConfigMap');
    await bench.create();

    await expect(bench.pass()).rejects.toMatchObject({ code: 'Forbidden', retry: 'slow' });
    expect(bench.target.writes).toEqual([]);
    const { status } = await bench.read();
    expect(status?.failure).toMatchObject({ code: 'PolicyDenied', field: 'kind', remedy: 'Leave it out' });
    expect(findCondition(status?.conditions, 'PolicyCompliant')).toMatchObject({
      status: 'False',
      reason: 'PolicyDenied',
      message: 'Broken rules: no-such-thing: kind: ConfigMap apps/pages: Is not wanted: Leave it out',
    });
    expect(await bench.ready()).toBe('False PolicyDenied');
    expect(bench.events.reasons).toEqual(['Warning PolicyDenied']);
  });

  it('is installed once the rule is gone', async () => {
    bench.policies.answer = denying('ConfigMap');
    await bench.create();
    await bench.pass().catch(() => undefined);
    bench.policies.answer = ALLOWED;
    await bench.pass();
    expect(bench.target.writes).toHaveLength(3);
    expect(await condition()).toBe('True Compliant');
  });

  it('waits while nobody answers, and says for what', async () => {
    bench.policies.answer = AWAY;
    await bench.create();
    await expect(bench.pass()).rejects.toMatchObject({ details: { reason: 'PolicyUnavailable' } });
    expect(bench.target.writes).toEqual([]);
    expect(await condition()).toBe('Unknown PolicyUnavailable');
  });

  it('is installed without an answer where that is set so, says so, and is judged in the next pass', async () => {
    bench.policies.answer = AWAY;
    bench.whenUnavailable.Manifest = 'allow';
    await bench.create();
    await bench.pass();
    expect(bench.target.writes).toHaveLength(3);
    expect(await condition()).toBe('Unknown NotReviewed');
    bench.policies.answer = ALLOWED;
    await bench.pass();
    expect(await condition()).toBe('True Compliant');
  });

  it('shows nobody what is in its Secrets', async () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login' },
      stringData: { password: 'hunter2' },
    };
    await bench.create(installationSpec([secret]));
    await bench.pass();
    expect(bench.policies.requests[0]?.document).toMatchObject({ stringData: { password: '(sensitive value)' } });
    expect(JSON.stringify(bench.policies.requests)).not.toContain('hunter2');
    expect(await bench.target.find({ apiVersion: 'v1', kind: 'Secret', name: 'login' })).toMatchObject({
      stringData: { password: 'hunter2' },
    });
  });
});

describe('an add-on that is installed', () => {
  beforeEach(async () => {
    await bench.create();
    await bench.pass();
    bench.target.writes.length = 0;
  });

  it('is judged again now and then, and when the labels of its cluster change', async () => {
    await bench.pass();
    expect(bench.policies.calls).toBe(1);
    bench.nowMs += STANDING_MS;
    await bench.pass();
    expect(bench.policies.calls).toBe(2);
    expect(bench.policies.requests.at(-1)).toMatchObject({ stage: 'Manifest', remember: true });
    // A rule that it breaks must not take it out of reports.
    expect(bench.policies.requests.at(-1)).not.toHaveProperty('operation');
    await bench.local.clusters.merge('demo', 'team-a', { metadata: { labels: { stage: 'test' } } });
    await bench.pass();
    expect(bench.policies.calls).toBe(3);
  });

  it('stands when a rule comes that it breaks, and says so', async () => {
    bench.policies.answer = denying('Deployment');
    bench.nowMs += STANDING_MS;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(await condition()).toBe('False PolicyDenied');
    expect(await bench.ready()).toBe('True Ready');
    expect(bench.target.writes).toEqual([]);
    expect(bench.events.reasons.at(-1)).toBe('Warning PolicyViolated');
  });

  it('is judged also where something of it cannot be taken away', async () => {
    bench.policies.answer = denying('Deployment');
    jest.spyOn(bench.target, 'remove').mockRejectedValue(forbidden('A webhook refuses it'));
    await bench.setSpec(installationSpec(MANIFESTS.filter(({ kind }) => kind !== 'ConfigMap')));
    await expect(bench.pass()).rejects.toThrow('A webhook refuses it');
    expect(await condition()).toBe('False PolicyDenied');
  });

  it('is judged before what somebody changed is set back', async () => {
    bench.policies.answer = denying('Deployment');
    bench.target.interfere(PAGES, (object) => ({ ...object, data: { index: 'defaced' } }));
    await expect(bench.pass()).rejects.toMatchObject({ details: { reason: 'PolicyDenied' } });
    expect(bench.target.writes).toEqual([]);
  });

  it('stays at its version when the next one is denied', async () => {
    bench.policies.answer = denying('ConfigMap');
    const pages = { ...MANIFESTS[1]!, data: { index: 'new' } };
    await bench.setSpec({ ...installationSpec([pages]), version: '1.1.0' });
    await expect(bench.pass()).rejects.toMatchObject({ details: { reason: 'PolicyDenied' } });
    expect(bench.target.contents()).toHaveLength(3);
    expect((await bench.read()).status).toMatchObject({ version: '1.0.0' });
    expect((await bench.read()).status?.inventory).toHaveLength(3);
  });

  it('is removed without anybody being asked', async () => {
    bench.policies.answer = AWAY;
    const asked = bench.policies.calls;
    await bench.requestDeletion();
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.contents()).toEqual([]);
    expect(bench.policies.calls).toBe(asked);
  });
});

describe('an add-on that is too large to be asked about in one call', () => {
  const PARTS = Array.from({ length: MOST_REVIEWS_AT_ONCE }, (_, index) => ({
    ...MANIFESTS[1]!,
    metadata: { name: `part-${index}`, namespace: 'apps' },
  }));
  const OBJECTS = MANIFESTS.length + PARTS.length;
  const operations = (): string[] => [
    ...new Set(bench.policies.requests.splice(0).map(({ operation = 'stands' }) => operation)),
  ];

  beforeEach(() => bench.create(installationSpec([...MANIFESTS, ...PARTS])));

  it('is told to stand once it does: none of a part is remembered', async () => {
    bench.policies.answer = ({ operation }) => {
      expect(bench.target.contents()).toHaveLength(operation === undefined ? OBJECTS : 0);
      return ALLOWED;
    };
    await bench.pass();
    expect(operations()).toEqual(['CREATE', 'stands']);
    expect(await condition()).toBe('True Compliant');
    await bench.pass();
    expect(operations()).toEqual([]);
  });

  it('is told so now and then when something differs at every look', async () => {
    await bench.pass();
    operations();
    const defaced = (): void => bench.target.interfere(PAGES, (object) => ({ ...object, data: { index: 'defaced' } }));
    defaced();
    await bench.pass();
    expect(operations()).toEqual(['UPDATE']);
    bench.nowMs += STANDING_MS;
    defaced();
    await bench.pass();
    expect(operations()).toEqual(['UPDATE', 'stands']);
  });

  it('loses what it does not state any more also when the pass ends while it is told to stand', async () => {
    await bench.pass();
    const pass = new AbortController();
    bench.policies.answer = ({ operation }) => {
      if (operation !== undefined) return ALLOWED;
      pass.abort(AWAY);
      return AWAY;
    };
    bench.target.interfere(PAGES, (object) => ({ ...object, data: { index: 'defaced' } }));
    await bench.setSpec(installationSpec([...MANIFESTS.slice(0, 2), ...PARTS]));
    await expect(bench.pass(aContext({ remoteSignal: pass.signal }))).rejects.toThrow();
    expect(bench.target.contents()).toHaveLength(OBJECTS - 1);
  });
});

describe('what an add-on does not state any more', () => {
  const renewed = (): string[] =>
    bench.policies.renewed
      .splice(0)
      .map(({ namespace, cluster, stage, kind, name }) => [namespace, cluster, stage, kind, name].join(' '));

  it('is told to stand while the version without it is denied', async () => {
    await bench.create();
    await bench.pass();
    expect(renewed()).toEqual([]);
    bench.policies.answer = denying('ConfigMap');
    await bench.setSpec(installationSpec([{ ...MANIFESTS[1]!, data: { index: 'new' } }]));
    await expect(bench.pass()).rejects.toMatchObject({ details: { reason: 'PolicyDenied' } });
    expect(renewed()).toEqual([
      'team-a demo Manifest Namespace apps',
      'team-a demo Manifest Deployment.apps apps/docs',
    ]);
  });

  it('is told to stand now and then while the rest lives in it', async () => {
    await bench.create();
    await bench.pass();
    await bench.setSpec(installationSpec(MANIFESTS.slice(1)));
    await bench.pass();
    renewed();
    bench.nowMs += STANDING_MS;
    await bench.pass();
    expect(renewed()).toEqual(['team-a demo Manifest Namespace apps']);
  });
});

describe('what leaves a cluster', () => {
  const forgotten = (): string[] =>
    bench.policies.forgotten.map(({ namespace, cluster, stage, kind, name }) =>
      [namespace, cluster, stage, kind, name].join(' '),
    );

  it('is forgotten when the add-on does not state it any more, and nothing else is', async () => {
    await bench.create();
    await bench.pass();
    await bench.setSpec(installationSpec(MANIFESTS.slice(0, 1)));
    await bench.pass();
    expect(forgotten()).toEqual([
      'team-a demo Manifest ConfigMap apps/pages',
      'team-a demo Manifest Deployment.apps apps/docs',
    ]);
    await bench.pass();
    expect(forgotten()).toHaveLength(2);
  });

  it('is forgotten with its add-on, but for what the cluster takes along', async () => {
    await bench.create();
    await bench.pass();
    await bench.requestDeletion();
    await bench.pass();
    expect(forgotten()).toEqual([
      'team-a demo Manifest Namespace apps',
      'team-a demo Manifest ConfigMap apps/pages',
      'team-a demo Manifest Deployment.apps apps/docs',
    ]);
  });

  it('is left to the end of a cluster that is being deleted', async () => {
    await bench.create();
    await bench.pass();
    await bench.requestDeletion();
    await bench.beginClusterDeletion();
    await bench.pass();
    expect(forgotten()).toEqual([]);
  });
});
