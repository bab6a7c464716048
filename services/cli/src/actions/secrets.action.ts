import { setTimeout as delay } from 'node:timers/promises';
import { timeout } from '@crate/errors';
import { keyTable, listEncryptionKeys } from '../secrets/encryption-keys.js';
import { retireKeys, rotateKeys } from '../secrets/replace-keys.js';
import { DataDir } from '../up/data-dir.js';
import { getRunning } from '../up/run-file.js';
import { printAs, type OutputFormat } from '../output/print.js';

interface Common {
  readonly dataDir: string;
}

const LOOK_EVERY_MS = 1_000;
const LONGEST_MS = 30 * 60_000;

export async function runStatus(options: Common & { readonly output: OutputFormat }): Promise<void> {
  const rows = await listEncryptionKeys(await runningDir(options));
  printAs(options.output, rows, () => keyTable(rows));
}

export async function runRotate(options: Common & { wait: boolean }): Promise<void> {
  const dir = await runningDir(options);
  await rotateKeys(dir);
  if (options.wait) await waitUntilMoved(dir);
}

export async function runRetire(options: Common): Promise<void> {
  await retireKeys(await runningDir(options));
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
