import { setTimeout as delay } from 'node:timers/promises';
import { timeout } from '@crate/errors';
import type { EncryptionKeyRow } from './encryption-keys.js';

const LOOK_EVERY_MS = 1_000;
const LONGEST_MS = 30 * 60_000;
const RUNBOOK = 'docs/runbooks/CrateSecretRenewalFailing.md';

/**
 * Waits until nothing stands under an older key: services look at their keys every few seconds by themselves. What stands under a key whose
 * file is missing does not move before that is back, so it is told of instead. Throws Timeout.
 */
export async function waitUntilMoved(
  look: () => Promise<readonly EncryptionKeyRow[]>,
  pause: () => Promise<unknown> = () => delay(LOOK_EVERY_MS),
): Promise<void> {
  const until = Date.now() + LONGEST_MS;
  for (let before = 0; ; await pause()) {
    const rows = await look();
    const left = rows.filter(({ state }) => state === 'older').reduce((sum, { records }) => sum + records, 0);
    if (left === 0) return tellMoved(rows.filter(({ state }) => state === 'missing'));
    if (left !== before) console.log(`${left} records to move`);
    if (Date.now() > until) throw timeout(`${left} records are still under older keys; see ${RUNBOOK}`);
    before = left;
  }
}

function tellMoved(missing: readonly EncryptionKeyRow[]): void {
  console.log(`All secrets${missing.length === 0 ? '' : ' that can be read'} are under the new keys`);
  for (const { service, keyId, records } of missing)
    console.error(
      `${records} records of ${service} stay under its key ${keyId}, whose file is missing; see ${RUNBOOK}`,
    );
}
