import type { AddOn } from '@crate/api';
import type { Draft, TypedClient } from '@crate/resource-client';

/** Manager of what the shipped catalogue states about add-ons; people's own add-ons are left alone. */
const CATALOGUE_MANAGER = 'crate-catalogue';

/** Makes the shipped add-ons part of the catalogue. Idempotent: nothing is written when they are there already. */
export async function publishCatalogue(addOns: TypedClient<AddOn>, packages: readonly Draft[]): Promise<void> {
  for (const draft of packages) await addOns.ensure(draft, CATALOGUE_MANAGER);
}
