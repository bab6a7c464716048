import type { AddOn } from '@crate/api';
import { isPlatformError } from '@crate/errors';
import type { AddOnDraft } from '@crate/kubernetes';
import type { TypedClient } from '@crate/resource-client';

/** Manager of what the shipped catalogue states about add-ons; people's own add-ons are left alone. */
const CATALOGUE_MANAGER = 'crate-catalogue';

/** Says of an add-on that it ships with Crate. */
export const SHIPPED_LABEL = 'lifecycle.crate.dev/shipped';

const SHIPPED = { [SHIPPED_LABEL]: 'true' };

/** What of an earlier release is left, by name. */
export interface Leftovers {
  /** Nobody had them. */
  readonly removed: readonly string[];
  /** Clusters have them: they stay as they are. */
  readonly kept: readonly string[];
}

/**
 * Makes the shipped add-ons part of the catalogue, and takes out what another release has shipped and no cluster has. Idempotent: nothing is
 * written when all is so already.
 */
export async function publishCatalogue(
  addOns: TypedClient<AddOn>,
  packages: readonly AddOnDraft[],
): Promise<Leftovers> {
  for (const { metadata, spec } of packages) {
    await addOns.ensure({ metadata: { ...metadata, labels: SHIPPED }, spec }, CATALOGUE_MANAGER);
  }
  const shipped = new Set(packages.map(({ metadata }) => metadata.name));
  const left = (await addOns.list()).filter((addOn) => wasShipped(addOn) && !shipped.has(addOn.metadata.name));
  const removed: string[] = [];
  const kept: string[] = [];
  for (const { metadata } of left) ((await removeUnused(addOns, metadata.name)) ? removed : kept).push(metadata.name);
  return { removed, kept };
}

/** A copy that a person made of a shipped add-on has the label, and another manager. */
function wasShipped({ metadata: { labels, managedFields } }: AddOn): boolean {
  if (labels?.[SHIPPED_LABEL] !== SHIPPED[SHIPPED_LABEL]) return false;
  return managedFields?.some(({ manager }) => manager === CATALOGUE_MANAGER) ?? false;
}

async function removeUnused(addOns: TypedClient<AddOn>, name: string): Promise<boolean> {
  try {
    await addOns.remove(name);
    return true;
  } catch (error) {
    if (isPlatformError(error) && error.details.reason === 'AddOnInUse') return false;
    throw error;
  }
}
