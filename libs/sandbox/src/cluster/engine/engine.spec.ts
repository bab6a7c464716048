import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { authorizedKeyOf } from '../../ssh/public-key.js';
import { proveKey } from '../../ssh/proof.js';
import { FakeMachines } from '../testing/fake-machines.js';
import { parseManifests } from './apply-manifests.js';
import { Challenges } from './challenges.js';
import { KeyedLock } from './keyed-lock.js';
import { requireReachable, requireWholeControlPlane } from './max-unavailable.js';
import { isControlPlaneMoved } from './members.js';
import { openTunnels } from './tunnels.js';

describe('openTunnels', () => {
  const mine = generateKeyPairSync('ed25519').privateKey;
  const other = generateKeyPairSync('ed25519').privateKey;
  const login = (key = mine, challenge = 'c', claimed = key): { authorizedKey: string; proof: string } => ({
    authorizedKey: authorizedKeyOf(claimed),
    proof: proveKey(key, challenge),
  });
  const node = (answer = login()): Parameters<typeof openTunnels>[0]['nodes'][number] => ({
    ...{ address: '10.0.0.5', internalAddress: '10.0.0.5', hostname: 'a', roles: ['etcd'], labels: {}, taints: [] },
    ...answer,
  });
  const machines = new FakeMachines(authorizedKeyOf(mine));
  machines.add({ id: 'i-1', privateAddress: '10.0.0.5' });
  const bastion = { address: machines.bastion, ...login() };

  it.each([
    { name: 'the right key', request: { bastion, nodes: [node()] }, want: undefined },
    { name: 'another key', request: { bastion, nodes: [node(login(other))] }, want: /unable to authenticate/ },
    {
      name: 'the right public key without its private half',
      request: { bastion, nodes: [node(login(other, 'c', mine))] },
      want: /unable to authenticate/,
    },
    {
      name: 'an old proof',
      request: { bastion, nodes: [node(login(mine, 'before'))] },
      want: /unable to authenticate/,
    },
    {
      name: 'no machine there',
      request: { bastion, nodes: [{ ...node(), address: '10.0.0.6' }] },
      want: /\[10\.0\.0\.6:22\] using SSH.*No route to host/,
    },
    { name: 'no way into the network', request: { nodes: [node()] }, want: /i\/o timeout/ },
    {
      name: 'a bastion that does not exist',
      request: { bastion: { ...bastion, address: '198.18.9.9' }, nodes: [node()] },
      want: /Failed to dial ssh using address \[198\.18\.9\.9:22\]/,
    },
    {
      name: 'a bastion that lets nobody in',
      request: { bastion: { ...bastion, ...login(other) }, nodes: [node()] },
      want: /Failed to dial ssh .*unable to authenticate/,
    },
  ])('$name', ({ request, want }) => {
    const { open, closed } = openTunnels({ challenge: 'c', ...request }, machines);

    if (want === undefined) expect({ open: open.length, closed }).toEqual({ open: 1, closed: [] });
    else expect(closed[0]?.reason).toMatch(want);
  });
});

describe('Challenges', () => {
  it('are good once, and only when they were given out', () => {
    const challenges = new Challenges();
    const challenge = challenges.issue();

    expect(challenges.redeem('made up')).toBe(false);
    expect(challenges.redeem(challenge)).toBe(true);
    expect(challenges.redeem(challenge)).toBe(false);
  });
});

describe('KeyedLock', () => {
  it('lets holders of different keys pass and the others wait', async () => {
    const lock = new KeyedLock();
    const order: string[] = [];
    const first = await lock.acquire(['a', 'b']);
    const second = lock.acquire(['b', 'c']).then((release) => (order.push('second'), release));
    const third = lock.acquire(['d']).then((release) => (order.push('third'), release));
    (await third)();
    expect(order).toEqual(['third']);
    first();
    (await second)();
    expect(order).toEqual(['third', 'second']);
  });
});

describe('parseManifests', () => {
  it('reads documents and leaves out empty ones', () => {
    const text =
      '---\napiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n';
    expect(parseManifests(text).map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  });

  it('refuses what is no object', () => {
    expect(() => parseManifests('kind: Namespace\n')).toThrow('metadata.name must be set');
  });
});

describe('hosts that an upgrade cannot reach', () => {
  type Request = Parameters<typeof requireReachable>[0];
  const host = (name: string, roles: Request['nodes'][number]['roles'] = ['worker']): Request['nodes'][number] => ({
    ...{ address: name, internalAddress: name, hostname: name, roles, labels: {}, taints: [] },
    ...{ authorizedKey: '', proof: '' },
  });
  const workers = (count: number): Request['nodes'] => Array.from({ length: count }, (_, index) => host(`w${index}`));
  const requestOf = (nodes: Request['nodes'], worker = '10%'): Request =>
    ({ nodes, upgrade: { maxUnavailable: { worker, controlplane: '1' }, drain: true } }) as unknown as Request;

  it.each([
    { name: 'one of few is away', count: 3, away: 1, stated: '10%', fails: true },
    { name: 'one of few is away, and two may be', count: 3, away: 1, stated: '2', fails: false },
    { name: 'one of many is away', count: 20, away: 1, stated: '10%', fails: false },
    { name: 'as many of many are away as may be', count: 20, away: 2, stated: '10%', fails: true },
    { name: 'none is away', count: 3, away: 0, stated: '10%', fails: false },
  ])('end it: $fails, when $name', ({ count, away, stated, fails }) => {
    const nodes = workers(count);
    const check = (): void => requireReachable(requestOf(nodes, stated), 'worker', nodes.slice(0, away));

    if (fails) expect(check).toThrow(`cannot proceed with upgrade of worker since ${away} host(s) cannot be reached`);
    else expect(check).not.toThrow();
  });

  it('are of the control plane or are workers, and none of both', () => {
    const both = host('c0', ['controlplane', 'etcd', 'worker']);

    expect(() => requireReachable(requestOf([both]), 'worker', [both])).not.toThrow();
    expect(() => requireReachable(requestOf([both]), 'controlplane', [both])).toThrow(
      'upgrade of controlplane since 1',
    );
    expect(() => requireWholeControlPlane([both])).toThrow('host(s) [c0] skipped because they could not be contacted');
    expect(() => requireWholeControlPlane([host('w0')])).not.toThrow();
  });

  it.each([
    { before: undefined, want: false },
    { before: ['c0'], want: false },
    { before: ['c0', 'c1'], want: true },
    { before: ['c9'], want: true },
  ])('are told of a control plane that has moved: $want, from $before', ({ before, want }) => {
    const nodes = [host('c0', ['controlplane', 'etcd']), host('w0')];
    const previous = before?.map((address) => ({ address, roles: ['controlplane', 'etcd'] }));
    const request = { nodes, ...(previous ? { previousNodes: previous } : {}) } as unknown as Request;

    expect(isControlPlaneMoved(request)).toBe(want);
  });
});
