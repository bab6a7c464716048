import { parseCidr } from '@crate/api';

/** The dotted form of an IPv4 address. */
export function formatAddress(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}

/** The first usable address of a block: that of the `kubernetes` service in the service range. */
export function firstAddress(cidr: string): string {
  return formatAddress((parseCidr(cidr)?.first ?? 0) + 1);
}
