import { parseCidr } from '@crate/api';
import { invariant } from '@crate/errors';

/** The blocks of one zone's subnets. */
export interface ZoneBlocks {
  readonly private: string;
  readonly public: string;
}

const QUARTERS = 4;

/**
 * Divides the VPC: zone i has the i-th quarter for machines, and the i-th quarter of the last quarter for what faces
 * the internet. The division does not depend on how many zones are used, so that a zone keeps its blocks when
 * another one is added.
 */
export function zoneBlocks(vpcCidr: string, zone: number): ZoneBlocks {
  const vpc = parseCidr(vpcCidr);
  if (!vpc || zone < 0 || zone >= QUARTERS - 1) throw invariant(`No blocks for zone ${zone} of ${vpcCidr}`);
  const quarter = vpc.size / QUARTERS;
  const lastQuarter = vpc.first + quarter * (QUARTERS - 1);
  return {
    private: formatCidr(vpc.first + quarter * zone, quarter),
    public: formatCidr(lastQuarter + (quarter / QUARTERS) * zone, quarter / QUARTERS),
  };
}

function formatCidr(first: number, size: number): string {
  const octets = [24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256);
  return `${octets.join('.')}/${32 - Math.log2(size)}`;
}
