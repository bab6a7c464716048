import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { findCondition, isConditionTrue, type Cluster } from '@crate/api';
import { parseAllDocuments } from 'yaml';
import type { ApiClient } from '../client/api-client.js';
import { isPassing } from '../client/passing.js';
import type { ProgressView } from '../progress/progress-view.js';
import { resourcePath, type Document } from '../client/resource-path.js';
import { waitUntil } from './wait.js';

const POLL_MS = 250;
/** Services announce their kinds within this time of being ready. */
const DISCOVERY_TIMEOUT_MS = 15_000;

/**
 * Creates what the file's documents name, in their order, and leaves alone what is there already: people may have
 * changed it since. Gives the Cluster among the documents.
 */
export async function createMissing(
  client: ApiClient,
  file: string,
  signal: AbortSignal,
): Promise<Document | undefined> {
  const documents = parseAllDocuments(await readFile(file, 'utf8')).map((parsed) => parsed.toJS() as Document);
  for (const document of documents) {
    await waitUntil(() => isServed(client, document), DISCOVERY_TIMEOUT_MS, signal);
    const path = await resourcePath(client, document);
    if ((await client.find(path)) === undefined) await client.create(collectionOf(path), asKubectlApplies(document));
  }
  return documents.find((document) => document.kind === 'Cluster');
}

/** Fields then belong to whom `kubectl apply` would give them to. */
function collectionOf(path: string): string {
  return `${path.slice(0, path.lastIndexOf('/'))}?fieldManager=kubectl-client-side-apply`;
}

/** With what `kubectl apply` remembers, so that applying the edited file is what people do next, without a warning. */
function asKubectlApplies(document: Document): Document {
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(document)}\n` };
  return { ...document, metadata: { ...document.metadata, annotations } } as Document;
}

async function isServed(client: ApiClient, document: Document): Promise<boolean> {
  return resourcePath(client, document).then(
    () => true,
    () => false,
  );
}

/**
 * Follows a cluster until it is Ready at its newest spec, or the signal fires; gives it as last seen. Undefined when it
 * was deleted meanwhile. Rides over a platform that is away; throws what else the API answers.
 */
export async function followCluster(
  client: ApiClient,
  path: string,
  view: ProgressView,
  signal: AbortSignal,
): Promise<Cluster | undefined> {
  let cluster: Cluster | undefined;
  while (!signal.aborted) {
    const last = cluster;
    cluster = await client.find<Cluster>(path).catch((error: unknown) => {
      if (isPassing(error)) return last;
      throw error;
    });
    if (!cluster && last) return undefined;
    if (cluster) view.update(cluster);
    if (cluster && isReady(cluster)) return cluster;
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
  return cluster;
}

function isReady(cluster: Cluster): boolean {
  return isConditionTrue(cluster.status?.conditions, 'Ready', cluster.metadata.generation);
}

/** Why the cluster is not ready, in one line. */
export function reasonOf(cluster: Cluster): string {
  const { failure, conditions } = cluster.status ?? {};
  if (failure) return [failure.code, failure.message, failure.remedy].filter(Boolean).join(': ');
  return findCondition(conditions, 'Ready')?.message ?? 'Nothing known yet';
}
