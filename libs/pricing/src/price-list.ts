import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The newest file of prices. */
const FILE = new URL('../prices/aws-2026-11.json', import.meta.url);

const price = z.number().positive();

const regionPrices = z.strictObject({
  machineHour: z.record(z.string(), price),
  diskGibMonth: z.record(z.string(), price),
  natGatewayHour: price,
  networkLoadBalancerHour: price,
  publicAddressHour: price,
});

const priceList = z.strictObject({
  provider: z.string(),
  date: z.iso.date(),
  currency: z.string(),
  hoursPerMonth: price,
  source: z.string(),
  excluded: z.array(z.string()),
  regions: z.record(z.string(), regionPrices),
});

/** List prices of one provider on one day. */
export type PriceList = z.output<typeof priceList>;
export type RegionPrices = z.output<typeof regionPrices>;

let known: PriceList | undefined;

/** The prices that ship with this release. Throws when the file is not what it should be. */
export function readPrices(): PriceList {
  known ??= priceList.parse(JSON.parse(readFileSync(FILE, 'utf8')));
  return known;
}
