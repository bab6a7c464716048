import { describe, expect, it } from '@jest/globals';
import type { ApiAnswer, ApiRequest } from '../platform/api-client.js';
import { anObject } from '../testing/a-world.js';
import type { KubeObject } from '../world/kube-object.js';
import { Team } from './team.js';
import { SMALL_CLUSTER } from './user-action.js';

const CLUSTERS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/chaos/clusters';
const PLANS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/chaos/plans';
const answered = (status: number): ApiAnswer => ({ status, body: undefined, text: '' });
const GONE = answered(404);
const KEYS = [{ service: 'cloud-mgmt', keyId: '2026-b' }];
const CUT: ApiAnswer = { status: 0, body: undefined, text: '' };

/** An API that gives each request its answers one after the other, and the last one again and again. */
class FakeApi {
  readonly asked: ApiRequest[] = [];

  constructor(private readonly answers: Readonly<Record<string, readonly ApiAnswer[]>>) {}

  send(request: ApiRequest): Promise<ApiAnswer> {
    const same = this.asked.filter(({ method, path }) => method === request.method && path === request.path).length;
    this.asked.push(request);
    const answers = this.answers[`${request.method} ${request.path}`] ?? [GONE];
    const answer = answers[Math.min(same, answers.length - 1)] ?? GONE;
    return answer === CUT ? Promise.reject(new Error('The answer was cut off')) : Promise.resolve(answer);
  }

  bodiesOf(method: string, path: string): unknown[] {
    return this.asked.filter((one) => one.method === method && one.path === path).map(({ body }) => body);
  }
}

function teamOn(api: FakeApi): Team {
  const rotateKeys = (): Promise<typeof KEYS> => Promise.resolve(KEYS);
  return new Team({ api, rotateKeys }, new AbortController().signal);
}

function planIs(reason: string): ApiAnswer {
  const plan = anObject('Plan');
  return created({ ...plan, status: { conditions: [{ type: 'Ready', status: 'False', reason }] } });
}

const created = (object: KubeObject): ApiAnswer => ({ status: 201, body: object, text: '' });

describe('people', () => {
  it('have each cluster compared, those that come later too, and none again', async () => {
    const named = (name: string, annotations = {}): KubeObject => {
      const cluster = anObject('Cluster');
      return { ...cluster, metadata: { ...cluster.metadata, name, annotations } };
    };
    const list = (...items: KubeObject[]): ApiAnswer => created({ ...anObject('List'), items } as KubeObject);
    const later = list(named('c0', { 'lifecycle.crate.dev/check-drift': 'now' }), named('c1'));
    const api = new FakeApi({ [`GET ${CLUSTERS}`]: [list(named('c0')), later] });
    const team = teamOn(api);
    await team.compareAll('now');
    await team.compareAll('now');
    const patched = api.asked.filter(({ method }) => method === 'PATCH').map(({ path }) => path);
    expect(patched).toEqual([`${CLUSTERS}/c0`, `${CLUSTERS}/c1`]);
  });

  it('approve a plan once it can be, and take a success for a promise', async () => {
    const api = new FakeApi({
      [`POST ${PLANS}`]: [created(anObject('Plan'))],
      [`GET ${PLANS}/p`]: [CUT, ...['Pending', 'Ready', 'Ready', 'Ready', 'Approved'].map(planIs)],
      [`POST ${PLANS}/p/approve`]: [CUT, answered(409), planIs('Approved')],
    });
    const team = teamOn(api);
    await team.act({ user: 'plan', cluster: 'c0', plan: 'p', wish: { changes: { nodePools: [] } } });
    expect(team.ledger.acknowledged).toMatchObject([{ what: 'approved', kind: 'Plan', uid: 'Plan-1' }]);
  });

  it.each([403, 422])('approve a plan no more once that is refused with %i', async (status) => {
    const api = new FakeApi({
      [`POST ${PLANS}`]: [created(anObject('Plan'))],
      [`GET ${PLANS}/p`]: [planIs('Ready'), planIs('Ready'), planIs('Expired')],
      [`POST ${PLANS}/p/approve`]: [answered(status)],
    });
    await teamOn(api).act({ user: 'plan', cluster: 'c0', plan: 'p', wish: { changes: { nodePools: [] } } });
    expect(api.bodiesOf('POST', `${PLANS}/p/approve`)).toHaveLength(1);
  });

  it.each([
    { reason: 'the plan is refused', phases: [planIs('Refused')], approval: planIs('Approved') },
    { reason: 'the approval is not answered', phases: [planIs('Ready'), planIs('Approved')], approval: CUT },
  ])('were promised nothing when $reason', async ({ phases, approval }) => {
    const api = new FakeApi({
      [`POST ${PLANS}`]: [created(anObject('Plan'))],
      [`GET ${PLANS}/p`]: phases,
      [`POST ${PLANS}/p/approve`]: [approval],
    });
    const team = teamOn(api);
    await team.act({ user: 'plan', cluster: 'c0', plan: 'p', wish: { changes: { nodePools: [] } } });
    expect(team.ledger.acknowledged).toEqual([]);
  });

  it.each([
    { reason: 'a spec, of a cluster that may not be there yet', wish: { wanted: SMALL_CLUSTER } },
    { reason: 'a deletion', wish: { destroy: true } as const },
  ])('plan $reason', async ({ wish }) => {
    const api = new FakeApi({ [`POST ${PLANS}`]: [created(anObject('Plan'))] });
    await teamOn(api).act({ user: 'plan', cluster: 'c0', plan: 'p', wish });
    expect(api.bodiesOf('POST', PLANS)).toMatchObject([{ spec: { clusterRef: { name: 'c0' }, ...wish } }]);
  });

  it('take pauses and ceilings back', async () => {
    const items = [anObject('Cluster')];
    const api = new FakeApi({
      [`GET ${CLUSTERS}`]: [created({ ...anObject('List'), items } as KubeObject)],
      [`PATCH ${CLUSTERS}/demo`]: [created(anObject('Cluster'))],
    });
    await teamOn(api).resumeAll();
    expect(api.bodiesOf('PATCH', `${CLUSTERS}/demo`)).toEqual([{ spec: { paused: false, maxImpact: null } }]);
  });

  it('force a deletion with a reason', async () => {
    const api = new FakeApi({
      [`GET ${CLUSTERS}/c0`]: [created(anObject('Cluster'))],
      [`PATCH ${CLUSTERS}/c0`]: [created(anObject('Cluster'))],
    });
    const team = teamOn(api);
    await team.act({ user: 'force', cluster: 'c0' });
    const annotations = { 'lifecycle.crate.dev/force-deletion': expect.stringMatching(/./) };
    expect(api.bodiesOf('DELETE', `${CLUSTERS}/c0`)).toEqual([{ preconditions: { uid: 'Cluster-1' } }]);
    expect(api.bodiesOf('PATCH', `${CLUSTERS}/c0`)).toEqual([{ metadata: { annotations } }]);
    expect(team.ledger.acknowledged).toMatchObject([{ what: 'stored', uid: 'Cluster-1', annotations }]);
  });

  it.each([
    { answer: created(anObject('CloudAccount')), noted: [{ what: 'stored', accessKeyId: 'AKIATWO' }] },
    { answer: CUT, noted: [] },
  ])('note which credentials they were told are in use: $noted', async ({ answer, noted }) => {
    const accounts = '/apis/cloud.crate.dev/v1alpha1/namespaces/chaos/cloudaccounts';
    const team = teamOn(new FakeApi({ [`PATCH ${accounts}/chaos`]: [answer] }));
    await team.act({ user: 'credentials', accessKeyId: 'AKIATWO' });
    expect(team.ledger.acknowledged).toMatchObject(noted);
  });

  it('note the keys that they made', async () => {
    const team = teamOn(new FakeApi({}));
    await team.act({ user: 'rotate-keys' });
    expect(team.ledger.keys).toEqual(KEYS);
  });

  it('put the state in place that is so many versions old, if there is one', async () => {
    const states = '/apis/cloud.crate.dev/v1alpha1/namespaces/chaos/stateversions';
    const items = [4, 9, 7].map((serial) => anObject('StateVersion', { spec: { serial } }));
    const path = `${states}?fieldSelector=spec.infrastructureRef.name%3Dc0`;
    const { metadata } = anObject('StateVersion');
    const ownerReferences = [{ uid: 'Infrastructure-1', kind: 'Infrastructure' }];
    const spec = { serial: 10, restoredFrom: 7 };
    const api = new FakeApi({
      [`GET ${path}`]: [created({ ...anObject('List'), items } as KubeObject)],
      [`POST ${states}/c0.7/restore`]: [created({ metadata: { ...metadata, ownerReferences }, spec })],
    });
    const team = teamOn(api);
    for (const back of [1, 5]) await team.act({ user: 'restore', cluster: 'c0', back });
    expect(team.ledger.acknowledged).toMatchObject([{ what: 'restored', owner: 'Infrastructure-1', spec }]);
    expect(api.asked.filter(({ method }) => method === 'POST').map((one) => one.path)).toEqual([
      `${states}/c0.7/restore`,
    ]);
  });

  it.each([
    {
      reason: 'a creation was done and not answered',
      action: { user: 'create', cluster: 'c0', spec: SMALL_CLUSTER } as const,
      answers: { [`POST ${CLUSTERS}`]: [CUT], [`GET ${CLUSTERS}/c0`]: [created(anObject('Cluster'))] },
    },
    {
      reason: 'a deletion was done and not answered',
      action: { user: 'delete', cluster: 'c0' } as const,
      answers: { [`DELETE ${CLUSTERS}/c0`]: [CUT], [`GET ${CLUSTERS}/c0`]: [created(anObject('Cluster')), GONE] },
    },
  ])('insist no more once it is as they want: $reason', async ({ action, answers }) => {
    const team = teamOn(new FakeApi(answers));
    await team.insistOn(action);
    expect(team.ledger.acknowledged).toEqual([]);
  });
});
