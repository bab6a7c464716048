import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { badRequest } from '@crate/errors';
import { stringify } from 'yaml';
import { releaseSecrets, type ReleaseSecrets } from './secrets/release-secrets.js';

const HELP = `Usage: node libs/helm-chart/dist/make-secrets.js --out DIRECTORY [options]

Makes what is secret of a new release: DIRECTORY/secrets.yaml for kubectl apply, and what belongs to it. Never overwrites anything.

  --release NAME       name of the release; default: crate
  --namespace NAME     default: crate-system
  --database-url URL   PostgreSQL of your own, without user and password; writes roles.sql. Default: the bundled one
  --host NAME          name of the API, may be repeated; makes certificates of the API and of bundled NATS, and ca.crt
  --webhook-host NAME  by which API servers of clusters reach the webhook; makes its certificate, webhook-client.crt and webhook-client.key
                       that they show it, and ca.crt
  --admin-days DAYS    writes admin.token: somebody who may do everything for so long, until people sign in with an issuer of yours
`;

/** Writes the files of one release; throws BadRequest when they are there already. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      release: { type: 'string', default: 'crate' },
      namespace: { type: 'string', default: 'crate-system' },
      'database-url': { type: 'string' },
      host: { type: 'string', multiple: true },
      'webhook-host': { type: 'string' },
      'admin-days': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help || values.out === undefined) {
    process.stdout.write(HELP);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const made = await releaseSecrets({
    fullname: values.release.includes('crate') ? values.release : `${values.release}-crate`,
    namespace: values.namespace,
    ...(values['database-url'] === undefined ? {} : { databaseUrl: values['database-url'] }),
    ...(values.host === undefined ? {} : { hosts: values.host }),
    ...(values['webhook-host'] === undefined ? {} : { webhookHost: values['webhook-host'] }),
    ...(values['admin-days'] === undefined ? {} : { adminDays: daysOf(values['admin-days']) }),
  });
  await writeRelease(values.out, made);
}

async function writeRelease(
  directory: string,
  { secrets, sql, ca, webhookClient, adminToken }: ReleaseSecrets,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const files = {
    'secrets.yaml': secrets.map((secret) => `---\n${stringify(secret, { compat: 'yaml-1.1', lineWidth: 0 })}`).join(''),
    'roles.sql': sql,
    'ca.crt': ca,
    'webhook-client.crt': webhookClient?.certificate,
    'webhook-client.key': webhookClient?.key,
    'admin.token': adminToken,
  };
  for (const [name, text] of Object.entries(files)) {
    if (text !== undefined) await writeNew(join(directory, name), text);
  }
}

function daysOf(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 90) return days;
  throw badRequest('--admin-days must be a whole number from 1 to 90');
}

/** Keys that are replaced by accident are lost, and with them all that is encrypted. */
async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw badRequest(`${file} is there already; name another directory with --out`);
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
