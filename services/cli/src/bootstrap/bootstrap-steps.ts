import { isConditionTrue, findCondition, type CloudAccount, type Condition, type KubeObjectInput } from '@crate/api';
import { whyNoHelm } from '@crate/helm-chart';
import { stringify } from 'yaml';
import type { ApiClient } from '../client/api-client.js';
import { resourcePath, type Document } from '../client/resource-path.js';
import { untilReady } from '../clusters/until-ready.js';
import { YAML_OPTIONS } from '../output/print.js';
import { pivotOrActAgain } from '../pivot/pivot-or-act-again.js';
import { readDatabaseUrl } from '../up/database-url.js';
import { findText } from '../up/secret-file.js';
import { waitUntil } from '../up/wait.js';
import { accountNotReady } from './account-not-ready.js';
import { writeDurably } from './durable-file.js';
import { getPlatform, untilWell, withCluster } from './new-platform.js';
import { egressAddresses, platformClusterPath, platformKubeconfigPath } from './platform-cluster.js';
import { applyRelease, checkFiles, furtherObjects, renderChart, valuesOf } from './platform-chart.js';
import { withPlatformSide } from './platform-database-url.js';
import { checkDatabase, ensureRoles } from './platform-database.js';
import { accountDocument, clusterDocument, projectDocument } from './platform-documents.js';
import { refusal } from './refusal.js';
import { ensureReleaseSecrets, findReleaseSecrets, getReleaseSecrets, writeKeyFiles } from './release-secrets.js';
import type { Step } from './run-steps.js';
import type { BootstrapScope } from './scope.js';
import { bundledServers } from './servers/bundled-servers.js';
import { servers } from './servers/servers-step.js';
import type { Singleton } from './singleton.js';

const SERVED_TIMEOUT_MS = 60_000;
const ACCOUNT_TIMEOUT_MS = 300_000;

/** What a bootstrap goes through. From `pivot` on the platform in the cluster may hold what is newest. */
export const BOOTSTRAP_STEPS: readonly Step<BootstrapScope>[] = [
  { name: 'preflight', done: 'Everything that is needed is there', run: preflight },
  { name: 'singleton', done: 'A temporary platform runs on this machine', until: 'pivot', run: singleton },
  { name: 'account', done: 'The cloud takes the credentials', run: account },
  { name: 'cluster', done: 'The platform cluster is asked for', run: cluster },
  { name: 'ready', done: 'The platform cluster is ready', run: ready },
  { name: 'servers', done: 'PostgreSQL and NATS of the platform are there', run: servers },
  { name: 'secrets', done: 'Keys, passwords and roles of the platform are made', run: secrets },
  { name: 'chart', done: 'Crate is installed in its cluster', run: chart },
  { name: 'available', done: 'The platform in the cluster is well', run: available },
  { name: 'pivot', done: 'It has taken over everything', run: takeOver },
  { name: 'retire', done: 'The temporary platform has ended', run: retire },
];

async function preflight({ request, dir, target }: BootstrapScope): Promise<void> {
  bundledServers(request);
  await checkFiles(request);
  await target.check();
  const noHelm = await whyNoHelm();
  if (noHelm !== undefined) {
    throw refusal({ reason: 'HelmMissing', message: noHelm, remedy: 'Install Helm, and run the command again' });
  }
  if (request.databaseUrlFile === undefined) return;
  const url = await readDatabaseUrl(request.databaseUrlFile);
  // Once secrets are made, what is in the database is ours.
  if ((await findReleaseSecrets(dir)) === undefined) await checkDatabase(url);
  await writeDurably(dir.databaseUrl(), url);
}

/** A temporary platform on this machine, with what the cloud needs it to be told. */
export async function singleton({ dir, target, singleton: own }: BootstrapScope): Promise<void> {
  const settings = Object.entries(target.serviceSettings).map(([name, value]) => `${name}=${value}\n`);
  await changeSettings(dir.serviceSettings(), settings.join(''), own);
  await own.ensure();
}

/** It reads them when it starts. It ends before they are written: whoever is killed in between finds others still, and ends it again. */
async function changeSettings(path: string, settings: string, own: Singleton): Promise<void> {
  if ((await findText(path)) === settings) return;
  await own.end();
  await writeDurably(path, settings);
}

/** Throws Conflict (`AccountNotReady`), with what the account says of itself. */
export async function account({ request, target, singleton: own, say }: BootstrapScope): Promise<void> {
  const api = await own.api();
  await applyOnce(api, projectDocument());
  const path = await applyOnce(api, accountDocument(request, target));
  let last: Condition | undefined;
  // Its platform tries some failures again after minutes: whoever waits sees what for.
  const note = (now: Condition | undefined): void => {
    if (now?.message && now.message !== last?.message) say(`Waiting for account ${request.account}: ${now.message}`);
    last = now;
  };
  const isTaken = async (): Promise<boolean> => {
    const { status, metadata } = (await api.find<CloudAccount>(path)) ?? {};
    if (isConditionTrue(status?.conditions, 'Ready', metadata?.generation)) return true;
    note(findCondition(status?.conditions, 'Ready'));
    return false;
  };
  if (await waitUntil(isTaken, ACCOUNT_TIMEOUT_MS)) return;
  throw accountNotReady(request.account, last);
}

async function cluster({ request, target, singleton: own }: BootstrapScope): Promise<void> {
  await applyOnce(await own.api(), clusterDocument(request, target));
}

async function ready({ request, dir, singleton: own }: BootstrapScope): Promise<void> {
  const api = await own.api();
  const { name, timeoutMs } = request;
  const path = platformClusterPath(name);
  await untilReady({ api, name, path }, timeoutMs);
  await writeDurably(dir.clusterKubeconfig(), await api.kubeconfig(platformKubeconfigPath(name)));
}

async function secrets(scope: BootstrapScope): Promise<void> {
  const { dir } = scope;
  const made = await ensureReleaseSecrets(scope);
  await ensureRoles(scope, made);
  await writeKeyFiles(dir.keys(), made.secrets);
}

async function chart(scope: BootstrapScope): Promise<void> {
  const { request, dir, target, singleton: own, say } = scope;
  const made = await getReleaseSecrets(dir);
  const values = await valuesOf(request, target.chartValues(await egressAddresses(await own.api(), request.name)));
  const objects = [...(await furtherObjects(request)), ...(await renderChart(values))];
  await withCluster(scope, (cluster) => applyRelease(cluster, made, objects, say));
  // For Helm, which knows of no release and takes the objects over with the next chart.
  await writeDurably(dir.values(), stringify(values, YAML_OPTIONS));
}

async function available(scope: BootstrapScope): Promise<void> {
  await untilWell(scope, await getPlatform(scope));
}

async function takeOver(scope: BootstrapScope): Promise<void> {
  const { request, singleton: own, say } = scope;
  const platform = await getPlatform(scope);
  await withPlatformSide(scope, (to) =>
    pivotOrActAgain({ from: own.side, to, address: platform.url, drainTimeoutMs: request.drainTimeoutMs, say }),
  );
}

/** The proof that it acts is its own word on itself, and on the cluster that it runs in. */
async function retire(scope: BootstrapScope): Promise<void> {
  const { request, dir, singleton: own } = scope;
  await own.end();
  const platform = await getPlatform(scope);
  // The move has ended services that begin anew.
  await untilWell(scope, platform);
  const { api, kubeconfig } = platform;
  const { name, timeoutMs } = request;
  await untilReady({ api, name, path: platformClusterPath(name) }, timeoutMs);
  await writeDurably(dir.adminKubeconfig(), kubeconfig);
}

/** Creates or changes an object once its kind is served; gives its path. */
async function applyOnce(api: ApiClient, document: KubeObjectInput): Promise<string> {
  const named = document as Document;
  const isServed = (): Promise<boolean> =>
    resourcePath(api, named).then(
      () => true,
      () => false,
    );
  await waitUntil(isServed, SERVED_TIMEOUT_MS);
  const path = await resourcePath(api, named);
  await api.apply(path, document);
  return path;
}
