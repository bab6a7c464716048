import type { AddOn } from '@crate/api';
import { isPlatformError } from '@crate/errors';
import type { AddOnDraft } from '@crate/kubernetes';
import type { TypedClient } from '@crate/resource-client';

/** Manager of what the shipped catalogue states about add-ons; people's own add-ons are left alone. */
const CATALOGUE_MANAGER = 'crate-catalogue';

/** Says of an add-on that it ships with Crate. */
export const SHIPPED_LABEL = 'lifecycle.crate.dev/shipped';

const SHIPPED = { [SHIPPED_LABEL]: 'true' };

/**
 * Makes the shipped add-ons part of the catalogue, and takes out what another release has shipped and no cluster has. Gives the names of
 * what is not shipped any more and still in use: it stays as it is. Idempotent: nothing is written when all is so already.
 */
export async function publishCatalogue(
  addOns: TypedClient<AddOn>,
  packages: readonly AddOnDraft[],
): Promise<readonly string[]> {
  for (const { metadata, spec } of packages) {
    await addOns.ensure({ metadata: { ...metadata, labels: SHIPPED }, spec }, CATALOGUE_MANAGER);
  }
  const shipped = new Set(packages.map(({ metadata }) => metadata.name));
  const left = (await addOns.list()).filter(({ metadata: { name, labels } }) => {
    return labels?.[SHIPPED_LABEL] === SHIPPED[SHIPPED_LABEL] && !shipped.has(name);
  });
  const used: string[] = [];
  for (const { metadata } of left) if (!(await removeUnused(addOns, metadata.name))) used.push(metadata.name);
  return used;
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
