import { parseCidr } from '@crate/api';
import { invariant } from '@crate/errors';
import { settled, waiting, type Outcome } from '@crate/reconcile';
import type { InfrastructureScope } from '../infrastructure.scope.js';

const POLL_MS = 60_000;
/** RFC 1918, and what carriers, machines and links keep for themselves. */
const NOT_PUBLIC = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'];

/**
 * Makes nothing in AWS that nobody could reach: bastion and load balancer have public addresses, so that nobody comes to them from a private
 * one. What was begun already is not held up.
 */
export class ManagementNetworksPhase {
  private readonly isPublic: boolean;

  constructor(managementCidrs: readonly string[]) {
    this.isPublic = managementCidrs.some((cidr) => !NOT_PUBLIC.some((block) => isWithin(cidr, block)));
  }

  readonly run = (scope: InfrastructureScope): Promise<Outcome> => {
    const { account, stateSerial } = scope;
    if (!account) throw invariant('The account phase has not run');
    const isLet = this.isPublic || account.spec.provider !== 'aws' || stateSerial !== undefined;
    if (isLet) return Promise.resolve(settled);
    scope.failure = {
      code: 'ManagementNetworksPrivate',
      message: 'The management networks are all private, and clusters in AWS are reached by public addresses',
      remedy:
        'Ask the platform operator to name the public addresses that the platform and its people come from (CRATE_MANAGEMENT_CIDRS of cloud-mgmt)',
      retryable: true,
    };
    return Promise.resolve(waiting('ManagementNetworksPrivate', POLL_MS));
  };
}

function isWithin(cidr: string, block: string): boolean {
  const [inner, outer] = [parseCidr(cidr), parseCidr(block)];
  if (!inner || !outer) return false;
  return inner.first >= outer.first && inner.first + inner.size <= outer.first + outer.size;
}
