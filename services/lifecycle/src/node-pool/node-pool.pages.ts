import { apiVersionOf, CLUSTER, NODE_POOL, type Cluster, type KubeList, type NodePool } from '@crate/api';
import { badRequest, hasCode, isPlatformError, PlatformError } from '@crate/errors';
import type { CallContext, ListOptions, ResourceApi } from '@crate/resource-client';
import type { PoolSelection } from './node-pool.selection.js';
import { nodePoolsOf } from './node-pool.view.js';

/** Clusters read at a time. */
const LONGEST_PAGE = 500;

/** Where a list was left: within a page of clusters, so many pools were sent. */
interface Place {
  /** State that all pages show. */
  readonly revision?: string;
  /** Of the page of clusters; absent: the first one. */
  readonly token?: string;
  readonly sent: number;
}

const BEGINNING: Place = { sent: 0 };

/** One page of pools, all pages of one state of the clusters. Throws Gone when that is too old, with a place to go on from at the newest. */
export async function listPools(
  clusters: ResourceApi,
  selection: PoolSelection,
  options: ListOptions,
  context: CallContext,
): Promise<KubeList<NodePool>> {
  const { limit = Infinity } = options;
  const size = Math.min(limit, LONGEST_PAGE);
  const items: NodePool[] = [];
  let place = options.continue === undefined ? BEGINNING : parsePlace(options.continue);
  for (;;) {
    const wanted = { ...selection.clusters, ...pageOptions(place, options, size) };
    const page = await clusters.list(CLUSTER, wanted, context).catch(inPools);
    // What was found before is sent first: the place that is offered lies behind it.
    if (isPlatformError(page) && items.length > 0 && place.revision) return answer(items, place.revision, place);
    if (isPlatformError(page)) throw page;
    const { resourceVersion, continue: token } = page.metadata;
    const found = (page.items as readonly Cluster[]).flatMap(nodePoolsOf).filter(selection.matches);
    const fitting = found.slice(place.sent, place.sent + limit - items.length);
    items.push(...fitting);
    const sent = place.sent + fitting.length;
    if (sent < found.length) return answer(items, resourceVersion, { ...place, revision: resourceVersion, sent });
    if (token === undefined) return answer(items, resourceVersion);
    place = { revision: resourceVersion, token, sent: 0 };
    if (items.length >= limit) return answer(items, resourceVersion, place);
  }
}

/** The place that an expired list offers is one of Clusters. Pools of a cluster of which some were sent come once more. */
function inPools(error: unknown): PlatformError {
  const token = isPlatformError(error) && hasCode(error, 'Gone') ? error.details.continue : undefined;
  if (!isPlatformError(error) || typeof token !== 'string') throw error;
  const details = { ...error.details, continue: formatPlace({ token, sent: 0 }) };
  return new PlatformError(error.code, error.message, { cause: error, details });
}

function pageOptions({ revision, token, sent }: Place, options: ListOptions, limit: number): ListOptions {
  if (token !== undefined) return { limit, continue: token };
  if (sent > 0 && revision !== undefined) return { limit, resourceVersion: revision, resourceVersionMatch: 'Exact' };
  const { resourceVersion, resourceVersionMatch } = options;
  return {
    limit,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(resourceVersionMatch === undefined ? {} : { resourceVersionMatch }),
  };
}

function answer(items: readonly NodePool[], resourceVersion: string, place?: Place): KubeList<NodePool> {
  const metadata = { resourceVersion, ...(place ? { continue: formatPlace(place) } : {}) };
  return { apiVersion: apiVersionOf(NODE_POOL), kind: `${NODE_POOL.kind}List`, metadata, items };
}

function formatPlace({ revision = '', token = '', sent }: Place): string {
  return Buffer.from(JSON.stringify([revision, token, sent])).toString('base64url');
}

function parsePlace(text: string): Place {
  const [revision, token, sent] = partsOf(text);
  const isPlace = typeof revision === 'string' && typeof token === 'string' && Number.isSafeInteger(sent);
  if (!isPlace || Number(sent) < 0 || (revision === '' && token === '')) {
    throw badRequest('Invalid continue token: want the one that the previous page of this list gave');
  }
  return {
    sent: Number(sent),
    ...(revision === '' ? {} : { revision }),
    ...(token === '' ? {} : { token }),
  };
}

function partsOf(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
