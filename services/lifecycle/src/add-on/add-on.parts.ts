import { ADD_ON, CLUSTER } from '@crate/api';
import { loadAddOnPackages } from '@crate/kubernetes';
import type { ServedKind } from '@crate/resource-server';
import { PostgresPublicationTurns, type Foundation } from '@crate/service-host';
import type { LifecycleConfig } from '../config.js';
import { addOnAdmission } from './add-on.admission.js';
import { addOnPrepare } from './add-on.prepare.js';
import { CataloguePublisher } from './catalogue-publisher.js';

/** Everything that add-ons are made of. */
export interface AddOnParts {
  readonly kind: ServedKind;
  /** Makes the shipped add-ons part of the catalogue, once it is this release's turn. */
  readonly publish: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Wires add-ons into the service. */
export function addOnParts(
  { clients, database, logger }: Pick<Foundation, 'clients' | 'database' | 'logger'>,
  { dir }: LifecycleConfig['addOns'],
): AddOnParts {
  const clusters = clients.for(CLUSTER);
  const of = { table: 'catalogue_publications', subject: 'add-ons', turn: 'add-on catalogue' };
  const turns = new PostgresPublicationTurns(database, of);
  const publisher = new CataloguePublisher({ addOns: clients.for(ADD_ON), turns, logger });
  return {
    kind: {
      definition: ADD_ON,
      nameFormat: 'dnsLabel',
      prepare: [addOnPrepare(clusters)],
      admit: [addOnAdmission(clusters)],
    },
    publish: async () => publisher.start(await loadAddOnPackages(dir)),
    stop: () => publisher.stop(),
  };
}
