import { apiVersionOf, CLUSTER, NODE_POOL, type Cluster, type KubeList, type NodePool } from '@crate/api';
import { badRequest, hasCode, isPlatformError, PlatformError } from '@crate/errors';
import type { CallContext, ListOptions, ResourceApi } from '@crate/resource-client';
import { continueAt, continueBehind } from '@crate/resource-store';
import type { PoolSelection } from './node-pool.selection.js';
import { nodePoolsOf } from './node-pool.view.js';

/** Clusters read at a time. */
const LONGEST_PAGE = 500;

/** Where a list was left: behind so many pools of the first cluster behind a token. */
interface Place {
  /** Of a list of Clusters, of one state where pools of a cluster were sent; absent: the first page. */
  readonly token?: string;
  readonly sent: number;
}

const BEGINNING: Place = { sent: 0 };

/**
 * One page of pools, all pages of one state of the clusters. Throws Gone when that is too old, with a place to go on from at the newest; without
 * one where all of the list was asked for, and a part was read.
 */
export async function listPools(
  clusters: ResourceApi,
  selection: PoolSelection,
  options: ListOptions,
  context: CallContext,
): Promise<KubeList<NodePool>> {
  const { limit = Infinity } = options;
  const items: NodePool[] = [];
  let place = options.continue === undefined ? BEGINNING : parsePlace(options.continue);
  let revision = '';
  for (;;) {
    const wanted = { ...selection.clusters, ...pageOptions(place, options) };
    const page = await clusters.list(CLUSTER, wanted, context).catch(inPools);
    // What was found before is sent first: the place that is offered lies behind it.
    if (isPlatformError(page) && items.length > 0 && limit < Infinity) return answer(items, revision, place);
    if (isPlatformError(page)) throw items.length > 0 ? withoutPlace(page) : page;
    revision = page.metadata.resourceVersion;
    const cut = addFitting(items, page, { selection, limit, place });
    if (cut) return answer(items, revision, cut);
    const { continue: token } = page.metadata;
    if (token === undefined) return answer(items, revision);
    place = { token, sent: 0 };
    if (items.length >= limit) return answer(items, revision, place);
  }
}

/** Adds pools of the clusters as far as they fit. Gives the place where they were cut; undefined: there are no more of them. */
function addFitting(
  items: NodePool[],
  { items: clusters, metadata: { resourceVersion } }: KubeList,
  { selection, limit, place }: { readonly selection: PoolSelection; readonly limit: number; readonly place: Place },
): Place | undefined {
  let { token, sent } = place;
  for (const cluster of clusters as readonly Cluster[]) {
    const found = nodePoolsOf(cluster).filter(selection.matches).slice(sent);
    const fitting = found.slice(0, limit - items.length);
    items.push(...fitting);
    // What was sent is counted in this state: behind a token of the newest it may be another one by then.
    if (fitting.length < found.length) {
      return { token: continueAt(token, resourceVersion), sent: sent + fitting.length };
    }
    token = continueBehind(cluster, resourceVersion);
    sent = 0;
  }
  return undefined;
}

/** The place that an expired list offers is one of Clusters. Pools of a cluster of which some were sent come once more. */
function inPools(error: unknown): PlatformError {
  const token = isPlatformError(error) && hasCode(error, 'Gone') ? error.details.continue : undefined;
  if (!isPlatformError(error) || typeof token !== 'string') throw error;
  const details = { ...error.details, continue: formatPlace({ token, sent: 0 }) };
  return new PlatformError(error.code, error.message, { cause: error, details });
}

/** Who asked for all of the list would take a part for it, and has seen nothing of what lies before the place. */
function withoutPlace(cause: PlatformError): PlatformError {
  const message = 'What this list is read from is forgotten: start a new list';
  return new PlatformError(cause.code, message, { cause, details: { reason: 'Expired' } });
}

function pageOptions({ token }: Place, { limit = Infinity, ...options }: ListOptions): ListOptions {
  const size = Math.min(limit, LONGEST_PAGE);
  if (token !== undefined) return { limit: size, continue: token };
  const { resourceVersion, resourceVersionMatch } = options;
  return {
    limit: size,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(resourceVersionMatch === undefined ? {} : { resourceVersionMatch }),
  };
}

function answer(items: readonly NodePool[], resourceVersion: string, place?: Place): KubeList<NodePool> {
  const metadata = { resourceVersion, ...(place ? { continue: formatPlace(place) } : {}) };
  return { apiVersion: apiVersionOf(NODE_POOL), kind: `${NODE_POOL.kind}List`, metadata, items };
}

function formatPlace({ token, sent }: Place): string {
  return Buffer.from(JSON.stringify([token, sent])).toString('base64url');
}

function parsePlace(text: string): Place {
  const [token, sent] = partsOf(text);
  if (typeof token !== 'string' || !Number.isSafeInteger(sent) || Number(sent) < 0) {
    throw badRequest('Invalid continue token: want the one that the previous page of this list gave');
  }
  return { token, sent: Number(sent) };
}

function partsOf(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
