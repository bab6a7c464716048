import { setTimeout as delay } from 'node:timers/promises';
import { timeout } from '@crate/errors';
import { createKeyFile, retireKeyFile } from '@crate/secrets';
import { formatTable } from '../progress/table.js';
import { keysDirectory, listEncryptionKeys, usesOf } from '../secrets/encryption-keys.js';
import { DataDir } from '../up/data-dir.js';
import { getRunning } from '../up/run-file.js';
import { SERVICE_ORDER } from '../up/service-order.js';
import { printAs, type OutputFormat } from '../output/print.js';

interface Common {
  readonly dataDir: string;
}

const LOOK_EVERY_MS = 1_000;
const LONGEST_MS = 30 * 60_000;

export async function runStatus(options: Common & { readonly output: OutputFormat }): Promise<void> {
  const rows = await listEncryptionKeys(await runningDir(options));
  const cells = rows.map(({ service, keyId, state, records }) => [service, keyId, state, String(records)]);
  printAs(options.output, rows, () => formatTable(['SERVICE', 'KEY', 'STATE', 'RECORDS'], cells));
}

export async function runRotate(options: Common & { wait: boolean }): Promise<void> {
  const dir = await runningDir(options);
  for (const service of SERVICE_ORDER) {
    console.log(`${service}: new key ${await createKeyFile(keysDirectory(dir, service))}`);
  }
  if (options.wait) await waitUntilMoved(dir);
}

export async function runRetire(options: Common): Promise<void> {
  const dir = await runningDir(options);
  const older = (await listEncryptionKeys(dir)).filter(({ state }) => state === 'older');
  if (older.length === 0) console.log('There is no older key');
  for (const { service, keyId } of older) {
    await retireKeyFile(keysDirectory(dir, service), keyId, await usesOf(dir, service));
    console.log(`${service}: removed key ${keyId}`);
  }
}

/** The services look at their keys every few seconds by themselves. */
async function waitUntilMoved(dir: DataDir): Promise<void> {
  const until = Date.now() + LONGEST_MS;
  for (let before = -1; ; await delay(LOOK_EVERY_MS)) {
    const rows = await listEncryptionKeys(dir);
    const left = rows.filter(({ state }) => state !== 'newest').reduce((sum, { records }) => sum + records, 0);
    if (left !== before) console.log(left === 0 ? 'All secrets are under the new keys' : `${left} records to move`);
    if (left === 0) return;
    if (Date.now() > until) throw timeout(`${left} records are still under older keys; see the services' logs`);
    before = left;
  }
}

async function runningDir({ dataDir }: Common): Promise<DataDir> {
  const dir = new DataDir(dataDir);
  await getRunning(dir);
  return dir;
}
