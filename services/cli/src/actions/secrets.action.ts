import { keyTable, listEncryptionKeys } from '../secrets/encryption-keys.js';
import { retireKeys, rotateKeys } from '../secrets/replace-keys.js';
import { waitUntilMoved } from '../secrets/wait-until-moved.js';
import { DataDir } from '../up/data-dir.js';
import { getRunning } from '../up/run-file.js';
import { printAs, type OutputFormat } from '../output/print.js';

interface Common {
  readonly dataDir: string;
}

export async function runStatus(options: Common & { readonly output: OutputFormat }): Promise<void> {
  const rows = await listEncryptionKeys(await runningDir(options));
  printAs(options.output, rows, () => keyTable(rows));
}

export async function runRotate(options: Common & { wait: boolean }): Promise<void> {
  const dir = await runningDir(options);
  await rotateKeys(dir);
  if (options.wait) await waitUntilMoved(() => listEncryptionKeys(dir));
}

export async function runRetire(options: Common): Promise<void> {
  await retireKeys(await runningDir(options));
}

async function runningDir({ dataDir }: Common): Promise<DataDir> {
  const dir = new DataDir(dataDir);
  await getRunning(dir);
  return dir;
}
