import { ADD_ON, CLUSTER } from '@crate/api';
import { loadAddOnPackages } from '@crate/kubernetes';
import type { ServedKind } from '@crate/resource-server';
import type { Foundation } from '@crate/service-host';
import type { LifecycleConfig } from '../config.js';
import { addOnAdmission } from './add-on.admission.js';
import { publishCatalogue } from './add-on.catalogue.js';
import { addOnPrepare } from './add-on.prepare.js';

/** Everything that add-ons are made of. */
export interface AddOnParts {
  readonly kind: ServedKind;
  /** Makes the shipped add-ons part of the catalogue. Idempotent. */
  readonly publish: () => Promise<void>;
}

/** Wires add-ons into the service. */
export function addOnParts({ clients }: Pick<Foundation, 'clients'>, { dir }: LifecycleConfig['addOns']): AddOnParts {
  const clusters = clients.for(CLUSTER);
  return {
    kind: {
      definition: ADD_ON,
      nameFormat: 'dnsLabel',
      prepare: [addOnPrepare(clusters)],
      admit: [addOnAdmission(clusters)],
    },
    publish: async () => publishCatalogue(clients.for(ADD_ON), await loadAddOnPackages(dir)),
  };
}
