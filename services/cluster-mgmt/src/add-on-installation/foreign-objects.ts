import type { InventoryEntry, KubeObject } from '@crate/api';
import { PlatformError } from '@crate/errors';
import { describeEntry, type TargetCluster } from '@crate/kubernetes';

/** Stable reason of an add-on that would take over what it did not put into the cluster. */
export const OBJECT_EXISTS = 'ObjectExists';

/** On an object in the cluster, with the value `true`: Crate may take it over, and with it remove it. */
export const ADOPT_ANNOTATION = 'cluster.crate.dev/adopt';

/**
 * In a cluster that was there before, what is there belongs to others: an add-on that took it over would remove it with itself. Throws
 * Forbidden (`ObjectExists`, which objects) when one of `news` is there and neither ours nor handed over.
 */
export async function refuseForeign(
  target: Pick<TargetCluster, 'find'>,
  news: readonly InventoryEntry[],
  { fieldManager, signal }: { readonly fieldManager: string; readonly signal: AbortSignal },
): Promise<void> {
  const foreign: string[] = [];
  for (const entry of news) {
    const found = await target.find(entry, signal);
    if (found && !isOurs(found, fieldManager)) foreign.push(describeEntry(entry));
  }
  if (foreign.length === 0) return;
  const remedy = `Remove or rename what is there, or hand it over with the annotation ${ADOPT_ANNOTATION}=true: it is then removed with the add-on`;
  const text = `There before the add-on, and not put there by Crate: ${foreign.sort().join(', ')}`;
  throw new PlatformError('Forbidden', text, {
    retry: 'slow',
    details: { reason: OBJECT_EXISTS, field: 'spec.manifests', remedy },
  });
}

function isOurs({ metadata }: KubeObject, fieldManager: string): boolean {
  if (metadata.annotations?.[ADOPT_ANNOTATION] === 'true') return true;
  const { managedFields = [] } = metadata as { readonly managedFields?: readonly { readonly manager?: string }[] };
  return managedFields.some(({ manager }) => manager === fieldManager);
}
