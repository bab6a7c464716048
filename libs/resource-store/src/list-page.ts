import { formatApiVersion, type KubeList, type KubeObject } from '@crate/api';
import { PlatformError } from '@crate/errors';
import { formatContinueToken, parseContinueToken, type ContinueToken } from './continue-token.js';
import { keyOf } from './object/object-key.js';
import type { StoreListOptions } from './resource-store.js';
import { formatRevision, goneError, parseRevision, tooLargeError, type Revision } from './revision.js';
import type { CompiledQuery } from './selector/compiled-query.js';

const EXPIRED = `The provided continue parameter is too old to display a consistent list result. You can start a new list without \
the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the \
provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk \
was returned and now may show up in the list.`;

/** What one page of a list shows, and of which state. */
export interface PagePlan {
  readonly query: CompiledQuery;
  /** The page begins behind this key. */
  readonly after: ContinueToken | undefined;
  /** The state it shows; undefined: the newest. */
  readonly revision: Revision | undefined;
  readonly notBefore: Revision | undefined;
  readonly limit: number | undefined;
  /** Whether all items behind `after` are to be counted. */
  readonly isCounted: boolean;
  readonly onlySpec: readonly string[] | undefined;
}

/** What was read for a page, all of one moment. */
export interface PageContent {
  readonly head: Revision;
  readonly floor: Revision;
  /** In order, one more than the limit when there are more. */
  readonly objects: readonly KubeObject[];
  /** All items behind `after`, where the plan asked for it. */
  readonly count: number | undefined;
}

/** Throws BadRequest for a token or revision that is none. */
export function planPage(query: CompiledQuery, options: StoreListOptions): PagePlan {
  const { limit, exactly, notBefore } = options;
  const after = options.continue === undefined ? undefined : parseContinueToken(options.continue);
  const isSelective = query.labels.length > 0 || query.fields.length > 0;
  return {
    query,
    after,
    revision: after ? after.revision : exactly === undefined ? undefined : parseRevision(exactly),
    notBefore: notBefore === undefined ? undefined : parseRevision(notBefore),
    limit: limit || undefined,
    // Counted once: later pages know from their token.
    isCounted: Boolean(limit) && !isSelective && after?.remaining === undefined,
    onlySpec: options.onlySpec,
  };
}

/** Throws Gone or Timeout when the log has not what the plan wants. */
export function checkPage(
  { after, revision, notBefore }: PagePlan,
  { head, floor }: Pick<PageContent, 'head' | 'floor'>,
): void {
  if (notBefore !== undefined && notBefore > head) throw tooLargeError(notBefore, head);
  if (revision === undefined) return;
  if (after) {
    // Also a revision in the future, as after a restored backup.
    if (revision < floor || revision > head) throw expiredError(after);
    return;
  }
  if (revision > head) throw tooLargeError(revision, head);
  if (revision < floor) throw goneError(revision, floor, head);
}

/** The page as it is sent. Throws Gone or Timeout. */
export function listOf(plan: PagePlan, content: PageContent): KubeList {
  checkPage(plan, content);
  const { query, limit } = plan;
  const revision = plan.revision ?? content.head;
  const items = limit ? content.objects.slice(0, limit) : content.objects;
  return {
    apiVersion: formatApiVersion(query.group, 'v1'),
    kind: `${query.kind}List`,
    metadata: { resourceVersion: formatRevision(revision), ...restOf(plan, content, items, revision) },
    items,
  };
}

function restOf(
  { after }: PagePlan,
  { objects, count }: PageContent,
  items: readonly KubeObject[],
  revision: Revision,
): { readonly continue?: string; readonly remainingItemCount?: number } {
  const last = items.at(-1);
  if (!last || items.length === objects.length) return {};
  const { namespace, name } = keyOf(last);
  const total = after?.remaining ?? count;
  if (total === undefined) return { continue: formatContinueToken({ revision, namespace, name }) };
  const remaining = total - items.length;
  return { continue: formatContinueToken({ revision, namespace, name, remaining }), remainingItemCount: remaining };
}

function expiredError({ namespace, name }: ContinueToken): PlatformError {
  const token = formatContinueToken({ revision: undefined, namespace, name });
  return new PlatformError('Gone', EXPIRED, { details: { reason: 'Expired', continue: token } });
}
