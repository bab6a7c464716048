import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import { timeout } from '@crate/errors';
import { createKeyFile, retireKeyFile } from '@crate/secrets';
import { formatTable } from '../progress/table.js';
import { keysDirectory, listEncryptionKeys, usesOf } from '../secrets/encryption-keys.js';
import { DataDir } from '../up/data-dir.js';
import { getRunning } from '../up/run-file.js';
import { SERVICE_ORDER } from '../up/services.js';
import { dataDirOption } from './common-options.js';
import { formatOption, printAs, type OutputFormat } from '../output/print.js';

interface Common {
  readonly dataDir: string;
}

const LOOK_EVERY_MS = 1_000;
const LONGEST_MS = 30 * 60_000;

/** `crate secrets`: the keys that secrets are encrypted under. */
export function secretsCommand(): Command {
  return new Command('secrets')
    .description('Show and replace the keys that secrets are encrypted under')
    .addCommand(statusCommand(), { isDefault: true })
    .addCommand(rotateCommand())
    .addCommand(retireCommand());
}

function statusCommand(): Command {
  return common(new Command('status').description('List the keys of each service and what stands under them'))
    .addOption(formatOption('table'))
    .action(async (options: Common & { readonly output: OutputFormat }) => {
      const rows = await listEncryptionKeys(await runningDir(options));
      const cells = rows.map(({ service, keyId, state, records }) => [service, keyId, state, String(records)]);
      printAs(options.output, rows, () => formatTable(['SERVICE', 'KEY', 'STATE', 'RECORDS'], cells));
    });
}

function rotateCommand(): Command {
  return common(
    new Command('rotate').description('Make a new key for each service; running services move all secrets under it'),
  )
    .option('--no-wait', 'return at once; "crate secrets status" says how far it is')
    .action(async (options: Common & { wait: boolean }) => {
      const dir = await runningDir(options);
      for (const service of SERVICE_ORDER) {
        console.log(`${service}: new key ${await createKeyFile(keysDirectory(dir, service))}`);
      }
      if (options.wait) await waitUntilMoved(dir);
    });
}

function retireCommand(): Command {
  return common(
    new Command('retire').description(
      'Remove every older key that nothing stands under. Backups made under it cannot be read without a copy of it',
    ),
  ).action(async (options: Common) => {
    const dir = await runningDir(options);
    const older = (await listEncryptionKeys(dir)).filter(({ state }) => state === 'older');
    if (older.length === 0) console.log('There is no older key');
    for (const { service, keyId } of older) {
      await retireKeyFile(keysDirectory(dir, service), keyId, await usesOf(dir, service));
      console.log(`${service}: removed key ${keyId}`);
    }
  });
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

function common(command: Command): Command {
  return command.addOption(dataDirOption('data directory of the platform'));
}

async function runningDir({ dataDir }: Common): Promise<DataDir> {
  const dir = new DataDir(dataDir);
  await getRunning(dir);
  return dir;
}
