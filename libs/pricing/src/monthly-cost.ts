import type { PriceList, RegionPrices } from './price-list.js';

/** Something that costs money for as long as it is there. */
export type Billable =
  | { readonly kind: 'machine'; readonly type: string; readonly count: number }
  | { readonly kind: 'disk'; readonly type: string; readonly gib: number; readonly count: number }
  | { readonly kind: 'natGateway' | 'networkLoadBalancer' | 'publicAddress'; readonly count: number };

/** What things cost a month, as far as that is known. */
export interface MonthlyCost {
  /** Of what is known, rounded to cents. */
  readonly amount: number;
  readonly currency: string;
  /** What has no known price and is not in the amount, such as `machine x9.huge in us-east-1`. */
  readonly unknown: readonly string[];
}

/** Adds up what things cost in a region. Pure. */
export function monthlyCost(prices: PriceList, region: string, items: readonly Billable[]): MonthlyCost {
  const there = items.filter(({ count }) => count > 0);
  const priced = there.map((item) => ({ item, price: priceOf(item, prices, prices.regions[region]) }));
  const amount = priced.reduce((sum, { item, price }) => sum + (price ?? 0) * item.count, 0);
  const unknown = priced.flatMap(({ item, price }) => (price === undefined ? [`${nameOf(item)} in ${region}`] : []));
  return { amount: Math.round(amount * 100) / 100, currency: prices.currency, unknown: [...new Set(unknown)].sort() };
}

/** Of one, for a month; undefined when nobody knows. */
function priceOf(item: Billable, { hoursPerMonth }: PriceList, region: RegionPrices | undefined): number | undefined {
  if (!region) return undefined;
  switch (item.kind) {
    case 'machine':
      return perMonth(own(region.machineHour, item.type), hoursPerMonth);
    case 'disk':
      return perMonth(own(region.diskGibMonth, item.type), item.gib);
    case 'natGateway':
      return region.natGatewayHour * hoursPerMonth;
    case 'networkLoadBalancer':
      return region.networkLoadBalancerHour * hoursPerMonth;
    case 'publicAddress':
      return region.publicAddressHour * hoursPerMonth;
  }
}

function perMonth(price: number | undefined, factor: number): number | undefined {
  return price === undefined ? undefined : price * factor;
}

function own(prices: Readonly<Record<string, number>>, type: string): number | undefined {
  return Object.hasOwn(prices, type) ? prices[type] : undefined;
}

function nameOf(item: Billable): string {
  return 'type' in item ? `${item.kind} ${item.type}` : item.kind;
}
