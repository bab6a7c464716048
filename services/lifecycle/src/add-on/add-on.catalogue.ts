import type { AddOn } from '@crate/api';
import type { AddOnDraft } from '@crate/kubernetes';
import type { TypedClient } from '@crate/resource-client';

/** Manager of what the shipped catalogue states about add-ons; people's own add-ons are left alone. */
const CATALOGUE_MANAGER = 'crate-catalogue';

/** Makes the shipped add-ons part of the catalogue. Idempotent: nothing is written when they are there already. */
export async function publishCatalogue(addOns: TypedClient<AddOn>, packages: readonly AddOnDraft[]): Promise<void> {
  for (const { metadata, spec } of packages) await addOns.ensure({ metadata, spec }, CATALOGUE_MANAGER);
}
