import { describe, expect, it } from '@jest/globals';
import { matchesSelector } from '../label-selector.js';
import type { Node } from '../kinds/core.js';
import type { PodSpec } from '../kinds/pod-spec.js';
import { selectsNode, untoleratedTaint } from './node-fit.js';
import { parseQuantity, podRequests, qosClass } from './quantities.js';

function nodeWith(labels: Record<string, string>, taints: NonNullable<Node['spec']['taints']> = []): Node {
  return { metadata: { name: 'n', labels }, spec: { taints } } as unknown as Node;
}

function podWith(change: Partial<PodSpec>): PodSpec {
  return { containers: [], ...change } as unknown as PodSpec;
}

describe('selectsNode', () => {
  const affinity = (matchExpressions: unknown[]): Partial<PodSpec> => ({
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
    } as NonNullable<PodSpec['affinity']>,
  });

  it.each([
    { name: 'no wish', spec: {}, want: true },
    { name: 'a label it has', spec: { nodeSelector: { disk: 'fast' } }, want: true },
    { name: 'another value', spec: { nodeSelector: { disk: 'slow' } }, want: false },
    { name: 'In', spec: affinity([{ key: 'disk', operator: 'In', values: ['slow', 'fast'] }]), want: true },
    { name: 'NotIn', spec: affinity([{ key: 'disk', operator: 'NotIn', values: ['fast'] }]), want: false },
    { name: 'Exists', spec: affinity([{ key: 'gpu', operator: 'Exists' }]), want: false },
    { name: 'DoesNotExist', spec: affinity([{ key: 'gpu', operator: 'DoesNotExist' }]), want: true },
    { name: 'Gt', spec: affinity([{ key: 'cores', operator: 'Gt', values: ['4'] }]), want: true },
  ])('$name', ({ spec, want }) => {
    expect(selectsNode(podWith(spec), nodeWith({ disk: 'fast', cores: '8' }))).toBe(want);
  });
});

describe('untoleratedTaint', () => {
  const taints = [{ key: 'only', value: 'web', effect: 'NoSchedule' as const }];

  it.each([
    { name: 'no toleration', tolerations: [], want: 'only' },
    { name: 'the same value', tolerations: [{ key: 'only', value: 'web' }], want: undefined },
    { name: 'another value', tolerations: [{ key: 'only', value: 'db' }], want: 'only' },
    { name: 'any value', tolerations: [{ key: 'only', operator: 'Exists' as const }], want: undefined },
    { name: 'everything', tolerations: [{ operator: 'Exists' as const }], want: undefined },
    {
      name: 'another effect',
      tolerations: [{ key: 'only', value: 'web', effect: 'NoExecute' as const }],
      want: 'only',
    },
  ])('$name', ({ tolerations, want }) => {
    expect(untoleratedTaint(podWith({ tolerations }), nodeWith({}, taints))?.key).toBe(want);
  });

  it('lets pods onto nodes that they had better not go to', () => {
    const preferred = [{ key: 'a', effect: 'PreferNoSchedule' as const }];
    expect(untoleratedTaint(podWith({}), nodeWith({}, preferred))).toBeUndefined();
  });
});

describe('quantities', () => {
  it.each([
    ['500m', 0.5],
    ['2', 2],
    ['1.5', 1.5],
    ['1Ki', 1024],
    ['8285184Ki', 8285184 * 1024],
    ['2Gi', 2 * 2 ** 30],
    ['1e3', 1000],
    ['3M', 3e6],
    ['nonsense', 0],
  ])('reads %s', (text, want) => {
    expect(parseQuantity(text)).toBeCloseTo(want);
  });

  it('adds requests up, limits standing in for them', () => {
    const containers = [
      { resources: { requests: { cpu: '250m', memory: '64Mi' } } },
      { resources: { limits: { cpu: '1' } } },
      { resources: {} },
    ] as unknown as PodSpec['containers'];

    expect(podRequests(podWith({ containers }))).toEqual({ cpu: 1.25, memory: 64 * 2 ** 20 });
    expect(qosClass(podWith({ containers }))).toBe('Burstable');
  });
});

describe('matchesSelector', () => {
  it('takes an empty selector for everything and an absent one for nothing', () => {
    expect(matchesSelector({}, { a: 'b' })).toBe(true);
    expect(matchesSelector(undefined, { a: 'b' })).toBe(false);
  });
});
