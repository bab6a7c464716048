import { describe, expect, it } from '@jest/globals';
import type { ApiAnswer, ApiRequest } from '../platform/api-client.js';
import { anObject } from '../testing/a-world.js';
import type { KubeObject } from '../world/kube-object.js';
import { Asking } from './asking.js';
import { Developers } from './developers.js';
import { Ledger } from './ledger.js';
import { CLAIM, SERVICE, SHOP } from './shop.js';

const CLUSTERS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/chaos/clusters';
const REMOVE = 'lifecycle.crate.dev/remove-volumes';
const GONE: ApiAnswer = { status: 404, body: undefined, text: '' };

class FakeApi {
  readonly asked: ApiRequest[] = [];

  constructor(private readonly answer: (request: ApiRequest) => ApiAnswer) {}

  send(request: ApiRequest): Promise<ApiAnswer> {
    this.asked.push(request);
    return Promise.resolve(this.answer(request));
  }
}

function found(body: KubeObject): ApiAnswer {
  return { status: 200, body, text: JSON.stringify(body) };
}

const handingOut = new FakeApi(({ path }) => {
  if (path === `${CLUSTERS}/c0`) return found(anObject('Cluster'));
  return path === `${CLUSTERS}/c0/kubeconfig` ? { status: 200, body: undefined, text: 'the way in' } : GONE;
});

interface Inside {
  readonly service?: NonNullable<KubeObject['status']>;
  readonly claim?: NonNullable<KubeObject['status']>;
  /** Status of every answer to a write. */
  readonly writes?: number;
}

/** A cluster whose controllers are so far. */
function clusterWith({ service = {}, claim = {}, writes = 200 }: Inside): FakeApi {
  return new FakeApi(({ method, path }) => {
    if (method === 'PATCH') return { ...GONE, status: writes };
    if (path === SERVICE) return found({ ...anObject('Service'), status: service });
    return path === CLAIM ? found({ ...anObject('PersistentVolumeClaim'), status: claim }) : GONE;
  });
}

const BALANCED = { loadBalancer: { ingress: [{ hostname: 'web.elb.example' }] } };
const BOUND = { phase: 'Bound' };

describe('developers', () => {
  it('have a load balancer and a volume once both are there, with the kubeconfig that is handed out', async () => {
    const ledger = new Ledger();
    const inside = clusterWith({ service: BALANCED, claim: BOUND });
    const ways: string[] = [];
    const developers = new Developers(new Asking(handingOut), ledger, (text) => (ways.push(text), inside));
    expect(await developers.expose('c0')).toBe(true);
    expect(ways).toEqual(['the way in']);
    expect(inside.asked.filter(({ method }) => method === 'PATCH')).toEqual(SHOP);
    expect(ledger.acknowledged).toMatchObject([{ what: 'exposed', uid: 'Cluster-1' }]);
  });

  it.each<Inside & { reason: string }>([
    { reason: 'the volume is not there yet', service: BALANCED },
    { reason: 'the load balancer is not there yet', claim: BOUND },
    { reason: 'the cluster takes nothing new', service: BALANCED, claim: BOUND, writes: 403 },
  ])('were promised nothing when $reason', async (inside) => {
    const ledger = new Ledger();
    const developers = new Developers(new Asking(handingOut), ledger, () => clusterWith(inside));
    expect(await developers.expose('c0')).toBe(false);
    expect(ledger.acknowledged).toEqual([]);
  });

  it('were promised nothing of a cluster to which there is no way in', async () => {
    const ledger = new Ledger();
    const developers = new Developers(new Asking(new FakeApi(() => GONE)), ledger);
    expect(await developers.expose('c0')).toBe(false);
    expect(ledger.acknowledged).toEqual([]);
  });

  it('let volumes go that a deletion waits for, with those that they named before', async () => {
    const blockers = [
      { kind: 'aws_ebs_volume', name: 'vol-2', reason: 'VolumeUndecided' },
      { kind: 'aws_vpc', name: 'vpc-1', reason: 'StillInUse' },
    ];
    const { metadata } = anObject('Cluster');
    const waiting = {
      ...anObject('Cluster'),
      metadata: { ...metadata, name: 'c1', annotations: { [REMOVE]: 'vol-1' } },
    };
    const items = [anObject('Cluster'), { ...waiting, status: { deletion: { blockers } } }];
    const api = new FakeApi(() => found({ ...anObject('List'), items } as KubeObject));
    const developers = new Developers(new Asking(api), new Ledger());
    await developers.decide();
    await developers.decide();
    expect([...developers.decided]).toEqual(['vol-2']);
    expect(api.asked.slice(1, 2)).toMatchObject([
      { method: 'PATCH', path: `${CLUSTERS}/c1`, body: { metadata: { annotations: { [REMOVE]: 'vol-1,vol-2' } } } },
    ]);
  });
});
