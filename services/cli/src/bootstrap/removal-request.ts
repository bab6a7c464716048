import type { BootstrapDir } from './bootstrap-dir.js';
import { Journal } from './journal.js';
import type { BootstrapRequest } from './request.js';

/**
 * What a removal works with: what the platform was set up with, and the networks that are given. Those of the bootstrap may long be others, such as when
 * this machine has another address, and the temporary platform would shut out who takes it away. A removal that goes on keeps to what it began with.
 */
export async function removalRequest(
  installed: BootstrapRequest,
  dir: BootstrapDir,
  given: readonly string[] | undefined,
): Promise<BootstrapRequest> {
  const begun = await Journal.find(dir.removalJournal());
  const { managementNetworks } = begun?.request ?? installed;
  return { ...installed, managementNetworks: given ?? managementNetworks };
}
