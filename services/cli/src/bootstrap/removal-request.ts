import type { BootstrapRequest } from './request.js';

/** What is said of a removal alone. */
export interface RemovalOptions {
  /** How long each step may take. */
  readonly timeout: number;
  readonly managementNetworks?: readonly string[] | undefined;
}

/**
 * What a removal works with: what the platform was set up with, and what is said of the removal. The networks of the bootstrap may long be others, such as
 * when this machine has another address, and the temporary platform would shut out who takes it away; its patience may have been what was left of somebody's.
 */
export function removalRequest(
  before: BootstrapRequest,
  { timeout, managementNetworks = before.managementNetworks }: RemovalOptions,
): BootstrapRequest {
  return { ...before, managementNetworks, timeoutMs: timeout };
}
