import { withoutUndefined } from '@crate/api';
import { resolve } from 'node:path';
import { badRequest } from '@crate/errors';
import { clientVersion, readCliEnvironment, readCloudCredentials } from '../config.js';
import { whileItGoesOn } from '../interruption.js';
import { printAs, type OutputFormat } from '../output/print.js';
import { findProgram } from '../prerequisites/find-program.js';
import { formatTable } from '../progress/table.js';
import { BootstrapDir } from '../bootstrap/bootstrap-dir.js';
import { BOOTSTRAP_STEPS } from '../bootstrap/bootstrap-steps.js';
import { writeDurably } from '../bootstrap/durable-file.js';
import { Journal } from '../bootstrap/journal.js';
import { getPlatform } from '../bootstrap/new-platform.js';
import { onlyOne } from '../lock/only-one.js';
import { openScope } from '../bootstrap/open-scope.js';
import { renewDatabaseUrl } from '../bootstrap/platform-database-url.js';
import { forgetAdminKey } from '../bootstrap/release-secrets.js';
import { refuseAnother } from '../bootstrap/refuse-another.js';
import type { BootstrapCloudName, BootstrapRequest } from '../bootstrap/request.js';
import { removalRequest } from '../bootstrap/removal-request.js';
import { rollBackBootstrap } from '../bootstrap/roll-back.js';
import { runSteps } from '../bootstrap/run-steps.js';
import type { BootstrapScope } from '../bootstrap/scope.js';

export interface BootstrapOptions {
  readonly data: string;
  readonly name: string;
  readonly region: string;
  /** Must be there to begin; who goes on need not say it again. */
  readonly account?: string;
  readonly managementNetworks: readonly string[];
  readonly permissionsBoundary?: string;
  readonly sandboxUrl?: string;
  readonly rke?: string;
  readonly kubernetesVersion: string;
  readonly controlPlane: number;
  readonly nodes: number;
  readonly machineType: string;
  readonly host: readonly string[];
  readonly natsUrl?: string;
  readonly natsPasswordsFile?: string;
  readonly databaseUrlFile?: string;
  readonly storageClass?: string;
  readonly serverRegistry?: string;
  readonly values?: string;
  readonly objects?: string;
  readonly marketplaceProductCode?: string;
  readonly releasesIndex?: string;
  readonly releasesPublicKey?: string;
  readonly selfUpgrade?: true;
  readonly timeout: number;
  readonly drainTimeout: number;
  readonly result?: string;
  readonly status?: true;
  readonly rollback?: true;
  readonly output: OutputFormat;
}

const INTERRUPTED =
  'Run the command again and it goes on; --status says how far it is. A temporary platform that runs on this machine goes on running';

const say = (line: string): void => console.log(line);

export async function runBootstrap(cloud: BootstrapCloudName, options: BootstrapOptions): Promise<void> {
  const dir = new BootstrapDir(options.data);
  if (options.status) return showSteps(await Journal.find(dir.journal()), options.output);
  await onlyOne(dir.lock(), () => (options.rollback ? rollBack(dir, options.timeout) : bringUp(dir, cloud, options)));
}

async function bringUp(dir: BootstrapDir, cloud: BootstrapCloudName, options: BootstrapOptions): Promise<void> {
  const begun = await Journal.find(dir.journal());
  const request = requestOf(cloud, options, begun?.request.account);
  await refuseAnother(dir, request);
  await renewDatabaseUrl(dir, request.databaseUrlFile, false);
  const journal = await Journal.open(dir.journal(), request);
  const scope = openScope({ request, dir, credentials: readCloudCredentials(), direction: 'singleton', say });
  const hasWorked = await whileItGoesOn(INTERRUPTED, async () =>
    runSteps({ steps: BOOTSTRAP_STEPS, scope, journal, say }),
  );
  // Not in the last step: whoever is killed in it needs the key again.
  await forgetAdminKey(dir);
  if (!hasWorked) say('It is set up already; nothing was changed');
  await tellResult(scope, options.result);
}

async function tellResult(scope: BootstrapScope, file: string | undefined): Promise<void> {
  const { request, dir } = scope;
  const { url } = await getPlatform(scope);
  const result = { name: request.name, url, version: clientVersion() };
  if (file !== undefined) await writeDurably(resolve(file), `${JSON.stringify(result)}\n`);
  say(`Crate runs at ${url}`);
  say(`  kubeconfig  ${dir.adminKubeconfig()}`);
}

async function rollBack(dir: BootstrapDir, timeout: number): Promise<void> {
  const journal = await Journal.find(dir.journal());
  if (!journal) return say('There is nothing to take back');
  const request = removalRequest(journal.request, { timeout });
  await renewDatabaseUrl(dir, request.databaseUrlFile, false);
  await rollBackBootstrap(openScope({ request, dir, direction: 'singleton', say }), journal);
  say('Taken back: nothing of it is left');
}

function showSteps(journal: Journal | undefined, output: OutputFormat): void {
  const rows = BOOTSTRAP_STEPS.map(({ name, done }) => ({
    step: name,
    // Nobody has done it yet.
    doneAt: journal?.steps[name] ?? null,
    means: done,
  }));
  const cells = rows.map(({ step, doneAt, means }) => [step, doneAt ?? '-', means]);
  printAs(output, rows, () => formatTable(['STEP', 'DONE', 'MEANS'], cells));
}

function requestOf(cloud: BootstrapCloudName, options: BootstrapOptions, begun?: string): BootstrapRequest {
  const {
    name,
    region,
    account = begun ?? missingAccount(),
    managementNetworks,
    permissionsBoundary,
    sandboxUrl,
    natsUrl,
    storageClass,
    serverRegistry,
    marketplaceProductCode,
    releasesIndex,
    selfUpgrade,
  } = options;
  const { kubernetesVersion, controlPlane, nodes, machineType, host: hosts } = options;
  const rke = options.rke ?? findProgram(['rke'], readCliEnvironment().searchPath);
  return {
    ...{ cloud, name, region, account, managementNetworks, kubernetesVersion, controlPlane, nodes, machineType, hosts },
    ...{ timeoutMs: options.timeout, drainTimeoutMs: options.drainTimeout },
    ...withoutUndefined({ permissionsBoundary, sandboxUrl, natsUrl, storageClass, serverRegistry, rke }),
    ...withoutUndefined({ marketplaceProductCode, releasesIndex, selfUpgrade }),
    ...withoutUndefined({
      natsPasswordsFile: absolute(options.natsPasswordsFile),
      databaseUrlFile: absolute(options.databaseUrlFile),
      valuesFile: absolute(options.values),
      objectsFile: absolute(options.objects),
      releasesPublicKeyFile: absolute(options.releasesPublicKey),
    }),
  };
}

function missingAccount(): never {
  throw badRequest('It is not said which account the platform is set up in: give its 12-digit number with --account');
}

function absolute(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path);
}
