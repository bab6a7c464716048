import type { BootstrapDir } from './bootstrap-dir.js';
import { Journal } from './journal.js';
import { refusal } from './refusal.js';
import { identityOf, PLATFORM_PROJECT, type BootstrapRequest } from './request.js';
import { ROLLING_BACK } from './roll-back.js';
import { describeServers } from './servers/bundled-servers.js';

/** Options by what they say of the cluster, which is made once. */
const OF_THE_CLUSTER = {
  kubernetesVersion: '--kubernetes-version',
  controlPlane: '--control-plane',
  nodes: '--nodes',
  machineType: '--machine-type',
} as const satisfies Partial<Record<keyof BootstrapRequest, string>>;

/**
 * Throws Conflict when the directory is that of another platform, or of one whose cluster was asked for otherwise (`RequestChanged`), of one that
 * is taken back (`RollingBack`), or of one that was removed (`DirectoryUsed`).
 */
export async function refuseAnother(dir: BootstrapDir, request: BootstrapRequest): Promise<void> {
  if ((await Journal.find(dir.removalJournal())) !== undefined) {
    throw refusal({
      reason: 'DirectoryUsed',
      message: `${dir.root} belongs to a platform that was removed, or is about to be`,
      remedy: 'Give another directory with --data',
    });
  }
  const journal = await Journal.find(dir.journal());
  if (journal?.has(ROLLING_BACK)) {
    throw refusal({
      reason: 'RollingBack',
      message: `What was made with ${dir.root} is being taken back`,
      remedy: 'Run the command with --rollback to its end first',
    });
  }
  if (journal) refuseChanges(journal, request, dir);
}

function refuseChanges(journal: Journal, request: BootstrapRequest, { root }: BootstrapDir): void {
  const [was, is] = [journal.request, request].map((each) => `${identityOf(each)} with ${describeServers(each)}`);
  if (was !== is) {
    throw refusal({
      reason: 'RequestChanged',
      message: `${root} belongs to ${was}, and not to ${is}`,
      remedy: 'Give another directory with --data, or take the first one back with --rollback',
    });
  }
  const options = Object.entries(OF_THE_CLUSTER) as [keyof typeof OF_THE_CLUSTER, string][];
  const changed = options.filter(([field]) => journal.request[field] !== request[field]);
  if (!journal.has('cluster') || changed.length === 0) return;
  const asked = changed.map(([field, option]) => `${option} ${journal.request[field]} (not ${request[field]})`);
  throw refusal({
    reason: 'RequestChanged',
    message: `The platform cluster was asked for with ${asked.join(', ')}`,
    remedy: `Give the same again, and change it once it is set up: "crate clusters scale ${request.name} -n ${PLATFORM_PROJECT}", or "crate clusters upgrade"`,
  });
}
