import { describe, expect, it } from '@jest/globals';
import { monthlyCost, type Billable } from './monthly-cost.js';
import { readPrices } from './price-list.js';

const prices = readPrices();

describe('monthlyCost', () => {
  const rows: readonly { name: string; given: Billable; want: number }[] = [
    { name: 'machines by the hour', given: { kind: 'machine', type: 'm5.large', count: 3 }, want: 210.24 },
    { name: 'disks by their size', given: { kind: 'disk', type: 'gp3', gib: 50, count: 2 }, want: 8 },
    { name: 'gateways by the hour', given: { kind: 'natGateway', count: 3 }, want: 98.55 },
    { name: 'balancers by the hour', given: { kind: 'networkLoadBalancer', count: 1 }, want: 16.43 },
    { name: 'addresses by the hour', given: { kind: 'publicAddress', count: 4 }, want: 14.6 },
  ];
  it.each(rows)('counts $name', ({ given, want }) => {
    expect(monthlyCost(prices, 'us-east-1', [given])).toEqual({ amount: want, currency: 'USD', unknown: [] });
  });

  it('names what has no known price, and counts the rest', () => {
    const items: readonly Billable[] = [
      { kind: 'machine', type: 'x9.huge', count: 2 },
      { kind: 'machine', type: 'm5.large', count: 1 },
      { kind: 'machine', type: 'toString', count: 1 },
    ];
    expect(monthlyCost(prices, 'us-east-1', items)).toEqual({
      amount: 70.08,
      currency: 'USD',
      unknown: ['machine toString in us-east-1', 'machine x9.huge in us-east-1'],
    });
  });

  it('knows nothing of a region that the file does not have', () => {
    const found = monthlyCost(prices, 'mars-north-1', [{ kind: 'natGateway', count: 1 }]);
    expect(found).toEqual({ amount: 0, currency: 'USD', unknown: ['natGateway in mars-north-1'] });
  });

  it('does not miss the price of what is not there', () => {
    expect(monthlyCost(prices, 'mars-north-1', [{ kind: 'natGateway', count: 0 }]).unknown).toEqual([]);
  });
});

describe('readPrices', () => {
  it('says of which day and from where they are', () => {
    expect(prices.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(prices.source).toContain('https://');
    expect(prices.excluded).toContain('data transfer');
  });
});
