import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import type { Policy } from '@crate/api';
import { catalogued, exampleRequest, readPacks, RuleReviewer } from '@crate/policy-engine';
import { monthlyCost, readPrices } from '@crate/pricing';
import { InMemoryLogger } from '@crate/telemetry';

/** As the rule states them: in cents a month in us-east-1. */
interface StatedPrices {
  readonly large: Readonly<Record<string, number>>;
  readonly sixteenths: Readonly<Record<string, number>>;
  readonly diskGib: number;
  readonly natGateway: number;
  readonly loadBalancer: number;
  readonly address: number;
  readonly regionPercent: Readonly<Record<string, number>>;
}

const HOME = 'us-east-1';

const list = readPrices();
const packs = await readPacks(fileURLToPath(new URL('../../packs', import.meta.url)));
const { name, spec } = packs.find((packed) => packed.name === 'cost-cluster-monthly')!;
const stated = spec.params['prices'] as StatedPrices;

function statedMachine(type: string): number {
  const [family = '', size = ''] = type.split('.');
  const multiple = /^(\d+)xlarge$/.exec(size)?.[1];
  const sixteenths = multiple === undefined ? stated.sixteenths[size] : Number(multiple) * 32;
  return ((stated.large[family] ?? NaN) * (sixteenths ?? NaN)) / 16;
}

/** What the rule says that the ordinary cluster of the examples costs in a region. */
function judgedDollars(region: string): number {
  const policy = { metadata: { name }, spec } as Policy;
  const request = exampleRequest('ClusterSpec', { spec: { region } });
  const { results } = new RuleReviewer(new InMemoryLogger()).reviewInDetail(request, {
    policies: [catalogued(policy)],
  });
  return Number(results[0]?.auditAnnotations?.['dollars-a-month']);
}

/** The same by the price list, item by item. */
function listedDollars(region: string): number {
  const machines = [
    { type: 'm5.large', gib: 50, count: 3 },
    { type: 'm5.xlarge', gib: 50, count: 2 },
    { type: 't3.micro', gib: 20, count: 1 },
  ];
  const { amount, unknown } = monthlyCost(list, region, [
    ...machines.map(({ type, count }) => ({ kind: 'machine', type, count }) as const),
    ...machines.map(({ gib, count }) => ({ kind: 'disk', type: 'gp3', gib, count }) as const),
    { kind: 'natGateway', count: 3 },
    { kind: 'publicAddress', count: 7 },
    { kind: 'networkLoadBalancer', count: 1 },
  ]);
  expect(unknown).toEqual([]);
  return amount;
}

describe('the prices of the cost pack', () => {
  it('name every machine type of the price list, at its price', () => {
    const types = Object.entries(list.regions[HOME]?.machineHour ?? {});
    expect(types.length).toBeGreaterThan(50);
    for (const [type, hour] of types) {
      const cents = hour * list.hoursPerMonth * 100;
      expect({ type, cents: statedMachine(type) / cents }).toEqual({ type, cents: expect.closeTo(1, 3) });
    }
  });

  it('are those of the price list for everything else', () => {
    const home = list.regions[HOME]!;
    const cents = (hour: number): number => Math.round(hour * list.hoursPerMonth * 100);
    expect(stated).toMatchObject({
      diskGib: Math.round(home.diskGibMonth['gp3']! * 100),
      natGateway: cents(home.natGatewayHour),
      address: cents(home.publicAddressHour),
    });
    // Half a cent is lost in rounding.
    expect(Math.abs(stated.loadBalancer - home.networkLoadBalancerHour * list.hoursPerMonth * 100)).toBeLessThan(1);
  });

  it('know every region of the price list', () => {
    expect(Object.keys(stated.regionPercent).sort()).toEqual(Object.keys(list.regions).sort());
  });

  it.each(Object.keys(list.regions))('come to what the price list does, within a twentieth, in %s', (region) => {
    expect(Math.abs(judgedDollars(region) / listedDollars(region) - 1)).toBeLessThan(0.05);
  });
});
