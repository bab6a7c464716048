import { randomInt } from 'node:crypto';
import { parseCidr } from '@crate/api';
import { unavailable } from '@crate/errors';
import type { DurableMap } from '../../journal/durable-map.js';
import { formatAddress } from './network-addresses.js';

const LAST_OCTET_BROADCAST = 255;

/**
 * Gives out the addresses of a block one after the other, so that an address comes back late after it was given up.
 * Where it stands is kept on disk.
 */
export class AddressPool {
  constructor(
    private readonly store: DurableMap,
    private readonly name: string,
    private readonly block: string,
  ) {}

  /** The next address that is not in `taken`. */
  next(taken: ReadonlySet<string>): string {
    const range = parseCidr(this.block);
    if (!range) throw unavailable(`${this.block} is no address block`);
    const key = `address-pool/${this.name}`;
    let position = (this.store.get(key) as number | undefined) ?? 0;
    for (let step = 0; step < range.size; step += 1) {
      position = (position + 1) % range.size;
      const address = formatAddress(range.first + position);
      if (!isHost(address) || taken.has(address)) continue;
      this.store.put(key, position);
      return address;
    }
    throw unavailable(`No address left in ${this.block}`);
  }
}

/** The part of the loopback block that is this data directory's, chosen once at random. */
export function loopbackBlock(store: DurableMap): string {
  const kept = store.get('loopback-block') as string | undefined;
  if (kept !== undefined) return kept;
  const block = `127.${randomInt(64, 251)}.${randomInt(1, 64) * 4}.0/22`;
  store.put('loopback-block', block);
  return block;
}

function isHost(address: string): boolean {
  const last = Number(address.split('.')[3]);
  return last !== 0 && last !== LAST_OCTET_BROADCAST;
}
