import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { findCondition, isConditionTrue, type Cluster } from '@crate/api';
import { parseAllDocuments } from 'yaml';
import type { ApiClient } from '../client/api-client.js';
import type { ProgressView } from '../progress/progress-view.js';
import { resourcePath, type Document } from '../client/resource-path.js';

const POLL_MS = 250;

/** Applies every document of the file, in order; gives the Cluster among them. */
export async function applyFile(client: ApiClient, file: string): Promise<Document | undefined> {
  const documents = parseAllDocuments(await readFile(file, 'utf8')).map((parsed) => parsed.toJS() as Document);
  for (const document of documents) await client.apply(await resourcePath(client, document), document);
  return documents.find((document) => document.kind === 'Cluster');
}

/** Follows a cluster until it is Ready at its newest spec, or the signal fires. Gives it as last seen. */
export async function followCluster(
  client: ApiClient,
  path: string,
  view: ProgressView,
  signal: AbortSignal,
): Promise<Cluster | undefined> {
  let cluster: Cluster | undefined;
  while (!signal.aborted) {
    cluster = (await client.find<Cluster>(path).catch(() => undefined)) ?? cluster;
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
